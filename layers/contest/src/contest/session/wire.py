"""Bodies of sessions: their reports, their part of the commission's record, what a decision about a run changes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel

from contest.cycle.rules.cycle import Mode
from contest.cycle.wire.cycle import ParametersBody
from contest.exchange.wire import ClientSeen, CountsBody
from contest.results.rules.qualification import Standing, Step
from contest.results.wire import Audit, BoardRulesBody, OffBoardBody, Section, Statistics
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.wire import (
    MARK,
    NAME,
    Detail,
    FileId,
    Json,
    Moment,
    ProtocolBody,
    ReplyBody,
    RunId,
    SessionId,
    Sha256,
    attribute,
    of_track,
)


class Reason(ReplyBody):
    """One reason against readiness."""

    code: str
    message: str
    message_ru: str
    where: dict[str, Any]


class ReadinessBody(ReplyBody):
    """Conclusion on readiness for a final (R 6.5.4)."""

    ready: bool
    valid_share: float
    reasons: list[Reason]


class Timing(ReplyBody):
    """Times of the session."""

    processing_ms: Statistics = Field(description="From the hand-out to the counting answer")
    delay_ms: Statistics | None = Field(None, description="In a run: from the opening to the hand-out")


class Share(ReplyBody):
    """Files and their share of the session's."""

    files: int
    share: float


class Voided(Share):
    """Void files by cause."""

    by_cause: dict[Cause, Share]


class ReportFile(ReplyBody):
    """One file of a report."""

    number: int
    file_id: FileId
    language: str
    group: str = Field(description="Empty where the contest shows only totals of the set")
    state: FileState
    cause: Cause | None
    evidence: dict[str, Any]
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None
    processing_ms: int | None
    send: int | None
    content_sha256: Sha256 | None
    warnings: list[Detail] = Field([], description="The contest's remarks on the answers that count")
    opens_at: Moment | None = Field(None, description="In a run, like the fields below")
    request_by: Moment | None = None
    asked_at: Moment | None = None
    delay_ms: int | None = Field(None, description="From the opening to the hand-out")


class Solution(ReplyBody):
    """Annulment of the solution as a whole (R 7.7)."""

    voided_share: float | None = Field(description="Share of missed files of those that count; null where none counts")
    allowed_share: float
    voided: bool


class Scorer(ReplyBody):
    """The code that scored."""

    track: str = of_track(NAME)
    version: str


class ReportSession(ReplyBody):
    """The session that a report is about."""

    session_id: SessionId
    team_id: str
    cycle: str
    mode: str
    set: str
    language: str
    files: int
    requested_files: int
    time_limit_s: int
    state: State
    opened_at: Moment
    closed_at: Moment | None
    client: ClientSeen | None
    run_id: RunId | None = Field(None, description="In a run")


class ReportRunLimits(ReplyBody):
    """A run's limits in milliseconds."""

    request_ms: int
    answer_ms: int
    total_ms: int
    join_ms: int


class ReportRun(ReplyBody):
    """The run of a session."""

    run_id: RunId
    cycle: str
    track: str
    mode: Mode
    trial: bool
    set: str
    language: str
    files: int
    starts_at: Moment
    interval_ms: int
    limits: ReportRunLimits
    restarts: RunId | None
    stopped_at: Moment | None


class ReportAmendment(ReplyBody):
    """A decision that concerns the session."""

    number: int
    kind: Kind
    at: Moment
    effective_at: Moment
    reason: str
    details: dict[str, Any]


class BarrierBody(ReplyBody):
    """The technological barrier on the contest's main board."""

    value: float | None = Field(description="The barrier's value; null: it is no single value")
    overcome: bool | None = Field(description="null: there is no result yet, or none that decides it")


class ReportRescored(ReplyBody):
    """The rescoring of a final's results, and the version of the parameters with which the run began."""

    rescoring_id: RunId
    started_with: int
    parameters_version: int


class WithheldBody(ReplyBody):
    """Reason for withholding totals over a hidden set: they would reveal single items."""

    code: Literal["too_few_items", "too_similar", "breakdowns_too_similar"]
    message: str
    message_ru: str


class ReportBody(ReplyBody):
    """Report of a session (R 6.5; in a run R 6.7, 7.8); the same bytes whenever it is made."""

    format: int
    session: ReportSession
    counts: CountsBody
    result: Json = of_track(
        "aggregate",
        nullable=True,
        description="The track's result: overall, by group, language and metric, intervals;"
        " of a final null until the results are out",
    )
    sections: list[Section]
    files: list[ReportFile]
    barrier: BarrierBody
    readiness: ReadinessBody | None = Field(description="null where the contest knows no readiness")
    timing: Timing
    voided: Voided
    withheld: WithheldBody | None = Field(None, description="Reason why totals are withheld; then `result` is null")
    left_out: WithheldBody | None = Field(None, description="Why breakdowns over a hidden set are withheld")
    off_board: OffBoardBody | None = Field(
        None, description="Begun outside the qualification's days, and kept off the board by the cycle's rule"
    )
    run: ReportRun | None = Field(None, description="In a run, like the next two")
    solution: Solution | None = None
    amendments: list[ReportAmendment] | None = Field(None, description="Decisions that concern the session")
    parameters: ParametersBody
    scorer: Scorer
    rescored: ReportRescored | None = Field(None, description="The rescoring of a final")


class ScoreBody(RootModel[dict[str, Any]]):
    """A file's score record with its fingerprint; of a hidden set the measures in whole per cent."""

    model_config = ConfigDict(json_schema_extra={MARK: "file_score"})


class PairComparison(ReplyBody):
    """One of the markups against another: `answer`, or an expert's by its index in `experts`."""

    x: int | Literal["answer"]
    y: int | Literal["answer"]
    comparison: Json = of_track("comparison")


class ComparisonBody(ReplyBody):
    """A team's own answer beside the experts', with comparisons (training set only)."""

    track: str = of_track(NAME)
    answer: Json = of_track("canonical")
    experts: list[Annotated[Json, of_track("reference")]]
    score: Json = of_track("score")
    comparisons: list[PairComparison] = attribute(
        "pairs", description="The requested pairs; the answer against each expert"
    )


class OwnAnswerBody(ReplyBody):
    """A team's own answer that counts, with the content that it answers."""

    track: str = of_track(NAME)
    number: int
    send: int = attribute("counting.send", description="Its number among the sends to this file, from 1")
    received_at: Moment = attribute("counting.received_at")
    content_sha256: Sha256 = attribute(
        "counting.content_sha256", description="SHA-256 of the answer as sent, as in its receipt"
    )
    content: Json = of_track("content")
    answer: Json = of_track("canonical")


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
    body_ms: int = Field(description="From the headers to the whole body, with the platform's time before its work")


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
    """A team's row of the board."""

    place: int | None
    team_id: str
    session_id: SessionId
    files: int
    answered: int
    value: float | None = Field(description="In the board's unit")
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
    results: list[CommissionResult] | None = Field(description="A final's results once they are made, published or not")
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


class NoticeBody(Reason):
    """A warning; nothing is refused for it."""


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
    """A team's void files, and the state of its session."""

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
    """Effects of a decision if it were made now; nothing is written."""

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
    """Effects of a restart: the stop, and the new run."""

    stop: PreviewBody
    set: str
    files: int
    starts_at: Moment
    notices: list[NoticeBody]
