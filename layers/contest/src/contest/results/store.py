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
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.storage import CatalogueItem, ExchangeItem, ScoresItem, condition
from contest.people.rules import Change
from contest.people.store import write_change
from contest.results.rules.jobs import ScoreKey
from contest.results.rules.leaderboard import BoardState, Entry, Placed, Point, Visibility, as_json
from contest.results.rules.qualification import (
    Admission,
    Annulled,
    Annulment,
    Claim,
    Conclusion,
    QualificationKind,
    Ruling,
    Standing,
    Step,
)
from contest.results.rules.rescoring import Decided, Rescoring, Selection
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
        try:
            item = ScoreItem.get(session_key(session_id), _score_sk(key), consistent_read=True)
        except DoesNotExist:
            return None
        return zlib.decompress(item.record)

    def of_session(self, session_id: str) -> Mapping[ScoreKey, bytes]:
        items = ScoreItem.query(session_key(session_id), ScoreItem.sk.startswith("SCORE#"), consistent_read=True)
        return {_score_key(item.sk): zlib.decompress(item.record) for item in items}

    def put(self, session_id: str, key: ScoreKey, record: bytes) -> None:
        packed = zlib.compress(record, 6)
        if len(packed) > MAX_RECORD:
            raise RecordTooLargeError(f"score record of {session_id} {key.number}: {len(packed)} bytes compressed")
        with condition():
            item = ScoreItem(session_key(session_id), _score_sk(key), record=packed)
            item.save(condition=ScoreItem.pk.does_not_exist())

    def entry(self, cycle: str, language: str, team_id: str) -> Entry | None:
        try:
            item = BoardItem.get(_board_key(cycle, language), team_id, consistent_read=True)
        except DoesNotExist:
            return None
        return Entry(**json.loads(item.entry))

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


def _score_key(sk: str) -> ScoreKey:
    _, number, answer_sha256, conditions = sk.split("#")
    return ScoreKey(int(number), answer_sha256, conditions)


def _board_key(cycle: str, language: str) -> str:
    return f"BOARD#{cycle}#qualification#{language}"


def _claims_key(cycle: str, language: str, team_id: str) -> str:
    return f"CLAIMS#{cycle}#{language}#{team_id}"


_HEAD: Final = "HEAD"
"""Beside the points, which moment the latest is of: whoever adds one does it on this condition."""


class StateItem(ScoresItem):
    """A board's state as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class PointItem(ScoresItem):
    """A point of a history, or its head, which has no body."""

    body = UnicodeAttribute(null=True)
    at = NumberAttribute()


class DynamoBoards:
    """:class:`contest.results.ports.Boards`."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        try:
            body = json.loads(StateItem.get(f"BOARDS#{cycle}", board, consistent_read=True).body)
        except DoesNotExist:
            return None
        return BoardState(**{**body, "visibility": Visibility(body["visibility"])})

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"))
        item = StateItem(f"BOARDS#{cycle}", after.board, body=body, version=after.version)
        untouched = StateItem.pk.does_not_exist() if before is None else StateItem.version == before.version
        write_change(change, lambda transaction: transaction.save(item, condition=untouched))

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

        def build(transaction: TransactWrite) -> None:
            transaction.save(PointItem(key, _HEAD, at=after.at), condition=latest)
            transaction.save(PointItem(key, _point_sk(after.at), at=after.at, body=body))
            if dropped is not None:
                transaction.delete(PointItem(key, _point_sk(dropped)))

        write_change(None, build)


def _history_key(cycle: str, board: str, scope: str) -> str:
    return f"PLACES#{cycle}#{board}#{scope}"


def _point_sk(at: Millis) -> str:
    return f"AT#{at:015d}"


class AnnulmentItem(CatalogueItem):
    """An annulment as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoAnnulments:
    """:class:`contest.results.ports.Annulments`."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        items = AnnulmentItem.query(_key(cycle), consistent_read=True)
        bodies = (json.loads(item.body) for item in items)
        return [Annulment(**{**body, "of": Annulled(body["of"])}) for body in bodies]

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        body = json.dumps(asdict(after), ensure_ascii=False, separators=(",", ":"))
        item = AnnulmentItem(_key(cycle), "#".join(after.key), body=body, version=after.version)
        untouched = AnnulmentItem.pk.does_not_exist() if before is None else AnnulmentItem.version == before.version
        write_change(change, lambda transaction: transaction.save(item, condition=untouched))


def _key(cycle: str) -> str:
    return f"ANNULMENTS#{cycle}"


_ALL: Final = "RESCORINGS"


class RescoringItem(ScoresItem):
    """A rescoring as JSON, with the version its conditions are about."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class DynamoRescorings:
    """:class:`contest.results.ports.Rescorings`."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        item = _item(rescoring)
        write_change(change, lambda transaction: transaction.save(item, condition=RescoringItem.pk.does_not_exist()))

    def get(self, rescoring_id: str) -> Rescoring | None:
        try:
            return _rescoring(json.loads(RescoringItem.get(_ALL, rescoring_id, consistent_read=True).body))
        except DoesNotExist:
            return None

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        def build(transaction: TransactWrite) -> None:
            transaction.save(_item(after), condition=RescoringItem.version == before.version)
            if run is not None:
                put_run(transaction, *run)

        write_change(change, build)

    def all(self) -> Sequence[Rescoring]:
        rescorings = [_rescoring(json.loads(item.body)) for item in RescoringItem.query(_ALL, consistent_read=True)]
        return sorted(rescorings, key=lambda rescoring: (rescoring.begun_at, rescoring.rescoring_id), reverse=True)


def _item(rescoring: Rescoring) -> RescoringItem:
    body = json.dumps(asdict(rescoring), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return RescoringItem(_ALL, rescoring.rescoring_id, body=body, version=rescoring.version)


def _rescoring(raw: dict[str, Any]) -> Rescoring:
    selection = Selection(**{**raw["selection"], "sessions": tuple(raw["selection"]["sessions"])})
    fields = {**raw, "selection": selection, "sessions": tuple(raw["sessions"]), "state": Decided(raw["state"])}
    return Rescoring(**{**fields, "boards": tuple(raw["boards"])})


_CLAIM, _CONCLUSION = "CLAIM#", "CONCLUSION#"


class QualificationItem(ScoresItem):
    """A conclusion or a claim as JSON."""

    body = UnicodeAttribute()
    version = NumberAttribute()


class AdmissionItem(ExchangeItem):
    """The decision about a team as JSON, read when it joins a final by a function that may read no scores."""

    body = UnicodeAttribute()
    version = NumberAttribute()


Kind = type[QualificationItem] | type[AdmissionItem]


class DynamoQualification:
    """:class:`contest.results.ports.Qualification`."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        body = _get(QualificationItem, _team_key(cycle, team_id), f"{_CONCLUSION}{kind.value}#{session_id}")
        return None if body is None else _conclusion(body)

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        of_kind = QualificationItem.sk.startswith(f"{_CONCLUSION}{kind.value}#")
        items = QualificationItem.query(_team_key(cycle, team_id), of_kind, consistent_read=True)
        return [_conclusion(json.loads(item.body)) for item in items]

    def claims(self, cycle: str) -> Sequence[Claim]:
        return [_claim(body) for body in _all(cycle, _CLAIM)]

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        return [_claim(body) for body in _all(cycle, f"{_CLAIM}{team_id}#")]

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            key = f"{_CONCLUSION}{after.kind.value}#{after.session_id}"
            _put(transaction, QualificationItem, _team_key(after.cycle, after.team_id), key, before, after)
            claimed = f"{_CLAIM}{after.team_id}#{after.kind.value}"
            _put(transaction, QualificationItem, _cycle_key(after.cycle), claimed, claim_before, claim_after)

        write_change(change, build)

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        body = _get(AdmissionItem, admissions_key(cycle), team_id)
        return None if body is None else Admission(**body)

    def admissions(self, cycle: str) -> Sequence[Admission]:
        items = AdmissionItem.query(admissions_key(cycle), consistent_read=True)
        return [admission_of(item) for item in items]

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        pk, sk = admissions_key(cycle), after.team_id
        write_change(change, lambda transaction: _put(transaction, AdmissionItem, pk, sk, before, after))


def _put(transaction: TransactWrite, kind: Kind, pk: str, sk: str, before: Any, after: Any) -> None:
    item = kind(pk, sk, body=json.dumps(asdict(after), ensure_ascii=False), version=after.version)
    absent, same = kind.pk.does_not_exist(), kind.version == getattr(before, "version", 0)
    transaction.save(item, condition=absent if before is None else same)


def _get(kind: Kind, pk: str, sk: str) -> dict[str, Any] | None:
    try:
        body: dict[str, Any] = json.loads(kind.get(pk, sk, consistent_read=True).body)
    except DoesNotExist:
        return None
    return body


def _all(cycle: str, prefix: str) -> list[dict[str, Any]]:
    under = QualificationItem.sk.startswith(prefix)
    return [json.loads(item.body) for item in QualificationItem.query(_cycle_key(cycle), under, consistent_read=True)]


def admission_of(item: AdmissionItem) -> Admission:
    """Read the domain's value from an item."""
    return Admission(**json.loads(item.body))


def admissions_key(cycle: str) -> str:
    """Return the partition key of a cycle's admissions."""
    return f"ADMISSIONS#{cycle}"


def _cycle_key(cycle: str) -> str:
    return f"QUALIFICATION#{cycle}"


def _team_key(cycle: str, team_id: str) -> str:
    return f"QUALIFICATION#{cycle}#{team_id}"


def _conclusion(body: dict[str, Any]) -> Conclusion:
    rulings = tuple(Ruling(**{**ruling, "step": Step(ruling["step"])}) for ruling in body["rulings"])
    return Conclusion(**{**body, "kind": QualificationKind(body["kind"]), "rulings": rulings})


def _claim(body: dict[str, Any]) -> Claim:
    return Claim(**{**body, "kind": QualificationKind(body["kind"]), "standing": Standing(body["standing"])})
