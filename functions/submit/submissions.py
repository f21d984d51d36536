"""Routes of submissions: a whole set answered by one file, or by a program."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle.wire.sets import UploadPlaceBody
from contest.edge import web
from contest.edge.files import Accepted, Wanted, language_of
from contest.edge.web import CSV, HTML, XLSX, Reply
from contest.errors import (
    BusyError,
    ExportTooLargeError,
    KeyReusedError,
    NotSelectedError,
    OutsideStageError,
    PartsMissingError,
    ResultsNotPublishedError,
    SetAnnulledError,
    WrongPartsError,
)
from contest.people.cabinet import author
from contest.people.errors import NoTeamError, TeamInactiveError
from contest.results import errors
from contest.results import presenting as present_reports
from contest.results.wire import SubmissionPending
from contest.routes import Function
from contest.submissions import private, scoring, uploading, wire, worker
from contest.submissions.rules import given_up_at
from contest.submissions.wire import SubmissionsRecomputationBody, of_submissions
from contest.submissions.worker import Shown
from contest.values import PART
from contest.wiring import platform

app = web.resolver()

Part = Annotated[int, Path(ge=1, le=1_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
_UNSCORED: Final = {int(HTTPStatus.ACCEPTED): SubmissionPending}
_OF_A_REPORT: Final = (errors.UnknownSubmissionError, errors.NotScoredError, ExportTooLargeError)
_SHOWN: Final = 1_000_000
"""Characters of a stream in one answer, which holds 6 MB when every one is escaped."""
After = Annotated[str | None, Query(pattern=r"^[1-9][0-9]{14}$", description="`next` of the page before")]


def _submission_body(view: Shown) -> wire.SubmissionBody:
    """Return the body of a submission."""
    return wire.SubmissionBody.from_value(
        view.submission,
        part_size=PART,
        missing_parts=view.missing,
        upload_until=given_up_at(view.submission),
        failed_at=view.failed_at,
        reasons=view.reasons,
        warnings=view.warnings,
    )


@web.handles(
    app,
    routes.BEGIN_SUBMISSION,
    "Create a submission",
    errors.SubmissionsNotTakenError,
    errors.SubmissionTooLargeError,
    errors.SetWithoutReferencesError,
    errors.TooManyUploadsError,
    WrongPartsError,
    SetAnnulledError,
    OutsideStageError,
    KeyReusedError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
    NotSelectedError,
    status=HTTPStatus.CREATED,
)
def begin_submission(request: wire.SubmissionRequest, key: web.IdempotencyKey = None) -> wire.SubmissionBody:
    """Upload its parts next, each to its own address; the submission lists the missing ones."""
    submission = uploading.announce(platform(), web.request(app, key=key), request.wish())
    return _submission_body(worker.submission_view(platform(), submission))


@web.handles(
    app,
    routes.SUBMISSION_PART,
    "Get an upload URL for a part of a submission",
    errors.UnknownSubmissionError,
    errors.SubmissionClosedError,
    errors.UnknownSubmissionPartError,
    NoTeamError,
    TeamInactiveError,
)
def submission_part(submission_id: str, part: Part) -> UploadPlaceBody:
    """Return an address of this host that takes the part by `PUT` for a few minutes, with exactly its bytes in
    `Content-Length`, without the token. After a 403 get another one."""
    return UploadPlaceBody.from_value(
        uploading.place_of_part(platform(), web.request(app), submission_id, part), method="PUT"
    )


@web.handles(
    app,
    routes.COMPLETE_SUBMISSION,
    "Hand in an uploaded submission",
    errors.UnknownSubmissionError,
    errors.SubmissionClosedError,
    errors.SubmissionUnderWayError,
    errors.SubmissionsExhaustedError,
    PartsMissingError,
    SetAnnulledError,
    OutsideStageError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def complete_submission(submission_id: str) -> wire.CompletedBody:
    """Return a signed receipt; a repetition returns the same one. Workers then check it, run it if it is a program,
    and score it."""
    done = uploading.complete(platform(), web.request(app), submission_id)
    body = _submission_body(worker.submission_view(platform(), done))
    return wire.CompletedBody(submission=body, **json.loads(done.receipt))


@web.handles(
    app,
    routes.GIVE_UP_SUBMISSION,
    "Cancel an upload",
    errors.UnknownSubmissionError,
    errors.SubmissionClosedError,
    BusyError,
)
def give_up_submission(submission_id: str) -> wire.SubmissionBody:
    """Refuse an upload that was not handed in; it frees its place among the team's ten and counts nowhere. A
    repetition is harmless."""
    ended = uploading.give_up(platform(), web.request(app), submission_id)
    return _submission_body(worker.submission_view(platform(), ended))


@web.handles(app, routes.SUBMISSIONS, "Submissions of the own team")
def list_submissions(limit: Limit = 20, after: After = None) -> wire.SubmissionsBody:
    """List them, the newest first, and how many the team may still hand in today."""
    request = web.request(app)
    team_id = request.identity.team_id
    some, following = worker.page_of(uploading.of_team(platform(), team_id), limit, after)
    left_today = uploading.remaining_today(platform(), team_id, request.arrival)
    return wire.SubmissionsBody.from_value(submissions=some, next=following, left_today=left_today)


@web.handles(app, routes.SUBMISSION, "Status of a submission", errors.UnknownSubmissionError)
def submission_status(submission_id: str) -> wire.SubmissionBody:
    """Return its state, with all faults if it was refused, and with the cause if it failed."""
    submission = uploading.own_submission(platform(), web.request(app), submission_id)
    return _submission_body(worker.submission_view(platform(), submission))


@web.handles(
    app,
    routes.SUBMISSION_REPORT,
    "Report of a submission",
    errors.UnknownSubmissionError,
    errors.NotScoredError,
    model=wire.SubmissionReport,
    others={HTTPStatus.ACCEPTED: SubmissionPending},
)
def submission_report(submission_id: str) -> Reply:
    """Return the report, always the same bytes; 202 until it is scored. Of a hidden set it has totals alone."""
    report = scoring.submission_report(platform(), web.request(app), submission_id)
    return web.answer(report) if isinstance(report, bytes) else present_reports.waiting(report)


@web.handles(
    app, routes.SUBMISSION_PAGE, "Report of a submission to print", *_OF_A_REPORT, model=HTML, others=_UNSCORED
)
def submission_report_page(submission_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report as a page, in Russian or English."""
    report = scoring.submission_report(platform(), web.request(app), submission_id)
    return present_reports.page(app, report, language_of(lang, accepted))


@web.handles(app, routes.SUBMISSION_CSV, "Report of a submission as CSV", *_OF_A_REPORT, model=CSV, others=_UNSCORED)
def submission_report_csv(submission_id: str) -> Response[Any]:
    """List every item of the report with its measures; of a hidden set the contest's first table."""
    return present_reports.csv(app, scoring.submission_report(platform(), web.request(app), submission_id))


@web.handles(app, routes.SUBMISSION_XLSX, "Report of a submission as XLSX", *_OF_A_REPORT, model=XLSX, others=_UNSCORED)
def submission_report_xlsx(submission_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report's tables as sheets."""
    report = scoring.submission_report(platform(), web.request(app), submission_id)
    return present_reports.xlsx(app, report, language_of(lang, accepted))


@web.handles(
    app, routes.SUBMISSION_LOGS, "Output of a submitted program", errors.UnknownSubmissionError, errors.LogsAbsentError
)
def submission_logs(submission_id: str) -> wire.SubmissionLogsBody:
    """Return the ends of stdout and stderr of its latest run, at most a MiB of each; nothing of a private run."""
    logs = worker.run_logs(platform(), web.request(app), submission_id)
    return wire.SubmissionLogsBody(
        stdout=logs.stdout.decode("utf-8", "replace")[-_SHOWN:],
        stderr=logs.stderr.decode("utf-8", "replace")[-_SHOWN:],
        stdout_bytes=len(logs.stdout),
        stderr_bytes=len(logs.stderr),
    )


@web.handles(
    app,
    routes.NAME_SUBMISSIONS,
    "Nominate submissions for the private test",
    errors.UnknownSubmissionError,
    errors.NotScoredError,
    errors.PrivateTestBegunError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def name_submissions(request: wire.NamingRequest) -> wire.SubmissionsBody:
    """Replace the nominated ones with at most two scored ones; without any, the team's best is run."""
    named = private.name_submissions(platform(), web.request(app), request.submissions)
    return wire.SubmissionsBody.from_value(submissions=named, next=None, left_today=None)


@web.handles(
    app,
    routes.DECLARE,
    "Declare a model's parameters",
    errors.UnknownSubmissionError,
    errors.NotScoredError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def declare_parameters(submission_id: str, request: wire.DeclarationRequest) -> wire.SubmissionBody:
    """State how many parameters it has, and how many of them all subtasks use. The commission confirms every new
    declaration."""
    submission = private.declare_model(
        platform(), web.request(app), submission_id, request.total_parameters, request.shared_parameters
    )
    return _submission_body(worker.submission_view(platform(), submission))


@web.handles(app, routes.ALL_SUBMISSIONS, "All teams' submissions")
def all_submissions(limit: Limit = 20, after: After = None) -> wire.SubmissionsBody:
    """List them, the newest first; private runs are listed with the private test."""
    some, following = worker.page_of(worker.all_submissions(platform()), limit, after)
    return wire.SubmissionsBody.from_value(submissions=some, next=following, left_today=None)


@web.handles(app, routes.RERUN_SUBMISSION, "Run a submission again", errors.UnknownSubmissionError, BusyError)
def rerun_submission(submission_id: str, request: wire.RerunRequest) -> wire.SubmissionBody:
    """Run again a submission that the platform made fail; it counts for the day on which it was handed in."""
    submission = private.rerun(platform(), web.caller(app), submission_id, request.reason)
    return _submission_body(worker.submission_view(platform(), submission))


@web.handles(app, routes.RULE_DECLARATION, "Confirm or refuse a declaration", errors.UnknownSubmissionError, BusyError)
def rule_declaration(submission_id: str, request: wire.DeclarationDecision) -> wire.SubmissionBody:
    """Record the commission's decision on a model's declared parameters, with the reason."""
    submission = private.rule_on_declaration(
        platform(), web.caller(app), submission_id, request.reason, confirmed=request.confirmed
    )
    return _submission_body(worker.submission_view(platform(), submission))


@web.handles(app, routes.SUBMISSIONS_RECOMPUTATION, "Differences in the recomputation of submissions")
def submissions_recomputation() -> SubmissionsRecomputationBody:
    """List every cell in which the platform and the independent recomputation differ. With any, the private test is
    not published."""
    return of_submissions(worker.look_at_recomputation(platform()))


@web.handles(app, routes.RECOMPUTE_SUBMISSIONS, "Recompute all submissions again")
def recompute_submissions() -> SubmissionsRecomputationBody:
    """Recompute every scored submission; the earlier result stays until then."""
    return of_submissions(worker.recompute_again(platform()))


@web.handles(app, routes.BEGIN_PRIVATE_TEST, "Begin the private test", BusyError)
def begin_private_test(request: wire.PrivateTestRequest) -> wire.PrivateTestBody:
    """Run every approved team's nominated submissions, else its best, over a final set; a repetition adds the
    missing runs."""
    private.begin_runs(platform(), author(web.caller(app)), request.set)
    return wire.PrivateTestBody.from_value(private.private_result(platform()))


@web.handles(app, routes.PRIVATE_TEST, "Progress of the private test")
def private_test() -> wire.PrivateTestBody:
    """Return every run, the final boards of the scored ones, and the prizes they would give."""
    return wire.PrivateTestBody.from_value(private.private_result(platform()))


@web.handles(app, routes.PUBLISH_PRIVATE_TEST, "Publish the private test", BusyError)
def publish_private_test(request: wire.PrivatePublicationRequest) -> wire.PrivateTestBody:
    """Publish it once every run has ended and the recomputation gives the same numbers."""
    return wire.PrivateTestBody.from_value(private.publish(platform(), web.caller(app), request.reason))


@web.handles(app, routes.PRIVATE_RESULTS, "The final boards of programs", ResultsNotPublishedError)
def private_results() -> wire.PrivateTestBody:
    """Return the boards of the private test alone, and the prizes, once they are published."""
    return wire.PrivateTestBody.from_value(private.public_view(platform()), runs=())


handler = web.make_handler(app, Function.SUBMISSIONS)
