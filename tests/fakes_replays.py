"""Replays in memory, under the adapter's promises."""

from __future__ import annotations

from collections.abc import Sequence

from contest.experts.rules.assignment import Replay, Review
from contest.people.rules import Change
from contest.ports import LostRaceError
from tests.fakes_store import Store


class FakeReplays:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._replays: dict[tuple[str, str], Replay] = {}
        self._reviews: dict[tuple[str, int, str], Review] = {}

    def all(self, cycle: str) -> Sequence[Replay]:
        return [each for key, each in sorted(self._replays.items()) if key[0] == cycle]

    def of_run(self, cycle: str, run_id: str) -> Replay | None:
        return self._replays.get((cycle, run_id))

    def put(self, replay: Replay, change: Change) -> None:
        known = self.of_run(replay.cycle, replay.run_id)
        if (known.version if known else 0) != replay.version - 1:
            raise LostRaceError
        self._replays[replay.cycle, replay.run_id] = replay
        self._store.changes.append(change)

    def review(self, run_id: str, number: int, person_id: str) -> Review | None:
        return self._reviews.get((run_id, number, person_id))

    def reviews(self, run_id: str) -> Sequence[Review]:
        return [each for key, each in sorted(self._reviews.items()) if key[0] == run_id]

    def save(self, review: Review) -> None:
        known = self.review(review.run_id, review.round, review.person_id)
        if (known.version if known else 0) != review.version - 1:
            raise LostRaceError
        self._reviews[review.run_id, review.round, review.person_id] = review
