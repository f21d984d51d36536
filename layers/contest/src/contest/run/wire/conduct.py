"""Bodies of organizers' and commission's views of runs, and of the decisions about them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import GREATEST_NUMBER, MAX_FILES
from contest.results.rules.jobs import Settled
from contest.results.rules.leaderboard import Visibility
from contest.results.rules.qualification import Annulled
from contest.results.wire.boards import Statistics
from contest.run.rules.run import Kind
from contest.run.rules.schedule import RunState
from contest.run.wire.statements import CommitmentBody, OpeningBody
from contest.session.rules.delivery import Cause
from contest.wire import (
    EMPTY_IS_NULL,
    DecisionReason,
    FileNumber,
    Moment,
    RealMoment,
    ReplyBody,
    RequestBody,
    RunId,
    SessionId,
    TeamId,
    attribute,
)

ProposalStanding = Literal["open", "accepted", "dismissed"]
Scheduled = Literal["technical", "final"]
Decided = Literal["pause", "resume", "stop", "void", "replace", "rule", "admit", "undo"]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]


class SaidLimitsBody(RequestBody):
    """A run's limits where they are not the cycle's."""

    request_s: Seconds | None = None
    answer_s: Seconds | None = None
    total_s: Seconds | None = None
    join_s: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] | None = None


class PlanRequest(RequestBody):
    """A run to be planned. What is not said of times is the cycle's; without `files` all of the set."""

    mode: Scheduled = "final"
    set: Name = "final"
    starts_at: RealMoment
    interval_s: Seconds | None = None
    files: Annotated[int, Field(ge=1, le=MAX_FILES)] | None = None
    language: Name = "all"
    limits: SaidLimitsBody = SaidLimitsBody()
    trial: bool = False
    admitted: Annotated[list[TeamId], Field(max_length=1000)] | None = Field(
        None,
        description="Teams that may take part. Without it a final takes those admitted to finals when they join, and "
        "any other run, a trial too, every approved team",
    )
    run_id: RunId | None = Field(None, description="A name of one's own: the same plan asked for twice is one run")
    continues: RunId | None = Field(None, description="The final whose results count with this one's on the last board")


class RunDecisionRequest(RequestBody):
    """A decision about a run. `numbers` belong to void and replace, or `proposal` for the files of a mass failure;
    `team_id`, `number` and `cause` to rule; `team_id` alone to admit; `amendment` to undo."""

    kind: Decided
    reason: DecisionReason
    numbers: Annotated[list[FileNumber], Field(min_length=1, max_length=GREATEST_NUMBER)] | None = None
    proposal: bool = False
    team_id: TeamId | None = None
    number: FileNumber | None = None
    cause: Cause | None = Field(None, strict=False)
    amendment: Annotated[int, Field(ge=1)] | None = None
    version: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Of the run as one saw it; refused where somebody has decided meanwhile"
    )


class RestartRequest(RequestBody):
    """The run that replaces another, on the reserve set; what is not said is as before."""

    reason: DecisionReason
    starts_at: RealMoment
    interval_s: Seconds | None = None
    files: Annotated[int, Field(ge=1, le=MAX_FILES)] | None = None


class DismissalRequest(RequestBody):
    """Why the platform was not at fault."""

    reason: DecisionReason


class BoardDecisionRequest(RequestBody):
    """What everybody is to see of a board: the live one, the board as it is now and stays, or nothing. Of a final, what
    is hidden are its results as a whole."""

    state: Visibility = Field(strict=False)
    reason: DecisionReason


class BoardDecidedBody(ReplyBody):
    """What everybody sees of a board."""

    board: str
    state: Visibility


class AnnulmentRequest(RequestBody):
    """Annul a data set, a session or a team's result on a board, or take that back with `annulled` false (D 6.10)."""

    of: Annulled = Field(strict=False)
    subject: Annotated[str, Field(min_length=1, max_length=40, description="A set, a session, or a team")]
    board: Annotated[str, Field(max_length=40)] | None = Field(
        None, description="Of a result: `qualification`, or a final by the name of its run"
    )
    annulled: bool
    reason: DecisionReason


class AnnulmentBody(ReplyBody):
    """The last decision about something that was annulled; not `annulled`: it was taken back."""

    of: Annulled
    subject: str
    board: Annotated[str | None, EMPTY_IS_NULL]
    annulled: bool = attribute("holds")
    reason: str
    at: Moment


class AnnulmentsBody(ReplyBody):
    """Everything that was ever annulled."""

    annulments: list[AnnulmentBody]


class ScoringRedriveRequest(RequestBody):
    """Of this run alone; what lost its place in the outbox is found as well."""

    run: RunId | None = None


class MillisecondLimitsBody(ReplyBody):
    """A run's limits in milliseconds."""

    request: int
    answer: int
    total: int
    join: int


class RunSummaryBody(ReplyBody):
    """A run as those see it who conduct it."""

    run_id: RunId
    state: RunState
    mode: Scheduled
    set: str = attribute("set_name")
    starts_at: Moment
    interval_ms: int = attribute("interval")
    files: int = Field(description="Of the first plan")
    limits: MillisecondLimitsBody
    trial: bool
    admitted: list[str] | None = Field(description="The teams that were named for this run; null: none was")
    restarts: RunId | None
    continues: RunId | None = None
    confirmed: bool | None = Field(
        None,
        description="Whether every demanded protocol finds the results as they are now right; null: none is demanded",
    )
    total_files: int = Field(description="With those that replacements have appended")
    ends_at: Moment
    published: bool
    closed_at: Moment | None


class RunSummariesBody(ReplyBody):
    """Runs, the latest start first."""

    runs: list[RunSummaryBody]


class DismissalBody(ReplyBody):
    """That the platform was not at fault, who found it, when and why."""

    who: str
    name: str | None = Field(description="Of the person; null for a command")
    at: Moment
    reason: str


class ProposalBody(ReplyBody):
    """Files that everybody missed at once, for the commission (D 1.7)."""

    numbers: list[int]
    sessions: int = Field(description="Sessions that were looked at")
    found_at: Moment
    settled: list[int] = Field(description="Files of earlier proposals that were dismissed")
    dismissed: DismissalBody | None
    standing: ProposalStanding


class DecidedBody(ReplyBody):
    """A decision that was made; it holds from `effective_at` on."""

    number: int
    kind: Kind
    at: Moment
    who: str
    name: str | None = Field(description="Of the person who decided; null for a command")
    reason: str
    effective_at: Moment
    details: dict[str, Any] = Field(description="What the kind says more: numbers, team, cause, root …")


class NoticeBody(ReplyBody):
    """Something to think about; it warns and does not refuse."""

    code: str
    message: str
    message_ru: str
    where: dict[str, Any]


class SettlementBody(ReplyBody):
    """How far the results of a run are made, and what they wait for."""

    state: Settled
    reason: str
    reason_ru: str
    teams: int
    made: int
    unscored: int
    notices: list[NoticeBody] = Field(description="Markups or results that are late, protocols that are missing")


class ConductedRunBody(RunSummaryBody):
    """A run with its commitment, every decision, a proposal on a mass failure, and how far its results are."""

    version: int
    commitment: CommitmentBody
    mass_failure: ProposalBody | None
    amendments: list[DecidedBody]
    settlement: SettlementBody


class PlannedBody(ReplyBody):
    """The planned run, and what to think about before it."""

    run: ConductedRunBody
    notices: list[NoticeBody]


class PlanPreviewBody(ReplyBody):
    """The run that would be planned now. No file is drawn for it."""

    mode: Scheduled
    set: str = attribute("set_name")
    language: str
    trial: bool
    files: int
    available: int = Field(description="Files of the set that may be drawn")
    starts_at: Moment
    ends_at: Moment
    interval_ms: int = attribute("interval")
    limits: MillisecondLimitsBody
    admitted: list[str] | None = Field(description="The teams that were named for this run; null: none was")
    notices: list[NoticeBody]


class WatchedTeamBody(ReplyBody):
    """A team's session in a run at this moment."""

    team_id: str
    session_id: SessionId
    state: str
    connected: bool
    seen_at: Moment
    answered: int
    open: int
    files: int
    voided: dict[Cause, int]
    voided_share: float | None
    solution_voided: bool
    last_delay_ms: int | None = attribute("last_delay")
    cells: str = Field(
        description="A letter a file: `.` not open yet, `w` opened and not handed out, `o` handed out, `a` answered; "
        "void: `l` team_late, `i` team_invalid, `n` network, `p` platform, `d` organizer_decision"
    )


class AbsentTeamBody(ReplyBody):
    """A team that may take part and has not opened a session."""

    team_id: str
    name: str


class WatchBody(RunSummaryBody):
    """A run at this moment with everybody who takes part."""

    now: Moment
    opened: int
    next_opening: OpeningBody | None
    connected: int
    voided: dict[Cause, int]
    delay_ms: Statistics = Field(description="From the openings to the hand-outs, of all teams together")
    mass_failure: list[int] | None
    standing: ProposalStanding | None
    teams: list[WatchedTeamBody]
    absent: list[AbsentTeamBody] = Field(description="Approved and admitted teams that have not opened a session")


class AmendedBody(ReplyBody):
    """The decision that was made."""

    amendment: int = attribute("number")
    kind: Kind
    effective_at: Moment
    details: dict[str, Any]
    version: int


class MovedBody(ReplyBody):
    """A file whose opening moves; null where there is none before or afterwards."""

    number: int
    before: Moment | None
    after: Moment | None


class StandingBody(ReplyBody):
    """What a team has lost."""

    voided: list[int] = attribute("voided_numbers")
    voided_share: float | None
    solution_voided: bool
    state: str


class PreviewedTeamBody(ReplyBody):
    """A team's session before and after a decision."""

    team_id: str
    session_id: SessionId
    before: StandingBody
    after: StandingBody


class PreviewBody(AmendedBody):
    """What a decision would change if it were made now; nothing is written."""

    preview: Literal[True] = True
    moved: list[MovedBody]
    teams: list[PreviewedTeamBody]
    ends: list[SessionId] = Field(description="Open sessions that would end")


class RestartedBody(ReplyBody):
    """The run that replaces another."""

    run_id: RunId
    restarts: RunId
    notices: list[NoticeBody]


class RestartPreviewBody(ReplyBody):
    """What a restart would change: the stop, and the new run."""

    stop: PreviewBody
    set: str
    files: int
    starts_at: Moment
    notices: list[NoticeBody]


class WaitingBody(ReplyBody):
    """A session whose answers wait for scores, and since when the oldest does."""

    session_id: SessionId
    answers: int
    oldest: Moment


class WaitingListBody(ReplyBody):
    """Sessions that wait for scores."""

    sessions: list[WaitingBody]


class ScoringRedrivenBody(ReplyBody):
    """How many answers were put into the queue again."""

    enqueued: int
