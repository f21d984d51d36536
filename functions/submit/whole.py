"""Routes of submissions: a whole set answered by one file, or by a program."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from contest import routes
from contest.cycle import presenting as present_sets
from contest.cycle.errors import PartsMissingError, WrongPartsError
from contest.cycle.wire.sets import UploadPlaceBody
from contest.edge import web
from contest.edge.documentation import CSV, HTML, XLSX
from contest.edge.languages import Accepted, Wanted, language_of
from contest.edge.web import Reply
from contest.errors import (
    BusyError,
    ExportTooLargeError,
    KeyReusedError,
    MalformedJsonError,
    OutsideStageError,
    ResultsNotPublishedError,
    SetAnnulledError,
)
from contest.people.cabinet import author
from contest.people.errors import NoTeamError, TeamInactiveError
from contest.results import presenting
from contest.results.wire.reviews import SubmissionsRecomputationBody
from contest.route import Function
from contest.submissions import bringing, private, programs, scoring, working
from contest.submissions import presenting as present
from contest.submissions.errors import (
    LogsAbsentError,
    NotScoredError,
    PrivateTestBegunError,
    SetWithoutReferencesError,
    SubmissionClosedError,
    SubmissionsExhaustedError,
    SubmissionsNotTakenError,
    SubmissionTooLargeError,
    SubmissionUnderWayError,
    TooManyUploadsError,
    UnknownSubmissionError,
    UnknownSubmissionPartError,
)
from contest.submissions.wire import (
    CompletedBody,
    DeclarationDecision,
    DeclarationRequest,
    NamingRequest,
    PrivatePublicationRequest,
    PrivateTestBody,
    PrivateTestRequest,
    RerunRequest,
    SubmissionBody,
    SubmissionLogsBody,
    SubmissionPending,
    SubmissionReport,
    SubmissionRequest,
    SubmissionsBody,
)
from contest.wiring import platform

app = web.resolver()

Part = Annotated[int, Path(ge=1, le=1_000, description="A part's number, from 1")]
Limit = Annotated[int, Query(ge=1, le=100, description="At most so many")]
_UNSCORED: Final = {int(HTTPStatus.ACCEPTED): SubmissionPending}
_OF_A_REPORT: Final = (UnknownSubmissionError, NotScoredError, ExportTooLargeError)
After = Annotated[str | None, Query(pattern=r"^[1-9][0-9]{14}$", description="`next` of the page before")]


@web.on(
    app,
    routes.BEGIN_SUBMISSION,
    SubmissionBody,
    "Announce a submission",
    MalformedJsonError,
    SubmissionsNotTakenError,
    SubmissionTooLargeError,
    SetWithoutReferencesError,
    TooManyUploadsError,
    WrongPartsError,
    SetAnnulledError,
    OutsideStageError,
    KeyReusedError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
    status=HTTPStatus.CREATED,
)
def begin_submission(request: SubmissionRequest, key: web.IdempotencyKey = None) -> Reply:
    """Its parts come next, each at an address of its own; which of them are missing a submission says at any time."""
    submission = bringing.begin(platform(), web.request(app, key=key), request.wish())
    return web.answer(present.submission(working.shown(platform(), submission)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.SUBMISSION_PART,
    UploadPlaceBody,
    "Where a part of a submission goes",
    UnknownSubmissionError,
    SubmissionClosedError,
    UnknownSubmissionPartError,
    NoTeamError,
    TeamInactiveError,
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
    UnknownSubmissionError,
    SubmissionClosedError,
    SubmissionUnderWayError,
    SubmissionsExhaustedError,
    PartsMissingError,
    SetAnnulledError,
    OutsideStageError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def complete_submission(submission_id: str) -> Reply:
    """Gives a signed receipt; asked again, the same one. From here it is checked, run where it is a program, and scored
    by workers."""
    done = bringing.complete(platform(), web.request(app), submission_id)
    return web.answer(present.completed(working.shown(platform(), done)))


@web.on(
    app,
    routes.GIVE_UP_SUBMISSION,
    SubmissionBody,
    "Give an upload up",
    UnknownSubmissionError,
    SubmissionClosedError,
    BusyError,
)
def give_up_submission(submission_id: str) -> Reply:
    """An upload that was not handed in is `refused` at once, takes none of the team's ten places any more, and counts
    nowhere; asked again, the same. One that was handed in is not given up."""
    ended = bringing.give_up(platform(), web.request(app), submission_id)
    return web.answer(present.submission(working.shown(platform(), ended)))


@web.on(app, routes.SUBMISSIONS, SubmissionsBody, "A team's submissions")
def list_submissions(limit: Limit = 20, after: After = None) -> Reply:
    """The newest first, and how many the team may still hand in today."""
    request = web.request(app)
    team_id = request.identity.team_id
    some, following = working.page(bringing.of_team(platform(), team_id), limit, after)
    left_today = bringing.left(platform(), team_id, request.arrival)
    return web.answer(SubmissionsBody.from_value(submissions=some, next=following, left_today=left_today))


@web.on(app, routes.SUBMISSION, SubmissionBody, "How far a submission is", UnknownSubmissionError)
def submission_status(submission_id: str) -> Reply:
    """With everything that is wrong with it, where it was refused, and the cause, where it failed."""
    submission = bringing.own(platform(), web.request(app), submission_id)
    return web.answer(present.submission(working.shown(platform(), submission)))


@web.on(
    app,
    routes.SUBMISSION_REPORT,
    SubmissionReport,
    "The report of a submission",
    UnknownSubmissionError,
    NotScoredError,
    others={HTTPStatus.ACCEPTED: SubmissionPending},
)
def submission_report(submission_id: str) -> Reply:
    """202 until it is scored, then the report, the same bytes for ever; of a hidden set it has totals alone."""
    return present.report(scoring.submission_report(platform(), web.request(app), submission_id))


@web.on(app, routes.SUBMISSION_PAGE, HTML, "Report of a submission to print", *_OF_A_REPORT, others=_UNSCORED)
def submission_report_page(submission_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report as a page, in Russian or English."""
    report = scoring.submission_report(platform(), web.request(app), submission_id)
    return presenting.page(app, report, language_of(lang, accepted))


@web.on(app, routes.SUBMISSION_CSV, CSV, "Report of a submission as CSV", *_OF_A_REPORT, others=_UNSCORED)
def submission_report_csv(submission_id: str) -> Response[Any]:
    """Every item that the report tells of with its measures; of a hidden set the contest's first table."""
    return presenting.csv(app, scoring.submission_report(platform(), web.request(app), submission_id))


@web.on(app, routes.SUBMISSION_XLSX, XLSX, "Report of a submission as XLSX", *_OF_A_REPORT, others=_UNSCORED)
def submission_report_xlsx(submission_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report's tables as sheets."""
    report = scoring.submission_report(platform(), web.request(app), submission_id)
    return presenting.xlsx(app, report, language_of(lang, accepted))


@web.on(
    app,
    routes.SUBMISSION_LOGS,
    SubmissionLogsBody,
    "What a submitted program has written",
    UnknownSubmissionError,
    LogsAbsentError,
)
def submission_logs(submission_id: str) -> Reply:
    """The ends of stdout and stderr of its latest run, at most a MiB of each is kept; none of a private run."""
    return web.answer(present.logs(working.logs(platform(), web.request(app), submission_id)))


@web.on(
    app,
    routes.NAME_SUBMISSIONS,
    SubmissionsBody,
    "Name submissions for the private test",
    MalformedJsonError,
    UnknownSubmissionError,
    NotScoredError,
    PrivateTestBegunError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def name_submissions(request: NamingRequest) -> Reply:
    """At most two scored ones, in the place of those that were named before; with none the team's best is run."""
    named = private.name(platform(), web.request(app), request.submissions)
    return web.answer(SubmissionsBody.from_value(submissions=named, next=None, left_today=None))


@web.on(
    app,
    routes.DECLARE,
    SubmissionBody,
    "Declare a model's parameters",
    MalformedJsonError,
    UnknownSubmissionError,
    NotScoredError,
    BusyError,
    NoTeamError,
    TeamInactiveError,
)
def declare_parameters(submission_id: str, request: DeclarationRequest) -> Reply:
    """How many parameters it has, and how many of them all subtasks use; the commission confirms it. Said anew, it
    waits for that anew."""
    submission = private.declare(
        platform(), web.request(app), submission_id, request.total_parameters, request.shared_parameters
    )
    return web.answer(present.submission(working.shown(platform(), submission)))


@web.on(app, routes.ALL_SUBMISSIONS, SubmissionsBody, "All teams' submissions")
def all_submissions(limit: Limit = 20, after: After = None) -> Reply:
    """The newest first; private runs stand with the private test."""
    some, following = working.page(working.everybodys(platform()), limit, after)
    return web.answer(SubmissionsBody.from_value(submissions=some, next=following, left_today=None))


@web.on(
    app,
    routes.RERUN_SUBMISSION,
    SubmissionBody,
    "Run a submission again",
    MalformedJsonError,
    UnknownSubmissionError,
    BusyError,
)
def rerun_submission(submission_id: str, request: RerunRequest) -> Reply:
    """One that failed by the platform's fault; it counts for the day on which it was handed in."""
    submission = private.rerun(platform(), web.caller(app), submission_id, request.reason)
    return web.answer(present.submission(working.shown(platform(), submission)))


@web.on(
    app,
    routes.RULE_DECLARATION,
    SubmissionBody,
    "Confirm or refuse a declaration",
    MalformedJsonError,
    UnknownSubmissionError,
    BusyError,
)
def rule_declaration(submission_id: str, request: DeclarationDecision) -> Reply:
    """The commission's decision about what a team has declared of its model, with the reason."""
    submission = private.rule(platform(), web.caller(app), submission_id, request.reason, confirmed=request.confirmed)
    return web.answer(present.submission(working.shown(platform(), submission)))


@web.on(
    app,
    routes.SUBMISSIONS_RECOMPUTATION,
    SubmissionsRecomputationBody,
    "What the independent recomputation of submissions found",
)
def submissions_recomputation() -> Reply:
    """Every cell in which the platform and the recomputation differ. With any the private test is not published."""
    return web.answer(presenting.of_submissions(programs.look(platform())))


@web.on(app, routes.RECOMPUTE_SUBMISSIONS, SubmissionsRecomputationBody, "Recompute all submissions once more")
def recompute_submissions() -> Reply:
    """Of every scored submission, whatever was found before; what was found stands until the new result is there."""
    return web.answer(presenting.of_submissions(programs.again(platform())))


@web.on(
    app,
    routes.BEGIN_PRIVATE_TEST,
    PrivateTestBody,
    "Begin the private test",
    MalformedJsonError,
    BusyError,
)
def begin_private_test(request: PrivateTestRequest) -> Reply:
    """Runs over a final set what every approved team has named, else its best; asked again, what is missing of it."""
    private.begin(platform(), author(web.caller(app)), request.set)
    return web.answer(present.private_test(private.result(platform()), with_runs=True))


@web.on(app, routes.PRIVATE_TEST, PrivateTestBody, "How far the private test is")
def private_test() -> Reply:
    """Every run, the final boards from the scored ones alone, and the prizes as they would be."""
    return web.answer(present.private_test(private.result(platform()), with_runs=True))


@web.on(
    app,
    routes.PUBLISH_PRIVATE_TEST,
    PrivateTestBody,
    "Publish the private test",
    MalformedJsonError,
    BusyError,
)
def publish_private_test(request: PrivatePublicationRequest) -> Reply:
    """Not before every run has ended, and every submission is recomputed independently to the same numbers."""
    test = private.publish(platform(), web.caller(app), request.reason)
    return web.answer(present.private_test(test, with_runs=True))


@web.on(app, routes.PRIVATE_RESULTS, PrivateTestBody, "The final boards of programs", ResultsNotPublishedError)
def private_results() -> Reply:
    """Final boards from the private test alone, and prizes, once they are published."""
    return web.answer(present.private_test(private.told(platform()), with_runs=False))


web.start(app, Function.BRING)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
