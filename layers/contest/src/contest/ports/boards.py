"""The port of boards' states and histories; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.moments import Millis
from contest.domain.people.teams import Change
from contest.domain.results.board_state import BoardState, Point


class Boards(Protocol):
    """What organizers decided about boards, and how their places went."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        """The state as last written; None before the first decision."""

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        """Write a state if the one there is still ``before`` (None: there is none)."""

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        """All points of the history of a board's part (a language, a nomination), the earliest first."""

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: Millis | None
    ) -> None:
        """Write a point if the latest one is still ``before``, and give up the one of the moment ``dropped``."""
