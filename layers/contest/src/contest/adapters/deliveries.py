"""Deliveries, receipts and the outbox in the exchange table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters import bodies
from contest.adapters.dynamo import ExchangeItem, condition, expiry, write
from contest.adapters.sessions import SessionItem, save_key, session_key, unreported_again
from contest.domain.moments import Millis
from contest.domain.results.scoring import Job, OutboxEntry
from contest.domain.session.delivery import Answer, Delivery, Status, TakenTurn
from contest.domain.session.receipts import Receipt
from contest.domain.session.requests import Key
from contest.domain.session.session import Session, State
from contest.ports import LostRaceError, Page, Sent

_KEPT_S: Final = 400 * 86_400
"""How long first arrivals and keys are kept: as long as a session can be looked into by its day."""


class FileItem(ExchangeItem):
    """A delivery."""

    number = NumberAttribute()
    handed_out_at = NumberAttribute()
    answer_by = NumberAttribute()
    sends = NumberAttribute()
    latest_sha256 = UnicodeAttribute(null=True)
    answer: Any = JSONAttribute(null=True)
    late_at = NumberAttribute(null=True)
    turns: Any = JSONAttribute(null=True)
    version = NumberAttribute()


class FirstItem(ExchangeItem):
    """When something first happened: a file asked for, an answer's bytes arrived."""

    at = NumberAttribute()
    expires_at = NumberAttribute()


class ReceiptItem(ExchangeItem):
    """A receipt; ``body`` is the API's answer, byte by byte."""

    number = NumberAttribute()
    send = NumberAttribute()
    status = UnicodeAttribute()
    content_sha256 = UnicodeAttribute()
    body = UnicodeAttribute()


class OutboxItem(ExchangeItem):
    """An answer that is not known to be scored; its insertion goes through the table's stream to the queue."""

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
        found = FileItem.query(session_key(session_id), FileItem.sk.startswith("FILE#"), consistent_read=True)
        return [delivery_of(each) for each in found]

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        return _first(session_id, asked_sk(number), at)

    def arrive(self, session_id: str, number: int, content_sha256: str, at: Millis) -> Millis:
        return _first(session_id, _arrived_sk(number, content_sha256), at)

    def settle(self, session_id: str, number: int, content_sha256: str) -> None:
        FirstItem(session_key(session_id), _arrived_sk(number, content_sha256)).delete()

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        def build(transaction: TransactWrite) -> None:
            transaction.save(_file_item(session_id, delivery), condition=FileItem.pk.does_not_exist())
            _require_open(transaction, session_id)

        write(build)

    def count_refused(self, session_id: str, number: int, code: str) -> None:
        bodies.count_refused(session_key(session_id), number, code)

    def count_repeated(self, session_id: str, number: int) -> None:
        bodies.count_repeated(session_key(session_id), number)

    def send(self, sent: Sent) -> None:
        session_id = sent.session.session_id

        def build(transaction: TransactWrite) -> None:
            unchanged = FileItem.version == sent.before.version
            transaction.save(_file_item(session_id, sent.after), condition=unchanged)
            _save_receipt(transaction, sent.session, sent.receipt, sent.key)
            if sent.job is not None:
                transaction.save(_outbox_item(OutboxEntry(sent.job, sent.at, 1)))
            if sent.settles:
                _settle(transaction, session_id, sent.receipt)
            if sent.session.is_open:
                _require_open(transaction, session_id)

        write(build)

    def ignore(self, session: Session, receipt: Receipt, key: Key | None, *, settles: bool = True) -> None:
        def build(transaction: TransactWrite) -> None:
            _save_receipt(transaction, session, receipt, key)
            if settles:
                _settle(transaction, session.session_id, receipt)

        write(build)

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        return _stored_receipt(session_id, _send_sk(number, send))

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        return _stored_receipt(session_id, _ignored_sk(number, content_sha256))

    def receipt_named(self, session_id: str, name: str) -> Receipt | None:
        return _stored_receipt(session_id, name)

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        start = f"RECEIPT#{after}!" if after else "RECEIPT#"
        found = list(
            ReceiptItem.query(
                session_key(session_id),
                ReceiptItem.sk.between(start, "RECEIPT#~"),
                consistent_read=True,
                limit=limit + 1,
            )
        )
        more = found[limit - 1].sk.removeprefix("RECEIPT#") if len(found) > limit else None
        return Page(tuple(_receipt(each) for each in found[:limit]), more)


class DynamoOutbox:
    """:class:`contest.ports.Outbox`."""

    def of_session(self, session_id: str) -> Sequence[OutboxEntry]:
        return [
            OutboxEntry(
                Job(each.session_id, int(each.number), each.content_sha256),
                int(each.enqueued_at),
                int(each.enqueued),
            )
            for each in OutboxItem.query(f"OUTBOX#{session_id}", consistent_read=True)
        ]

    def put(self, entry: OutboxEntry) -> None:
        unreported, actions = unreported_again(entry.job.session_id)

        def build(transaction: TransactWrite) -> None:
            transaction.save(_outbox_item(entry), condition=OutboxItem.pk.does_not_exist())
            transaction.update(unreported, actions=actions)

        try:
            write(build)
        except LostRaceError:
            unreported.update(actions=actions)

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        item = _outbox_item(entry)
        actions: list[Action] = [OutboxItem.enqueued_at.set(at), OutboxItem.enqueued.set(entry.enqueued + 1)]
        try:
            with condition():
                item.update(actions=actions, condition=OutboxItem.enqueued == entry.enqueued)
        except LostRaceError:
            return

    def done(self, job: Job) -> None:
        OutboxItem(f"OUTBOX#{job.session_id}", _outbox_sk(job)).delete()


def _first(session_id: str, sk: str, at: Millis) -> Millis:
    """Note when something came unless an earlier coming is noted; when it first came."""
    item = FirstItem(session_key(session_id), sk, at=at, expires_at=expiry(at, _KEPT_S))
    try:
        with condition():
            item.save(condition=FirstItem.pk.does_not_exist() | (FirstItem.at > at))
    except LostRaceError:
        known = _known_first(session_id, sk)
        return at if known is None else known
    return at


def _settle(transaction: TransactWrite, session_id: str, receipt: Receipt) -> None:
    """Forget the arrival of an answer that was decided on: its next coming is another one."""
    arrived = _arrived_sk(receipt.number, receipt.content_sha256)
    transaction.delete(FirstItem(session_key(session_id), arrived))


def _arrived_sk(number: int, content_sha256: str) -> str:
    return f"ARRIVED#{number:04d}#{content_sha256}"


def _known_first(session_id: str, sk: str) -> Millis | None:
    try:
        return int(FirstItem.get(session_key(session_id), sk, consistent_read=True).at)
    except DoesNotExist:
        return None


def asked_sk(number: int) -> str:
    """Sort key of a file's first request."""
    return f"ASKED#{number:04d}"


def file_sk(number: int) -> str:
    """Sort key of a delivery."""
    return f"FILE#{number:04d}"


def _send_sk(number: int, send: int) -> str:
    return f"RECEIPT#{number:04d}#{send:02d}"


def _ignored_sk(number: int, content_sha256: str) -> str:
    return f"RECEIPT#{number:04d}#IGNORED#{content_sha256}"


def _outbox_sk(job: Job) -> str:
    return f"{job.number:04d}#{job.content_sha256}"


def _require_open(transaction: TransactWrite, session_id: str) -> None:
    is_open = SessionItem.state == State.OPEN.value
    transaction.condition_check(SessionItem, session_key(session_id), "STATE", condition=is_open)


def _save_receipt(transaction: TransactWrite, session: Session, receipt: Receipt, key: Key | None) -> None:
    ignored = receipt.status == Status.IGNORED
    sk = _ignored_sk(receipt.number, receipt.content_sha256) if ignored else _send_sk(receipt.number, receipt.send)
    item = ReceiptItem(session_key(session.session_id), sk, **asdict(receipt))
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


def _outbox_item(entry: OutboxEntry) -> OutboxItem:
    job = entry.job
    return OutboxItem(
        f"OUTBOX#{job.session_id}",
        _outbox_sk(job),
        session_id=job.session_id,
        number=job.number,
        content_sha256=job.content_sha256,
        enqueued_at=entry.enqueued_at,
        enqueued=entry.enqueued,
    )


def _file_item(session_id: str, delivery: Delivery) -> FileItem:
    return FileItem(
        session_key(session_id),
        file_sk(delivery.number),
        number=delivery.number,
        handed_out_at=delivery.handed_out_at,
        answer_by=delivery.answer_by,
        sends=delivery.sends,
        latest_sha256=delivery.latest_sha256,
        answer=_said(delivery.answer) if delivery.answer else None,
        late_at=delivery.late_at,
        turns=[_said(each) for each in delivery.turns] or None,
        version=delivery.version,
    )


def _said(value: Answer | TakenTurn) -> dict[str, Any]:
    """As it is stored: nothing is written of what an answer has not got."""
    return {name: each for name, each in asdict(value).items() if each is not None and (name != "warnings" or each)}


def _answer(raw: Mapping[str, Any]) -> Answer:
    """The domain's value; one that was stored before its other times were is taken as decided at once."""
    at_once = {"decided_at": raw["received_at"], "begun_at": raw["received_at"]}
    return Answer(**{**at_once, **raw})


def delivery_of(item: FileItem) -> Delivery:
    """The domain's value."""
    return Delivery(
        number=int(item.number),
        handed_out_at=int(item.handed_out_at),
        answer_by=int(item.answer_by),
        sends=int(item.sends),
        latest_sha256=item.latest_sha256,
        answer=_answer(item.answer) if item.answer else None,
        late_at=int(item.late_at) if item.late_at is not None else None,
        turns=tuple(TakenTurn(**each) for each in item.turns or ()),
        version=int(item.version),
    )
