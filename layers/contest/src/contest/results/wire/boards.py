"""Bodies of leaderboards and of the history of a board's places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from pydantic import Field

from contest.cycle.rules.stages import Outside, Stage, rule_of_stage
from contest.results.rules import leaderboard, reports
from contest.results.rules.leaderboard import Ahead, Row, Visibility
from contest.results.wire.parts import Audit, BoardRulesBody, Section
from contest.values import iso
from contest.wire import DAY_FORM, NAME, Json, Moment, ReplyBody, SessionId, of_track
from tracks.protocol import Section as Table


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
