"""Bodies of leaderboards, of teams' standings on their way to the final, and parts that bodies of results share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from contest.cycle.rules.stages import Outside, Stage, rule_of_stage
from contest.results.rules import leaderboard, reports
from contest.results.rules.leaderboard import Ahead, Row, Visibility
from contest.results.rules.qualification import QualificationKind, Standing, Step
from contest.submissions.rules import SubmissionState
from contest.texts import tr
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


class Audit(ReplyBody):
    """Abstention audit: the relative accuracy with missed files counted as zero, and by how much it is lower."""

    relative_accuracy: float
    difference: float
    flagged: bool


class ScoringBody(ReplyBody):
    """Scores are still being made; ask again after `Retry-After`.

    `rating`: all that can be scored is; experts have still to rate explanations, which takes days.
    """

    status: Literal["scoring", "rating"] = "scoring"
    scored: int
    files: int


class SubmissionPending(ReplyBody):
    """There is no report yet."""

    state: SubmissionState


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
