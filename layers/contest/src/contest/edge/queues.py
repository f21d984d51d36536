"""Batches of queues: handle every message on its own, so that a failed one delays no other.

A message is hidden for six times its worker's time-out, as AWS recommends (AWS Lambda developer guide, "Creating and
configuring an Amazon SQS event source mapping"). One whose work failed is let come again after one time-out: only the
message of a worker that died waits for the whole of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from contest.edge.logs import about, logger
from contest.wiring import platform

Job = TypeVar("Job")


def job_from(body: str, kind: Callable[..., Job]) -> Job:
    """Read a message's body, JSON with the fields of a job of this kind."""
    return kind(**json.loads(body))


def consume(records: Iterable[Mapping[str, Any]], work: Callable[[str], None], context: Any) -> dict[str, Any]:
    """Do ``work`` with the body of each message, in this order; name those that failed, which alone come again.

    A failure is logged with the message's id and what it asked for: a session, a file, a connection.
    """
    return consume_whole(records, lambda record: work(record["body"]), context)


def consume_whole(
    records: Iterable[Mapping[str, Any]], work: Callable[[Mapping[str, Any]], None], context: Any
) -> dict[str, Any]:
    """Do :func:`consume` for work that needs more of a message than its body."""
    failed = []
    with about(context):
        for record in records:
            try:
                work(record)
            except Exception:  # noqa: BLE001 -- whatever it is, the queue delivers the message again
                logger.exception("message failed", extra={"message_id": record["messageId"], "asked": record["body"]})
                failed.append(record)
        if failed:
            try:  # a message that stays hidden comes again all the same, later
                hidden = [record["receiptHandle"] for record in failed]
                platform().redelivery.soon(failed[0]["eventSourceARN"], hidden)
            except Exception:  # noqa: BLE001 -- the messages' own failures are what must be answered
                ids = [record["messageId"] for record in failed]
                logger.exception("messages stay hidden", extra={"message_ids": ids})
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}
