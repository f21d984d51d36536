"""Files of sessions, receipts and the outbox in the exchange table; reads of several items of a session at once.

A request reads its items in one batch by their names, and all facts of a session's files in one query.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, TypeVar

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.aws import CatalogueItem, ExchangeItem, atomic_writes, conditional_write, expiry
from contest.channel.rules import Attachment
from contest.channel.store import ATTACHMENT, AttachmentItem, attachment_of
from contest.cycle.store import CycleItem, current_key, cycle_of
from contest.ports import FileNotes, Found, Held, LostRaceError, Page, Sent, SessionFacts, Wanted
from contest.results.rules.jobs import Job, OutboxEntry
from contest.results.store import AdmissionItem, admission_of, admissions_key
from contest.run.rules.run import Run
from contest.run.rules.schedule import Release
from contest.run.store import ReleaseItem, RunItem, release_sk, run_key
from contest.session.rules.delivery import Answer, Delivery, Receipt, Status, TakenTurn
from contest.session.rules.session import Key, Session, State, TeamRequests
from contest.session.store import (
    BODIES,
    CODE,
    OPENED,
    REFUSED,
    REPEATED,
    SEEN,
    STATE,
    KeyItem,
    OpenedItem,
    SeenItem,
    SessionItem,
    bodies_of,
    open_sk,
    opened_of,
    participation_sk,
    requests_of,
    retry_sk,
    save_key,
    session_key,
    session_of,
    team_key,
    unreported_again,
    used_of,
)
from contest.values import Millis

OUTBOX_PARTS: Final = 4
"""Number of the outbox's partitions for all sessions, hence of the timer's queries to read it: as many as a new
on-demand table has (Amazon DynamoDB Developer Guide, "On-demand capacity mode": 4 000 writes a second, of which one
partition takes 1 000)."""
_KEPT_S: Final = 400 * 86_400
"""Seconds for which keys are stored: as long as sessions can be listed by day."""
_ARRIVED: Final = "arrived_"
"""Prefix of an attribute's name, before a content's SHA-256; its value is the arrival of that undecided content."""
_TIMES: Final = ("decided_at", "begun_at")
_MEETINGS: Final = 8
"""Number of tries of a note that collides with a transaction on its item."""


class FileItem(ExchangeItem):
    """A file of a session: its first request, its delivery, and the arrivals of undecided answers by their content.
    All notes on a file stand in one item, so that a request reads and writes no second one.
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
        return FileItem.one(session_key(session_id), file_sk(number), delivery_of)

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
                with conditional_write():
                    _file(session_id, number).update(actions=[_arrival(content_sha256).remove()])
            except LostRaceError:  # it met a transaction
                aws.back_off(attempt)
            else:
                return

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        with atomic_writes() as transaction:
            file = _file(session_id, delivery.number)
            transaction.update(file, actions=_changes(delivery), condition=FileItem.handed_out_at.does_not_exist())
            _require_open(transaction, file.pk)

    def count_refused(self, session_id: str, number: int, code: str) -> None:
        names = {"#count": f"{REFUSED}{number}", "#code": f"{CODE}{number}"}
        _count(session_id, "ADD #count :one SET #code = :code", names, {":code": {"S": code}})

    def count_repeated(self, session_id: str, number: int) -> None:
        _count(session_id, "ADD #count :one", {"#count": f"{REPEATED}{number}"}, {})

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id
        with atomic_writes() as transaction:
            settled = [_arrival(sent.receipt.content_sha256).remove()] if sent.settles else []
            file = _file(session_id, sent.after.number)
            transaction.update(
                file, actions=[*_changes(sent.after), *settled], condition=FileItem.version == sent.before.version
            )
            _save_receipt(transaction, file.pk, sent.session, sent.receipt, sent.key)
            if sent.is_scored:
                answered = (session_id, sent.after.number, sent.receipt.content_sha256)
                transaction.save(_outbox_item(*answered, enqueued_at=sent.at, enqueued=1))
            if sent.session.is_open:
                _require_open(transaction, file.pk)

    def ignore(self, session: Session, receipt: Receipt, key: Key | None, *, settles: bool = True) -> None:
        with atomic_writes() as transaction:
            file = _file(session.session_id, receipt.number)
            _save_receipt(transaction, file.pk, session, receipt, key)
            if settles:
                transaction.update(file, actions=[_arrival(receipt.content_sha256).remove()])

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
        item = _outbox_item(
            job.session_id, job.number, job.content_sha256, enqueued_at=entry.enqueued_at, enqueued=entry.enqueued
        )
        try:
            with atomic_writes() as transaction:
                transaction.save(item, condition=OutboxItem.pk.does_not_exist())
                transaction.update(unreported, actions=actions)
        except LostRaceError:
            unreported.update(actions=actions)

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        job = entry.job
        item = OutboxItem(_outbox_key(job.session_id), _outbox_sk(job.session_id, job.number, job.content_sha256))
        actions: list[Action] = [OutboxItem.enqueued_at.set(at), OutboxItem.enqueued.set(entry.enqueued + 1)]
        try:
            with conditional_write():
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
            with conditional_write():
                _file(session_id, number).update(
                    actions=[noted.set(at)], condition=noted.does_not_exist() | (noted > at)
                )
        except LostRaceError:
            key = {"pk": {"S": session_key(session_id)}, "sk": {"S": file_sk(number)}}
            table = ExchangeItem.Meta.table_name
            stored = aws.client("dynamodb").get_item(TableName=table, Key=key, ConsistentRead=True).get("Item", {})
            if name in stored and int(stored[name]["N"]) <= at:
                return int(stored[name]["N"])
            aws.back_off(attempt)
        else:
            return at
    raise TimeoutError(f"{name} of file {number} of session {session_id} met {_MEETINGS} transactions")


def _count(session_id: str, update: str, names: dict[str, str], values: dict[str, Any]) -> None:
    client = aws.client("dynamodb")
    try:
        client.update_item(
            TableName=ExchangeItem.Meta.table_name,
            Key={"pk": {"S": session_key(session_id)}, "sk": {"S": BODIES}},
            UpdateExpression=update,
            ConditionExpression="attribute_not_exists(#closed)",
            ExpressionAttributeNames={"#closed": "closed", **names},
            ExpressionAttributeValues={":one": {"N": "1"}, **values},
        )
    except (client.exceptions.ConditionalCheckFailedException, client.exceptions.TransactionConflictException):
        return  # the session is closed, or is being closed in this instant


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
    return ReceiptItem.one(session_key(session_id), sk, _receipt)


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
    """Return the update that makes a file's item hold this delivery; other notes on the file stay."""
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


_ATTEMPTS: Final = 6
_AT_ONCE: Final = 100
"""Items of one BatchGetItem at most (Amazon DynamoDB API Reference, BatchGetItem)."""

Raw = dict[str, Any]
ItemKey = tuple[str, str]
Name = TypeVar("Name", bound=Hashable)


class DynamoSessionReads:
    """:class:`contest.ports.SessionReads` of one deployed cycle."""

    def __init__(self, cycle: str) -> None:
        self._cycle = current_key(cycle)

    def read(self, needs: Wanted) -> Found:
        team, session = team_key(needs.team_id), session_key(needs.session_id)
        numbers = needs.numbers if needs.session_id else ()
        files: dict[int, ItemKey] = {number: (session, file_sk(number)) for number in numbers}
        exchange: set[ItemKey] = {(team, SEEN), *files.values()}
        if needs.session_id:
            exchange.add((session, STATE))
        if needs.reads_bodies:
            exchange.add((session, BODIES))
        key = run = release = None
        if needs.key_sha256 is not None:
            key = (team, retry_sk(needs.key_sha256))
        if needs.run_id is not None and (needs.reads_run or needs.release):
            partition = run_key(needs.run_id)
            run = (partition, STATE) if needs.reads_run else None
            release = (partition, release_sk(needs.release)) if needs.release else None
        exchange |= {item_key for item_key in (key, run, release) if item_key is not None}
        guessed: dict[str, ItemKey] = {}
        if needs.lists:
            exchange.add((team, OPENED))
            guessed = {name: (session_key(name), STATE) for name in needs.guessed}
            exchange.update(guessed.values())
        catalogue = {self._cycle} if needs.cycle else set()
        raw = _batch({ExchangeItem.Meta.table_name: exchange, CatalogueItem.Meta.table_name: catalogue})
        noted = notes_of({number: raw[file_key] for number, file_key in files.items() if file_key in raw})
        return Found(
            needs=needs,
            requests=_converted(raw.get((team, SEEN)), SeenItem, requests_of),
            session=_converted(raw.get((session, STATE)), SessionItem, session_of, needs.known_session),
            deliveries=noted.deliveries,
            first_requests=noted.first_requests,
            bodies=bodies_of(raw.get((session, BODIES))) if needs.reads_bodies else {},
            used=_converted(raw.get(key), KeyItem, used_of),
            run=_converted(raw.get(run), RunItem, lambda item: item.value(Run), needs.known_run),
            release=_converted(raw.get(release), ReleaseItem, lambda item: item.value(Release)),
            cycle=_converted(raw.get(self._cycle), CycleItem, cycle_of),
            opened=_converted(raw.get((team, OPENED)), OpenedItem, opened_of) or () if needs.lists else (),
            guessed={
                name: session_of(SessionItem.from_raw_data(raw[key])) for name, key in guessed.items() if key in raw
            },
        )

    def held(self, team_id: str, cycle: str, mode: str, run_id: str | None) -> Held:
        team = team_key(team_id)
        keys = {"open": (team, open_sk(mode)), "admission": (admissions_key(cycle), team_id)}
        if run_id is not None:
            keys["run"] = (team, participation_sk(run_id))
        raw = _many(keys)
        sessions = {name: str(raw[name]["session_id"]["S"]) for name in ("open", "run") if name in raw}
        admission = _converted(raw.get("admission"), AdmissionItem, admission_of)
        return Held(sessions.get("open"), sessions.get("run"), admission)

    def facts(self, session_id: str) -> SessionFacts:
        """Read all notes about files: their sort keys stand together, from ``BODIES`` to ``FILE#``."""
        by_number: dict[int, Raw] = {}
        attachment, counted = None, {}
        for raw in _items_between(session_id, BODIES, "FILE#~"):
            kind, _, rest = raw["sk"]["S"].partition("#")
            if kind == "FILE":
                by_number[int(rest)] = raw
            elif kind == BODIES:
                counted = bodies_of(raw)
            elif kind == ATTACHMENT:
                attachment = attachment_of(AttachmentItem.from_raw_data(raw))
        noted = notes_of(by_number)
        return SessionFacts(tuple(noted.deliveries.values()), noted.first_requests, noted.arrived, attachment, counted)

    def sessions(self, session_ids: Iterable[str]) -> Mapping[str, Session]:
        keys = {session_id: (session_key(session_id), STATE) for session_id in session_ids}
        return {name: session_of(SessionItem.from_raw_data(raw)) for name, raw in _many(keys).items()}

    def requests(self, team_ids: Iterable[str]) -> Mapping[str, TeamRequests]:
        keys = {team_id: (team_key(team_id), SEEN) for team_id in team_ids}
        return {name: requests_of(SeenItem.from_raw_data(raw)) for name, raw in _many(keys).items()}

    def files(self, numbers: Mapping[str, Collection[int]]) -> Mapping[str, FileNotes]:
        keys = {(name, number): (session_key(name), file_sk(number)) for name in numbers for number in numbers[name]}
        by_session: dict[str, dict[int, Raw]] = {name: {} for name in numbers}
        for (name, number), raw in _many(keys).items():
            by_session[name][number] = raw
        return {name: notes_of(by_number) for name, by_number in by_session.items()}

    def attachments(self, session_ids: Iterable[str]) -> Mapping[str, Attachment]:
        keys = {session_id: (session_key(session_id), ATTACHMENT) for session_id in session_ids}
        return {name: attachment_of(AttachmentItem.from_raw_data(raw)) for name, raw in _many(keys).items()}


def _many(keys: Mapping[Name, ItemKey]) -> dict[Name, Raw]:
    """Read items of the exchange by their keys, and return the existing ones; :data:`_AT_ONCE` in one call."""
    item_keys = list(keys.values())
    parts = (set(item_keys[start : start + _AT_ONCE]) for start in range(0, len(item_keys), _AT_ONCE))
    raw: dict[ItemKey | None, Raw] = {}
    for part in parts:
        raw |= _batch({ExchangeItem.Meta.table_name: part})
    return {name: raw[key] for name, key in keys.items() if key in raw}


def _converted(raw: Any, model: Any, convert: Any, known: Any = None) -> Any:
    """Read the domain's value from an item; ``known`` of the same version is that value."""
    if raw is None:
        return None
    if known is not None and raw["version"] == {"N": str(known.version)}:
        return known
    return convert(model.from_raw_data(raw))


def _batch(keys: Mapping[str, set[ItemKey]]) -> dict[ItemKey | None, Raw]:
    """Read items by their keys, each as last written; keys that a throttled table leaves out are requested again."""
    pending: Any = {
        table: {"Keys": [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in sorted(names)], "ConsistentRead": True}
        for table, names in keys.items()
        if names
    }
    by_key: dict[ItemKey | None, Raw] = {}
    for attempt in range(_ATTEMPTS):
        if attempt:
            aws.back_off(attempt)
        answered = aws.client("dynamodb").batch_get_item(RequestItems=pending)
        for items in answered["Responses"].values():
            by_key.update({(item["pk"]["S"], item["sk"]["S"]): item for item in items})
        pending = answered.get("UnprocessedKeys")
        if not pending:
            return by_key
    raise TimeoutError(f"{sum(len(table['Keys']) for table in pending.values())} items were put off {_ATTEMPTS} times")


def _items_between(session_id: str, first: str, last: str) -> Iterator[Raw]:
    """Read the items of a session from one sort key to another."""
    pages = (
        aws.client("dynamodb")
        .get_paginator("query")
        .paginate(
            TableName=ExchangeItem.Meta.table_name,
            KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":pk": {"S": session_key(session_id)},
                ":first": {"S": first},
                ":last": {"S": last},
            },
            ConsistentRead=True,
        )
    )
    for page in pages:
        yield from page["Items"]
