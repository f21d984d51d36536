"""AWS's refusals as they go over the wire: of requests beyond its documented limits (see request_limits) and throttles.

Throttles of tables are injected: the next requests of a table are refused as DynamoDB refuses beyond its capacity.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from werkzeug.wrappers import Response

from local.aws.moto_corrections import tables
from local.aws.request_limits import Refusal, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SERVICES: Final = {
    "DynamoDB_20120810": "dynamodb",
    "AmazonSQS": "sqs",
    "AWSEvents": "events",
    "secretsmanager": "secretsmanager",
}
"""The SDK's names of services, by the beginning of a request's target."""
_METADATA: Final = "HTTP_X_AMZ_META_"
_JOBS: Final = "/v1/submitjob"


def refused(environ: Mapping[str, Any], body: bytes) -> Response | None:
    """Return AWS's refusal of a request, None for one within the limits.

    `body` matters where the request has a target or submits a job.
    """
    target, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
    if target:
        service = _SERVICES.get(target)
        reason = refusal(service, operation, json.loads(body), key_names) if service else None
        return None if reason is None else _as_json(service or "", reason)
    if environ["PATH_INFO"] == _JOBS:
        reason = refusal("batch", "SubmitJob", json.loads(body), key_names)
        return None if reason is None else _as_json("batch", reason)
    reason = refusal("s3", *_about_object(environ), key_names)
    if reason is None:
        return None
    text = f"<Error><Code>{reason.code}</Code><Message>{escape(reason.message)}</Message></Error>"
    return Response(text, status=400, mimetype="application/xml")


def is_job(environ: Mapping[str, Any]) -> bool:
    """Return whether a request without a target submits a job."""
    return bool(environ["PATH_INFO"] == _JOBS)


def key_names(table: str) -> Sequence[str]:
    """Return the names of the key attributes of one of moto's tables, which may be named by its ARN."""
    named = tables().get(table.rpartition("/")[2])
    return [] if named is None else [name for name in (named.hash_key_attr, named.range_key_attr) if name]


def _about_object(environ: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
    bucket, _, key = path.removeprefix("/").partition("/")
    metadata = {name.removeprefix(_METADATA): value for name, value in environ.items() if name.startswith(_METADATA)}
    operation = "Other"
    if environ["REQUEST_METHOD"] == "PUT" and not environ.get("QUERY_STRING"):
        operation = "PutObject" if key else "CreateBucket"
    size = environ.get("CONTENT_LENGTH") or 0
    return operation, {"Bucket": bucket, "Key": key, "Metadata": metadata, "ContentLength": size}


def _as_json(service: str, reason: Refusal) -> Response:
    content = json.dumps({"__type": reason.code.rpartition(".")[2], "message": reason.message})
    response = Response(content, status=400, mimetype="application/x-amz-json-1.0")
    response.headers["x-amzn-errortype"] = reason.code
    if service == "sqs":
        response.headers["x-amzn-query-error"] = f"{reason.code};Sender"
    return response


READS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
_CODE: Final = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"


class Throttling:
    """Count requests by table that are to be refused, and those refused since the last look."""

    def __init__(self) -> None:
        self._left: Counter[str] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def inject(self, refusals: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse so many requests of a table."""
        self._left[refusals["table"]] += refusals["requests"]
        return {}

    def refused(self, _: Mapping[str, Any]) -> list[tuple[str, str, int]]:
        """Return table, metric and number of the requests refused since the last look."""
        counts = [(*key, count) for key, count in self._refused.items()]
        self._refused.clear()
        return counts

    def is_due(self) -> bool:
        """Return whether any request is to be refused."""
        return any(self._left.values())

    def refusal(self, operation: str, body: bytes) -> Response | None:
        """Return the refusal of a request to a table that is to refuse, None of any other."""
        if not self.is_due():
            return None
        request = json.loads(body)
        parts = (part for action in request.get("TransactItems", ()) for part in action.values())
        named = [request.get("TableName", ""), *request.get("RequestItems", {}), *(part["TableName"] for part in parts)]
        for table in named:
            if self._left[table] > 0:
                self._left[table] -= 1
                self._refused[table, "ReadThrottleEvents" if operation in READS else "WriteThrottleEvents"] += 1
                error = {"__type": _CODE, "message": "The level of configured provisioned throughput was exceeded."}
                return Response(json.dumps(error), status=400, mimetype="application/x-amz-json-1.0")
        return None
