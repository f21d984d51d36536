"""The port of replays for people; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.experts.replay import Replay, Review
from contest.domain.people.teams import Change


class Replays(Protocol):
    """What of runs is replayed, and what people said of it."""

    def all(self, cycle: str) -> Sequence[Replay]:
        """All replays of a cycle, by run."""

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        """The replay of a run."""

    def put(self, replay: Replay, change: Change) -> None:
        """Write a replay if it is stored with the version before its own; version 1 is new."""

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        """A person's review in a round."""

    def reviews(self, run_id: str) -> Sequence[Review]:
        """All reviews, by round and person."""

    def save(self, review: Review) -> None:
        """Write a review if it is stored with the version before its own; version 1 is new."""
