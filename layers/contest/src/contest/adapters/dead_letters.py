"""Dead letters in the exchange's table, and the queues that their jobs go back to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters import aws
from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import ExchangeItem, expiry
from contest.adapters.queue import QueueError
from contest.domain.moments import DAY, SECOND
from contest.domain.operations.dead_letters import DeadLetter, LetterState
from contest.domain.people.teams import Change
from contest.ports import Page
from contest.stored_names import LetterQueue

_OPEN: Final = "LETTERS#OPEN"
_STATE: Final = "STATE"
_DECIDED_KEPT_S: Final = 400 * DAY // SECOND
_BATCH: Final = 10


class LetterItem(ExchangeItem):
    """A letter as JSON; it may vanish once somebody has decided about it, for the log of changes tells of that."""

    body = UnicodeAttribute()
    version = NumberAttribute()
    expires_at = NumberAttribute(null=True)


class OpenLetterItem(ExchangeItem):
    """A pointer to an open letter."""


class DynamoDeadLetters:
    """:class:`contest.ports.operations.DeadLetters`."""

    def get(self, letter_id: str) -> DeadLetter | None:
        try:
            return _letter(LetterItem.get(_key(letter_id), _STATE, consistent_read=True))
        except DoesNotExist:
            return None

    def open(self, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
        names = [each.sk for each in _pointers(queue, limit + 1, after)]
        keys = [(_key(each), _STATE) for each in names[:limit]]
        found = {each.pk: _letter(each) for each in LetterItem.batch_get(keys, consistent_read=True)}
        # Between the two reads somebody may have decided about one; it is open no more, and left out.
        items = tuple(found[pk] for pk, _ in keys if pk in found and found[pk].is_open)
        return Page(items, names[limit - 1] if len(names) > limit else None)

    def counts(self) -> Mapping[LetterQueue, int]:
        return Counter(LetterQueue(each.sk.rpartition("-")[0]) for each in _pointers(None, None, None))

    def put(self, before: DeadLetter | None, after: DeadLetter, change: Change | None) -> None:
        pointer = OpenLetterItem(_OPEN, after.letter_id)

        def build(transaction: TransactWrite) -> None:
            absent, same = LetterItem.pk.does_not_exist(), LetterItem.version == (before.version if before else 0)
            transaction.save(_item(after), condition=absent if before is None else same)
            if after.is_open:
                transaction.save(pointer)
            else:
                transaction.delete(pointer)

        write_change(change, build)


class SqsWorkQueues:
    """:class:`contest.ports.operations.WorkQueues`."""

    def __init__(self, urls: Mapping[LetterQueue, str]) -> None:
        self._urls = urls

    def send_again(self, queue: LetterQueue, bodies: Sequence[str]) -> None:
        for start in range(0, len(bodies), _BATCH):
            part = bodies[start : start + _BATCH]
            entries = [{"Id": str(index), "MessageBody": body} for index, body in enumerate(part)]
            answer: Any = aws.client("sqs").send_message_batch(QueueUrl=self._urls[queue], Entries=entries)
            if failed := answer.get("Failed"):
                raise QueueError(f"{len(failed)} of {len(entries)} jobs were not taken: {failed[0].get('Code')}")


def _pointers(queue: LetterQueue | None, limit: int | None, after: str | None) -> list[OpenLetterItem]:
    of_queue = None if queue is None else OpenLetterItem.sk.startswith(f"{queue.value}-")
    start = None if after is None else {"pk": {"S": _OPEN}, "sk": {"S": after}}
    return list(OpenLetterItem.query(_OPEN, of_queue, consistent_read=True, limit=limit, last_evaluated_key=start))


def _key(letter_id: str) -> str:
    return f"LETTER#{letter_id}"


def _item(letter: DeadLetter) -> LetterItem:
    body = json.dumps(asdict(letter), ensure_ascii=False)
    ends = None if letter.decided_at is None else expiry(letter.decided_at, _DECIDED_KEPT_S)
    return LetterItem(_key(letter.letter_id), _STATE, body=body, version=letter.version, expires_at=ends)


def _letter(item: LetterItem) -> DeadLetter:
    said = json.loads(item.body)
    named = {"queue": LetterQueue(said["queue"]), "state": LetterState(said["state"])}
    return DeadLetter(**{**said, **named, "messages": tuple(said["messages"])})
