"""Short ways into moto's buckets and tables.

Objects of buckets are read many in one call, without a request for each of them. A request to a table goes
to moto's operation as parsed JSON, and its result is returned.

moto and the SDK spend most of a request's time on its way: signing, headers, two parsers, two serializers. A table
stores none of that. An operation that moto refuses is repeated the long way by the caller, for the words of a
refusal are made there; a refused operation has stored nothing (see `moto_corrections`).
"""

from __future__ import annotations

import base64
import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.responses import DynamoHandler
from moto.s3.models import FakeKey, s3_backends

from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from moto.s3.models import S3Backend

_HEADERS = {
    "ContentType": "content-type",
    "ContentEncoding": "content-encoding",
    "CacheControl": "cache-control",
    "ContentDisposition": "content-disposition",
}
"""Map boto3's names of what is stored beside an object's bytes to moto's."""
_METADATA = "x-amz-meta-"


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
        lowered = {name.lower(): value for name, value in stored.metadata.items()}
        headers: dict[str, Any] = {name: lowered[header] for name, header in _HEADERS.items() if lowered.get(header)}
        metadata = {
            name.removeprefix(_METADATA): value for name, value in lowered.items() if name.startswith(_METADATA)
        }
        chosen.append(
            {
                "bucket": bucket,
                "key": key,
                "headers": {**headers, "Metadata": metadata} if metadata else headers,
                "content": encoded,
            }
        )
    return {"objects": chosen}


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


OPERATIONS = {
    name: camelcase_to_underscores(name)
    for name in (
        *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"),
        *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
    )
}
"""Operations on items, and moto's names of them."""
_ANSWERED = frozenset(
    {
        *("Attributes", "Item", "Items", "Count", "ScannedCount", "LastEvaluatedKey", "Responses"),
        *("UnprocessedItems", "UnprocessedKeys", "ConsumedCapacity", "ItemCollectionMetrics"),
    }
)
"""Lists the members that these operations answer with; moto adds others, which its serializer drops."""


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


def answer(operation: str, body: bytes) -> dict[str, Any] | None:
    """Return moto's answer to an operation on items, bytes as bytes; None if only moto's own way can answer it."""
    if operation not in OPERATIONS:
        return None
    params = json.loads(body, object_hook=with_bytes if b'"B' in body else None)
    try:
        return answer_to(operation, params)
    except Exception:  # noqa: BLE001 - a refusal, or a fault of moto's own: the long way says which
        return None


def answer_to(operation: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return moto's answer to an operation of OPERATIONS; moto may keep the parsed parameters.

    Raises JsonRESTError for a refusal.
    """
    result: Any = getattr(_Tables(params), OPERATIONS[operation])().result
    return {name: value for name, value in result.items() if name in _ANSWERED and value is not None}


def to_wire(answered: dict[str, Any]) -> bytes:
    """Return an answer as it goes over the wire."""
    return json.dumps(answered, default=to_base64).encode()


def with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    """Return an attribute's value with its bytes decoded, anything else as it is."""
    if len(value) == 1:
        match value:
            case {"B": str(content)}:
                return {"B": base64.b64decode(content)}
            case {"BS": [str(), *_] as members}:
                return {"BS": [base64.b64decode(member) for member in members]}
    return value


def to_base64(content: bytes) -> str:
    """Return bytes as JSON carries them."""
    return base64.b64encode(content).decode()
