"""Routes of the function RunControl: runs, scoring, results, rescorings, the kit and the cycle's costs.

Organizers decide about runs, scoring and results, and the commission watches. Organizers begin and decide rescorings,
and the commission looks on. Organizers publish the participants' kit here, beside decisions about runs, for its list is
signed, and see what the cycle costs.

RunControl is a function of its own: it knows the plans of runs and signs, and the cabinet beside it does neither.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.cycle import presenting as present_cycle
from contest.cycle import publications
from contest.cycle.wire.cycle import HeldCycleBody
from contest.cycle.wire.sets import KitRequest, PublishedKitBody
from contest.edge import conducting, files, web
from contest.edge.files import Accepted, Wanted, language_of
from contest.edge.web import ACCEPTED, CREATED, CSV, XLSX, Reply, caller
from contest.errors import (
    BusyError,
    KitVersionTakenError,
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
from contest.operations.rules import Choice
from contest.operations.wire import CostBody, DaysCostBody, PlayedBody, PriceBody
from contest.people.cabinet import author
from contest.people.errors import UnknownTeamError
from contest.results import errors, rescoring, settling
from contest.results import presenting as present_boards
from contest.results import wire as results_wire
from contest.results.errors import NotScoredError
from contest.results.wire import BoardBody
from contest.routes import Function
from contest.run import wire as run_wire
from contest.session import wire
from contest.submissions import wire as submissions_wire
from contest.submissions.wire import (
    ErrandBody,
    RecomputationBody,
    RescoringBody,
    RescoringDecisionRequest,
    RescoringDetailsBody,
    RescoringRequest,
    RescoringsBody,
    recomputation_body,
)
from contest.wire import ProtocolRequest, ProtocolsBody
from contest.wiring import platform

app = web.resolver()
handles = partial(web.handles, app)


@handles(
    routes.PUBLISH_KIT, "Publish the participants' kit (R 4.2, 4.3)", NoCycleError, KitVersionTakenError, BusyError
)
def publish_kit(request: KitRequest) -> PublishedKitBody:
    """Sign its list, recognize its modules from now on, and draft an announcement of it."""
    return present_cycle.published_kit(publications.publish_kit(platform(), author(caller(app)), request.listed()))


@handles(
    routes.BEGIN_RESCORING,
    "Score closed sessions and submissions again, beside their scores",
    errors.UnknownParametersError,
    errors.NothingSelectedError,
    errors.FinalIsWholeError,
    errors.NoBoardError,
    errors.TooManySelectedError,
    errors.RunsOpenError,
    BusyError,
    status=CREATED,
)
def begin_rescoring(request: RescoringRequest) -> RescoringBody:
    """Score in the background by the present parameters or a named version, by the present experts' markups and scorer.

    Nothing uses the new scores before they are accepted. A final is named by its run alone and keeps its version
    of the parameters unless another one is named.
    """
    record = rescoring.begin(platform(), caller(app), request.selection(), request.reason, request.parameters_version)
    return RescoringBody(**rescoring.summary(platform(), record))


@handles(routes.RESCORINGS, "All rescorings")
def list_rescorings() -> RescoringsBody:
    """List them, the latest first."""
    rescorings = [RescoringBody(**rescoring.summary(platform(), record)) for record in platform().rescorings.all()]
    return RescoringsBody(rescorings=rescorings)


@handles(routes.RESCORING, "A rescoring, old and new side by side", errors.UnknownRescoringError)
def show_rescoring(rescoring_id: str) -> RescoringDetailsBody:
    """Return each session and submission with the differences of its figures, each board with those of places."""
    return RescoringDetailsBody(
        **rescoring.rescoring_view(platform(), rescoring.read_rescoring(platform(), rescoring_id))
    )


@handles(routes.RESUME_RESCORING, "Resume a rescoring", errors.UnknownRescoringError)
def resume_rescoring(rescoring_id: str) -> RescoringBody:
    """Send the unfinished tasks again after a worker has failed for good; finished ones stay."""
    record = rescoring.resume(platform(), rescoring_id)
    return RescoringBody(**rescoring.summary(platform(), record))


@handles(
    routes.ACCEPT_RESCORING,
    "Accept a rescoring",
    errors.UnknownRescoringError,
    errors.RescoringDecidedError,
    errors.RescoringNotMadeError,
    errors.RescoringOutdatedError,
    errors.RunsOpenError,
    BusyError,
)
def accept_rescoring(rescoring_id: str, request: RescoringDecisionRequest) -> RescoringBody:
    """Use the new scores in reports and boards; old scores, reports and the comparison of boards are kept.

    A final's published results are withdrawn; its new board is made, recomputed independently and published by
    hand.
    """
    record = rescoring.decide(platform(), caller(app), rescoring_id, request.reason, accepted=True)
    return RescoringBody(**rescoring.summary(platform(), record))


@handles(
    routes.DISCARD_RESCORING,
    "Discard a rescoring",
    errors.UnknownRescoringError,
    errors.RescoringDecidedError,
    BusyError,
)
def discard_rescoring(rescoring_id: str, request: RescoringDecisionRequest) -> RescoringBody:
    """Leave reports and boards as they are; the new scores are kept for comparison."""
    record = rescoring.decide(platform(), caller(app), rescoring_id, request.reason, accepted=False)
    return RescoringBody(**rescoring.summary(platform(), record))


_IN_PLACE = "in the place of the cycle's own"
Teams = Annotated[int | None, Query(ge=1, le=10_000, description=f"Teams of every final, {_IN_PLACE}")]
Files = Annotated[int | None, Query(ge=1, le=1_000, description=f"Files of every final, {_IN_PLACE}")]
Listening = Annotated[
    int | None, Query(ge=0, le=10_000, description="Number of teams on the event channel; a fifth where unknown")
]
Days = Annotated[int | None, Query(ge=0, le=3_660, description=f"Days of the deployment, {_IN_PLACE}")]
With = Annotated[
    str | None,
    Query(
        alias="with",
        pattern=f"^({'|'.join(Choice)})(,({'|'.join(Choice)}))*$",
        description="Options of the cycle's file in use on all days, separated by commas",
    ),
]
ArmedHours = Annotated[float, Query(ge=0, le=100_000, description="Hours for which executions are kept running")]


@handles(routes.COST, "Estimated cost of the cycle's finals and days (platform §7)")
def cycle_cost(
    teams: Teams = None,
    files: Files = None,
    listening: Listening = None,
    days: Days = None,
    choices: With = None,
    armed_hours: ArmedHours = 0,
) -> CostBody:
    """Estimate the cost from the cycle's figures and a dated price list, part by part; no bill is read."""
    wish = overview.Wish(teams, files, listening, days, overview.parse_choices(choices), armed_hours)
    estimate = overview.of_cycle(platform(), wish)
    of_days = sum(line.cost for line in estimate.lines)
    return CostBody.from_value(
        estimate,
        currency=estimate.prices["currency"],
        region=estimate.prices["region"],
        cost=sum(final.cost for final in estimate.finals) + of_days,
        days=DaysCostBody.from_value(estimate, cost=of_days),
        prices=[PriceBody(kind=kind, **price) for kind, price in estimate.prices["prices"].items()],
        played=[PlayedBody(teams=teams, files=count) for teams, count in estimate.played],
    )


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


@handles(routes.CONDUCTED_CYCLE, "The cycle with all its sets")
def conducted_cycle() -> HeldCycleBody:
    """Return the cycle with the sizes of all sets, finals' and reserve ones too."""
    return conducting.cycle(platform())


@handles(routes.CONDUCTED_RUNS, "All runs, the latest start first")
def conducted_runs(mode: run_wire.Scheduled | None = None, limit: Limit = 20) -> run_wire.RunSummariesBody:
    """List runs with admitted teams, trial flag, and whether results are published."""
    return conducting.runs(platform(), mode, limit)


@handles(routes.PLAN_RUN, "Plan a run", SetAnnulledError, OutsideStageError, status=CREATED)
def plan_run(request: run_wire.PlanRequest) -> run_wire.PlannedBody:
    """Draw files, sign and publish the commitment to them, then create the run; short notice gives a warning."""
    return conducting.plan(platform(), author(caller(app)), request)


@handles(routes.PREVIEW_PLAN, "Preview of a planned run", SetAnnulledError, OutsideStageError)
def preview_plan(request: run_wire.PlanRequest) -> run_wire.PlanPreviewBody:
    """Return times, limits, teams and warnings; draw no file and write nothing."""
    return conducting.preview_plan(platform(), request)


@handles(routes.CONDUCTED_RUN, "A run with its decisions", UnknownRunError)
def conducted_run(run_id: str) -> run_wire.ConductedRunBody:
    """Return schedule, commitment, every decision with its author, a proposal on a mass failure, and the progress of
    results."""
    return conducting.run(platform(), run_id)


@handles(routes.WATCH_RUN, "A run at this moment", UnknownRunError)
def watch_run(run_id: str) -> run_wire.WatchBody:
    """Return connected teams, answered and lost files, and the latest delays."""
    return conducting.watch(platform(), run_id)


@handles(routes.DECIDE, "Decide about a run (D 6.16, 8.12; R 7.16)", *_DECIDES)
def decide(run_id: str, request: run_wire.RunDecisionRequest) -> wire.AmendedBody:
    """Pause, resume, stop, void, replace, rule or undo; the decision takes effect five seconds after it is made."""
    return conducting.decide(platform(), author(caller(app)), run_id, request)


@handles(routes.PREVIEW_DECISION, "Preview of a decision", *_DECIDES)
def preview_decision(run_id: str, request: run_wire.RunDecisionRequest) -> wire.PreviewBody:
    """Return openings that would move, every team's share of void files, and sessions that would end; write nothing."""
    return conducting.preview(platform(), run_id, request)


@handles(routes.RESTART, "Restart a run on the reserve set (R 7.16)", *_DECIDES)
def restart_run(run_id: str, request: run_wire.RestartRequest) -> wire.RestartedBody:
    """Stop the run and plan another in one decision. A repetition after a crash completes the same one."""
    return conducting.restart(platform(), author(caller(app)), run_id, request)


@handles(routes.PREVIEW_RESTART, "Preview of a restart", *_DECIDES)
def preview_restart(run_id: str, request: run_wire.RestartRequest) -> wire.RestartPreviewBody:
    """Return the stop and the new run; write nothing."""
    return conducting.preview_restart(platform(), run_id, request)


@handles(routes.DISMISS_PROPOSAL, "Dismiss a proposal on a mass failure (D 1.7)", *_DECIDES)
def dismiss_proposal(run_id: str, request: run_wire.DismissalRequest) -> run_wire.ConductedRunBody:
    """State that the platform was not at fault; the files stay as they are."""
    return conducting.dismiss(platform(), author(caller(app)), run_id, request)


@handles(routes.PREVIEW_DISMISSAL, "The proposal that would be dismissed", UnknownRunError)
def preview_dismissal(run_id: str) -> run_wire.ProposalBody:
    """Return its files, which stay missed with their present causes; write nothing."""
    return conducting.preview_dismissal(platform(), run_id)


@handles(routes.MARK_RUN, "Take in the experts' markups of a final (R 7.10)", UnknownRunError, status=ACCEPTED)
def mark_run(run_id: str) -> ErrandBody:
    """Start a background job; its errand shows the outcome."""
    return conducting.ask_to_mark(platform(), author(caller(app)), run_id)


@handles(routes.BOARD_PREVIEW, "The live board", UnknownRunError, ResultsNotPublishedError, UnknownBoardError)
def board_preview(
    board: str, language: Language = "all", nomination: Nomination = None, key: OfBoard = None
) -> BoardBody:
    """Return it with its public state: `qualification`, or a final's by the name of its run."""
    return conducting.board(platform(), board, key, present_boards.scope(language, nomination))


_OF_TABLES = (UnknownRunError, ResultsNotPublishedError, UnknownBoardError, NoTablesError)


@handles(routes.COMPARED_CSV, "All teams in the contest's table as CSV (D-App1б)", *_OF_TABLES, model=CSV)
def compared_teams_csv(board: str, key: OfBoard = None) -> Reply:
    """Write the first of the contest's tables over all teams of the live board."""
    return files.table(app, f"teams-{board}", present_boards.compared(conducting.live_board(platform(), board, key))[0])


@handles(routes.COMPARED_XLSX, "All teams in the contest's tables as XLSX", *_OF_TABLES, model=XLSX)
def compared_teams_xlsx(board: str, key: OfBoard = None, lang: Wanted = None, accepted: Accepted = None) -> Reply:
    """Write all of the contest's tables as sheets."""
    current = conducting.live_board(platform(), board, key)
    return files.workbook(app, f"teams-{board}", present_boards.compared(current), language_of(lang, accepted))


@handles(routes.PROTOCOLS, "Statements of judges and commission about a run (R 8.3)", UnknownRunError)
def run_protocols(run_id: str) -> ProtocolsBody:
    """List them, the latest first, with those demanded before results are published."""
    return conducting.protocols(platform(), run_id)


@handles(routes.JUDGES_PROTOCOL, "The judges' protocol about a run (R 8.3.3, D 11.4)", *_DECIDES, SameSignatoryError)
def state_for_judges(run_id: str, request: ProtocolRequest) -> ProtocolsBody:
    """Record a statement on the present results, or on a mass failure. Changed results need another protocol."""
    return conducting.state_for_judges(platform(), author(caller(app)), run_id, request)


@handles(
    routes.COMMISSIONS_PROTOCOL,
    "The technical commission's protocol about a run (R 8.3.4, D 11.2)",
    *_DECIDES,
    SameSignatoryError,
)
def state_for_commission(run_id: str, request: ProtocolRequest) -> ProtocolsBody:
    """Record a statement on the present results, or on a mass failure. Changed results need another protocol."""
    return conducting.state_for_commission(platform(), author(caller(app)), run_id, request)


@handles(routes.DECIDE_BOARD, "Publish a board, freeze it, or withdraw it", *_DECIDES, UnknownBoardError)
def decide_board(board: str, request: results_wire.BoardDecisionRequest) -> results_wire.BoardDecidedBody:
    """Decide about `qualification`, or about a final's by the name of its run, with its results in the teams'
    reports (R 7.11, 7.12). Refused while its results are incomplete."""
    return conducting.decide_board(platform(), author(caller(app)), board, request)


@handles(routes.ANNULMENTS, "Annulments")
def list_annulments() -> results_wire.AnnulmentsBody:
    """List the last decision about every set, session and result that was ever annulled, with its reason."""
    return conducting.annulments(platform())


@handles(
    routes.ANNUL,
    "Annul a data set, a session or a result (D 6.10)",
    *_DECIDES,
    UnknownSessionError,
    UnknownTeamError,
    UnknownBoardError,
)
def annul(request: results_wire.AnnulmentRequest) -> results_wire.AnnulmentBody:
    """Annul it, or undo that. It leaves boards and conclusions and stays visible to the team, with the reason; an
    annulled set takes no new sessions."""
    return conducting.annul(platform(), author(caller(app)), request)


@handles(routes.UNSCORED, "Sessions with unscored answers")
def unscored_sessions() -> submissions_wire.WaitingListBody:
    """List them, with those that wait for experts' markups."""
    return conducting.unscored(platform())


@handles(routes.REDRIVE, "Score waiting answers now", *_DECIDES)
def redrive_scoring(request: submissions_wire.ScoringRedriveRequest) -> submissions_wire.ScoringRedrivenBody:
    """Put every waiting answer into the queue again; scoring twice is harmless."""
    return conducting.redrive(platform(), request)


@handles(
    routes.VERIFY_SESSION,
    "Verify the results of a session or submission (R 8.3)",
    UnknownSessionError,
    NotScoredError,
    status=ACCEPTED,
)
def verify_session(session_id: str) -> ErrandBody:
    """Rebuild scores and reports from the stored facts and compare every byte; the job lists the differences.

    A submission has an id like a session; it must be scored.
    """
    return conducting.ask_to_verify(platform(), author(caller(app)), session_id)


@handles(routes.ERRAND, "Status of a job", UnknownErrandError)
def errand(errand_id: str) -> ErrandBody:
    """Return running, done with its outcome, or refused with the reason."""
    return conducting.look_at_errand(platform(), errand_id)


@handles(routes.RECOMPUTATION, "Differences in the recomputation of a final", UnknownRunError, errors.NoBoardError)
def recomputation(run_id: str) -> RecomputationBody:
    """List every cell in which the platform and the independent recomputation differ. A final with any is not
    published."""
    return recomputation_body(run_id, settling.recomputation_of(platform(), run_id))


@handles(routes.RECOMPUTE, "Recompute a final again", UnknownRunError, errors.NoBoardError)
def recompute(run_id: str) -> RecomputationBody:
    """Recompute every team; the earlier result stays until then."""
    return recomputation_body(run_id, settling.recompute_again(platform(), run_id))


handler = web.make_handler(app, Function.RUN_CONTROL)
