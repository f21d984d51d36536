"""Storage of results in the DynamoDB tables.

The scores table has score records and board entries, the boards' states and histories, rescorings, conclusions and
claims. Annulments lie in the catalogue table, which every function concerned reads. Admissions lie in the exchange
table, since admitted programs join by them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.transactions import TransactWrite

from contest.adapters.aws import CatalogueItem, ExchangeItem, ScoresItem, Versioned, condition
from contest.people.rules import Change
from contest.people.store import logged_writes, save_logged
from contest.results.rules.jobs import ScoreKey
from contest.results.rules.leaderboard import BoardState, Entry, Placed, Point, as_json
from contest.results.rules.qualification import Admission, Annulment, Claim, Conclusion, QualificationKind
from contest.results.rules.rescoring import Rescoring
from contest.run.rules.run import Run
from contest.run.store import put_run
from contest.session.store import session_key
from contest.values import Millis

MAX_RECORD: Final = 350_000
"""Compressed bytes of a record; an item of the table holds 400 KB."""


class RecordTooLargeError(ValueError):
    """A score record does not fit into an item; its message ends in the dead-letter queue."""


class ScoreItem(ScoresItem):
    """A score record, compressed canonical JSON."""

    record = BinaryAttribute(legacy_encoding=False)


class BoardItem(ScoresItem):
    """A team's best claim to a place on a board."""

    entry = UnicodeAttribute()


class DynamoScores:
    """:class:`contest.ports.Scores`."""

    def get(self, session_id: str, key: ScoreKey) -> bytes | None:
        return ScoreItem.one(session_key(session_id), _score_sk(key), lambda item: zlib.decompress(item.record))

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        items = ScoreItem.query(session_key(session_id), ScoreItem.sk.startswith("SCORE#"), consistent_read=True)
        scores = {}
        for item in items:
            _, number, answer_sha256, conditions = item.sk.split("#")
            scores[ScoreKey(int(number), answer_sha256, conditions)] = zlib.decompress(item.record)
        return scores

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        packed = zlib.compress(record, 6)
        if len(packed) > MAX_RECORD:
            raise RecordTooLargeError(f"score record of {session_id} {key.number}: {len(packed)} bytes compressed")
        with condition():
            item = ScoreItem(session_key(session_id), _score_sk(key), record=packed)
            item.save(condition=ScoreItem.pk.does_not_exist())

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        return BoardItem.one(_board_key(cycle, language), team_id, lambda item: Entry(**json.loads(item.entry)))

    def enter(self, cycle: str, before: Entry | None, after: Entry) -> None:
        unchanged = BoardItem.entry == _body(before) if before is not None else BoardItem.pk.does_not_exist()
        with condition():
            item = BoardItem(_board_key(cycle, after.language), after.team_id, entry=_body(after))
            item.save(condition=unchanged)

    def claim(self, cycle: str, entry: Entry) -> None:
        BoardItem(_claims_key(cycle, entry.language, entry.team_id), entry.session_id, entry=_body(entry)).save()

    def claims(self, cycle: str, language: str, team_id: str) -> Sequence[Entry]:
        items = BoardItem.query(_claims_key(cycle, language, team_id), consistent_read=True)
        return [Entry(**json.loads(item.entry)) for item in items]

    def entries(self, cycle: str, language: str) -> Sequence[Entry]:
        return [Entry(**json.loads(item.entry)) for item in BoardItem.query(_board_key(cycle, language))]


def _body(entry: Entry) -> str:
    return json.dumps(as_json(entry), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _score_sk(key: ScoreKey) -> str:
    return f"SCORE#{key.number:04d}#{key.answer_sha256}#{key.conditions}"


def _board_key(cycle: str, language: str) -> str:
    return f"BOARD#{cycle}#qualification#{language}"


def _claims_key(cycle: str, language: str, team_id: str) -> str:
    return f"CLAIMS#{cycle}#{language}#{team_id}"


_HEAD: Final = "HEAD"
"""Beside the points, which moment the latest is of: whoever adds one does it on this condition."""


class StateItem(Versioned, ScoresItem):
    """A board's state."""


class PointItem(ScoresItem):
    """A point of a history, or its head, which has no body."""

    body = UnicodeAttribute(null=True)
    at = NumberAttribute()


class DynamoBoards:
    """:class:`contest.results.ports.Boards`."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        return StateItem.find(f"BOARDS#{cycle}", board, BoardState)

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        item = StateItem.of(f"BOARDS#{cycle}", after.board, after)
        save_logged(change, item, StateItem.unchanged(before))

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        under = PointItem.sk.startswith("AT#")
        items = PointItem.query(_history_key(cycle, board, scope), under, consistent_read=True)
        return [Point(int(item.at), tuple(Placed(*place) for place in json.loads(item.body))) for item in items]

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: Millis | None
    ) -> None:
        key = _history_key(cycle, board, scope)
        body = json.dumps(
            [[placed.team_id, placed.place, placed.value] for placed in after.places], separators=(",", ":")
        )
        latest = PointItem.pk.does_not_exist() if before is None else PointItem.at == before.at
        with logged_writes(None) as transaction:
            transaction.save(PointItem(key, _HEAD, at=after.at), condition=latest)
            transaction.save(PointItem(key, _point_sk(after.at), at=after.at, body=body))
            if dropped is not None:
                transaction.delete(PointItem(key, _point_sk(dropped)))


def _history_key(cycle: str, board: str, scope: str) -> str:
    return f"PLACES#{cycle}#{board}#{scope}"


def _point_sk(at: Millis) -> str:
    return f"AT#{at:015d}"


class AnnulmentItem(Versioned, CatalogueItem):
    """An annulment."""


class DynamoAnnulments:
    """:class:`contest.results.ports.Annulments`."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        return AnnulmentItem.values(Annulment, _key(cycle))

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        item = AnnulmentItem.of(_key(cycle), "#".join(after.key), after)
        save_logged(change, item, AnnulmentItem.unchanged(before))


def _key(cycle: str) -> str:
    return f"ANNULMENTS#{cycle}"


_ALL: Final = "RESCORINGS"


class RescoringItem(Versioned, ScoresItem):
    """A rescoring."""


class DynamoRescorings:
    """:class:`contest.results.ports.Rescorings`."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        item = _item(rescoring)
        save_logged(change, item, RescoringItem.pk.does_not_exist())

    def get(self, rescoring_id: str) -> Rescoring | None:
        return RescoringItem.find(_ALL, rescoring_id, Rescoring)

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        with logged_writes(change) as transaction:
            transaction.save(_item(after), condition=RescoringItem.unchanged(before))
            if run is not None:
                put_run(transaction, *run)

    def all(self) -> Sequence[Rescoring]:
        rescorings = RescoringItem.values(Rescoring, _ALL)
        return sorted(rescorings, key=lambda rescoring: (rescoring.begun_at, rescoring.rescoring_id), reverse=True)


def _item(rescoring: Rescoring) -> RescoringItem:
    return RescoringItem.of(_ALL, rescoring.rescoring_id, rescoring)


_CLAIM, _CONCLUSION = "CLAIM#", "CONCLUSION#"


class QualificationItem(Versioned, ScoresItem):
    """A conclusion or a claim."""


class AdmissionItem(Versioned, ExchangeItem):
    """The decision about a team, read when it joins a final by a function that may read no scores."""


Kind = type[QualificationItem] | type[AdmissionItem]


class DynamoQualification:
    """:class:`contest.results.ports.Qualification`."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        name = f"{_CONCLUSION}{kind.value}#{session_id}"
        return QualificationItem.find(_team_key(cycle, team_id), name, Conclusion)

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        of_kind = QualificationItem.sk.startswith(f"{_CONCLUSION}{kind.value}#")
        return QualificationItem.values(Conclusion, _team_key(cycle, team_id), of_kind)

    def claims(self, cycle: str) -> Sequence[Claim]:
        return _claims(cycle, _CLAIM)

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return _claims(cycle, f"{_CLAIM}{team_id}#")

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        with logged_writes(change) as transaction:
            key = f"{_CONCLUSION}{after.kind.value}#{after.session_id}"
            _put(transaction, QualificationItem, _team_key(after.cycle, after.team_id), key, before, after)
            claimed = f"{_CLAIM}{after.team_id}#{after.kind.value}"
            _put(transaction, QualificationItem, _cycle_key(after.cycle), claimed, claim_before, claim_after)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        return AdmissionItem.find(admissions_key(cycle), team_id, Admission)

    def admissions(self, cycle: str) -> Sequence[Admission]:
        return AdmissionItem.values(Admission, admissions_key(cycle))

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        pk, sk = admissions_key(cycle), after.team_id
        with logged_writes(change) as transaction:
            _put(transaction, AdmissionItem, pk, sk, before, after)


def _put(transaction: TransactWrite, kind: Kind, pk: str, sk: str, before: Any, after: Any) -> None:
    item = kind(pk, sk, body=json.dumps(asdict(after), ensure_ascii=False), version=after.version)
    transaction.save(item, condition=kind.unchanged(before))


def _claims(cycle: str, prefix: str) -> list[Claim]:
    return QualificationItem.values(Claim, _cycle_key(cycle), QualificationItem.sk.startswith(prefix))


def admission_of(item: AdmissionItem) -> Admission:
    """Read the domain's value from an item."""
    return item.value(Admission)


def admissions_key(cycle: str) -> str:
    """Return the partition key of a cycle's admissions."""
    return f"ADMISSIONS#{cycle}"


def _cycle_key(cycle: str) -> str:
    return f"QUALIFICATION#{cycle}"


def _team_key(cycle: str, team_id: str) -> str:
    return f"QUALIFICATION#{cycle}#{team_id}"
