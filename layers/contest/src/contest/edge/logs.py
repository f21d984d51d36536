"""Structured log of requests and of queues' messages; it never holds a token, an essay or an answer.

Every message of a batch is handled on its own, so that a failed one delays no other. A message is hidden for six times
its worker's time-out, as AWS recommends (AWS Lambda developer guide, "Creating and configuring an Amazon SQS event
source mapping"). One whose work failed is let come again after one time-out: only the message of a worker that died
waits for the whole of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from aws_lambda_powertools import Logger

from contest.stored_names import SERVICE
from contest.wiring import platform

logger = Logger(service=SERVICE)
"""JSON lines; levels and sampling come from the environment by the library's own names."""


@contextmanager
def about(context: Any, **facts: Any) -> Iterator[None]:
    """Let every line logged inside, a failure's traceback too, carry the function's request id and these facts.

    ``correlation_id``: the id by which the caller knows the request, so that it finds the line.
    """
    with logger.append_context_keys(
        function_name=context.function_name, function_request_id=context.aws_request_id, **facts
    ):
        yield


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
            except Exception:  # whatever it is, the queue delivers the message again
                logger.exception("message failed", extra={"message_id": record["messageId"], "asked": record["body"]})
                failed.append(record)
        if failed:
            try:  # a message that stays hidden comes again all the same, later
                hidden = [record["receiptHandle"] for record in failed]
                platform().redelivery.soon(failed[0]["eventSourceARN"], hidden)
            except Exception:  # the messages' own failures are what must be answered
                ids = [record["messageId"] for record in failed]
                logger.exception("messages stay hidden", extra={"message_ids": ids})
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}
