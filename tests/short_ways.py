"""Short ways from the SDK to the services that moto emulates in this process.

A stage makes hundreds of calls in a test, and four fifths of their time went to signatures, HTTP messages and parsers
on both sides of no network. What a call means, its rights and its count are looked at before (events of the SDK: of a
table's operations the first one alone, `provide-client-params`); what a service stores and refuses is moto's. Whatever
is not answered here goes the long way, other refusals among it.
"""

from __future__ import annotations

import io
import json
import marshal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from pkgutil import resolve_name
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import unquote, urlsplit

from botocore import xform_name  # type: ignore[import-untyped]  # the SDK has no types
from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types
from botocore.endpoint import Endpoint
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from botocore.model import OperationModel
from botocore.parsers import create_parser
from botocore.response import StreamingBody
from moto.core.exceptions import JsonRESTError
from moto.s3.models import s3_backends
from moto.s3.utils import metadata_from_headers

from local.aws import moto_data, moto_loaded  # noqa: F401 - without this moto's scaling would load all of EC2
from local.aws.emulator import ITEM_OPERATIONS, OBJECT_HEADERS, to_base64, with_bytes
from local.environment import ACCOUNT, REGION

_LONG_WAY: Final = Endpoint.make_request
_JSON: Final = create_parser("json")
_PRESENT: Final = {"Error": {"Code": "PreconditionFailed", "Message": "the object is there"}}
"""A refusal of most runs: a message that comes twice writes a second time what may be written once."""
_ABSENT: Final = {"Error": {"Code": "NoSuchKey", "Message": "the object is not there"}}
"""Another one: much is read first and written where it is not there."""
_PAGE: Final = 1000
_OF_QUEUES: Final = frozenset({"CreateQueue", "SendMessage", "SendMessageBatch", "ReceiveMessage", "DeleteMessage"})
"""Operations on queues that are answered here."""
_SCALING: Final = {"DescribeScalableTargets", "DescribeScheduledActions", "PutScheduledAction", "DeleteScheduledAction"}
_OF_JSON: Final = {
    "application-autoscaling": ("applicationautoscaling.responses:ApplicationAutoScalingResponse", _SCALING),
    "events": ("events.responses:EventsHandler", {"PutEvents"}),
    "secretsmanager": ("secretsmanager.responses:SecretsManagerResponse", {"GetSecretValue"}),
}
"""Moto's answers of services that speak JSON, loaded when first asked, with the operations that are answered here."""
_KEPT_ENDPOINTS: Final = 1000


@contextmanager
def taken() -> Iterator[None]:
    """Take the short ways inside."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(Endpoint, "make_request", _make_request))
        stack.enter_context(patch.object(BaseClient, "_make_api_call", _make_api_call))
        stack.enter_context(patch.object(BaseClient, "_resolve_endpoint_ruleset", _resolved))
        yield


_MAKE_API_CALL: Final = BaseClient._make_api_call
_RESOLVED: Final = BaseClient._resolve_endpoint_ruleset
_endpoints: Final[dict[tuple[Any, ...], tuple[tuple[Any, ...], dict[str, Any]]]] = {}


def _make_api_call(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
    """Ask tables without building a request."""
    if client.meta.service_model.service_name != "dynamodb" or operation not in ITEM_OPERATIONS:
        return _MAKE_API_CALL(client, operation, params)
    model = client.meta.service_model.operation_model(operation)
    client.meta.events.emit(f"provide-client-params.dynamodb.{operation}", params=params, model=model, context={})
    try:
        answered = moto_data.answer_to(operation, _plain(params))
    except JsonRESTError as refusal:
        raise _refused(client, operation, refusal) from None
    return {**answered, "ResponseMetadata": _metadata(200)}


def _plain(params: dict[str, Any]) -> Any:
    """Return parameters as they would arrive: nothing of the caller's, members of enumerations as their texts."""
    try:
        return marshal.loads(marshal.dumps(params))  # noqa: S302 - our own bytes
    except ValueError:  # an enumeration's text
        return json.loads(json.dumps(params, default=to_base64), object_hook=with_bytes)


def _refused(client: BaseClient, operation: str, refusal: JsonRESTError) -> ClientError:
    """Return what the SDK raises for a refusal of moto's tables."""
    content = str(refusal.description).encode()
    answer = {"body": content, "headers": {}, "status_code": 400}
    parsed = _JSON.parse(answer, None)
    shape = client.meta.service_model.shape_for_error_code(parsed["Error"]["Code"])
    if shape is not None:
        parsed |= _JSON.parse(answer, shape)
    raised: ClientError = client.exceptions.from_code(parsed["Error"]["Code"])(parsed, operation)
    return raised


def _resolved(
    client: BaseClient, model: OperationModel, params: dict[str, Any], context: dict[str, Any], ignored: bool = False
) -> tuple[Any, ...]:
    """Return where an operation's requests go, found once for each bucket and queue; and how they are signed."""
    place = (client.meta.endpoint_url, model.service_model.service_name, model.name, ignored)
    place = (*place, params.get("Bucket"), params.get("QueueUrl"))
    if place not in _endpoints:
        if len(_endpoints) == _KEPT_ENDPOINTS:
            _endpoints.clear()
        found = _RESOLVED(client, model, params, context, ignored)
        _endpoints[place] = found, {name: context[name] for name in ("auth_type", "signing") if name in context}
    (url, headers, properties), signing = _endpoints[place]
    context.update(deepcopy(signing))
    return url, dict(headers), properties


def _make_request(endpoint: Endpoint, model: OperationModel, request: dict[str, Any]) -> tuple[AWSResponse, Any]:
    answered = None
    match model.service_model.service_name:
        case "s3":
            answered = _of_store(model.name, request)
        case "sqs":
            answered = _of_queues(model, request)
        case service if service in _OF_JSON:
            answered = _of_json(service, model, request)
    if answered is None:
        return _LONG_WAY(endpoint, model, request)  # type: ignore[no-any-return]  # the SDK has no types
    status = 412 if answered is _PRESENT else 404 if answered is _ABSENT else 200
    return AWSResponse("", status, {}, None), {**answered, "ResponseMetadata": _metadata(status)}


def _metadata(status: int) -> dict[str, Any]:
    return {"HTTPStatusCode": status, "HTTPHeaders": {}, "RetryAttempts": 0}


def _of_store(operation: str, request: dict[str, Any]) -> dict[str, Any] | None:
    """Answer a plain request for one object or for the names in a bucket; None where it asks for more, or in vain."""
    place = urlsplit(request["url"])
    bucket, name = place.netloc.partition(".")[0], unquote(place.path).removeprefix("/")
    store, query, headers = s3_backends[ACCOUNT]["aws"], request["query_string"], request["headers"]
    if bucket not in store.buckets:
        return None
    match operation:
        case "GetObject" if not query and "Range" not in headers:
            return _object(store.get_object(bucket, name)) or _ABSENT
        case "PutObject" if not query and isinstance(request["body"], io.BytesIO):
            if headers.get("If-None-Match") == "*" and store.get_object(bucket, name) is not None:
                return _PRESENT
            stored = store.put_object(bucket, name, request["body"].getvalue())
            stored.set_metadata(metadata_from_headers(dict(headers)))
            stored.set_acl(store.get_bucket(bucket).acl)
            return {"ETag": stored.etag}
        case "ListObjectsV2" if not set(query) - {"list-type", "prefix", "encoding-type"}:
            return _names(store.get_bucket(bucket).keys, query.get("prefix", ""))
    return None


def _of_queues(model: OperationModel, request: dict[str, Any]) -> dict[str, Any] | None:
    """Answer a plain request for a queue; None where it is refused."""
    if model.name not in _OF_QUEUES:
        return None
    answered = moto_data.of_queue(model.name, json.loads(request["body"]), request["url"])
    if answered is None:
        return None
    members = model.output_shape.members if model.output_shape else ()
    return {name: value for name, value in answered.items() if name in members and value is not None}


def _of_json(service: str, model: OperationModel, request: dict[str, Any]) -> dict[str, Any] | None:
    """Answer a request by what moto answers to its body; None where it is refused."""
    answers, operations = _OF_JSON[service]
    if model.name not in operations:
        return None
    response = resolve_name(f"moto.{answers}")()
    response.current_account, response.region = ACCOUNT, REGION
    response.body, response.querystring, response.uri_match = request["body"], {}, None
    try:
        content = getattr(response, xform_name(model.name))().encode()
    except JsonRESTError:
        return None
    parsed: dict[str, Any] = _JSON.parse({"body": content, "headers": {}, "status_code": 200}, model.output_shape)
    return parsed


def _object(found: Any) -> dict[str, Any] | None:
    if found is None:
        return None
    content = found.value
    body = StreamingBody(io.BytesIO(content), len(content))
    metadata = {name.lower(): value for name, value in found.metadata.items()}
    headers_read = {key: metadata[name] for key, name in OBJECT_HEADERS.items() if name in metadata}
    return {"Body": body, "ContentLength": len(content), "ETag": found.etag, **headers_read}


def _names(objects: Any, prefix: str) -> dict[str, Any] | None:
    """List the names that begin with a prefix, in the order of their UTF-8; None where there are more than a page's."""
    names = sorted((name for name in objects if name.startswith(prefix)), key=str.encode)
    if len(names) > _PAGE:
        return None
    listed = [{"Key": name, "Size": objects[name].size, "ETag": objects[name].etag} for name in names]
    return {"KeyCount": len(listed), "IsTruncated": False, **({"Contents": listed} if listed else {})}
