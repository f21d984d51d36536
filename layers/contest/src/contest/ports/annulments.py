"""The port of annulments; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.people.teams import Change
from contest.domain.results.annulment import Annulment


class Annulments(Protocol):
    """What organizers have annulled; few, so they are read together."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        """The last decision about every subject, those that were taken back, too; by subject."""

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        """Write a decision if the one about its subject is still ``before`` (None: there is none)."""
