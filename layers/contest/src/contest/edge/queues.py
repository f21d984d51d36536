"""Batches of queues: handle every message on its own, so that a failed one delays no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from contest.edge.logs import about, logger


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
                failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}
