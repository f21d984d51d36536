"""Routes of submissions: a whole set answered by one file, or by a program."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import errors, routes
from contest.contracts.sets import UploadPlaceBody
from contest.contracts.submissions import (
    CompletedBody,
    SubmissionBody,
    SubmissionLogsBody,
    SubmissionPending,
    SubmissionReport,
    SubmissionRequest,
    SubmissionsBody,
)
from contest.edge import present_sets, web
from contest.edge import present_submissions as present
from contest.edge.web import Reply
from contest.errors import conduct, sets, submissions
from contest.routes import Function
from contest.services.submissions import bringing, showing, submitted_report
from contest.wiring import platform

app = web.resolver()

Part = Annotated[int, Path(ge=1, le=1_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
After = Annotated[str | None, Query(pattern=r"^[1-9][0-9]{14}$", description="`next` of the page before")]


@web.on(
    app,
    routes.BEGIN_SUBMISSION,
    SubmissionBody,
    "Announce a submission",
    errors.MalformedJsonError,
    submissions.SubmissionsNotTakenError,
    submissions.SubmissionTooLargeError,
    submissions.SetWithoutReferencesError,
    submissions.TooManyUploadsError,
    sets.WrongPartsError,
    conduct.SetAnnulledError,
    errors.KeyReusedError,
    errors.BusyError,
    status=HTTPStatus.CREATED,
)
def begin_submission(said: SubmissionRequest, key: web.IdempotencyKey = None) -> Reply:
    """Its parts come next, each at an address of its own; which of them are missing a submission says at any time."""
    made = bringing.begin(platform(), web.request(app, key=key), said.wish())
    return web.answer(present.submission(showing.shown(platform(), made)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.SUBMISSION_PART,
    UploadPlaceBody,
    "Where a part of a submission goes",
    submissions.UnknownSubmissionError,
    submissions.SubmissionClosedError,
    submissions.UnknownSubmissionPartError,
)
def submission_part(submission_id: str, part: Part) -> Reply:
    """An address of this host, for a few minutes, that takes the part as the body of a `PUT`, with exactly its bytes in
    `Content-Length` and without the token. 403 there: the address is over, ask for another one."""
    return web.answer(present_sets.place(bringing.place_of_part(platform(), web.request(app), submission_id, part)))


@web.on(
    app,
    routes.COMPLETE_SUBMISSION,
    CompletedBody,
    "Hand in a submission that is whole",
    submissions.UnknownSubmissionError,
    submissions.SubmissionClosedError,
    submissions.SubmissionUnderWayError,
    submissions.SubmissionsExhaustedError,
    sets.PartsMissingError,
    conduct.SetAnnulledError,
    errors.BusyError,
)
def complete_submission(submission_id: str) -> Reply:
    """Gives a signed receipt; asked again, the same one. From here it is checked, run where it is a program, and scored
    by workers."""
    done = bringing.complete(platform(), web.request(app), submission_id)
    return web.answer(present.completed(showing.shown(platform(), done)))


@web.on(app, routes.SUBMISSIONS, SubmissionsBody, "A team's submissions")
def list_submissions(limit: Limit = 20, after: After = None) -> Reply:
    """The newest first, and how many the team may still hand in today."""
    asked = web.request(app)
    team_id = asked.identity.team_id
    some, following = showing.page(bringing.of_team(platform(), team_id), limit, after)
    return web.answer(present.submissions(some, following, bringing.left(platform(), team_id, asked.arrival)))


@web.on(app, routes.SUBMISSION, SubmissionBody, "How far a submission is", submissions.UnknownSubmissionError)
def submission_status(submission_id: str) -> Reply:
    """With everything that is wrong with it, where it was refused, and the cause, where it failed."""
    found = bringing.own(platform(), web.request(app), submission_id)
    return web.answer(present.submission(showing.shown(platform(), found)))


@web.on(
    app,
    routes.SUBMISSION_REPORT,
    SubmissionReport,
    "The report of a submission",
    submissions.UnknownSubmissionError,
    submissions.NotScoredError,
    others={HTTPStatus.ACCEPTED: SubmissionPending},
)
def submission_report(submission_id: str) -> Reply:
    """202 until it is scored, then the report, the same bytes for ever; of a hidden set it has totals alone."""
    return present.report(submitted_report.report(platform(), web.request(app), submission_id))


@web.on(
    app,
    routes.SUBMISSION_LOGS,
    SubmissionLogsBody,
    "What a submitted program has written",
    submissions.UnknownSubmissionError,
    submissions.LogsAbsentError,
)
def submission_logs(submission_id: str) -> Reply:
    """The ends of stdout and stderr of its latest run, at most a MiB of each is kept; none of a private run."""
    return web.answer(present.logs(showing.logs(platform(), web.request(app), submission_id)))


web.start(app, Function.BRING)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
