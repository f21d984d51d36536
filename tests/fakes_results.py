"""Scores, boards and what people decide about results in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contest.people.rules import Change
from contest.ports import LostRaceError
from contest.results.rules.jobs import ScoreKey
from contest.results.rules.leaderboard import Entry, Point
from contest.results.rules.qualification import Admission, Annulment, Claim
from tests.fakes_store import Store


class FakeScores:
    def __init__(self) -> None:
        self.records: dict[str, dict[ScoreKey, bytes]] = {}
        self.board: dict[tuple[str, str], dict[str, Entry]] = {}
        self.claimed: dict[tuple[str, str, str, str], Entry] = {}

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        return self.records.get(session_id, {}).get(key)

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        return dict(self.records.get(session_id, {}))

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        own = self.records.setdefault(session_id, {})
        if key in own:
            raise LostRaceError
        own[key] = record

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        return self.board.get((cycle, language), {}).get(team_id)

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        if self.entry(cycle, after.language, after.team_id) != before:
            raise LostRaceError
        self.board.setdefault((cycle, after.language), {})[after.team_id] = after

    def claim(self, cycle: str, entry: Entry) -> None:
        self.claimed[cycle, entry.language, entry.team_id, entry.session_id] = entry

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        return [each for key, each in sorted(self.claimed.items()) if key[:3] == (cycle, language, team_id)]

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [entry for _, entry in sorted(self.board.get((cycle, language), {}).items())]


class FakeAnnulments:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._made: dict[tuple[str, ...], Annulment] = {}

    def all(self, cycle: str) -> Sequence[Annulment]:
        return [each for key, each in sorted(self._made.items()) if key[0] == cycle]

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        known = self._made.get((cycle, *after.key))
        if (known and known.version) != (before and before.version):
            raise LostRaceError
        self._made[(cycle, *after.key)] = after
        self._store.changes.append(change)


class NoBoards:
    """Boards about which nobody has decided anything."""

    def state(self, cycle: str, board: str) -> None:
        return None

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        return ()


class FakeQualification:
    """Admissions; nobody has concluded anything about a session."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._admissions: dict[tuple[str, str], Admission] = {}

    def claims(self, cycle: str) -> Sequence[Claim]:
        return ()

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        return self._admissions.get((cycle, team_id))

    def admissions(self, cycle: str) -> Sequence[Admission]:
        return [self._admissions[each] for each in sorted(self._admissions) if each[0] == cycle]

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        known = self._admissions.get((cycle, after.team_id))
        if (known and known.version) != (before and before.version):
            raise LostRaceError
        self._admissions[cycle, after.team_id] = after
        self._store.tell(change)
