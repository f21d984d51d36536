"""Bodies of boards and of decisions about them, of the public cycle, its codes and its keys."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from contest.cycle.rules.cycle import MAX_FILES, Cycle, EssaySet, Parameters, SetKind
from contest.cycle.rules.stages import Calendar, Outside, Stage, rule_of_stage, rule_outside
from contest.cycle.wire.cycle import PageVersionBody, ParametersBody
from contest.results.rules import leaderboard, reports
from contest.results.rules.leaderboard import Ahead, End, Row, Visibility
from contest.results.rules.qualification import Annulled
from contest.results.rules.reports import described_parameters
from contest.run.rules.commitment import Algorithm, ValidKey
from contest.submissions.rules import SubmissionKind, SubmissionState
from contest.texts import tr
from contest.values import Millis
from contest.wire import (
    DAY_FORM,
    EMPTY_IS_NULL,
    NAME,
    DecisionReason,
    Json,
    Moment,
    ReplyBody,
    RequestBody,
    SessionId,
    attribute,
    of_track,
)
from tracks.protocol import Section as Table
from tracks.protocol import Text
from tracks.rules import Called, ModeRules, Unit


class Words(ReplyBody):
    """A text in the platform's two languages."""

    en: str
    ru: str


class JudgedColumn(ReplyBody):
    """Indices of columns, from 0: a value, its barrier, and the lower end of its confidence interval, which decides
    if there is one."""

    value: int
    barrier: int
    bound: int | None = None


class Section(ReplyBody):
    """One table of a report."""

    key: str
    title: Words
    columns: list[Words]
    rows: list[list[Any]] = Field(description="JSON scalars; null is undefined")
    places: list[int] = Field([], description="Decimals to which a column's fractions are rounded, halves up")
    shares: list[int] = Field([], description="Indices of the columns of shares, from 0, which charts draw")
    judged: list[JudgedColumn] = Field([], description="Columns of values with a barrier")
    matrix: list[int] = Field(
        [], description="Indices of the columns of true positives, false negatives, false positives, true negatives"
    )


class Statistics(ReplyBody):
    """Milliseconds; null without any value. Percentiles are nearest-rank."""

    count: int
    mean: float | None
    max: int | None
    p50: int | None
    p95: int | None


class OffBoardBody(ReplyBody):
    """The qualification's days whose rule keeps a session or submission off the board (`outside: off_board`)."""

    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
    message: str
    message_ru: str


class LevelBody(ReplyBody):
    """A reference value of people to compare programs with."""

    title: Words
    value: float


class BoardRulesBody(ReplyBody):
    """One of the contest's boards, with its measure."""

    key: str
    title: Words
    measure: Words
    unit: Unit
    places: int = Field(description="Decimals of its values, rounded half up; places and barrier are decided by them")
    least_share: float = Field(description="Share of the set's files that a session must have answered to appear on it")
    whole_set: bool = Field(description="Whether a session must have drawn all files of the set")
    barrier: float | None = Field(description="The barrier's value; null: it is no single value")
    joins_runs: bool = Field(False, description="Whether it is of a final and the run that the final continues")
    levels: list[LevelBody]


class Audit(ReplyBody):
    """Abstention audit: the relative accuracy with missed files counted as zero, and by how much it is lower."""

    relative_accuracy: float
    difference: float
    flagged: bool


class ScoringBody(ReplyBody):
    """Scoring is in progress; ask again after `Retry-After`.

    `rating`: all else is scored; experts still have to rate explanations, which takes days.
    """

    status: Literal["scoring", "rating"] = "scoring"
    scored: int
    files: int


class SubmissionPending(ReplyBody):
    """There is no report yet."""

    state: SubmissionState


class AheadBody(ReplyBody):
    """The team on the nearest better place, and its lead in points.

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
        None, description="State of the references that scored it; null in a final, which has one for all rows"
    )
    files: int = Field(description="Files of the test set, or of its part in the board's language")
    answered: int
    value: float | None = Field(description="Value that ranks the team, in the board's unit; null is undefined")
    barrier: bool | None = Field(description="Whether the technological barrier is overcome; null: unknown")
    audit: Audit | None = Field(
        description="Abstention audit: the result with missed files counted as zero, and whether it differs much"
    )
    ahead: AheadBody | None = Field(None, description="null: no team is, or a result is undefined")
    interval: list[float] | None = Field(
        description="The 95 % interval of the value, from … to; null where the contest gives none"
    )
    sections: list[Section] = Field(description="The result in tables, as a session's report has them")
    result: Json = of_track("aggregate", description="The track's result over the board's files")


class BoardsBody(ReplyBody):
    """The contest's boards, its main one first."""

    boards: list[BoardRulesBody]


class SeveralRulesBody(ReplyBody):
    """The rules of a board's rows, where there are several: the rows cannot be compared until rescored together."""

    parameters_versions: list[int]
    earlier_references: int = Field(description="Number of rows by references that the set no longer has")
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
    state: Visibility = Field(Visibility.PUBLISHED, description="Public state of the board")
    as_of: Moment | None = Field(None, description="Moment of a frozen board's rows")
    several_rules: SeveralRulesBody | None = Field(None, description="null: all rows are by one rule")
    stage: BoardStageBody | None = Field(
        None, description="The qualification's or the final's; null: the cycle names no days of it"
    )
    rows: list[BoardRow]
    tables: list[Section] = Field([], description="Tables over all teams, unranked ones too")
    server_time: Moment


def board_row(
    row: Row, team: str, ahead: Ahead | None, tables: Sequence[Table], present: frozenset[str] = frozenset()
) -> BoardRow:
    """Return one place. ``present``: the present lists of test sets."""
    entry = row.entry
    return BoardRow.from_value(
        entry,
        place=None if row.is_baseline else row.place,
        place_to=None if row.is_baseline else row.place_to,
        team=team,
        references=leaderboard.state_of_references(entry, present),
        files=entry.whole,
        value=row.value,
        barrier=row.overcame,
        audit=leaderboard.abstention(entry.result),
        ahead=ahead,
        interval=leaderboard.interval(entry.result),
        sections=[reports.section(table) for table in tables],
    )


# Clause: R 6.3
def stage_of_board(stage: Stage | None) -> BoardStageBody | None:
    """Return the days of a board's stage with their rule; None where there are none."""
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
    versions, number = ", ".join(map(str, rules.parameters_versions)), rules.earlier_references
    earlier = tr("; by earlier references: {number}", number=number) if number else Text("", "")
    message = tr(
        "The rows go by several rules and cannot be compared: parameters of versions {versions}{earlier}.",
        versions=versions,
        earlier=earlier,
    )
    return SeveralRulesBody.from_value(rules, **message.as_fields())


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


class BoardDecisionRequest(RequestBody):
    """Public state of a board: the live one, the present one frozen, or none. Hiding a final's board hides all its
    results."""

    state: Visibility = Field(strict=False)
    reason: DecisionReason


class BoardDecidedBody(ReplyBody):
    """A board with its public state."""

    board: str
    state: Visibility


class AnnulmentRequest(RequestBody):
    """Annul a data set, a session or a team's result on a board, or undo that with `annulled` false (D 6.10)."""

    of: Annulled = Field(strict=False)
    subject: Annotated[str, Field(min_length=1, max_length=40, description="A set, a session, or a team")]
    board: Annotated[str, Field(max_length=40)] | None = Field(
        None, description="For a result: `qualification`, or a final by the name of its run"
    )
    annulled: bool
    reason: DecisionReason


class AnnulmentBody(ReplyBody):
    """The last decision about an annulled subject; not `annulled`: the annulment was undone."""

    of: Annulled
    subject: str
    board: Annotated[str | None, EMPTY_IS_NULL]
    annulled: bool = attribute("holds")
    reason: str
    at: Moment


class AnnulmentsBody(ReplyBody):
    """All annulments, undone ones too."""

    annulments: list[AnnulmentBody]


class CycleSetBody(ReplyBody):
    """A set of files."""

    kind: Literal["training", "test"]
    files: int
    by_language: dict[str, int]


class LimitsBody(ReplyBody):
    """Greatest sizes that the API accepts."""

    answer_bytes: int
    log_bytes: int
    files_per_session: int = Field(description="Most files that a program may request")


class SessionSizeBody(ReplyBody):
    """Size of a session over a set."""

    most: int = Field(description="Most that a program may request")
    usual: int = Field(description="Size without a request")


class ModeBody(ReplyBody):
    """A kind of sessions that the contest has."""

    mode: str
    counts: str = Field(
        description="The choice that sets a session's size: `files`, or groups of them by the contest's name"
    )
    most: int = Field(description="Most that a program may request, over the set that allows most")
    usual: int = Field(description="Size over that set without a request")
    sets: dict[str, SessionSizeBody] = Field(description="Sizes over each set that its sessions may draw from")
    in_run: bool = Field(description="Whether its sessions take part in a run, which fixes all choices")


class StageBody(ReplyBody):
    """A stage of the cycle: its days in the cycle's time zone, both included, and the moments that they mean."""

    name: Literal["selection", "qualification", "final", "results"]
    first: str = Field(pattern=DAY_FORM, examples=["2027-03-01"])
    last: str = Field(pattern=DAY_FORM, examples=["2027-05-31"])
    starts_at: Moment
    ends_at: Moment = Field(description="The first moment after it")
    outside: Literal["refuse", "off_board", "take"] = Field(
        description="The stage's actions outside its days: refused, kept off the board, or accepted"
    )
    message: str = Field(description="The rule in words")
    message_ru: str


class CalledBody(ReplyBody):
    """The contest's names for its items, in the nominative and without a capital."""

    one: Words
    many: Words


class DocumentBody(ReplyBody):
    """A document of the knowledge base."""

    title: dict[str, str] = Field(examples=[{"ru": "Клинические рекомендации", "en": "Clinical guidelines"}])
    url: str
    about: dict[str, str] | None = None


class PageLine(ReplyBody):
    """A page with its versions, the earliest first."""

    name: str = Field(description="`rules` is the regulation; the others are the knowledge base")
    title: dict[str, str]
    versions: list[PageVersionBody]


class EndBody(ReplyBody):
    """The end of the contest (R 4.8): the final that overcame the barrier, by these teams' programs."""

    run_id: str
    at: Moment
    teams: list[str]


class EarlierRowBody(ReplyBody):
    """A row of a final's board; without a place it is a baseline."""

    place: int | None
    team: str
    value: float | None
    overcame: bool


class LinkBody(ReplyBody):
    """A published data set or archive."""

    name: str
    url: str


class EarlierCycleBody(ReplyBody):
    """An earlier cycle of the contest."""

    cycle: str
    title: dict[str, str]
    work: dict[str, str]
    first: str
    last: str
    teams: int
    best: float | None
    overcame: bool
    unit: str
    rows: list[EarlierRowBody]
    published: list[LinkBody]


class EarlierCyclesBody(ReplyBody):
    """Earlier cycles, the latest first."""

    cycles: list[EarlierCycleBody]


class CycleBody(ReplyBody):
    """The cycle: its contest, stages, sets and parameters."""

    cycle: str = attribute("name")
    name: dict[str, str] = attribute("title", examples=[{"ru": "Пробный цикл", "en": "Trial cycle"}])
    track: str = of_track(NAME)
    items_called: CalledBody
    time_zone: str
    languages: dict[str, list[str]]
    knowledge_base: list[DocumentBody] = Field(description="Documents of the cycle, in their order")
    pages: list[PageLine]
    end: EndBody | None = Field(description="null: the contest goes on")
    about: dict[str, str] | None = Field(description="The work of the contest")
    prize: dict[str, str] | None = Field(description="The prize in words")
    stages: list[StageBody]
    sets: dict[str, CycleSetBody]
    parameters: ParametersBody
    classifier: Any = Field(description="`default`, or the cycle's own; `GET /v1/classifier` has it in full")
    modes: list[ModeBody]
    submissions: list[SubmissionKind] = Field(description="Kinds of submissions that the contest takes; empty: none")
    limits: LimitsBody
    server_time: Moment


class ClassifierBody(ReplyBody):
    """Codes that answers may name in the cycle, with their meanings in both languages."""

    cycle: str = attribute("name")
    track: str = of_track(NAME)
    parameters_version: int
    classifier: Any = of_track("classifier")


class KeyBody(ReplyBody):
    """A public key of receipts; it verifies its signatures for ever, later keys or not."""

    key_id: str = attribute(
        "key.key_id",
        pattern="^[0-9a-f]{16}$",
        description="First 16 hexadecimal digits of the SHA-256 of the public key's bytes",
    )
    algorithm: Algorithm = attribute(
        "key.algorithm",
        description="`Ed25519` (RFC 8032), or `ES256`: ECDSA of P-256 with SHA-256, the signature 64 bytes of r and s",
    )
    public_key: str = Field(description="Base64 of 32 bytes (Ed25519) or of the uncompressed point, 65 bytes (ES256)")
    valid_from: Moment | None = attribute("since", description="When it first signed; null: it has signed nothing yet")
    valid_until: Moment | None = attribute("until", description="When the next key first signed; null for the last key")


class KeysBody(ReplyBody):
    """The keys that verify receipts."""

    keys: list[KeyBody]


# Clause: TS T6
def cycle_body(
    cycle: Cycle,
    parameters: Parameters,
    modes: Sequence[ModeRules],
    called: Called,
    end: End | None,
    bounds: tuple[int, int],
    now: Millis,
) -> CycleBody:
    """Return the cycle for everybody; the sets of finals are not named.

    ``bounds``: bytes of an answer and of a log.
    """
    kinds = [_mode(rules, cycle.open_sets) for rules in modes if not rules.submitted]
    most = max((kind.most for kind in kinds if kind.counts == "files" and not kind.in_run), default=MAX_FILES)
    return CycleBody.from_value(
        cycle,
        items_called=called,
        end=end,
        stages=[_stage_body(stage, cycle.calendar) for stage in cycle.stages],
        sets={
            essay_set.name: CycleSetBody(
                kind="training" if essay_set.kind is SetKind.TRAINING else "test",
                files=essay_set.size,
                by_language=dict(essay_set.sizes),
            )
            for essay_set in cycle.open_sets
        },
        parameters=described_parameters(parameters),
        modes=kinds,
        submissions=[SubmissionKind(rules.submitted) for rules in modes if rules.submitted],
        limits=LimitsBody(answer_bytes=bounds[0], log_bytes=bounds[1], files_per_session=most),
        server_time=now,
    )


def _mode(rules: ModeRules, sets: Sequence[EssaySet]) -> ModeBody:
    """Return a kind of session with its sizes as they are enforced over each set, whose items may allow fewer."""
    drawn = {
        essay_set.name: _size(rules.over(essay_set.first_step))
        for essay_set in sets
        if not rules.in_run and (not rules.sets or essay_set.kind.value in rules.sets)
    }
    widest = max(drawn.values(), key=lambda size: size.most, default=_size(rules))
    return ModeBody(
        mode=rules.name, counts=rules.counts, most=widest.most, usual=widest.usual, sets=drawn, in_run=rules.in_run
    )


def _size(rules: ModeRules) -> SessionSizeBody:
    return SessionSizeBody(most=rules.most, usual=rules.most if rules.usual is None else rules.usual)


def classifier_body(cycle: Cycle, listed: Any) -> ClassifierBody:
    """Return the codes of the cycle."""
    return ClassifierBody.from_value(cycle, classifier=listed)


def _stage_body(stage: Stage, calendar: Calendar) -> StageBody:
    rule = rule_outside(stage)
    return StageBody.from_value(
        stage,
        name=stage.name.value,
        starts_at=stage.starts_at(calendar),
        ends_at=stage.ends_at(calendar),
        outside=Outside(stage.outside).value,
        message=rule.en,
        message_ru=rule.ru,
    )


def keys_body(keys: Iterable[ValidKey]) -> KeysBody:
    """Return the keys for everybody."""
    return KeysBody(
        keys=[
            KeyBody.from_value(valid, public_key=base64.b64encode(valid.key.content).decode("ascii")) for valid in keys
        ]
    )
