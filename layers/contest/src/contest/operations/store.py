"""Ticks, mendings and dead letters in the exchange's table; queues of SQS; a deployed cycle's variables in SSM."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final, Generic, cast

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types
from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from contest.adapters import aws
from contest.adapters.aws import ExchangeItem, Versioned, conditional_write, expiry
from contest.channel.rules import MAX_DELAY, Push
from contest.operations.rules import DeadLetter
from contest.people.rules import Change
from contest.people.store import logged_writes
from contest.ports import LostRaceError, NoDeploymentError, Page, Work
from contest.stored_names import LetterQueue
from contest.texts import tr
from contest.values import DAY, SECOND, Millis
from markup_core.texts import Text

_TICKS: Final = "TICKS"
_MENDINGS: Final = "MENDINGS"
_KEPT_S: Final = 400 * DAY // SECOND


class TickItem(ExchangeItem):
    """Last tick of a timer."""

    at = NumberAttribute()
    left = UnicodeAttribute(null=True)


class MendingItem(ExchangeItem):
    """Mending requested by a person, as JSON."""

    body = UnicodeAttribute()
    expires_at = NumberAttribute()


class DynamoUpkeep:
    """:class:`contest.room_ports.Upkeep`."""

    def tick(self, timer: str, at: Millis, progress: str = "") -> None:
        item = TickItem(_TICKS, timer, at=at, left=progress or None)
        with suppress(LostRaceError), conditional_write():
            item.save(condition=TickItem.pk.does_not_exist() | (TickItem.at <= at))

    def left(self, timer: str) -> str:
        return TickItem.one(_TICKS, timer, lambda item: item.left) or ""

    def ticks(self) -> Mapping[str, Millis]:
        return {item.sk: int(item.at) for item in TickItem.query(_TICKS, consistent_read=True)}

    def note_mending(self, change: Change) -> None:
        body = json.dumps(asdict(change), ensure_ascii=False)
        name = f"{change.at:013d}#{secrets.token_hex(8)}"
        item = MendingItem(_MENDINGS, name, body=body, expires_at=expiry(change.at, _KEPT_S))
        with logged_writes(change) as transaction:
            transaction.save(item, condition=MendingItem.pk.does_not_exist())


_BATCH: Final = 10


class QueueError(RuntimeError):
    """Some jobs were not accepted; the sender sends all of them again."""


def _send(url: str, messages: Sequence[Mapping[str, Any]], noun: str = "jobs") -> None:
    """Put messages into a queue, ten at a time; all of them, or an error."""
    for start in range(0, len(messages), _BATCH):
        entries = [{"Id": str(index), **message} for index, message in enumerate(messages[start : start + _BATCH])]
        answer: Any = aws.client("sqs").send_message_batch(QueueUrl=url, Entries=entries)
        if failed := answer.get("Failed"):
            raise QueueError(f"{len(failed)} of {len(entries)} {noun} were not taken: {failed[0].get('Code')}")


class SqsQueue(Generic[Work]):
    """:class:`contest.ports.Queue`; a message is the JSON of a dataclass."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, jobs: Sequence[Work]) -> None:
        _send(self._url, [{"MessageBody": json.dumps(asdict(cast(Any, job)))} for job in jobs])


class SqsPushes:
    """:class:`contest.room_ports.Pushes`. A delay has whole seconds; the rest is waited for later."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, pushes: Sequence[Push], now: Millis) -> None:
        delays = (min(max(0, push.at - now), MAX_DELAY) // SECOND for push in pushes)
        messages = [
            {"MessageBody": json.dumps(asdict(push)), "DelaySeconds": delay}
            for push, delay in zip(pushes, delays, strict=True)
        ]
        _send(self._url, messages, "pushes")


_OPEN: Final = "LETTERS#OPEN"
_STATE: Final = "STATE"
_DECIDED_KEPT_S: Final = 400 * DAY // SECOND


class LetterItem(Versioned, ExchangeItem):
    """Letter; it may vanish once it is decided, for the log of changes has the decision."""

    expires_at = NumberAttribute(null=True)


class OpenLetterItem(ExchangeItem):
    """Pointer to an open letter."""


class DynamoDeadLetters:
    """:class:`contest.room_ports.DeadLetters`."""

    def get(self, letter_id: str) -> DeadLetter | None:
        return LetterItem.find(_key(letter_id), _STATE, DeadLetter)

    def open(self, queue: LetterQueue | None, limit: int, after: str | None) -> Page[DeadLetter]:
        names = [pointer.sk for pointer in _pointers(queue, limit + 1, after)]
        keys = [(_key(name), _STATE) for name in names[:limit]]
        letters = {item.pk: item.value(DeadLetter) for item in LetterItem.batch_get(keys, consistent_read=True)}
        # Between the two reads somebody may have decided about one; it is open no more, and left out.
        items = tuple(letters[pk] for pk, _ in keys if pk in letters and letters[pk].is_open)
        return Page(items, names[limit - 1] if len(names) > limit else None)

    def counts(self) -> Mapping[LetterQueue, int]:
        return Counter(LetterQueue(pointer.sk.rpartition("-")[0]) for pointer in _pointers(None, None, None))

    def put(self, before: DeadLetter | None, after: DeadLetter, change: Change | None) -> None:
        pointer = OpenLetterItem(_OPEN, after.letter_id)
        with logged_writes(change) as transaction:
            body = json.dumps(asdict(after), ensure_ascii=False)
            ends = None if after.decided_at is None else expiry(after.decided_at, _DECIDED_KEPT_S)
            transaction.save(
                LetterItem(_key(after.letter_id), _STATE, body=body, version=after.version, expires_at=ends),
                condition=LetterItem.unchanged(before),
            )
            if after.is_open:
                transaction.save(pointer)
            else:
                transaction.delete(pointer)


class SqsWorkQueues:
    """:class:`contest.room_ports.WorkQueues`."""

    def __init__(self, urls: Mapping[LetterQueue, str]) -> None:
        self._urls = urls

    def send_again(self, queue: LetterQueue, bodies: Sequence[str]) -> None:
        _send(self._urls[queue], [{"MessageBody": body} for body in bodies])


class SqsRedelivery:
    """:class:`contest.room_ports.Redelivery`, with the right that a queue's trigger has anyway."""

    def __init__(self, after_s: int) -> None:
        self._after_s = after_s

    def soon(self, queue_arn: str, handles: Sequence[str]) -> None:
        region, account, name = queue_arn.split(":")[3:]
        entries = [
            {"Id": str(index), "ReceiptHandle": handle, "VisibilityTimeout": self._after_s}
            for index, handle in enumerate(handles)
        ]
        url = f"https://sqs.{region}.amazonaws.com/{account}/{name}"
        answer: Any = aws.client("sqs").change_message_visibility_batch(QueueUrl=url, Entries=entries)
        if failed := answer.get("Failed"):
            raise QueueError(f"{len(failed)} of {len(entries)} messages stay hidden: {failed[0].get('Code')}")


def _pointers(queue: LetterQueue | None, limit: int | None, after: str | None) -> list[OpenLetterItem]:
    of_queue = None if queue is None else OpenLetterItem.sk.startswith(f"{queue.value}-")
    start = None if after is None else {"pk": {"S": _OPEN}, "sk": {"S": after}}
    return list(OpenLetterItem.query(_OPEN, of_queue, consistent_read=True, limit=limit, last_evaluated_key=start))


def _key(letter_id: str) -> str:
    return f"LETTER#{letter_id}"


class DeployedParameters:
    """The deployed cycles of the caller's account, of AWS Systems Manager, with the rights of the command's user."""

    def variables(self, parameter: str) -> Mapping[str, str]:
        """Return the variables that a cycle's parameter has for the organizer's command; :class:`NoDeploymentError`."""
        try:
            value = aws.client("ssm").get_parameter(Name=parameter)["Parameter"]["Value"]
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError) and error.response["Error"]["Code"] == "ParameterNotFound":
                raise NoDeploymentError(parameter, tr("there is none: deploy the cycle, in this account")) from None
            raise NoDeploymentError(parameter, Text(str(error), str(error))) from None
        variables: Mapping[str, str] = json.loads(value)
        return variables
