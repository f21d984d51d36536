"""Bodies of reviews and background work.

They cover the reports for the commission and for the coordinator of experts, a run's files, conclusions, rulings and
admission, rescorings, the independent recomputation of a final, and errands.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from contest.exchange.wire import ClientSeen, CountsBody
from contest.experts.rules.assignment import AssignmentState
from contest.experts.wire import MarkingBody, SpeedBody
from contest.results.rules.jobs import ErrandKind, ErrandState
from contest.results.rules.qualification import QualificationKind, Standing, Step
from contest.results.rules.rescoring import Decided, Selection
from contest.results.wire.results import Audit, BoardRulesBody, OffBoardBody, ReportRun, Solution, Timing, Voided
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.wire import (
    EMPTY_IS_NULL,
    DecisionReason,
    FileId,
    Json,
    Moment,
    ProtocolBody,
    RealDay,
    ReplyBody,
    RequestBody,
    RunId,
    SessionId,
    Sha256,
    attribute,
)


class CommissionRun(ReportRun):
    """The run, with its end."""

    ends_at: Moment
    closed_at: Moment | None
    published_at: Moment | None
    voided_for_all: dict[str, int] = Field(description="Files annulled for everybody, with the decision that did it")


class AnnulledFile(ReplyBody):
    """A file annulled for a team: the cause and its evidence."""

    number: int
    file_id: FileId
    cause: Cause
    evidence: dict[str, Any]
    opens_at: Moment
    request_by: Moment
    asked_at: Moment | None
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None


class SlowBody(ReplyBody):
    """A file whose answer was complete more than a second after its headers."""

    number: int
    file_id: FileId
    answered_at: Moment
    body_ms: int = Field(description="From the headers to the whole body, with what the platform took before its work")


class CommissionSession(ReplyBody):
    """A team's session with its annulled files."""

    team_id: str
    session_id: SessionId
    state: State
    opened_at: Moment
    closed_at: Moment | None
    client: ClientSeen | None
    counts: CountsBody
    timing: Timing
    voided: Voided
    solution: Solution
    annulled: list[AnnulledFile]
    slow_bodies: list[SlowBody]


class CommissionDecision(ReplyBody):
    """A decision about the run, a private ruling too."""

    number: int
    kind: Kind
    at: Moment
    effective_at: Moment
    who: str
    reason: str
    details: dict[str, Any]


class CommissionRuling(ReplyBody):
    """A ruling on a conclusion, with its protocol."""

    step: Step
    positive: bool
    person_id: str
    reason: str
    at: Moment


class CommissionConclusion(ReplyBody):
    """The rulings on a session's conclusion."""

    team_id: str
    session_id: SessionId
    standing: Standing
    rulings: list[CommissionRuling]


class CommissionResult(ReplyBody):
    """A team's row of the coming board."""

    place: int
    team_id: str
    session_id: SessionId
    files: int
    answered: int
    value: float | None = Field(description="What the board ranks by, in the board's unit")
    barrier: bool | None
    audit: Audit | None


class CommissionChange(ReplyBody):
    """A person's change of the run."""

    at: Moment
    who: str
    what: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class CommissionBody(ReplyBody):
    """Record of a run for commission and judges (R 8.3)."""

    format: int
    run: CommissionRun
    sessions: list[CommissionSession]
    decisions: list[CommissionDecision]
    protocols: list[ProtocolBody]
    mass_failure: dict[str, Any] | None
    conclusions: list[CommissionConclusion]
    board: BoardRulesBody
    results: list[CommissionResult] | None = Field(description="Of a final, when they are made; published or not")
    log: list[CommissionChange]


class RunFileBody(ReplyBody):
    """One file of a team in a run; further fields are the contest's metrics, null until published."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int | float | None]

    team_id: str
    session_id: SessionId
    number: int
    file_id: FileId
    language: str
    group: str
    state: FileState
    cause: Cause | None
    opens_at: Moment | None
    asked_at: Moment | None
    delay_ms: int | None
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None
    processing_ms: int | None
    send: int | None
    content_sha256: Sha256 | None


class RunFilesBody(ReplyBody):
    """Every file of every team of a run, with every published metric; the names are the CSV's columns."""

    run_id: RunId
    files: list[RunFileBody]


class ExpertReportBody(ReplyBody):
    """One expert's work."""

    expert_id: str
    pseudonym: str | None
    states: dict[AssignmentState, int]
    without_markup: int
    speed: SpeedBody | None


class MarkingReportBody(ReplyBody):
    """Report of the coordinator of experts (R 7.10)."""

    marking: MarkingBody
    essays: int
    done: int
    lacking: int = Field(description="Experts that essays lack")
    thirds: int
    third_reasons: dict[str, int] = Field(description="How often each reason for a third expert stood")
    experts: list[ExpertReportBody]
    agreement: Json = Field(description="The track's, with drift, as the route about agreement tells it")
    server_time: Moment


class JudgementRequest(RequestBody):
    """A judge's ruling on a positive automatic conclusion (R 8.2.1)."""

    confirmed: bool
    reason: DecisionReason


class VerificationRequest(RequestBody):
    """The commission's ruling on a confirmed conclusion (R 8.2.2); `false` returns it to the judges."""

    verified: bool
    reason: DecisionReason


class AdmissionRequest(RequestBody):
    """The organizers' decision on a team's part in the final (R 8.2.3)."""

    admitted: bool
    reason: DecisionReason


class RulingBody(ReplyBody):
    """A step of judges or commission."""

    step: Step
    positive: bool
    reason: str
    at: Moment
    counts: bool = Field(description="Whether it is about the report that holds now")


class PossibleRulingBody(ReplyBody):
    """A possible ruling; the rights of its step's route say who may make it."""

    step: Step
    positive: bool


class ConclusionBody(ReplyBody):
    """The conclusion on a session, automatic and by people."""

    session_id: SessionId
    team_id: str
    kind: QualificationKind
    ready: bool = Field(description="What the report concludes by itself")
    standing: Standing
    closed_at: Moment
    annulled: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="Why the organizers have annulled the session or its data set"
    )
    rulings: list[RulingBody]
    possible: list[PossibleRulingBody] = Field(description="The rulings that can be made where it stands")


class ClaimBody(ReplyBody):
    """The furthest of a team's conclusions of a kind."""

    kind: QualificationKind
    session_id: SessionId
    standing: Standing


class AdmissionBody(ReplyBody):
    """The decision on a team's part in the final."""

    admitted: bool
    reason: str
    at: Moment
    qualified: bool = Field(description="Whether the team had qualified then")
    by: str | None = Field(None, description="Who decided; the team is not told")


class TeamStandingBody(ReplyBody):
    """Progress of a team towards the final."""

    team_id: str = attribute("team.team_id")
    name: str = attribute("team.name")
    qualified: bool = attribute(
        "is_qualified", description="Whether a conclusion of each of the contest's kinds is verified (R 6.9, D 7.8)"
    )
    claims: list[ClaimBody]
    admission: AdmissionBody | None


class StandingsBody(ReplyBody):
    """Teams on their way to the final, by id."""

    teams: list[TeamStandingBody]


class RescoringRequest(RequestBody):
    """Selection of closed sessions and scored submissions to rescore, and the parameters. All conditions apply.

    A submission is named among the sessions, its mode is its kind, and it is of no run.
    A final is scored anew as a whole: its run is named and nothing else; without a version by that of its start.
    """

    sessions: list[SessionId] = Field(default_factory=list, max_length=300)
    team_id: str | None = None
    run_id: RunId | None = None
    set: str | None = None
    mode: Literal["algorithmic", "technical", "answers", "program"] | None = None
    since: RealDay | None = Field(
        default=None, description="The first UTC day on which sessions were closed, submissions handed in"
    )
    until: RealDay | None = Field(default=None, description="The last one")
    parameters_version: int | None = Field(
        default=None, ge=1, description="Without it the cycle's present one; of a final its own"
    )
    reason: DecisionReason

    def selection(self) -> Selection:
        """Return the selection."""
        return Selection(
            sessions=tuple(self.sessions),
            team_id=self.team_id or "",
            run_id=self.run_id or "",
            set_name=self.set or "",
            mode=self.mode or "",
            since=self.since or "",
            until=self.until or "",
        )


class RescoringDecisionRequest(RequestBody):
    """Why a rescoring is accepted or discarded."""

    reason: DecisionReason


class SelectionBody(ReplyBody):
    """The selection; empty fields are no condition."""

    sessions: list[SessionId]
    team_id: str
    run_id: str
    set_name: str
    mode: str
    since: str
    until: str


class RescoringRefusedBody(ReplyBody):
    """Reason why a final's annotations cannot be imported: discard the rescoring, mend that, begin again."""

    code: str
    message: str
    message_ru: str


class RescoringBody(ReplyBody):
    """A rescoring: `made` of `total` sessions and submissions are rescored; `applied` already use an accepted one."""

    rescoring_id: RunId
    state: Decided
    begun_at: Moment
    reason: str
    parameters_version: int
    final: RunId | None = Field(description="The final whose results it makes anew; null for other sessions")
    refused: RescoringRefusedBody | None
    selection: SelectionBody
    total: int
    made: int
    applied: int
    decided_reason: str


class MetricBody(ReplyBody):
    """A figure of a session's result, before and after."""

    old: float | None
    new: float | None
    difference: float | None


class ScoredByBody(ReplyBody):
    """Parameters and conclusion of a scored session or submission."""

    parameters_version: int
    ready: bool | None = Field(description="null where the contest knows no readiness")


class RescoredSessionBody(ReplyBody):
    """A session or submission, old and new side by side; a submission's `mode` is `answers` or `program`."""

    session_id: SessionId
    team_id: str
    mode: str
    set: str
    held_back: bool = Field(
        description="It keeps the references that it had: by corrected ones its totals would differ in too few hidden"
        " items"
    )
    old: ScoredByBody
    new: ScoredByBody
    metrics: dict[str, MetricBody]


class BoardPlaceBody(ReplyBody):
    """A team's place on a board, with its relative accuracy in per cent."""

    place: int
    value: float | None


class RescoredRowBody(ReplyBody):
    """A team on a board, old and new; null where it is not on the board."""

    team_id: str
    old: BoardPlaceBody | None
    new: BoardPlaceBody | None


class RescoredBoardBody(ReplyBody):
    """A board that changes, in its new order."""

    language: str
    rows: list[RescoredRowBody]


class RescoringDetailsBody(RescoringBody):
    """A rescoring with every session, submission and board, old and new side by side."""

    held_back: int = Field(description="So many of the results keep the references that they had")
    sessions: list[RescoredSessionBody]
    boards: list[RescoredBoardBody]


class RescoringsBody(ReplyBody):
    """All rescorings, the latest first."""

    rescorings: list[RescoringBody]


class DifferenceBody(ReplyBody):
    """A cell with different values of platform and recomputation; without a team it concerns the whole run."""

    team_id: str
    session_id: str
    submission_id: str = Field(description="Of the submission, where it is about one; else empty")
    number: int = Field(description="The file's number; 0 for what is about the whole session")
    quantity: str = Field(description="What differs, with the path inside it: `cause`, `result.relative_accuracy`")
    platform: Any = Field(description="The platform's value; null for none")
    shadow: Any = Field(description="The recomputation's value; null for none")
    message: str
    message_ru: str


class RecomputationBody(ReplyBody):
    """Recomputation of a final under its present decisions and annotations: progress and findings."""

    run_id: RunId
    state: Literal["recomputing", "clean", "different"]
    teams: int
    made: int = Field(description="Teams that are recomputed")
    checked: dict[str, int] = Field(description="How many sessions, files, scores and receipts were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]


class SubmissionsRecomputationBody(ReplyBody):
    """Recomputation of the cycle's scored submissions as stored at present: progress and findings."""

    state: Literal["recomputing", "clean", "different"]
    submissions: int = Field(description="Scored submissions, private runs among them")
    made: int = Field(description="Submissions that are recomputed")
    checked: dict[str, int] = Field(description="How many submissions and items were looked at")
    total: int = Field(description="How many cells differ; the first 1000 are told")
    differences: list[DifferenceBody]


ErrandId = Annotated[str, Field(pattern=r"^[a-z0-9]{20}$", examples=["8k2m5p7r9t1v3x6z4b0c"])]


class VerificationBody(ReplyBody):
    """Result of rebuilding a session's scores and reports."""

    scores: int
    reports: int
    differences: list[str]
    missing: list[str]
    off_board: OffBoardBody | None = Field(
        None, description="The rule that keeps the session or submission off the board"
    )


class ErrandRefusalBody(ReplyBody):
    """Reason why an errand was refused."""

    code: str
    message: str
    message_ru: str


class ErrandBody(ReplyBody):
    """Work for a worker that takes longer than a request; ask again for its state."""

    errand_id: ErrandId
    kind: ErrandKind
    subject: str = Field(description="The session or the run that it is about")
    asked_at: Moment
    state: ErrandState
    refused: ErrandRefusalBody | None
    verification: VerificationBody | None
