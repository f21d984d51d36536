"""The ports of submissions; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from typing import Protocol

from contest.domain.submissions.running import Phase, RunOrder


class Runner(Protocol):
    """Whoever runs submitted programs. It is told an order and looked at; what came of it is in the run's folder."""

    def start(self, order: RunOrder) -> None:
        """Run an order whose ``order.json`` is stored. One whose name was started before is not started again."""

    def phase(self, run: str) -> Phase:
        """How far the run of this name is."""

    def stop(self, run: str) -> None:
        """End a run, if it is there and not over. What it has left stays."""
