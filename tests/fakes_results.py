"""Scores, boards and what people decide about results in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from contest.people.rules import Change
from contest.ports import LostRaceError
from contest.results.rules.jobs import ScoreKey
from contest.results.rules.leaderboard import Entry, Point
from contest.results.rules.qualification import Admission, Annulment, Claim, Conclusion, QualificationKind
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

    def latest_points(self, cycle: str, parts: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Point]:
        points = {part: self.points(cycle, *part, 1) for part in parts}
        return {part: latest[0] for part, latest in points.items() if latest}

    def points(self, cycle: str, board: str, scope: str, most: int) -> Sequence[Point]:
        return ()


class FakeQualification:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._conclusions: dict[tuple[str, str, QualificationKind, str], Conclusion] = {}
        self._claims: dict[tuple[str, str, QualificationKind], Claim] = {}
        self._admissions: dict[tuple[str, str], Admission] = {}

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        return self._conclusions.get((cycle, team_id, kind, session_id))

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        return [self._conclusions[each] for each in sorted(self._conclusions) if each[:3] == (cycle, team_id, kind)]

    def claims(self, cycle: str) -> Sequence[Claim]:
        return [self._claims[each] for each in sorted(self._claims) if each[0] == cycle]

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return [each for each in self.claims(cycle) if each.team_id == team_id]

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        key = claimed = (after.cycle, after.team_id, after.kind)
        self._must_be(self._conclusions.get((*key, after.session_id)), before)
        self._must_be(self._claims.get(claimed), claim_before)
        self._conclusions[*key, after.session_id] = after
        self._claims[claimed] = claim_after
        self._store.tell(change)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        return self._admissions.get((cycle, team_id))

    def admissions(self, cycle: str) -> Sequence[Admission]:
        return [self._admissions[each] for each in sorted(self._admissions) if each[0] == cycle]

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        self._must_be(self._admissions.get((cycle, after.team_id)), before)
        self._admissions[cycle, after.team_id] = after
        self._store.tell(change)

    def _must_be(self, known: Any, before: Any) -> None:
        if (known and known.version) != (before and before.version):
            raise LostRaceError
