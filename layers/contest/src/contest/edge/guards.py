"""Code around a function's work: guards of requests, the log, messages of queues.

Requests that bypass CloudFront are refused without details: limits by address and token, and the cache, are there. A
gateway's own address is no secret; a secret header of the distribution, sent with every request, is. By the policy a
browser loads the built parts of an interface page and nothing else, whatever the page holds.

Every message of a batch is handled on its own, so that a failed one delays no other. A message is hidden for six times
its worker's time-out, as AWS recommends (AWS Lambda developer guide, "Creating and configuring an Amazon SQS event
source mapping"). A message whose work failed becomes visible again after one time-out: only the message of a worker
that died stays hidden for the whole time.

The authorizer and the relay must start fast: the module imports little.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from contest import settings
from contest.stored_names import SERVICE
from contest.wiring import platform

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger


@cache
def log() -> Logger:
    """Return the process's structured log: JSON lines, without any token, essay or answer.

    Levels and sampling come from the environment by the library's own names.
    """
    from aws_lambda_powertools import Logger  # its import takes longer than all other work of authorizer and relay

    return Logger(service=SERVICE)


@contextmanager
def log_context(context: Any, **facts: Any) -> Iterator[None]:
    """Let every line logged inside, a failure's traceback too, carry the function's request id and these facts.

    ``correlation_id``: the id by which the caller knows the request, so that it finds the line.
    """
    with log().append_context_keys(
        function_name=context.function_name, function_request_id=context.aws_request_id, **facts
    ):
        yield


Job = TypeVar("Job")


def job_from(body: str, kind: Callable[..., Job]) -> Job:
    """Read a message's body, JSON with the fields of a job of this kind."""
    return kind(**json.loads(body))


def consume(records: Iterable[Mapping[str, Any]], work: Callable[[str], None], context: Any) -> dict[str, Any]:
    """Do ``work`` with the body of each message, in this order; return the failed ones, which alone are redelivered.

    A failure is logged with the message's id and its subject: a session, a file, a connection.
    """
    return consume_whole(records, lambda record: work(record["body"]), context)


def consume_whole(
    records: Iterable[Mapping[str, Any]], work: Callable[[Mapping[str, Any]], None], context: Any
) -> dict[str, Any]:
    """Do :func:`consume` for work that needs more of a message than its body."""
    failed, logger = [], log()
    with log_context(context):
        for record in records:
            try:
                work(record)
            except Exception:  # after any failure the queue delivers the message again
                logger.exception("message failed", extra={"message_id": record["messageId"], "asked": record["body"]})
                failed.append(record)
        if failed:
            try:  # a message that stays hidden comes again all the same, later
                hidden = [record["receiptHandle"] for record in failed]
                platform().redelivery.soon(failed[0]["eventSourceARN"], hidden)
            except Exception:  # the answer must state the messages' own failures
                ids = [record["messageId"] for record in failed]
                logger.exception("messages stay hidden", extra={"message_ids": ids})
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in failed]}


FORBIDDEN: Final[Mapping[str, Any]] = {
    "statusCode": 403,
    "headers": {"content-type": "application/json"},
    "body": '{"message":"Forbidden"}',
}
"""Refusal in the gateway's own form: no program that uses the cycle's address ever gets it."""


def caller_address(headers: Mapping[str, Any] | None) -> str | None:
    """Return the address from which the distribution was asked; None for a request that did not come through it.

    The gateways write headers' names in different ways. CloudFront adds the address at the end of ``X-Forwarded-For``,
    behind any text that the caller has written there ("Request and response behavior for custom origins": client IP
    addresses), and the gateway adds CloudFront's.
    """
    secrets = [str(value) for name, value in (headers or {}).items() if name.lower() == settings.ORIGIN_HEADER]
    secret = settings.origin_secret().encode("utf-8")
    if len(secrets) != 1 or not hmac.compare_digest(secrets[0].encode("utf-8", "surrogatepass"), secret):
        return None
    forwarded = next((str(value) for name, value in (headers or {}).items() if name.lower() == _FORWARDED), "")
    hops = [hop.strip() for hop in forwarded.split(",")]
    return hops[-2] if len(hops) > 1 else ""


_FORWARDED: Final = "x-forwarded-for"
_NOTHING: Final = "default-src 'none'"
_CLOSED: Final = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ASKING: Final = "img-src 'self' data:; connect-src 'self'"
"""Policy for the fetches of a page with a script: the interface itself, and pictures that the script holds."""


@cache
def policy_of(page: str) -> str:
    """Return the Content-Security-Policy of a page of the platform: its own scripts and styles by their hashes.

    Scripts and styles are elements without attributes. O(length of the page), once a page and process.
    """
    parts = [_NOTHING]
    for kind in ("script", "style"):
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"
            for content in re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        ]
        if hashes:
            parts.append(f"{kind}-src {' '.join(hashes)}")
    if len(parts) > 1 and parts[1].startswith("script"):
        parts.append(_ASKING)
    return "; ".join([*parts, _CLOSED])


@contextmanager
def logged_failures(context: Any, **facts: Any) -> Iterator[None]:
    """Log a failure with the function's request id and these facts, then let Lambda have it."""
    try:
        yield
    except Exception:
        with log_context(context, **facts):
            log().exception("failed")
        raise
