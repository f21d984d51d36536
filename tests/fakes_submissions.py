"""Submissions in memory, and whoever runs programs."""

from __future__ import annotations

from collections.abc import Sequence

from contest.people.rules import Change
from contest.ports import LostRaceError
from contest.session.rules.limits import Key
from contest.submissions.rules import Lane, Phase, RunOrder, Submission
from tests.fakes_store import Store


class FakeSubmissions:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Submission] = {}
        self._used: dict[tuple[str, str], tuple[str, str]] = {}
        self._lanes: dict[str, Lane] = {}

    def get(self, submission_id: str) -> Submission | None:
        return self._known.get(submission_id)

    def of_team(self, team_id: str) -> Sequence[Submission]:
        return [each for each in self._known.values() if each.team_id == team_id]

    def listed(self) -> Sequence[Submission]:
        return list(self._known.values())

    def unfinished(self) -> Sequence[str]:
        return sorted(name for name, each in self._known.items() if not each.is_final)

    def begun_with(self, team_id: str, key_sha256: str) -> tuple[str, str] | None:
        return self._used.get((team_id, key_sha256))

    def lane(self, team_id: str) -> Lane:
        return self._lanes.get(team_id, Lane())

    def add(self, submission: Submission, key: Key | None) -> None:
        owner = "private" if submission.of else submission.team_id
        if submission.submission_id in self._known or (key and (owner, key.key_sha256) in self._used):
            raise LostRaceError
        self._known[submission.submission_id] = submission
        if key is not None:
            self._used[owner, key.key_sha256] = (key.asked_sha256, submission.submission_id)

    def change(
        self, before: Submission, after: Submission, lane: Lane | None = None, change: Change | None = None
    ) -> None:
        known = self._known.get(after.submission_id)
        if known is None or known.version != before.version:
            raise LostRaceError
        if lane is not None:
            if self.lane(after.team_id) != lane:
                raise LostRaceError
            self._lanes[after.team_id] = Lane(after.submission_id if after.is_under_way else "", lane.version + 1)
        self._known[after.submission_id] = after
        self._store.tell(change)


class FakeRunner:
    """Runs nothing: a test says how far a run is."""

    def __init__(self) -> None:
        self.orders: dict[str, RunOrder] = {}
        self.phases: dict[str, Phase] = {}

    def start(self, order: RunOrder) -> None:
        if order.run not in self.orders:
            self.orders[order.run] = order
            self.phases[order.run] = Phase.WAITING

    def phase(self, run: str) -> Phase:
        return self.phases.get(run, Phase.UNKNOWN)

    def stop(self, run: str) -> None:
        if run in self.phases:
            self.phases[run] = Phase.OVER
