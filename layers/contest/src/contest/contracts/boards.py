"""Leaderboards on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from pydantic import Field

from contest.contracts.results import Section, Words
from contest.contracts.wire import DAY_FORM, NAME, Json, Moment, ReplyBody, SessionId, of_track
from contest.domain.cycle.stages import Outside, Stage, rule_of_stage
from contest.domain.moments import iso
from contest.domain.results import leaderboard, session_report
from contest.domain.results.board_state import Visibility
from contest.domain.results.leaderboard import Ahead, Row
from tracks.protocol import Section as Table
from tracks.rules import Unit


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

    place: int
    place_to: int = Field(description="The last of the places that equal results share; place itself where none does")
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
    """A value that stands beside the programs': people's."""

    title: Words
    value: float


class BoardRulesBody(ReplyBody):
    """One of the contest's boards: what it ranks by."""

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
    """By which several rules the rows of a board are: they cannot be compared until they are scored anew together."""

    parameters_versions: list[int]
    earlier_references: int = Field(description="Rows by references that the set has no more")
    message: str
    message_ru: str


class BoardStageBody(ReplyBody):
    """The days of the board's stage, and what becomes of what is sent on other days."""

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
    return BoardRow(
        place=row.place,
        place_to=row.place_to,
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
        audit=_audit(leaderboard.abstention(entry.result)),
        ahead=None if ahead is None else AheadBody(**asdict(ahead)),
        interval=None if ends is None else list(ends),
        sections=[Section.model_validate(session_report.section(each)) for each in tables],
        result=entry.result,
    )


def _audit(found: dict[str, Any] | None) -> Audit | None:
    return None if found is None else Audit(**found)


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


def several_rules(found: leaderboard.SeveralRules | None) -> SeveralRulesBody | None:
    """Return what is said where the rows of a board go by several rules; None where they go by one."""
    if found is None:
        return None
    versions = ", ".join(map(str, found.parameters_versions))
    earlier = f"; by earlier references: {found.earlier_references}" if found.earlier_references else ""
    earlier_ru = f"; по прежним эталонам: {found.earlier_references}" if found.earlier_references else ""
    return SeveralRulesBody(
        parameters_versions=list(found.parameters_versions),
        earlier_references=found.earlier_references,
        message=f"The rows go by several rules and cannot be compared: parameters of versions {versions}{earlier}.",
        message_ru=f"Строки рассчитаны по разным правилам и не сравнимы: версии параметров {versions}{earlier_ru}.",
    )
