"""Short ways into moto's buckets and tables.

Objects of buckets are read many in one call, without a request for each of them. A request to a table goes
to moto's operation as parsed JSON, and its result is returned.

moto and the SDK spend most of a request's time on its way: signing, headers, two parsers, two serializers. A table
stores none of that. An operation that moto refuses is repeated the long way by the caller, for the words of a
refusal are made there; a refused operation has stored nothing (see `moto_corrections`).

Updates and transactions are done in one pass. moto validates an update's tree with ten walks, copies the item twice and
compares it with what it was; a transaction parses and validates each of its actions twice. Here an update's text is
read once, and a new item takes the old one's place, with the values that did not change. That is done for ``SET`` of
attributes to values, other attributes, ``if_not_exists`` and sums, for ``REMOVE``, and for ``ADD`` of numbers, all by
placeholders. Whatever else is asked, and whatever might be refused, changes nothing and raises: the caller then asks
moto, whose answer counts. One request at a time (see `moto_corrections`).
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from moto.core.exceptions import ServiceException
from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.responses import DynamoHandler, DynamoResult, validate_put_has_empty_keys
from moto.s3.models import FakeKey, s3_backends
from moto.sqs.responses import SQSResponse

from local.aws.emulator import ITEM_OPERATIONS, OBJECT_HEADERS, REFUSED, write_json
from local.aws.moto_corrections import LARGEST_ITEM, dynamodb_backend, place_of, undoing
from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from moto.core.responses import ActionResult
    from moto.dynamodb.models.table import Table
    from moto.s3.models import S3Backend

_METADATA = "x-amz-meta-"
_ANY = "*"
_PAGE = 1000
"""Most objects of one list."""
_NO_OBJECT = "The specified key does not exist."
_NOT_SO = "At least one of the pre-conditions you specified did not hold"


def objects_page(ask: dict[str, Any]) -> dict[str, Any]:
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
    """Return the metadata stored with an object, by the SDK's names; its own metadata if there is any."""
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
        return dynamodb_backend()

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
            before, item = apply_update(self.dynamodb_backend.tables[wish["TableName"]], wish)
        except Exception:  # noqa: BLE001 - nothing was changed: moto says what it is
            return super().update_item()
        capacity = {"TableName": wish["TableName"], "CapacityUnits": 0.5}
        returned_item = {"ALL_NEW": item, "ALL_OLD": before}.get(returned)
        attributes = {} if returned_item is None else {"Attributes": returned_item.to_json()["Attributes"]}
        return DynamoResult({**attributes, "ConsumedCapacity": capacity})

    def transact_write_items(self) -> ActionResult:
        """Do a transaction at once, or as moto does."""
        try:
            transact(self.dynamodb_backend, self.body["TransactItems"])
        except Exception:  # noqa: BLE001 - as above
            return super().transact_write_items()
        return DynamoResult({"ConsumedCapacity": [], "ItemCollectionMetrics": {}})


def answer_to(operation: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return moto's answer to an operation on items; moto may keep the parsed parameters.

    Raises JsonRESTError for a refusal.
    """
    result: Any = getattr(_Tables(params), _METHODS[operation])().result
    return {name: value for name, value in result.items() if name in _ANSWERED and value is not None}


def of_queue(operation: str, params: dict[str, Any], address: str) -> dict[str, Any] | None:
    """Return moto's answer to an operation on a queue, which is asked at an address; None where it refuses."""
    handler: Any = SQSResponse()
    handler.region, handler.current_account, handler.uri, handler.uri_match = REGION, ACCOUNT, address, {}
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
    return write_json(answered)


_KINDS: Final = frozenset({"Put", "Update", "Delete", "ConditionCheck"})
_MOST_ACTIONS: Final = 100
_OPERAND: Final = r"[:#]\w+|if_not_exists\s*\(\s*#\w+\s*,\s*[:#]\w+\s*\)"
_CLAUSE: Final = re.compile(r"\s*(SET|REMOVE|ADD)\s+")
_ACTIONS: Final = {
    "SET": re.compile(rf"(#\w+)\s*=\s*({_OPERAND})(?:\s*([+-])\s*({_OPERAND}))?"),
    "REMOVE": re.compile(r"(#\w+)"),
    "ADD": re.compile(r"(#\w+)\s+(:\w+)"),
}
_COMMA: Final = re.compile(r"\s*,\s*")
_PLACEHOLDER: Final = re.compile(r"[:#]\w+")


class UnusualError(Exception):
    """The operation is not supported here; only moto itself can answer it."""


_Action = tuple[str, str, tuple[str, ...], str | None, tuple[str, ...]]


class _Update(NamedTuple):
    """An update's actions (clause, target, operand, sign, operand), and the placeholders that it names."""

    actions: tuple[_Action, ...]
    named: frozenset[str]


@lru_cache(2000)
def _read(expression: str) -> _Update | None:
    """Parse an update expression; return None if it needs more than is supported here."""
    actions: list[_Action] = []
    place, clauses = 0, set[str]()
    while clause := _CLAUSE.match(expression, place):
        kind, place = clause[1], clause.end()
        if kind in clauses:
            return None
        clauses.add(kind)
        while action := _ACTIONS[kind].match(expression, place):
            target, *others = action.groups()
            first, sign, second = (*others, None, None, None)[:3]
            before, after = (tuple(_PLACEHOLDER.findall(operand or "")) for operand in (first, second))
            actions.append((kind, target, before, sign, after))
            place = action.end()
            if not (comma := _COMMA.match(expression, place)):
                break
            place = comma.end()
        else:
            return None
    targets = {target for _, target, *_ in actions}
    if expression[place:].strip() or not actions or len(targets) < len(actions):
        return None
    return _Update(tuple(actions), frozenset(_PLACEHOLDER.findall(expression)))


def apply_update(table: Table, wish: Mapping[str, Any]) -> tuple[Item | None, Item]:
    """Update an item; return it as it was, None where there was none, and as it is."""
    update = _read(wish["UpdateExpression"])
    hash_key, range_key, before = _current(table, wish["Key"])
    if update is None or len(wish["Key"]) != 1 + (range_key is not None):
        raise UnusualError
    _check(wish, update.named, before)
    item: Any = Item.__new__(Item)
    item.hash_key, item.range_key, item.attrs = hash_key, range_key, LimitedSizeDict()
    dict.update(item.attrs, _changed(table, wish, update, {} if before is None else before.attrs))
    if item.size() > LARGEST_ITEM:
        raise UnusualError
    place, key = place_of(table, hash_key, range_key)
    place[key] = item
    if table.stream_shard is not None:
        table.stream_shard.add(before, item)
    return before, item


def _changed(  # noqa: C901 - what each clause may be, in one place
    table: Table, wish: Mapping[str, Any], update: _Update, old: Mapping[str, DynamoType]
) -> dict[str, DynamoType]:
    """Return an item's attributes after an update; operands are those before it."""
    names, values = wish.get("ExpressionAttributeNames") or {}, wish.get("ExpressionAttributeValues") or {}
    kinds = {definition["AttributeName"]: definition["AttributeType"] for definition in table.attr}
    attributes = dict(old) or {name: DynamoType(value) for name, value in wish["Key"].items()}

    def operand(placeholders: tuple[str, ...]) -> DynamoType:
        for placeholder in placeholders:
            if placeholder[0] == ":":
                return DynamoType(values[placeholder])
            if names[placeholder] in old:
                return old[names[placeholder]]
        raise UnusualError

    for clause, target, first, sign, second in update.actions:
        name = names[target]
        value = None if clause == "REMOVE" else operand(first)
        if name in wish["Key"] or (clause == "ADD" and value is not None and value.type != "N"):
            raise UnusualError
        if value is None:
            attributes.pop(name, None)
            continue
        if clause == "ADD" and name in old:
            value = old[name] + value
        elif sign is not None:
            value = value + operand(second) if sign == "+" else value - operand(second)
        if name in kinds and (kinds[name] != value.type or value.value == ""):
            raise UnusualError
        attributes[name] = value
    return attributes


def transact(backend: DynamoDBBackend, actions: Sequence[Mapping[str, Mapping[str, Any]]]) -> None:
    """Do all actions of a transaction; nothing is done where one is unusual or refused."""
    undo: list[Callable[[], None]] = []
    places: set[tuple[str, DynamoType, DynamoType | None]] = set()
    try:
        for action in actions:
            [(kind, wish)] = action.items()
            table = backend.tables[wish["TableName"]]
            hash_key, range_key, before = _current(table, wish["Item"] if kind == "Put" else wish["Key"])
            place = (table.name, hash_key, range_key)
            if place in places or len(places) == _MOST_ACTIONS or kind not in _KINDS:
                raise UnusualError  # noqa: TRY301 - undone below, as anything else
            places.add(place)
            undo.append(undoing(table, hash_key, range_key))
            if kind == "Update":
                apply_update(table, wish)
                continue
            _check(wish, frozenset(), before)
            if kind == "Put":
                validate_put_has_empty_keys(wish["Item"], table)
                table.put_item(wish["Item"], overwrite=True)
            elif kind == "Delete":
                table.delete_item(hash_key, range_key)
    except BaseException:
        for undone in reversed(undo):
            undone()
        raise


def _current(table: Table, key: Mapping[str, Any]) -> tuple[DynamoType, DynamoType | None, Item | None]:
    """Return a key's values, and the item that has it."""
    hash_key = DynamoType(key[table.hash_key_attr])
    items: Mapping[DynamoType, Any] = table.items
    if table.range_key_attr is None:
        return hash_key, None, items.get(hash_key)
    range_key = DynamoType(key[table.range_key_attr])
    return hash_key, range_key, items.get(hash_key, {}).get(range_key)


def _check(wish: Mapping[str, Any], named: frozenset[str], before: Item | None) -> None:
    """Raise unless the condition holds of the item and names every placeholder that is not ``named``."""
    names, values = wish.get("ExpressionAttributeNames"), wish.get("ExpressionAttributeValues")
    parser = ConditionExpressionParser(wish.get("ConditionExpression"), names, values)
    if not parser.parse().expr(before):
        raise UnusualError
    if not {*(names or ()), *(values or ())} <= {*named, *parser.expr_attr_names_found, *parser.expr_attr_values_found}:
        raise UnusualError
