"""Files of sessions, receipts, the outbox and teams' requests in the exchange table.

Of a team's requests one item is stored for each team.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple
from functools import reduce
from operator import and_
from typing import Any, Final

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist, PynamoDBException
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.dynamo import ExchangeItem, condition, expiry, write
from contest.cycle.rules.cycle import Mode
from contest.ports import FileNotes, LostRaceError, Page, Sent
from contest.results.rules.jobs import Job, OutboxEntry
from contest.session.rules.delivery import Answer, Delivery, Receipt, Status, TakenTurn
from contest.session.rules.session import Key, Latest, Session, State, TeamRequests, counted
from contest.session.store import (
    SessionItem,
    count_refused,
    count_repeated,
    save_key,
    session_key,
    team_key,
    unreported_again,
)
from contest.values import Millis

OUTBOX_PARTS: Final = 4
"""The outbox has so many partitions for all sessions, so that the timer reads it in as many queries: as many as a new
on-demand table has (Amazon DynamoDB Developer Guide, "On-demand capacity mode": 4 000 writes a second, of which one
partition takes 1 000)."""
_KEPT_S: Final = 400 * 86_400
"""Seconds for which keys are stored: as long as sessions can be listed by day."""
_ARRIVED: Final = "arrived_"
"""Before the SHA-256 of a content in the name of an attribute: when the content arrived that nobody has decided on."""
_TIMES: Final = ("decided_at", "begun_at")
_MEETINGS: Final = 8
"""Number of tries of a note that collides with a transaction on its item."""


class FileItem(ExchangeItem):
    """A file of a session: its first request, its delivery, and by their contents the answers that nobody has decided
    on. What is noted of it stands in one item, so that a request reads and writes no second one.
    """

    asked_at = NumberAttribute(null=True)
    number = NumberAttribute()
    handed_out_at = NumberAttribute()
    answer_by = NumberAttribute()
    sends = NumberAttribute()
    latest_sha256 = UnicodeAttribute(null=True)
    answer: Any = JSONAttribute(null=True)
    late_at = NumberAttribute(null=True)
    turns: Any = JSONAttribute(null=True)
    version = NumberAttribute()


class ReceiptItem(ExchangeItem):
    """A receipt; ``body`` is the API's answer, byte by byte."""

    number = NumberAttribute()
    send = NumberAttribute()
    status = UnicodeAttribute()
    content_sha256 = UnicodeAttribute()
    body = UnicodeAttribute()


class OutboxItem(ExchangeItem):
    """An answer not known to be scored; its insertion goes through the table's stream to the queue."""

    session_id = UnicodeAttribute()
    number = NumberAttribute()
    content_sha256 = UnicodeAttribute()
    enqueued_at = NumberAttribute()
    enqueued = NumberAttribute()


class DynamoDeliveries:
    """:class:`contest.ports.Deliveries`."""

    def get(self, session_id: str, number: int) -> Delivery | None:
        try:
            return delivery_of(FileItem.get(session_key(session_id), file_sk(number), consistent_read=True))
        except DoesNotExist:
            return None

    def of_session(self, session_id: str) -> Sequence[Delivery]:
        items = FileItem.query(session_key(session_id), FileItem.sk.startswith("FILE#"), consistent_read=True)
        return [delivery for item in items if (delivery := delivery_of(item)) is not None]

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        return _first(session_id, number, "asked_at", at)

    def arrive(self, session_id: str, number: int, content_sha256: str, at: Millis) -> Millis:
        return _first(session_id, number, f"{_ARRIVED}{content_sha256}", at)

    def settle(self, session_id: str, number: int, content_sha256: str) -> None:
        for attempt in range(1, _MEETINGS):
            try:
                with condition():
                    _file(session_id, number).update(actions=[_arrival(content_sha256).remove()])
            except LostRaceError:  # it met a transaction
                aws.pause(attempt)
            else:
                return

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        def build(transaction: TransactWrite) -> None:
            file = _file(session_id, delivery.number)
            transaction.update(file, actions=_changes(delivery), condition=FileItem.handed_out_at.does_not_exist())
            _require_open(transaction, file.pk)

        write(build)

    def count_refused(self, session_id: str, number: int, code: str) -> None:
        count_refused(session_key(session_id), number, code)

    def count_repeated(self, session_id: str, number: int) -> None:
        count_repeated(session_key(session_id), number)

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id

        def build(transaction: TransactWrite) -> None:
            settled = [_arrival(sent.receipt.content_sha256).remove()] if sent.settles else []
            file = _file(session_id, sent.after.number)
            transaction.update(
                file,
                actions=[*_changes(sent.after), *settled],
                condition=FileItem.version == sent.before.version,
            )
            _save_receipt(transaction, file.pk, sent.session, sent.receipt, sent.key)
            if sent.is_scored:
                answered = (session_id, sent.after.number, sent.receipt.content_sha256)
                transaction.save(_outbox_item(*answered, enqueued_at=sent.at, enqueued=1))
            if sent.session.is_open:
                _require_open(transaction, file.pk)

        write(build)

    def ignore(self, session: Session, receipt: Receipt, key: Key | None, *, settles: bool = True) -> None:
        def build(transaction: TransactWrite) -> None:
            file = _file(session.session_id, receipt.number)
            _save_receipt(transaction, file.pk, session, receipt, key)
            if settles:
                transaction.update(file, actions=[_arrival(receipt.content_sha256).remove()])

        write(build)

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        return _stored_receipt(session_id, _send_sk(number, send))

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        return _stored_receipt(session_id, _ignored_sk(number, content_sha256))

    def receipt_named(self, session_id: str, name: str) -> Receipt | None:
        return _stored_receipt(session_id, name)

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        start = f"RECEIPT#{after}!" if after else "RECEIPT#"
        items = list(
            ReceiptItem.query(
                session_key(session_id),
                ReceiptItem.sk.between(start, "RECEIPT#~"),
                consistent_read=True,
                limit=limit + 1,
            )
        )
        more = items[limit - 1].sk.removeprefix("RECEIPT#") if len(items) > limit else None
        return Page(tuple(_receipt(item) for item in items[:limit]), more)


class DynamoOutbox:
    """:class:`contest.ports.Outbox`."""

    def of_session(self, session_id: str) -> Sequence[OutboxEntry]:
        of_it = OutboxItem.sk.startswith(f"{session_id}#")
        return [_entry(item) for item in OutboxItem.query(_outbox_key(session_id), of_it, consistent_read=True)]

    def older_than(self, moment: Millis) -> Sequence[OutboxEntry]:
        old = OutboxItem.enqueued_at < moment
        keys = [f"OUTBOX#{part}" for part in range(OUTBOX_PARTS)]
        return [
            _entry(item) for key in keys for item in OutboxItem.query(key, filter_condition=old, consistent_read=True)
        ]

    def put(self, entry: OutboxEntry) -> None:
        job = entry.job
        unreported, actions = unreported_again(job.session_id)

        def build(transaction: TransactWrite) -> None:
            item = _outbox_item(
                job.session_id, job.number, job.content_sha256, enqueued_at=entry.enqueued_at, enqueued=entry.enqueued
            )
            transaction.save(item, condition=OutboxItem.pk.does_not_exist())
            transaction.update(unreported, actions=actions)

        try:
            write(build)
        except LostRaceError:
            unreported.update(actions=actions)

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        job = entry.job
        item = OutboxItem(_outbox_key(job.session_id), _outbox_sk(job.session_id, job.number, job.content_sha256))
        actions: list[Action] = [OutboxItem.enqueued_at.set(at), OutboxItem.enqueued.set(entry.enqueued + 1)]
        try:
            with condition():
                item.update(actions=actions, condition=OutboxItem.enqueued == entry.enqueued)
        except LostRaceError:
            return

    def done(self, job: Job) -> None:
        sk = _outbox_sk(job.session_id, job.number, job.content_sha256)
        OutboxItem(_outbox_key(job.session_id), sk).delete()


def _first(session_id: str, number: int, name: str, at: Millis) -> Millis:
    """Note the first time of an event in the file's item, unless an earlier one is noted; return the first time.

    A note that meets a transaction on the item is tried again: nobody has noted another time.
    """
    noted = Path([name])
    for attempt in range(1, _MEETINGS):
        try:
            with condition():
                _file(session_id, number).update(
                    actions=[noted.set(at)], condition=noted.does_not_exist() | (noted > at)
                )
        except LostRaceError:
            first = _noted(session_id, number, name)
            if first is not None and first <= at:
                return first
            aws.pause(attempt)
        else:
            return at
    raise TimeoutError(f"{name} of file {number} of session {session_id} met {_MEETINGS} transactions")


def _noted(session_id: str, number: int, name: str) -> Millis | None:
    """Return a time that is noted in a file's item; None where it is not."""
    key = {"pk": {"S": session_key(session_id)}, "sk": {"S": file_sk(number)}}
    answered = aws.client("dynamodb").get_item(TableName=ExchangeItem.Meta.table_name, Key=key, ConsistentRead=True)
    raw = answered.get("Item", {}).get(name)
    return None if raw is None else int(raw["N"])


def _file(session_id: str, number: int) -> FileItem:
    return FileItem(session_key(session_id), file_sk(number))


def _arrival(content_sha256: str) -> Path:
    return Path([f"{_ARRIVED}{content_sha256}"])


def file_sk(number: int) -> str:
    """Return the sort key of a file of a session."""
    return f"FILE#{number:04d}"


def _send_sk(number: int, send: int) -> str:
    return f"RECEIPT#{number:04d}#{send:02d}"


def _ignored_sk(number: int, content_sha256: str) -> str:
    return f"RECEIPT#{number:04d}#IGNORED#{content_sha256}"


def _outbox_key(session_id: str) -> str:
    return f"OUTBOX#{zlib.crc32(session_id.encode()) % OUTBOX_PARTS}"


def _outbox_sk(session_id: str, number: int, content_sha256: str) -> str:
    return f"{session_id}#{number:04d}#{content_sha256}"


def _entry(item: OutboxItem) -> OutboxEntry:
    job = Job(item.session_id, int(item.number), item.content_sha256)
    return OutboxEntry(job, int(item.enqueued_at), int(item.enqueued))


def _require_open(transaction: TransactWrite, partition: str) -> None:
    is_open = SessionItem.state == State.OPEN.value
    transaction.condition_check(SessionItem, partition, "STATE", condition=is_open)


def _save_receipt(
    transaction: TransactWrite, partition: str, session: Session, receipt: Receipt, key: Key | None
) -> None:
    ignored = receipt.status == Status.IGNORED
    sk = _ignored_sk(receipt.number, receipt.content_sha256) if ignored else _send_sk(receipt.number, receipt.send)
    item = ReceiptItem(partition, sk, **asdict(receipt))
    transaction.save(item, condition=ReceiptItem.pk.does_not_exist())
    if key is not None:
        save_key(transaction, session, key, sk, expiry(session.opened_at, _KEPT_S))


def _stored_receipt(session_id: str, sk: str) -> Receipt | None:
    try:
        return _receipt(ReceiptItem.get(session_key(session_id), sk, consistent_read=True))
    except DoesNotExist:
        return None


def _receipt(item: ReceiptItem) -> Receipt:
    return Receipt(int(item.number), int(item.send), item.status, item.content_sha256, item.body)


def _outbox_item(
    session_id: str, number: int, content_sha256: str, *, enqueued_at: Millis, enqueued: int
) -> OutboxItem:
    return OutboxItem(
        _outbox_key(session_id),
        _outbox_sk(session_id, number, content_sha256),
        session_id=session_id,
        number=number,
        content_sha256=content_sha256,
        enqueued_at=enqueued_at,
        enqueued=enqueued,
    )


def _changes(delivery: Delivery) -> list[Action]:
    """Return the update that makes a file's item hold this delivery; what else is noted of the file stays."""
    fields: Sequence[tuple[Any, Any]] = (
        (FileItem.number, delivery.number),
        (FileItem.handed_out_at, delivery.handed_out_at),
        (FileItem.answer_by, delivery.answer_by),
        (FileItem.sends, delivery.sends),
        (FileItem.latest_sha256, delivery.latest_sha256),
        (FileItem.answer, _stored_answer(delivery.answer) if delivery.answer else None),
        (FileItem.late_at, delivery.late_at),
        (FileItem.turns, [_stored_answer(turn) for turn in delivery.turns] or None),
        (FileItem.version, delivery.version),
    )
    return [field.remove() if value is None else field.set(value) for field, value in fields]


def _stored_answer(value: Answer | TakenTurn) -> dict[str, Any]:
    """Return the stored form of an answer, without the fields that it does not have."""
    return {name: field for name, field in asdict(value).items() if field is not None and (name != "warnings" or field)}


def notes_of(by_number: Mapping[int, dict[str, Any]]) -> FileNotes:
    """Read the domain's values from the items of a session's files."""
    deliveries, first_requests, arrived = {}, {}, {}
    for number, raw in by_number.items():
        item = FileItem.from_raw_data(raw)
        delivery = delivery_of(item)
        if delivery is not None:
            deliveries[number] = delivery
        if item.asked_at is not None:
            first_requests[number] = int(item.asked_at)
        moments = sorted(int(attribute["N"]) for name, attribute in raw.items() if name.startswith(_ARRIVED))
        if moments:
            arrived[number] = moments
    return FileNotes(deliveries, first_requests, arrived)


def delivery_of(item: FileItem) -> Delivery | None:
    """Read the domain's value from a file's item; None of a file that was not handed out."""
    if item.handed_out_at is None:
        return None
    raw = item.answer
    return Delivery(
        number=int(item.number),
        handed_out_at=int(item.handed_out_at),
        answer_by=int(item.answer_by),
        sends=int(item.sends),
        latest_sha256=item.latest_sha256,
        # An answer stored before its other times were is taken as decided at once.
        answer=Answer(**{**dict.fromkeys(_TIMES, raw["received_at"]), **raw}) if raw else None,
        late_at=int(item.late_at) if item.late_at is not None else None,
        turns=tuple(TakenTurn(**turn) for turn in item.turns or ()),
        version=int(item.version),
    )


SEEN = "SEEN"
"""Sort key, under the team's partition."""
_USED = "USED#"
"""Before a token's id in the sort key, under its team's partition."""
_RATE_KEPT_S = 60
_SHARED: Final = tuple(mode.value for mode in Mode)


class SeenItem(ExchangeItem):
    """Requests of a team in the latest second and the one before; the latest request about its session of each mode."""

    second = NumberAttribute()
    made = NumberAttribute()
    made_before = NumberAttribute()
    algorithmic_session = UnicodeAttribute(null=True)
    algorithmic_at = NumberAttribute(null=True)
    algorithmic_until = NumberAttribute(null=True)
    technical_session = UnicodeAttribute(null=True)
    technical_at = NumberAttribute(null=True)
    technical_until = NumberAttribute(null=True)
    final_session = UnicodeAttribute(null=True)
    final_at = NumberAttribute(null=True)
    final_until = NumberAttribute(null=True)
    others = UnicodeAttribute(null=True)
    """JSON of the same for modes that only some contests have: session, moment and end by the mode's name."""


class RateItem(ExchangeItem):
    """Number of requests that a person has made in a second."""

    made = NumberAttribute(null=True)
    expires_at = NumberAttribute(null=True)


class UseItem(ExchangeItem):
    """Time of the latest use of a team's token."""

    used_at = NumberAttribute()


class DynamoRequests:
    """:class:`contest.ports.Requests`."""

    def of_team(self, team_id: str) -> TeamRequests | None:
        try:
            return requests_of(SeenItem.get(team_key(team_id), SEEN, consistent_read=True))
        except DoesNotExist:
            return None

    def note(
        self,
        team_id: str,
        before: TeamRequests | None,
        at: Millis,
        *,
        second: int | None = None,
        session: Session | None = None,
        until: Millis = 0,
    ) -> TeamRequests:
        earlier, heard = before or TeamRequests(), list[Action]()
        actions, conditions = _counting(earlier, second) if second is not None else ([], [])
        if session is not None and earlier.is_later(session, at):
            heard, later = _hearing(earlier, session, at, until)
            actions, conditions = [*actions, *heard], [*conditions, later]
        if not actions:
            return earlier
        if before is None:
            first = [getattr(SeenItem, name) for name in ("second", "made", "made_before")]
            counts = counted(None, second) if second is not None else TeamRequests()
            values = (counts.second, counts.count, counts.count_before)
            actions = [*(attribute.set(value) for attribute, value in zip(first, values, strict=True)), *heard]
            conditions = [SeenItem.pk.does_not_exist()]
        item = SeenItem(team_key(team_id), SEEN)
        with condition():
            item.update(actions=actions, condition=reduce(and_, conditions))
        return requests_of(item)

    def of_person(self, person_id: str, second: int) -> int:
        """Count the request in an item that is of use for a second and vanishes."""
        item = RateItem(f"PERSON#{person_id}", f"RATE#{second}")
        item.update(actions=[RateItem.made.add(1), RateItem.expires_at.set(second + _RATE_KEPT_S)])
        return int(item.made)

    def note_use(self, team_id: str, token_id: str, at: Millis) -> None:
        with suppress(PynamoDBException):
            UseItem(team_key(team_id), f"{_USED}{token_id}", used_at=at).save()

    def uses(self, team_id: str) -> Mapping[str, Millis]:
        items = UseItem.query(team_key(team_id), UseItem.sk.startswith(_USED), consistent_read=True)
        return {item.sk.removeprefix(_USED): int(item.used_at) for item in items}


def _counting(earlier: TeamRequests, second: int) -> tuple[list[Action], list[Condition]]:
    """Return the update that counts another request of a second, and its condition: no request is counted twice."""
    same: list[Condition] = [SeenItem.second == earlier.second]
    if second > earlier.second:
        carried = SeenItem.made if second == earlier.second + 1 else 0
        return [SeenItem.second.set(second), SeenItem.made.set(1), SeenItem.made_before.set(carried)], same
    if second == earlier.second:
        return [SeenItem.made.add(1)], same
    if second == earlier.second - 1:
        return [SeenItem.made_before.add(1)], same
    return [], []


def _hearing(earlier: TeamRequests, session: Session, at: Millis, until: Millis) -> tuple[list[Action], Condition]:
    """Return the update that notes a request about a session, and its condition: no later one is noted.

    Modes that all contests share have attributes of their own, so that no two requests wait for one another; the others
    stand together, and whoever comes second decides anew.
    """
    mode = session.order.mode
    if mode not in _SHARED:
        before = {name: list(astuple(latest)) for name, latest in earlier.latest.items() if name not in _SHARED}
        after = {**before, mode: [session.session_id, at, until]}
        unchanged = SeenItem.others == _json(before) if before else SeenItem.others.does_not_exist()
        return [SeenItem.others.set(_json(after))], unchanged
    name: Any = getattr(SeenItem, f"{mode}_session")
    moment: Any = getattr(SeenItem, f"{mode}_at")
    worked_until: Any = getattr(SeenItem, f"{mode}_until")
    later = moment.does_not_exist() | (name != session.session_id) | (moment < at)
    return [name.set(session.session_id), moment.set(at), worked_until.set(until)], later


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True)


def requests_of(item: SeenItem) -> TeamRequests:
    """Read the domain's value from an item."""
    latest = {}
    for mode in _SHARED:
        name, at, until = (getattr(item, f"{mode}_{field}") for field in ("session", "at", "until"))
        if name is not None:
            latest[mode] = Latest(name, int(at), int(until))
    latest |= {mode: Latest(*fields) for mode, fields in json.loads(item.others or "{}").items()}
    return TeamRequests(int(item.second), int(item.made), int(item.made_before), latest)
