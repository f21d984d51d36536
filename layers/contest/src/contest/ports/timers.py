"""The port of timers; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from typing import Protocol

from contest.domain.moments import Millis


class Timers(Protocol):
    """When timers came last."""

    def came(self, name: str, at: Millis) -> None:
        """Note that a timer has done its work; the last one noted stays."""

    def last(self, name: str) -> Millis | None:
        """When a timer last came; None for one that never has."""
