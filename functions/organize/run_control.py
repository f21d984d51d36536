"""Routes of the function RunControl: runs, scoring, results, rescorings, the kit and the cycle's costs.

Organizers decide about runs, scoring and results, and the commission watches. Organizers begin and decide rescorings,
and the commission looks on. Organizers publish the participants' kit here, beside decisions about runs, for its list is
signed, and see what the cycle costs.

RunControl is a function of its own: it knows the plans of runs and signs, and the cabinet beside it does neither.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.cycle import kits
from contest.cycle import presenting as present_cycle
from contest.cycle.errors import KitVersionTakenError
from contest.cycle.wire.kits import KitRequest, PublishedKitBody
from contest.cycle.wire.parameters import HeldCycleBody
from contest.edge import conducting, files, web
from contest.edge.languages import Accepted, Wanted, language_of
from contest.edge.media_types import CSV, XLSX
from contest.edge.web import Reply, caller
from contest.errors import (
    BusyError,
    NoCycleError,
    NoTablesError,
    OutsideStageError,
    ResultsNotPublishedError,
    SameSignatoryError,
    SetAnnulledError,
    UnknownBoardError,
    UnknownErrandError,
    UnknownRunError,
    UnknownSessionError,
)
from contest.operations import overview
from contest.operations import presenting as present_operations
from contest.operations.rules import Choice
from contest.operations.wire import CostBody
from contest.people.cabinet import author
from contest.people.errors import UnknownTeamError
from contest.results import errors, rescoring, settling
from contest.results.presenting import boards as present_boards
from contest.results.wire.boards import BoardBody
from contest.results.wire.errands import ErrandBody, RecomputationBody, recomputation_body
from contest.results.wire.rescorings import (
    RescoringBody,
    RescoringDecisionRequest,
    RescoringDetailsBody,
    RescoringRequest,
    RescoringsBody,
)
from contest.route import Function
from contest.run.wire import conduct
from contest.submissions.errors import NotScoredError
from contest.wire import ProtocolRequest, ProtocolsBody
from contest.wiring import platform

app = web.resolver()


@web.on(
    app,
    routes.PUBLISH_KIT,
    PublishedKitBody,
    "Publish the participants' kit (R 4.2, 4.3)",
    NoCycleError,
    KitVersionTakenError,
    BusyError,
)
def publish_kit(request: KitRequest) -> Reply:
    """Sign its list, recognize its modules from now on, and draft an announcement of it."""
    return web.answer(present_cycle.published_kit(kits.publish(platform(), author(caller(app)), request.listed())))


@web.on(
    app,
    routes.BEGIN_RESCORING,
    RescoringBody,
    "Score closed sessions and submissions again, beside their scores",
    errors.UnknownParametersError,
    errors.NothingSelectedError,
    errors.FinalIsWholeError,
    errors.NoBoardError,
    errors.TooManySelectedError,
    errors.RunsOpenError,
    BusyError,
    status=HTTPStatus.CREATED,
)
def begin_rescoring(request: RescoringRequest) -> Reply:
    """Score in the background by the present parameters or a named version, by the present experts' markups and scorer.

    Nothing uses the new scores before they are accepted. A final is named by its run alone and keeps its version
    of the parameters unless another one is named.
    """
    record = rescoring.begin(platform(), caller(app), request.selection(), request.reason, request.parameters_version)
    return web.answer(RescoringBody(**rescoring.summary(platform(), record)), HTTPStatus.CREATED)


@web.on(app, routes.RESCORINGS, RescoringsBody, "All rescorings")
def list_rescorings() -> Reply:
    """List them, the latest first."""
    rescorings = [RescoringBody(**rescoring.summary(platform(), record)) for record in platform().rescorings.all()]
    return web.answer(RescoringsBody(rescorings=rescorings))


@web.on(
    app, routes.RESCORING, RescoringDetailsBody, "A rescoring, old and new side by side", errors.UnknownRescoringError
)
def show_rescoring(rescoring_id: str) -> Reply:
    """Return each session and submission with the differences of its figures, each board with those of places."""
    return web.answer(RescoringDetailsBody(**rescoring.shown(platform(), rescoring.known(platform(), rescoring_id))))


@web.on(app, routes.RESUME_RESCORING, RescoringBody, "Resume a rescoring", errors.UnknownRescoringError)
def resume_rescoring(rescoring_id: str) -> Reply:
    """Send the unfinished tasks again after a worker has failed for good; finished ones stay."""
    record = rescoring.resume(platform(), rescoring_id)
    return web.answer(RescoringBody(**rescoring.summary(platform(), record)))


@web.on(
    app,
    routes.ACCEPT_RESCORING,
    RescoringBody,
    "Accept a rescoring",
    errors.UnknownRescoringError,
    errors.RescoringDecidedError,
    errors.RescoringNotMadeError,
    errors.RescoringOutdatedError,
    errors.RunsOpenError,
    BusyError,
)
def accept_rescoring(rescoring_id: str, request: RescoringDecisionRequest) -> Reply:
    """Use the new scores in reports and boards; old scores, reports and the comparison of boards are kept.

    A final's published results are withdrawn; its new board is made, recomputed independently and published by
    hand.
    """
    record = rescoring.decide(platform(), caller(app), rescoring_id, request.reason, accepted=True)
    return web.answer(RescoringBody(**rescoring.summary(platform(), record)))


@web.on(
    app,
    routes.DISCARD_RESCORING,
    RescoringBody,
    "Discard a rescoring",
    errors.UnknownRescoringError,
    errors.RescoringDecidedError,
    BusyError,
)
def discard_rescoring(rescoring_id: str, request: RescoringDecisionRequest) -> Reply:
    """Leave reports and boards as they are; the new scores are kept for comparison."""
    record = rescoring.decide(platform(), caller(app), rescoring_id, request.reason, accepted=False)
    return web.answer(RescoringBody(**rescoring.summary(platform(), record)))


_IN_PLACE = "in the place of the cycle's own"
Teams = Annotated[int | None, Query(ge=1, le=10_000, description=f"Teams of every final, {_IN_PLACE}")]
Files = Annotated[int | None, Query(ge=1, le=1_000, description=f"Files of every final, {_IN_PLACE}")]
Listening = Annotated[
    int | None, Query(ge=0, le=10_000, description="Of the teams those on the event channel; a fifth where unknown")
]
Days = Annotated[int | None, Query(ge=0, le=3_660, description=f"Days of the deployment, {_IN_PLACE}")]
With = Annotated[
    str | None,
    Query(
        alias="with",
        pattern=f"^({'|'.join(Choice)})(,({'|'.join(Choice)}))*$",
        description="What the cycle's file switches on for all the days, with commas between",
    ),
]
ArmedHours = Annotated[float, Query(ge=0, le=100_000, description="Hours for which executions are kept running")]


@web.on(app, routes.COST, CostBody, "Estimated cost of the cycle's finals and days (platform §7)")
def cycle_cost(
    teams: Teams = None,
    files: Files = None,
    listening: Listening = None,
    days: Days = None,
    choices: With = None,
    armed_hours: ArmedHours = 0,
) -> Reply:
    """Estimate the cost from the cycle's figures and a dated price list, part by part; no bill is read."""
    wish = overview.Wish(teams, files, listening, days, overview.chosen(choices), armed_hours)
    return web.answer(present_operations.cost(overview.of_cycle(platform(), wish)))


Limit = Annotated[int, Query(ge=1, le=100, description="At most this many")]
Language = Annotated[str, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the cycle, or `all`")]
OfBoard = Annotated[
    str | None, Query(max_length=40, description="The board's key in the contest; its main one without it")
]
Nomination = Annotated[
    str | None,
    Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A nomination of the cycle, in the place of a language"),
]
_DECIDES = (UnknownRunError, BusyError)


@web.on(app, routes.CONDUCTED_CYCLE, HeldCycleBody, "The cycle with all its sets")
def conducted_cycle() -> Reply:
    """Return the cycle with the sizes of all sets, finals' and reserve ones too."""
    return web.answer(conducting.cycle(platform()))


@web.on(app, routes.CONDUCTED_RUNS, conduct.RunSummariesBody, "All runs, the latest start first")
def conducted_runs(mode: conduct.Scheduled | None = None, limit: Limit = 20) -> Reply:
    """List runs with admitted teams, trial flag, and whether results are published."""
    return web.answer(conducting.runs(platform(), mode, limit))


@web.on(
    app,
    routes.PLAN_RUN,
    conduct.PlannedBody,
    "Plan a run",
    SetAnnulledError,
    OutsideStageError,
    status=HTTPStatus.CREATED,
)
def plan_run(request: conduct.PlanRequest) -> Reply:
    """Draw files, sign and publish the commitment to them, then create the run; short notice gives a warning."""
    return web.answer(conducting.plan(platform(), author(caller(app)), request), HTTPStatus.CREATED)


@web.on(
    app, routes.PREVIEW_PLAN, conduct.PlanPreviewBody, "Preview of a planned run", SetAnnulledError, OutsideStageError
)
def preview_plan(request: conduct.PlanRequest) -> Reply:
    """Return times, limits, teams and warnings; draw no file and write nothing."""
    return web.answer(conducting.preview_plan(platform(), request))


@web.on(app, routes.CONDUCTED_RUN, conduct.ConductedRunBody, "A run with its decisions", UnknownRunError)
def conducted_run(run_id: str) -> Reply:
    """Return schedule, commitment, every decision with its author, a proposal on a mass failure, and the progress of
    results."""
    return web.answer(conducting.run(platform(), run_id))


@web.on(app, routes.WATCH_RUN, conduct.WatchBody, "A run at this moment", UnknownRunError)
def watch_run(run_id: str) -> Reply:
    """Return connected teams, answered and lost files, and the latest delays."""
    return web.answer(conducting.watch(platform(), run_id))


@web.on(app, routes.DECIDE, conduct.AmendedBody, "Decide about a run (D 6.16, 8.12; R 7.16)", *_DECIDES)
def decide(run_id: str, request: conduct.RunDecisionRequest) -> Reply:
    """Pause, resume, stop, void, replace, rule or undo; the decision takes effect five seconds after it is made."""
    return web.answer(conducting.decide(platform(), author(caller(app)), run_id, request))


@web.on(app, routes.PREVIEW_DECISION, conduct.PreviewBody, "Preview of a decision", *_DECIDES)
def preview_decision(run_id: str, request: conduct.RunDecisionRequest) -> Reply:
    """Return openings that would move, every team's share of void files, and sessions that would end; write nothing."""
    return web.answer(conducting.preview(platform(), run_id, request))


@web.on(app, routes.RESTART, conduct.RestartedBody, "Restart a run on the reserve set (R 7.16)", *_DECIDES)
def restart_run(run_id: str, request: conduct.RestartRequest) -> Reply:
    """Stop the run and plan another in one decision. A repetition after a crash completes the same one."""
    return web.answer(conducting.restart(platform(), author(caller(app)), run_id, request))


@web.on(app, routes.PREVIEW_RESTART, conduct.RestartPreviewBody, "Preview of a restart", *_DECIDES)
def preview_restart(run_id: str, request: conduct.RestartRequest) -> Reply:
    """Return the stop and the new run; write nothing."""
    return web.answer(conducting.preview_restart(platform(), run_id, request))


@web.on(
    app, routes.DISMISS_PROPOSAL, conduct.ConductedRunBody, "Dismiss a proposal on a mass failure (D 1.7)", *_DECIDES
)
def dismiss_proposal(run_id: str, request: conduct.DismissalRequest) -> Reply:
    """State that the platform was not at fault; the files stay as they are."""
    return web.answer(conducting.dismiss(platform(), author(caller(app)), run_id, request))


@web.on(app, routes.PREVIEW_DISMISSAL, conduct.ProposalBody, "The proposal that would be dismissed", UnknownRunError)
def preview_dismissal(run_id: str) -> Reply:
    """Return its files, which stay missed with their present causes; write nothing."""
    return web.answer(conducting.preview_dismissal(platform(), run_id))


@web.on(
    app,
    routes.MARK_RUN,
    ErrandBody,
    "Take in the experts' markups of a final (R 7.10)",
    UnknownRunError,
    status=HTTPStatus.ACCEPTED,
)
def mark_run(run_id: str) -> Reply:
    """Start a background job; its errand shows the outcome."""
    return web.answer(conducting.ask_to_mark(platform(), author(caller(app)), run_id), HTTPStatus.ACCEPTED)


@web.on(
    app, routes.BOARD_PREVIEW, BoardBody, "The live board", UnknownRunError, ResultsNotPublishedError, UnknownBoardError
)
def board_preview(board: str, language: Language = "all", nomination: Nomination = None, key: OfBoard = None) -> Reply:
    """Return it with its public state: `qualification`, or a final's by the name of its run."""
    return web.answer(conducting.board(platform(), board, key, present_boards.scope(language, nomination)))


_OF_TABLES = (UnknownRunError, ResultsNotPublishedError, UnknownBoardError, NoTablesError)


@web.on(app, routes.COMPARED_CSV, CSV, "All teams in the contest's table as CSV (D-App1б)", *_OF_TABLES)
def compared_teams_csv(board: str, key: OfBoard = None) -> Reply:
    """Write the first of the contest's tables over all teams of the live board."""
    return files.table(app, f"teams-{board}", present_boards.compared(conducting.live_board(platform(), board, key))[0])


@web.on(app, routes.COMPARED_XLSX, XLSX, "All teams in the contest's tables as XLSX", *_OF_TABLES)
def compared_teams_xlsx(board: str, key: OfBoard = None, lang: Wanted = None, accepted: Accepted = None) -> Reply:
    """Write all of the contest's tables as sheets."""
    current = conducting.live_board(platform(), board, key)
    return files.workbook(app, f"teams-{board}", present_boards.compared(current), language_of(lang, accepted))


@web.on(
    app, routes.PROTOCOLS, ProtocolsBody, "Statements of judges and commission about a run (R 8.3)", UnknownRunError
)
def run_protocols(run_id: str) -> Reply:
    """List them, the latest first, with those demanded before results are published."""
    return web.answer(conducting.protocols(platform(), run_id))


@web.on(
    app,
    routes.JUDGES_PROTOCOL,
    ProtocolsBody,
    "The judges' protocol about a run (R 8.3.3, D 11.4)",
    *_DECIDES,
    SameSignatoryError,
)
def state_for_judges(run_id: str, request: ProtocolRequest) -> Reply:
    """Record a statement on the present results, or on a mass failure. Changed results need another protocol."""
    return web.answer(conducting.state_for_judges(platform(), author(caller(app)), run_id, request))


@web.on(
    app,
    routes.COMMISSIONS_PROTOCOL,
    ProtocolsBody,
    "The technical commission's protocol about a run (R 8.3.4, D 11.2)",
    *_DECIDES,
    SameSignatoryError,
)
def state_for_commission(run_id: str, request: ProtocolRequest) -> Reply:
    """Record a statement on the present results, or on a mass failure. Changed results need another protocol."""
    return web.answer(conducting.state_for_commission(platform(), author(caller(app)), run_id, request))


@web.on(
    app,
    routes.DECIDE_BOARD,
    conduct.BoardDecidedBody,
    "Publish a board, freeze it, or withdraw it",
    *_DECIDES,
    UnknownBoardError,
)
def decide_board(board: str, request: conduct.BoardDecisionRequest) -> Reply:
    """Decide about `qualification`, or about a final's by the name of its run, with its results in the teams'
    reports (R 7.11, 7.12). Refused while its results are incomplete."""
    return web.answer(conducting.decide_board(platform(), author(caller(app)), board, request))


@web.on(app, routes.ANNULMENTS, conduct.AnnulmentsBody, "Annulments")
def list_annulments() -> Reply:
    """List the last decision about every set, session and result that was ever annulled, with its reason."""
    return web.answer(conducting.annulments(platform()))


@web.on(
    app,
    routes.ANNUL,
    conduct.AnnulmentBody,
    "Annul a data set, a session or a result (D 6.10)",
    *_DECIDES,
    UnknownSessionError,
    UnknownTeamError,
    UnknownBoardError,
)
def annul(request: conduct.AnnulmentRequest) -> Reply:
    """Annul it, or undo that. It leaves boards and conclusions and stays visible to the team, with the reason; an
    annulled set takes no new sessions."""
    return web.answer(conducting.annul(platform(), author(caller(app)), request))


@web.on(app, routes.UNSCORED, conduct.WaitingListBody, "Sessions with unscored answers")
def unscored_sessions() -> Reply:
    """List them, with those that wait for experts' markups."""
    return web.answer(conducting.unscored(platform()))


@web.on(app, routes.REDRIVE, conduct.ScoringRedrivenBody, "Score waiting answers now", *_DECIDES)
def redrive_scoring(request: conduct.ScoringRedriveRequest) -> Reply:
    """Put every waiting answer into the queue again; scoring twice is harmless."""
    return web.answer(conducting.redrive(platform(), request))


@web.on(
    app,
    routes.VERIFY_SESSION,
    ErrandBody,
    "Verify the results of a session or submission (R 8.3)",
    UnknownSessionError,
    NotScoredError,
    status=HTTPStatus.ACCEPTED,
)
def verify_session(session_id: str) -> Reply:
    """Rebuild scores and reports from the stored facts and compare every byte; the job lists the differences.

    A submission has an id like a session; it must be scored.
    """
    return web.answer(conducting.ask_to_verify(platform(), author(caller(app)), session_id), HTTPStatus.ACCEPTED)


@web.on(app, routes.ERRAND, ErrandBody, "Status of a job", UnknownErrandError)
def errand(errand_id: str) -> Reply:
    """Return running, done with its outcome, or refused with the reason."""
    return web.answer(conducting.look_at_errand(platform(), errand_id))


@web.on(
    app,
    routes.RECOMPUTATION,
    RecomputationBody,
    "Differences in the recomputation of a final",
    UnknownRunError,
    errors.NoBoardError,
)
def recomputation(run_id: str) -> Reply:
    """List every cell in which the platform and the independent recomputation differ. A final with any is not
    published."""
    return web.answer(recomputation_body(run_id, settling.found_of(platform(), run_id)))


@web.on(app, routes.RECOMPUTE, RecomputationBody, "Recompute a final again", UnknownRunError, errors.NoBoardError)
def recompute(run_id: str) -> Reply:
    """Recompute every team; the earlier result stays until then."""
    return web.answer(recomputation_body(run_id, settling.again(platform(), run_id)))


web.start(app, Function.RUN_CONTROL)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
