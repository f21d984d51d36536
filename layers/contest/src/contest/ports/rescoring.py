"""What services need of rescorings, each change with its condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.people.teams import Change
from contest.domain.results.rescoring import Rescoring
from contest.domain.run.run import Run


class Rescorings(Protocol):
    """Rescorings of one deployed cycle."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        """Write a new one; :class:`contest.ports.LostRaceError` if its name is taken."""

    def get(self, rescoring_id: str) -> Rescoring | None:
        """A rescoring as last written."""

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        """Write it anew if it is still as it was read, and with it a closed ``run``, before and after, if that is."""

    def all(self) -> Sequence[Rescoring]:
        """All of them, the latest first."""
