"""Short ways into moto's buckets and tables.

Objects of buckets are read many in one call, without a request for each of them. A request to a table goes
to moto's operation as parsed JSON, and its result is returned.

moto and the SDK spend most of a request's time on its way: signing, headers, two parsers, two serializers. A table
stores none of that. An operation that moto refuses is repeated the long way by the caller, for the words of a
refusal are made there; a refused operation has stored nothing (see `moto_corrections`).
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from moto.core.exceptions import ServiceException
from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.responses import DynamoHandler, DynamoResult
from moto.s3.models import FakeKey, s3_backends
from moto.sqs.responses import SQSResponse

from local.aws import table_writes
from local.aws.line import ITEM_OPERATIONS, OBJECT_HEADERS, REFUSED, to_base64
from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from moto.core.responses import ActionResult
    from moto.s3.models import S3Backend

_METADATA = "x-amz-meta-"
_ANY = "*"
_PAGE = 1000
"""Most objects of one list."""
_NO_OBJECT = "The specified key does not exist."
_NOT_SO = "At least one of the pre-conditions you specified did not hold"


def some(ask: dict[str, Any]) -> dict[str, Any]:
    """Return objects of `buckets` whose keys begin with `prefix` and follow the place `after`, by bucket and key.

    So many as have `limit` bytes, at least one, if there is one.
    """
    chosen: list[dict[str, Any]] = []
    size = 0
    for bucket, key in _places():
        if bucket not in ask["buckets"] or not key.startswith(ask["prefix"]) or [bucket, key] <= ask["after"]:
            continue
        stored = _backend().get_object(bucket, key)
        assert stored is not None  # noqa: S101 - listed just now, for the type checker
        content = stored.value
        size += len(content)
        if chosen and size > ask["limit"]:
            break
        encoded = b64encode(content).decode()
        chosen.append({"bucket": bucket, "key": key, "headers": _headers(stored), "content": encoded})
    return {"objects": chosen}


def _headers(stored: FakeKey) -> dict[str, Any]:
    """Return what is stored beside an object's content, by the SDK's names; its own metadata if there is any."""
    lowered = {name.lower(): value for name, value in stored.metadata.items()}
    headers: dict[str, Any] = {name: lowered[header] for name, header in OBJECT_HEADERS.items() if lowered.get(header)}
    metadata = {name.removeprefix(_METADATA): value for name, value in lowered.items() if name.startswith(_METADATA)}
    return {**headers, "Metadata": metadata} if metadata else headers


def _places() -> list[tuple[str, str]]:
    """List every object that there is, by bucket and key."""
    return sorted(
        (name, key)
        for name, bucket in _backend().buckets.items()
        for key in bucket.keys
        if isinstance(bucket.keys[key], FakeKey)
    )


def _backend() -> S3Backend:
    return s3_backends[ACCOUNT]["aws"]


_METHODS = {name: camelcase_to_underscores(name) for name in ITEM_OPERATIONS}
"""moto's names of the operations on items."""
_ANSWERED = frozenset(
    {
        *("Attributes", "Item", "Items", "Count", "ScannedCount", "LastEvaluatedKey", "Responses"),
        *("UnprocessedItems", "UnprocessedKeys", "ConsumedCapacity", "ItemCollectionMetrics"),
    }
)
"""Lists the members that these operations answer with; moto adds others, which its serializer drops."""


_LARGEST_ANSWER = 16 * 1024 * 1024
_RETURNED = frozenset({"NONE", "ALL_NEW", "ALL_OLD"})
_EARLIER = frozenset({"AttributeUpdates", "Expected"})
"""Parameters of a time before expressions."""


class _Tables(DynamoHandler):
    """moto's operations on tables, given parameters that are parsed."""

    def __init__(self, params: dict[str, Any]) -> None:
        super().__init__()
        self.body = self.params = params
        self.region, self.current_account, self.uri_match = REGION, ACCOUNT, {}

    @property
    def dynamodb_backend(self) -> DynamoDBBackend:
        """Return the tables of the one account and region."""
        return dynamodb_backends[ACCOUNT][REGION]

    def batch_get_item(self) -> ActionResult:
        """Return whole items at once, fewer than an answer may hold, or what moto returns."""
        requests, backend = self.body["RequestItems"], self.dynamodb_backend
        if any(request.keys() - {"Keys", "ConsistentRead"} for request in requests.values()):
            return super().batch_get_item()
        items_by_table = {
            table: [item for key in request["Keys"] if (item := backend.get_item(table, key))]
            for table, request in requests.items()
        }
        if sum(item.size() for items in items_by_table.values() for item in items) > _LARGEST_ANSWER:
            return super().batch_get_item()
        responses = {table: [item.to_json()["Attributes"] for item in items] for table, items in items_by_table.items()}
        capacity = [{"CapacityUnits": len(request["Keys"]), "TableName": table} for table, request in requests.items()]
        return DynamoResult({"ConsumedCapacity": capacity, "Responses": responses, "UnprocessedKeys": {}})

    def update_item(self) -> ActionResult:
        """Update an item at once, or as moto does."""
        wish, returned = self.body, self.body.get("ReturnValues", "NONE")
        if returned not in _RETURNED or not wish.get("UpdateExpression") or _EARLIER & wish.keys():
            return super().update_item()
        try:
            before, item = table_writes.updated(self.dynamodb_backend.tables[wish["TableName"]], wish)
        except Exception:  # noqa: BLE001 - nothing was changed: moto says what it is
            return super().update_item()
        capacity = {"TableName": wish["TableName"], "CapacityUnits": 0.5}
        returned_item = {"ALL_NEW": item, "ALL_OLD": before}.get(returned)
        attributes = {} if returned_item is None else {"Attributes": returned_item.to_json()["Attributes"]}
        return DynamoResult({**attributes, "ConsumedCapacity": capacity})

    def transact_write_items(self) -> ActionResult:
        """Do a transaction at once, or as moto does."""
        try:
            table_writes.transacted(self.dynamodb_backend, self.body["TransactItems"])
        except Exception:  # noqa: BLE001 - as above
            return super().transact_write_items()
        return DynamoResult({"ConsumedCapacity": [], "ItemCollectionMetrics": {}})


def answer_to(operation: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return moto's answer to an operation on items; moto may keep the parsed parameters.

    Raises JsonRESTError for a refusal.
    """
    result: Any = getattr(_Tables(params), _METHODS[operation])().result
    return {name: value for name, value in result.items() if name in _ANSWERED and value is not None}


def of_queue(operation: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return moto's answer to an operation on a queue; None where it refuses."""
    handler: Any = SQSResponse()
    handler.region, handler.current_account, handler.uri, handler.uri_match = REGION, ACCOUNT, params["QueueUrl"], {}
    handler.params = handler.body = params
    try:
        return getattr(handler, camelcase_to_underscores(operation))().result or {}
    except ServiceException:
        return None


def of_object(operation: str, params: dict[str, Any]) -> dict[str, Any] | None:  # noqa: PLR0911 - one per way
    """Return an object, what is known of one that was put, or a bucket's objects, or a refusal; None where moto's own
    way is to answer.

    That is what is about no bucket, or one with a policy or locks, or has another condition than that there is none.
    """
    name, key = params["Bucket"], params.get("Key", "")
    bucket = _backend().buckets.get(name)
    if bucket is None or bucket.policy is not None or bucket.object_lock_enabled:
        return None
    if operation == "ListObjectsV2":
        return _listed(bucket.keys, params.get("Prefix", ""))
    stored = _backend().get_object(name, key)
    if operation == "GetObject":
        if stored is None:
            return {REFUSED: {"Code": "NoSuchKey", "Message": _NO_OBJECT, "Key": key}, "status": 404}
        content = stored.value
        return {"Body": b64encode(content).decode(), "ContentLength": len(content), **_known(stored)}
    if params.get("IfNoneMatch", _ANY) != _ANY:
        return None
    if stored is not None and "IfNoneMatch" in params:
        refusal = {"Code": "PreconditionFailed", "Message": _NOT_SO, "Condition": "If-None-Match"}
        return {REFUSED: refusal, "status": 412}
    put = _backend().put_object(name, key, b64decode(params.get("Body", "")))
    put.set_metadata({header.title(): params[param] for param, header in OBJECT_HEADERS.items() if param in params})
    put.set_acl(bucket.acl)
    return {name: value for name, value in _known(put).items() if name in {"ETag", "VersionId"}}


def _known(stored: FakeKey) -> dict[str, Any]:
    version = {} if stored.version_id == "null" else {"VersionId": stored.version_id}
    return {"ETag": stored.etag, "Metadata": {}, **_headers(stored), **version}


def _listed(objects: Any, prefix: str) -> dict[str, Any] | None:
    """List the objects whose keys begin with a prefix, in the order of their UTF-8; None for more than a page's."""
    keys = [key for key in objects if key.startswith(prefix) and isinstance(objects[key], FakeKey)]
    if len(keys) > _PAGE:
        return None
    listed = [
        {"Key": key, "ETag": objects[key].etag, "Size": objects[key].size} for key in sorted(keys, key=str.encode)
    ]
    return {"KeyCount": len(listed), "IsTruncated": False, **({"Contents": listed} if listed else {})}


def to_wire(answered: dict[str, Any]) -> bytes:
    """Return an answer as it goes over the wire."""
    return json.dumps(answered, default=to_base64).encode()
