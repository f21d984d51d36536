"""AWS's answers to requests beyond its documented limits (see request_limits), as they go over the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from moto.dynamodb.models import dynamodb_backends
from werkzeug.wrappers import Response

from local.aws.request_limits import Refusal, refusal
from local.environment import ACCOUNT, REGION

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
    moto_table = dynamodb_backends[ACCOUNT][REGION].tables.get(table.rpartition("/")[2])
    return (
        [] if moto_table is None else [name for name in (moto_table.hash_key_attr, moto_table.range_key_attr) if name]
    )


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
