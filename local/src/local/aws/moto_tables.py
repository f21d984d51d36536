"""Ask moto's tables by a short way: the JSON of a request goes to the operation, and what it returns comes back.

moto and the SDK spend most of a request's time on its way: signing, headers, two parsers, two serializers. None of that
is what a table stores. An operation that moto refuses is asked again the long way by the caller, for the words of a
refusal are made there; a refused operation has stored nothing (see `moto_corrections`).
"""

from __future__ import annotations

import base64
import json
from typing import Any

from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.responses import DynamoHandler

from local.environment import ACCOUNT, REGION

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
    """Return what moto answers to an operation on items, bytes as bytes; None where the long way must be taken."""
    if operation not in OPERATIONS:
        return None
    params = json.loads(body, object_hook=with_bytes if b'"B' in body else None)
    try:
        return answer_to(operation, params)
    except Exception:  # noqa: BLE001 - a refusal, or a fault of moto's own: the long way says which
        return None


def answer_to(operation: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return what moto answers to an operation of OPERATIONS with parsed parameters, which moto may keep.

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
