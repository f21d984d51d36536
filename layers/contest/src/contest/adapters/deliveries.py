"""Deliveries, receipts and the outbox in the exchange table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import JSONAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters.dynamo import ExchangeItem, condition, expiry, write
from contest.adapters.sessions import SessionItem, session_key
from contest.domain import overview
from contest.domain.delivery import Answer, Delivery, Status
from contest.domain.moments import Millis
from contest.domain.receipts import Receipt
from contest.domain.scoring import Job, OutboxEntry
from contest.domain.session import State
from contest.ports import LostRaceError, Page, Sent

_KEPT_S: Final = 400 * 86_400
"""How long first arrivals are kept: as long as a session can be looked into by its day."""


class FileItem(ExchangeItem):
    """A delivery."""

    number = NumberAttribute()
    handed_out_at = NumberAttribute()
    answer_by = NumberAttribute()
    sends = NumberAttribute()
    latest_sha256 = UnicodeAttribute(null=True)
    answer: Any = JSONAttribute(null=True)
    late_at = NumberAttribute(null=True)
    refusals = NumberAttribute()
    refused_code = UnicodeAttribute(null=True)
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


class RetryItem(ExchangeItem):
    """Which receipt an idempotency key was given."""

    receipt = UnicodeAttribute()


class OutboxItem(ExchangeItem):
    """An answer that is not known to be scored; its insertion goes through the table's stream to the queue."""

    session_id = UnicodeAttribute()
    number = NumberAttribute()
    content_sha256 = UnicodeAttribute()
    enqueued_at = NumberAttribute()
    enqueued = NumberAttribute()


class DynamoDeliveries:
    """:class:`contest.ports.Deliveries`."""

    def __init__(self) -> None:
        self._handed_out_below: dict[str, int] = {}

    def get(self, session_id: str, number: int) -> Delivery | None:
        """See the port."""
        try:
            return _delivery(FileItem.get(session_key(session_id), _file_sk(number), consistent_read=True))
        except DoesNotExist:
            return None

    def of_session(self, session_id: str) -> Sequence[Delivery]:
        """See the port."""
        found = FileItem.query(session_key(session_id), FileItem.sk.startswith("FILE#"), consistent_read=True)
        return [_delivery(each) for each in found]

    def first_not_handed_out(self, session_id: str, files: int) -> int | None:
        """See the port.

        What was handed out stays so: the search starts where this process found the last gap.
        """
        start = self._handed_out_below.get(session_id, 1)
        found = FileItem.query(
            session_key(session_id),
            FileItem.sk.between(_file_sk(start), "FILE#~"),
            consistent_read=True,
            page_size=100,
        )
        gap = overview.first_gap((int(each.number) for each in found), start, files)
        self._handed_out_below[session_id] = files + 1 if gap is None else gap
        return gap

    def ask(self, session_id: str, number: int, at: Millis) -> Millis:
        """See the port."""
        return _first(session_id, f"ASKED#{number:04d}", at)

    def asked_at(self, session_id: str, number: int) -> Millis | None:
        """See the port."""
        return _known_first(session_id, f"ASKED#{number:04d}")

    def asked(self, session_id: str) -> Mapping[int, Millis]:
        """See the port."""
        return {int(each.sk.split("#")[1]): int(each.at) for each in _firsts(session_id, "ASKED#")}

    def arrive(self, session_id: str, number: int, body_sha256: str, at: Millis) -> Millis:
        """See the port."""
        return _first(session_id, _arrived_sk(number, body_sha256), at)

    def arrived(self, session_id: str) -> Mapping[int, Sequence[Millis]]:
        """See the port."""
        found: dict[int, list[Millis]] = {}
        for each in _firsts(session_id, "ARRIVED#"):
            found.setdefault(int(each.sk.split("#")[1]), []).append(int(each.at))
        return {number: sorted(moments) for number, moments in found.items()}

    def hand_out(self, session_id: str, delivery: Delivery) -> None:
        """See the port."""

        def build(transaction: TransactWrite) -> None:
            transaction.save(_file_item(session_id, delivery), condition=FileItem.pk.does_not_exist())
            _require_open(transaction, session_id)

        write(build)

    def refuse(self, session_id: str, before: Delivery, after: Delivery, body_sha256: str) -> None:
        """See the port."""

        def build(transaction: TransactWrite) -> None:
            transaction.save(_file_item(session_id, after), condition=FileItem.version == before.version)
            _settle(transaction, session_id, before.number, body_sha256)
            _require_open(transaction, session_id)

        write(build)

    def send(self, sent: Sent) -> None:
        """See the port."""
        session_id = sent.session.session_id

        def build(transaction: TransactWrite) -> None:
            unchanged = FileItem.version == sent.before.version
            transaction.save(_file_item(session_id, sent.after), condition=unchanged)
            _save_receipt(transaction, session_id, sent.receipt, sent.retry_key)
            if sent.job is not None:
                transaction.save(_outbox_item(OutboxEntry(sent.job, sent.at, 1)))
            if sent.session.is_open:
                _settle(transaction, session_id, sent.before.number, sent.body_sha256)
                _require_open(transaction, session_id)

        write(build)

    def ignore(self, session_id: str, receipt: Receipt, retry_key: str | None) -> None:
        """See the port."""
        write(lambda transaction: _save_receipt(transaction, session_id, receipt, retry_key))

    def receipt(self, session_id: str, number: int, send: int) -> Receipt | None:
        """See the port."""
        return _stored_receipt(session_id, _send_sk(number, send))

    def ignored(self, session_id: str, number: int, content_sha256: str) -> Receipt | None:
        """See the port."""
        return _stored_receipt(session_id, _ignored_sk(number, content_sha256))

    def receipt_by_key(self, session_id: str, number: int, retry_key: str) -> Receipt | None:
        """See the port."""
        try:
            known = RetryItem.get(session_key(session_id), _retry_sk(number, retry_key), consistent_read=True)
        except DoesNotExist:
            return None
        return _stored_receipt(session_id, known.receipt)

    def receipts(self, session_id: str, limit: int, after: str | None) -> Page[Receipt]:
        """See the port."""
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
        """See the port."""
        return [
            OutboxEntry(
                Job(each.session_id, int(each.number), each.content_sha256),
                int(each.enqueued_at),
                int(each.enqueued),
            )
            for each in OutboxItem.query(f"OUTBOX#{session_id}", consistent_read=True)
        ]

    def put(self, entry: OutboxEntry) -> None:
        """See the port."""
        try:
            with condition():
                _outbox_item(entry).save(condition=OutboxItem.pk.does_not_exist())
        except LostRaceError:
            return

    def enqueued_again(self, entry: OutboxEntry, at: Millis) -> None:
        """See the port."""
        item = _outbox_item(entry)
        actions: list[Action] = [OutboxItem.enqueued_at.set(at), OutboxItem.enqueued.set(entry.enqueued + 1)]
        try:
            with condition():
                item.update(actions=actions, condition=OutboxItem.enqueued == entry.enqueued)
        except LostRaceError:
            return

    def done(self, job: Job) -> None:
        """See the port."""
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


def _settle(transaction: TransactWrite, session_id: str, number: int, body_sha256: str) -> None:
    """Forget the arrival of an answer that was judged: its next coming is another one."""
    transaction.delete(FirstItem(session_key(session_id), _arrived_sk(number, body_sha256)))


def _arrived_sk(number: int, body_sha256: str) -> str:
    return f"ARRIVED#{number:04d}#{body_sha256}"


def _known_first(session_id: str, sk: str) -> Millis | None:
    try:
        return int(FirstItem.get(session_key(session_id), sk, consistent_read=True).at)
    except DoesNotExist:
        return None


def _firsts(session_id: str, prefix: str) -> Iterable[FirstItem]:
    return FirstItem.query(session_key(session_id), FirstItem.sk.startswith(prefix), consistent_read=True)


def _file_sk(number: int) -> str:
    return f"FILE#{number:04d}"


def _send_sk(number: int, send: int) -> str:
    return f"RECEIPT#{number:04d}#{send:02d}"


def _ignored_sk(number: int, content_sha256: str) -> str:
    return f"RECEIPT#{number:04d}#IGNORED#{content_sha256}"


def _retry_sk(number: int, retry_key: str) -> str:
    return f"RETRY#{number:04d}#{retry_key}"


def _outbox_sk(job: Job) -> str:
    return f"{job.number:04d}#{job.content_sha256}"


def _require_open(transaction: TransactWrite, session_id: str) -> None:
    is_open = SessionItem.state == State.OPEN.value
    transaction.condition_check(SessionItem, session_key(session_id), "STATE", condition=is_open)


def _save_receipt(transaction: TransactWrite, session_id: str, receipt: Receipt, retry_key: str | None) -> None:
    ignored = receipt.status == Status.IGNORED
    sk = _ignored_sk(receipt.number, receipt.content_sha256) if ignored else _send_sk(receipt.number, receipt.send)
    item = ReceiptItem(session_key(session_id), sk, **asdict(receipt))
    transaction.save(item, condition=ReceiptItem.pk.does_not_exist())
    if retry_key:
        known = RetryItem(session_key(session_id), _retry_sk(receipt.number, retry_key), receipt=sk)
        transaction.save(known, condition=RetryItem.pk.does_not_exist())


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
        _file_sk(delivery.number),
        number=delivery.number,
        handed_out_at=delivery.handed_out_at,
        answer_by=delivery.answer_by,
        sends=delivery.sends,
        latest_sha256=delivery.latest_sha256,
        answer=asdict(delivery.answer) if delivery.answer else None,
        late_at=delivery.late_at,
        refusals=delivery.refusals,
        refused_code=delivery.refused_code,
        version=delivery.version,
    )


def _delivery(item: FileItem) -> Delivery:
    return Delivery(
        number=int(item.number),
        handed_out_at=int(item.handed_out_at),
        answer_by=int(item.answer_by),
        sends=int(item.sends),
        latest_sha256=item.latest_sha256,
        answer=Answer(**item.answer) if item.answer else None,
        late_at=int(item.late_at) if item.late_at is not None else None,
        refusals=int(item.refusals),
        refused_code=item.refused_code,
        version=int(item.version),
    )
