"""The queues in SQS: answers to score, and what is to be pushed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, Generic, cast

from contest.adapters import aws
from contest.domain.channel.channel import MAX_DELAY, Push
from contest.domain.moments import SECOND, Millis
from contest.ports import Work

_BATCH: Final = 10


class QueueError(RuntimeError):
    """Some jobs were not taken; whoever sent them sends all of them again."""


class SqsQueue(Generic[Work]):
    """:class:`contest.ports.Queue`; a message is the JSON of a dataclass."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, jobs: Sequence[Work]) -> None:
        for start in range(0, len(jobs), _BATCH):
            entries = [
                {"Id": str(index), "MessageBody": json.dumps(asdict(cast(Any, job)))}
                for index, job in enumerate(jobs[start : start + _BATCH])
            ]
            answer: Any = aws.client("sqs").send_message_batch(QueueUrl=self._url, Entries=entries)
            if failed := answer.get("Failed"):
                raise QueueError(f"{len(failed)} of {len(entries)} jobs were not taken: {failed[0].get('Code')}")


class SqsPushes:
    """:class:`contest.ports.channel.Pushes`. A delay has whole seconds; the rest is waited for later."""

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, pushes: Sequence[Push], now: Millis) -> None:
        for start in range(0, len(pushes), _BATCH):
            entries = [
                {"Id": str(index), "MessageBody": json.dumps(asdict(push)), "DelaySeconds": _delay_s(push, now)}
                for index, push in enumerate(pushes[start : start + _BATCH])
            ]
            answer: Any = aws.client("sqs").send_message_batch(QueueUrl=self._url, Entries=entries)
            if failed := answer.get("Failed"):
                raise QueueError(f"{len(failed)} of {len(entries)} pushes were not taken: {failed[0].get('Code')}")


def _delay_s(push: Push, now: Millis) -> int:
    return min(max(0, push.at - now), MAX_DELAY) // SECOND
