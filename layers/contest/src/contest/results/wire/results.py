"""Bodies of reports, scores, comparisons, leaderboards and the history of a board's places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel

from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.stages import Outside, Stage, rule_of_stage
from contest.cycle.wire.cycle import ParametersBody
from contest.exchange.wire import ClientSeen, CountsBody
from contest.results.rules import leaderboard, reports
from contest.results.rules.leaderboard import Ahead, Row, Visibility
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause, FileState
from contest.session.rules.session import State
from contest.values import iso
from contest.wire import (
    DAY_FORM,
    MARK,
    NAME,
    Detail,
    FileId,
    Json,
    Moment,
    ReplyBody,
    RunId,
    SessionId,
    Sha256,
    attribute,
    of_track,
)
from tracks.protocol import Section as Table
from tracks.rules import Unit


class Words(ReplyBody):
    """A text in the platform's two languages."""

    en: str
    ru: str


class JudgedColumn(ReplyBody):
    """Places of columns, from 0: a value, what it has to reach, and the lower end of its confidence, which decides
    where there is one."""

    value: int
    barrier: int
    bound: int | None = None


class Section(ReplyBody):
    """One table of a report."""

    key: str
    title: Words
    columns: list[Words]
    rows: list[list[Any]] = Field(description="JSON scalars; null is undefined")
    places: list[int] = Field([], description="Decimals with which a column's fractions are told, halves up")
    shares: list[int] = Field([], description="Places of the columns of shares, from 0: what charts draw of each row")
    judged: list[JudgedColumn] = Field([], description="Columns of values that have something to reach")
    matrix: list[int] = Field(
        [], description="Places of the columns of true positives, false negatives, false positives, true negatives"
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


class Statistics(ReplyBody):
    """Milliseconds; null without any value. Percentiles are nearest-rank."""

    count: int
    mean: float | None
    max: int | None
    p50: int | None
    p95: int | None


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
    group: str = Field(description="Empty where the contest tells totals alone of the set")
    state: FileState
    cause: Cause | None
    evidence: dict[str, Any]
    handed_out_at: Moment | None
    answer_by: Moment | None
    answered_at: Moment | None
    processing_ms: int | None
    send: int | None
    content_sha256: Sha256 | None
    warnings: list[Detail] = Field([], description="What the contest remarked on the answers that count")
    opens_at: Moment | None = Field(None, description="In a run, like what follows")
    request_by: Moment | None = None
    asked_at: Moment | None = None
    delay_ms: int | None = Field(None, description="From the opening to the hand-out")


class Solution(ReplyBody):
    """Whether the solution as a whole is annulled (R 7.7)."""

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
    mode: Mode
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

    value: float | None = Field(description="Where it is; null: no single value says it")
    overcome: bool | None = Field(description="null: there is no result yet, or none that says it")


class ReportRescored(ReplyBody):
    """The rescoring of a final's results, and the version of the parameters with which the run began."""

    rescoring_id: RunId
    started_with: int
    parameters_version: int


class WithheldBody(ReplyBody):
    """Reason for withholding totals over a hidden set: they would reveal single items."""

    code: Literal["too_few_items", "too_similar"]
    message: str
    message_ru: str


class OffBoardBody(ReplyBody):
    """The qualification's days whose rule keeps a session or submission off the board (`outside: off_board`)."""

    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
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
        description="The track's result: overall, by group, by language, by metric, intervals;"
        " of a final null until the results are out",
    )
    sections: list[Section]
    files: list[ReportFile]
    barrier: BarrierBody
    readiness: ReadinessBody | None = Field(description="null where the contest knows no readiness")
    timing: Timing
    voided: Voided
    withheld: WithheldBody | None = Field(None, description="Over a hidden set; then `result` is null")
    left_out: WithheldBody | None = Field(None, description="Over a hidden set, where breakdowns are not told")
    off_board: OffBoardBody | None = Field(
        None, description="Begun outside the qualification's days, and kept off the board by the cycle's rule"
    )
    run: ReportRun | None = Field(None, description="In a run, like what follows")
    solution: Solution | None = None
    amendments: list[ReportAmendment] | None = Field(None, description="Decisions that concern the session")
    parameters: ParametersBody
    scorer: Scorer
    rescored: ReportRescored | None = Field(None, description="Of a final that was scored anew")


class ScoringBody(ReplyBody):
    """Scores are still being made; ask again after `Retry-After`.

    `rating`: all that can be scored is; experts have still to rate explanations, which takes days.
    """

    status: Literal["scoring", "rating"] = "scoring"
    scored: int
    files: int


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
        "pairs", description="The pairs that were asked for; the answer against each expert"
    )


class OwnAnswerBody(ReplyBody):
    """A team's own answer that counts, beside the content that it was made for."""

    track: str = of_track(NAME)
    number: int
    send: int = attribute("counting.send", description="Which of the sends to this file it was, from 1")
    received_at: Moment = attribute("counting.received_at")
    content_sha256: Sha256 = attribute(
        "counting.content_sha256", description="Of the answer as it was sent, as its receipt says"
    )
    content: Json = of_track("content")
    answer: Json = of_track("canonical")


class Audit(ReplyBody):
    """Abstention audit: the relative accuracy with missed files counted as zero, and by how much it is lower."""

    relative_accuracy: float
    difference: float
    flagged: bool


class AheadBody(ReplyBody):
    """Name the team on the nearest better place, and the lead in points.

    Where both 95 % intervals overlap, the order of the two may be chance (null: there are no intervals).
    """

    team_id: str
    difference: float
    overlap: bool | None


class BoardRow(ReplyBody):
    """A place on the board; equal results share it."""

    place: int | None = Field(description="null: a baseline, which takes no place")
    place_to: int | None = Field(description="The last of the places that equal results share")
    team_id: str
    team: str
    session_id: SessionId
    closed_at: Moment
    parameters_version: int
    references: Literal["present", "earlier"] | None = Field(
        None, description="By which references it was scored; null in a final, which has one state for all rows"
    )
    files: int = Field(description="Files of the test set, or of its part in the board's language")
    answered: int
    value: float | None = Field(description="What the board ranks by, in the board's unit; null is undefined")
    barrier: bool | None = Field(description="Whether the technological barrier is overcome; null: cannot be said")
    audit: Audit | None = Field(
        description="Abstention audit: the result with missed files counted as zero, and whether it differs much"
    )
    ahead: AheadBody | None = Field(None, description="null: nobody is, or a result is undefined")
    interval: list[float] | None = Field(
        description="The 95 % interval of the value, from … to; null where the contest gives none"
    )
    sections: list[Section] = Field(description="The result in tables, as a session's report has them")
    result: Json = of_track("aggregate", description="The track's result over the board's files")


class LevelBody(ReplyBody):
    """A reference value beside the programs': people's."""

    title: Words
    value: float


class BoardRulesBody(ReplyBody):
    """One of the contest's boards, with its measure."""

    key: str
    title: Words
    measure: Words
    unit: Unit
    places: int = Field(
        description="Decimals with which its values are told, halves up: as many as decide places and the barrier"
    )
    least_share: float = Field(description="Share of the set's files that a session must have answered to stand on it")
    whole_set: bool = Field(description="Whether a session must have drawn all files of the set")
    barrier: float | None = Field(description="Where the barrier is; null: no single value says it")
    joins_runs: bool = Field(False, description="Whether it is of a final and the run that the final continues")
    levels: list[LevelBody]


class BoardsBody(ReplyBody):
    """The contest's boards, its main one first."""

    boards: list[BoardRulesBody]


class SeveralRulesBody(ReplyBody):
    """The rules of a board's rows, where there are several: the rows cannot be compared until rescored together."""

    parameters_versions: list[int]
    earlier_references: int = Field(description="Rows by references that the set has no more")
    message: str
    message_ru: str


class BoardStageBody(ReplyBody):
    """The days of the board's stage, with the rule for other days."""

    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
    outside: Literal["refuse", "off_board", "take"]
    message: str
    message_ru: str


class BoardBody(ReplyBody):
    """A leaderboard (R 6.10, 7.12)."""

    cycle: str
    track: str = of_track(NAME)
    board: BoardRulesBody
    language: str
    nomination: str | None = Field(None, description="A nomination by its name in the cycle's parameters")
    state: Visibility = Field(Visibility.PUBLISHED, description="What everybody sees of it")
    as_of: Moment | None = Field(None, description="The moment of which the rows are, of a frozen board")
    several_rules: SeveralRulesBody | None = Field(None, description="null: all rows are by one rule")
    stage: BoardStageBody | None = Field(
        None, description="The qualification's or the final's; null: the cycle names no days of it"
    )
    rows: list[BoardRow]
    tables: list[Section] = Field([], description="Tables over all teams, those too that the contest does not rank")
    server_time: Moment


def board_row(
    row: Row, team: str, ahead: Ahead | None, tables: Sequence[Table], present: frozenset[str] = frozenset()
) -> BoardRow:
    """Return one place. ``present``: the lists of test sets that there are now."""
    entry = row.entry
    ends = leaderboard.interval(entry.result)
    audit = leaderboard.abstention(entry.result)
    return BoardRow(
        place=None if row.is_baseline else row.place,
        place_to=None if row.is_baseline else row.place_to,
        team_id=entry.team_id,
        team=team,
        session_id=entry.session_id,
        closed_at=iso(entry.closed_at),
        parameters_version=entry.parameters_version,
        references=leaderboard.state_of_references(entry, present),
        files=entry.whole,
        answered=entry.answered,
        value=row.value,
        barrier=row.overcame,
        audit=None if audit is None else Audit(**audit),
        ahead=None if ahead is None else AheadBody(**asdict(ahead)),
        interval=None if ends is None else list(ends),
        sections=[Section.model_validate(reports.section(table)) for table in tables],
        result=entry.result,
    )


def stage_of_board(stage: Stage | None) -> BoardStageBody | None:
    """Return the days of a board's stage with their rule; None where there are none.

    Clause: R 6.3
    """
    if stage is None:
        return None
    rule = rule_of_stage(stage)
    return BoardStageBody(
        first=stage.first, last=stage.last, outside=Outside(stage.outside).value, message=rule.en, message_ru=rule.ru
    )


def several_rules(rules: leaderboard.SeveralRules | None) -> SeveralRulesBody | None:
    """Return the notice that the rows of a board have several rules; None where they have one."""
    if rules is None:
        return None
    versions = ", ".join(map(str, rules.parameters_versions))
    earlier = f"; by earlier references: {rules.earlier_references}" if rules.earlier_references else ""
    earlier_ru = f"; по прежним эталонам: {rules.earlier_references}" if rules.earlier_references else ""
    return SeveralRulesBody(
        parameters_versions=list(rules.parameters_versions),
        earlier_references=rules.earlier_references,
        message=f"The rows go by several rules and cannot be compared: parameters of versions {versions}{earlier}.",
        message_ru=f"Строки рассчитаны по разным правилам и не сравнимы: версии параметров {versions}{earlier_ru}.",
    )


class PlacedBody(ReplyBody):
    """A team's place and value at a moment."""

    team_id: str
    place: int
    value: float | None


class PointBody(ReplyBody):
    """The places of a board from a moment on."""

    at: Moment
    places: list[PlacedBody]


class HistoryBody(ReplyBody):
    """History of the places of a board, the latest point first; each point is a change."""

    points: list[PointBody]
    server_time: Moment
