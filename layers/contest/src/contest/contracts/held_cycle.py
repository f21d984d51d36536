"""The loaded cycle as its organizers see it, on the wire."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from contest.contracts.wire import Moment, ReplyBody
from contest.domain.cycle.cycle import Mode, SetKind


class HeldSetBody(ReplyBody):
    """A set of the cycle, finals' and reserves' too."""

    kind: SetKind
    files: dict[str, int]
    runs: list[Mode] = Field(description="The kinds of runs that draw from it; a trial may draw from any set")


class NoticePeriodBody(ReplyBody):
    """How long ahead, or how soon, something is told or done in the cycle."""

    occasion: Literal[
        "parameters", "sets", "modules", "schedule", "trial", "restart", "new_date", "markups", "own_reports", "results"
    ] = Field(description="What it is about")
    days: int
    working: bool = Field(description="Whether working days are counted")
    clause: str = Field(description="Which clause asks for it, or which field of the cycle's file")


class ReplayRulesBody(ReplyBody):
    """How programs' work is replayed for people in this contest (D 9.10.7, 9.10.8)."""

    fewest_programs: int
    most_programs: int
    people: int = Field(description="So many clinicians, all in every round")
    fewest_rounds: int
    most_rounds: int
    limit_s: int = Field(description="For a review, where nothing else is said")


class HeldCycleBody(ReplyBody):
    """The loaded cycle as its organizers see it."""

    cycle: str
    name: dict[str, str]
    track: str
    time_zone: str
    loaded_at: Moment
    sets: dict[str, HeldSetBody]
    notices: list[NoticePeriodBody] = Field(
        description="The notice periods that hold, the contest's and the cycle's own"
    )
    replay: ReplayRulesBody | None = Field(description="Null: this contest replays nobody's work")
    parameters: dict[str, Any]
