"""What everybody sees of a board: nothing, the board as of a moment, or the live one; and the history of its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contest.domain.moments import Millis
from contest.domain.results.leaderboard import Row
from contest.domain.run.run import Run
from contest.refusals import RefusedError

QUALIFICATION: Final = "qualification"
"""The board that every cycle has; the others are finals', by the names of their runs."""
MOST_POINTS: Final = 200
"""Points of a board's history that are kept; beyond them the one goes that is nearest to the one before it."""


class Visibility(StrEnum):
    """What everybody sees; organizers and commission see the live board always."""

    HIDDEN = "hidden"
    FROZEN = "frozen"
    PUBLISHED = "published"


_RUSSIAN: Final = {
    Visibility.HIDDEN: "скрыт",
    Visibility.FROZEN: "заморожен",
    Visibility.PUBLISHED: "опубликован",
}


@dataclass(frozen=True, slots=True)
class BoardState:
    """What organizers decided last about a board. ``frozen`` names the stored entries of the moment ``at``."""

    board: str
    visibility: Visibility
    at: Millis
    reason: str
    frozen: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A team's place at a moment; ``value`` is its relative accuracy in per cent, None where it is undefined."""

    team_id: str
    place: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """The places of a board from a moment on, until the next point."""

    at: Millis
    places: tuple[Placed, ...]


def visible(run: Run | None, state: BoardState | None) -> Visibility:
    """What everybody sees: of the qualification (no run) what was decided, at first the live board; of a final nothing
    before its results are published, and a freeze ends with their withdrawal.

    Clause: platform §4 boards
    """
    if run is None:
        return state.visibility if state is not None else Visibility.PUBLISHED
    if run.published_at is None:
        return Visibility.HIDDEN
    frozen = state is not None and state.visibility is Visibility.FROZEN and state.at >= run.published_at
    return Visibility.FROZEN if frozen else Visibility.PUBLISHED


def decided(
    before: BoardState | None, seen: Visibility, board: str, wanted: Visibility, reason: str, now: Millis, frozen: str
) -> BoardState:
    """The state after a decision; refused where the board is so already."""
    if seen is wanted:
        raise RefusedError("board_is_so", f"the board is {wanted.value} already", f"лидерборд уже {_RUSSIAN[wanted]}")
    return BoardState(board, wanted, now, reason, frozen, before.version + 1 if before else 1)


def point(rows: Sequence[Row], now: Millis) -> Point:
    """The places of a board now."""
    return Point(now, tuple(Placed(each.entry.team_id, each.place, each.value) for each in rows))


def superfluous(moments: Sequence[Millis], most: int) -> Millis | None:
    """Which of the ascending moments is given up where there are more than ``most``: the one that is nearest to the one
    before it, never the first or the last. O(n)."""
    if len(moments) <= max(most, 2):
        return None
    return min(zip(moments[1:-1], moments[:-2], strict=True), key=lambda pair: (pair[0] - pair[1], pair[0]))[0]
