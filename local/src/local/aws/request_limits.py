"""AWS's documented limits of one request, and its size in the units of AWS's bills.

`refusal` is asked for every request of the local cloud (moto_server) and of the tests' stage, before moto, which takes
much that AWS refuses. It gets the request's parameters as the SDK has them. Each limit names the page of AWS's
documentation that states it. Sizes are in bytes.

The API references were read as the pinned SDK carries them (botocore's descriptions of operations), the pages of
guides are named from memory where they only repeat a number.

What AWS also limits and another part of the local cloud keeps: events and answers of functions (lambdas/runtime),
frames and messages of the event channel in both directions (gateways/sockets).

:class:`Meter` counts the functions' requests in the units of the services' price lists. DynamoDB's read units are 4 KB
of an item, half of one where the latest write need not be seen, its write units 1 KB; both double in a transaction.
Sizes are those of the items as DynamoDB counts them; of what an update or a deletion leaves, as it stands afterwards.
Objects are read or written a request at a time. Messages are sent, received and deleted as if none were ever in a batch
with another, for the size of batches depends on the machine.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

KIB, MIB = 1024, 1024 * 1024

DYNAMO_PAGES: Final = {
    "quotas": "Amazon DynamoDB Developer Guide, Quotas in Amazon DynamoDB",
    "put": "Amazon DynamoDB API Reference, PutItem",
    "transaction": "Amazon DynamoDB API Reference, TransactWriteItems",
    "reads": "Amazon DynamoDB API Reference, BatchGetItem",
    "writes": "Amazon DynamoDB API Reference, BatchWriteItem",
}
SQS_PAGE: Final = "Amazon SQS Developer Guide, Amazon SQS message quotas"
SQS_NAMES_PAGE: Final = "Amazon SQS Developer Guide, Amazon SQS standard queue quotas"
SQS_SIZE_PAGE: Final = "Amazon SQS API Reference, SendMessage and SendMessageBatch"
EVENTS_PAGE: Final = "Amazon EventBridge API Reference, PutEvents"
S3_KEYS_PAGE: Final = "Amazon S3 User Guide, Naming Amazon S3 objects"
S3_NAMES_PAGE: Final = "Amazon S3 User Guide, General purpose bucket naming rules"
S3_METADATA_PAGE: Final = "Amazon S3 User Guide, Working with object metadata"
S3_PUT_PAGE: Final = "Amazon S3 User Guide, Uploading objects"
SECRETS_PAGE: Final = "AWS Secrets Manager API Reference, CreateSecret and PutSecretValue"
BATCH_PAGE: Final = "AWS Batch API Reference, SubmitJob"

TRANSACTION_ITEMS = 100
TRANSACTION_BYTES = 4 * MIB
BATCH_READS, BATCH_WRITES = 100, 25
BATCH_WRITE_BYTES = 16 * MIB
ITEM_BYTES = 400 * KIB
PARTITION_KEY_BYTES, SORT_KEY_BYTES = 2048, 1024
EXPRESSION_BYTES = 4 * KIB
EXPRESSION_VALUES_BYTES = 2 * MIB
PLACEHOLDER_BYTES = 255
IN_OPERANDS = 100
NESTING = 32
MESSAGES, MESSAGE_BYTES = 10, MIB
MESSAGE_DELAY_S = 900
EVENTS, EVENT_BYTES = 10, MIB
EVENT_TYPE = 128
OBJECT_KEY_BYTES = 1024
OBJECT_METADATA_BYTES = 2 * KIB
OBJECT_PUT_BYTES = 5 * 1024 * MIB
SECRET_BYTES = 64 * KIB
JOB_NAME = 128

_TABLE_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_QUEUE_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,80}|[a-zA-Z0-9_-]{1,75}\.fifo")
_BUCKET_NAME: Final = re.compile(r"(?!xn--|sthree-)(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_SECRET_NAME: Final = re.compile(r"[a-zA-Z0-9/_+=.@-]{1,512}")
_ENTRY_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,80}")
_JOB_NAME: Final = re.compile(rf"[a-zA-Z0-9][a-zA-Z0-9_-]{{0,{JOB_NAME - 1}}}")
_NO_TEXT: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that a message may not hold."""
_IN: Final = re.compile(r"\bIN\s*\(([^)]*)\)", re.IGNORECASE)
_EXPRESSIONS: Final = (
    *("ConditionExpression", "FilterExpression", "KeyConditionExpression"),
    *("ProjectionExpression", "UpdateExpression"),
)
_NUMBER_DIGITS = 38
_PLAIN: Final = frozenset({"S", "B", "BOOL", "NULL"})
"""Kinds of values without numbers, sets or members."""

KeyNames = Callable[[str], Sequence[str]]
"""Returns the names of a table's key attributes, the partition key's first; empty for an unknown table."""
Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """AWS's answer to a request beyond a limit: its error code and message, and the page that states the limit."""

    code: str
    message: str
    page: str


def refusal(service: str, operation: str, params: Params, key_names: KeyNames) -> Refusal | None:
    """Return why AWS would refuse a request; None for one within the limits.

    `service` is the SDK's name of it. O(size of the request).
    """
    check = _CHECKS.get(service)
    return next(check(operation, params, key_names), None) if check else None


# DynamoDB ---------------------------------------------------------------------------------------------------------


def _dynamo(operation: str, params: Params, key_names: KeyNames) -> Iterator[Refusal]:
    match operation:
        case "TransactWriteItems" | "TransactGetItems":
            yield from _transaction(params["TransactItems"], key_names)
        case "BatchWriteItem":
            yield from _batch_of_writes(params["RequestItems"], key_names)
        case "BatchGetItem":
            yield from _batch_of_reads(params["RequestItems"], key_names)
        case "CreateTable":
            if not _TABLE_NAME.fullmatch(params["TableName"]):
                yield _invalid("TableName must be 3 to 255 letters, digits, _, - and .", "quotas")
        case _:
            yield from _about_item(params, key_names)


def _transaction(actions: Sequence[Params], key_names: KeyNames) -> Iterator[Refusal]:
    if not 1 <= len(actions) <= TRANSACTION_ITEMS:
        message = f"Member must have length less than or equal to {TRANSACTION_ITEMS}, greater than or equal to 1"
        yield _invalid(f"transactItems: {message}", "transaction")
    whats = [what for action in actions for what in action.values()]
    for what in whats:
        yield from _about_item(what, key_names)
    keys = [(what["TableName"], _key(what, key_names(what["TableName"]))) for what in whats]
    if len(set(keys)) < len(keys):
        yield _invalid("Transaction request cannot include multiple operations on one item", "transaction")
    if sum(_sent(what) for what in whats) > TRANSACTION_BYTES:
        yield _invalid("Transaction request exceeds the size of 4 MB of all items", "transaction")


def _batch_of_writes(tables: Mapping[str, Sequence[Params]], key_names: KeyNames) -> Iterator[Refusal]:
    count = sum(map(len, tables.values()))
    if not 1 <= count <= BATCH_WRITES or not all(tables.values()):
        yield _invalid("Too many items requested for the BatchWriteItem call, or none", "writes")
    size = 0
    for table, writes in tables.items():
        names = key_names(table)
        whats = [what for write in writes for what in write.values()]
        for what in whats:
            yield from _about_item(what, lambda _, names=names: names)  # type: ignore[misc]  # one argument, one default
        keys = [_key(what, names) for what in whats]
        if len(set(keys)) < len(keys):
            yield _invalid("Provided list of item keys contains duplicates", "writes")
        size += sum(map(_sent, whats))
    if size > BATCH_WRITE_BYTES:
        yield _invalid("The request of a BatchWriteItem call exceeds 16 MB", "writes")


def _batch_of_reads(tables: Mapping[str, Params], key_names: KeyNames) -> Iterator[Refusal]:
    count = sum(len(read["Keys"]) for read in tables.values())
    if not 1 <= count <= BATCH_READS or not all(read["Keys"] for read in tables.values()):
        yield _invalid("Too many items requested for the BatchGetItem call, or none", "reads")
    for table, read in tables.items():
        names = key_names(table)
        keys = [_key({"Key": key}, names) for key in read["Keys"]]
        if len(set(keys)) < len(keys):
            yield _invalid("Provided list of item keys contains duplicates", "reads")
        yield from _expressions(read)


def _about_item(params: Params, key_names: KeyNames) -> Iterator[Refusal]:
    """Refuse one item's key, attributes or expressions."""
    item = params.get("Item", {})
    place = params.get("Key") or item
    names = key_names(params.get("TableName", ""))
    for name, most, kind in zip(names, (PARTITION_KEY_BYTES, SORT_KEY_BYTES), ("hashkey", "range keys"), strict=False):
        if name in place and not 1 <= _value_bytes(place[name]) <= most:
            yield _invalid(f"One or more parameter values were invalid: size of {kind} is not 1 to {most}", "quotas")
    if item and item_bytes(item) > ITEM_BYTES:
        yield _invalid("Item size has exceeded the maximum allowed size", "quotas")
    values = params.get("ExpressionAttributeValues", {})
    sizes = [_value_bytes(value) for value in values.values()]
    if max(sizes, default=0) > ITEM_BYTES:
        yield _invalid("Item size to update has exceeded the maximum allowed size", "quotas")
    if sum(sizes) > EXPRESSION_VALUES_BYTES:
        yield _invalid("ExpressionAttributeValues exceed 2 MB", "quotas")
    for value in chain(item.values(), values.values()):
        if value.keys().isdisjoint(_PLAIN):
            yield from _about_value(value)
    yield from _expressions(params)


def _about_value(value: Params) -> Iterator[Refusal]:
    if _depth(value) > NESTING:
        yield _invalid("Nesting Levels have exceeded supported limits", "quotas")
    if _has_empty_set(value):
        yield _invalid("One or more parameter values were invalid: A set may not be empty", "put")
    if any(len(number) > _NUMBER_DIGITS < len(_digits(number)) for number in _numbers(value)):
        yield _invalid("Attempting to store more than 38 significant digits in a Number", "quotas")


def _expressions(params: Params) -> Iterator[Refusal]:
    for name in _EXPRESSIONS:
        expression = params.get(name)
        if expression is None:
            continue
        if not 1 <= len(expression.encode()) <= EXPRESSION_BYTES:
            yield _invalid(
                f"Invalid {name}: Expression size has exceeded the maximum allowed size, or is empty", "quotas"
            )
        if any(operands.count(",") >= IN_OPERANDS for operands in _IN.findall(expression)):
            yield _invalid(f"Invalid {name}: The IN operator is provided with too many operands", "quotas")
    for placeholder in chain(params.get("ExpressionAttributeNames", {}), params.get("ExpressionAttributeValues", {})):
        if len(placeholder.encode()) > PLACEHOLDER_BYTES:
            yield _invalid("An expression attribute name or value is longer than 255 bytes", "quotas")


def _invalid(message: str, page: str) -> Refusal:
    return Refusal("ValidationException", message, DYNAMO_PAGES[page])


def _key(what: Params, names: Sequence[str]) -> tuple[Any, ...]:
    """Return an operation's key as a value to be compared; of an unknown table, which moto refuses, a value alone."""
    place = what.get("Key") or what.get("Item", {})
    if not names or any(name not in place for name in names):
        return (object(),)
    return tuple((kind, str(value)) for name in names for kind, value in place[name].items())


def _sent(what: Params) -> int:
    return item_bytes({**what.get("Key", {}), **what.get("Item", {}), **what.get("ExpressionAttributeValues", {})})


def item_bytes(item: Params) -> int:
    """Return an item's size (Developer Guide, DynamoDB item sizes and formats)."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Params) -> int:
    [(kind, content)] = value.items()
    return _SIZES[kind](content) if kind in _SIZES else 1


def _binary_bytes(content: Any) -> int:
    """Return the size of bytes; on the wire they are base64."""
    return len(content) * 3 // 4 - content[-2:].count("=") if isinstance(content, str) else len(content)


def _number_bytes(number: str) -> int:
    return min(21, 1 + -(-len(_digits(number)) // 2))


_SIZES: Final[Mapping[str, Callable[[Any], int]]] = {
    "S": lambda content: len(content if content.isascii() else content.encode("utf-8", "surrogatepass")),
    "N": _number_bytes,
    "B": _binary_bytes,
    "SS": lambda content: sum(len(member.encode()) for member in content),
    "NS": lambda content: sum(map(_number_bytes, content)),
    "BS": lambda content: sum(map(_binary_bytes, content)),
    "L": lambda content: 3 + sum(1 + _value_bytes(member) for member in content),
    "M": lambda content: 3 + len(content) + item_bytes(content),
}
"""Size of an attribute's value by its kind; a truth value and nothing take one byte."""


def _digits(number: str) -> str:
    mantissa = number.lower().partition("e")[0].replace(".", "").lstrip("+-0")
    return mantissa.rstrip("0")


def _numbers(value: Params) -> Iterator[str]:
    [(kind, content)] = value.items()
    match kind:
        case "N":
            yield content
        case "NS":
            yield from content
        case "L" | "M":
            for member in content.values() if kind == "M" else content:
                yield from _numbers(member)


def _has_empty_set(value: Params) -> bool:
    [(kind, content)] = value.items()
    if kind in {"L", "M"}:
        return any(map(_has_empty_set, content.values() if kind == "M" else content))
    return kind in {"SS", "NS", "BS"} and not content


def _depth(value: Params) -> int:
    [(kind, content)] = value.items()
    members = content.values() if kind == "M" else content if kind == "L" else ()
    return 1 + max(map(_depth, members), default=0) if kind in {"L", "M"} else 0


# Other services ---------------------------------------------------------------------------------------------------


def _sqs(operation: str, params: Params, _: KeyNames) -> Iterator[Refusal]:
    if operation == "CreateQueue":
        if not _QUEUE_NAME.fullmatch(params["QueueName"]):
            message = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
            yield Refusal("InvalidParameterValue", message, SQS_NAMES_PAGE)
        return
    if operation.endswith("Batch"):
        yield from _batch_of_messages(params["Entries"])
    if operation in {"SendMessage", "SendMessageBatch"}:
        for message in params.get("Entries", [params]):
            yield from _message(message)
    if operation == "ReceiveMessage" and not 1 <= int(params.get("MaxNumberOfMessages", 1)) <= MESSAGES:
        yield Refusal("InvalidParameterValue", "MaxNumberOfMessages must be between 1 and 10", SQS_PAGE)


def _batch_of_messages(entries: Sequence[Params]) -> Iterator[Refusal]:
    prefix = "AWS.SimpleQueueService."
    if not entries:
        yield Refusal(f"{prefix}EmptyBatchRequest", "The batch request doesn't contain any entries", SQS_PAGE)
    if len(entries) > MESSAGES:
        message = f"Maximum number of entries per request are {MESSAGES}. You have sent {len(entries)}."
        yield Refusal(f"{prefix}TooManyEntriesInBatchRequest", message, SQS_PAGE)
    ids = [str(entry["Id"]) for entry in entries]
    if not all(map(_ENTRY_ID.fullmatch, ids)):
        message = "A batch entry id can only contain alphanumeric characters, hyphens and underscores, at most 80"
        yield Refusal(f"{prefix}InvalidBatchEntryId", message, SQS_PAGE)
    if len(set(ids)) < len(ids):
        yield Refusal(f"{prefix}BatchEntryIdsNotDistinct", "Two or more batch entries have the same Id", SQS_PAGE)
    if sum(_message_bytes(entry) for entry in entries) > MESSAGE_BYTES:
        message = f"Batch requests cannot be longer than {MESSAGE_BYTES} bytes"
        yield Refusal(f"{prefix}BatchRequestTooLong", message, SQS_SIZE_PAGE)


def _message(message: Params) -> Iterator[Refusal]:
    body = message["MessageBody"]
    if not 1 <= _message_bytes(message) <= MESSAGE_BYTES:
        words = f"One or more parameters are invalid. Reason: Message must be 1 to {MESSAGE_BYTES} bytes."
        yield Refusal("InvalidParameterValue", words, SQS_SIZE_PAGE)
    if _NO_TEXT.search(body):
        yield Refusal("InvalidMessageContents", "Invalid characters found in the message", SQS_PAGE)
    if len(message.get("MessageAttributes") or {}) > MESSAGES:
        yield Refusal("InvalidParameterValue", "Number of message attributes exceeds 10", SQS_PAGE)
    if not 0 <= int(message.get("DelaySeconds", 0)) <= MESSAGE_DELAY_S:
        yield Refusal("InvalidParameterValue", "DelaySeconds must be between 0 and 900", SQS_NAMES_PAGE)


def _message_bytes(message: Params) -> int:
    attributes = message.get("MessageAttributes") or {}
    size = len(str(message.get("MessageBody", "")).encode("utf-8", "surrogatepass"))
    for name, value in attributes.items():
        size += len(name.encode()) + sum(len(str(part).encode()) for part in value.values())
    return size


def _events(operation: str, params: Params, _: KeyNames) -> Iterator[Refusal]:
    if operation != "PutEvents":
        return
    entries = params["Entries"]
    if not 1 <= len(entries) <= EVENTS:
        message = "1 validation error detected: 'entries' must have 1 to 10 members"
        yield Refusal("ValidationException", message, EVENTS_PAGE)
    for entry in entries:
        parts = [
            entry.get("Source", ""),
            entry.get("DetailType", ""),
            entry.get("Detail", ""),
            *entry.get("Resources", ()),
        ]
        if sum(len(part.encode()) for part in parts) + 14 * ("Time" in entry) > EVENT_BYTES:
            yield Refusal(
                "ValidationException", "Total size of the entries in the request is over the limit.", EVENTS_PAGE
            )
        if len(entry.get("DetailType", "")) > EVENT_TYPE:
            yield Refusal("ValidationException", "DetailType is longer than 128 characters", EVENTS_PAGE)


def _s3(operation: str, params: Params, _: KeyNames) -> Iterator[Refusal]:
    if operation == "CreateBucket" and not _BUCKET_NAME.fullmatch(params["Bucket"]):
        yield Refusal("InvalidBucketName", "The specified bucket is not valid.", S3_NAMES_PAGE)
    if len(str(params.get("Key", "")).encode("utf-8", "surrogatepass")) > OBJECT_KEY_BYTES:
        yield Refusal("KeyTooLongError", "Your key is too long", S3_KEYS_PAGE)
    metadata = params.get("Metadata") or {}
    if sum(len(name.encode()) + len(str(value).encode()) for name, value in metadata.items()) > OBJECT_METADATA_BYTES:
        message = "Your metadata headers exceed the maximum allowed metadata size"
        yield Refusal("MetadataTooLarge", message, S3_METADATA_PAGE)
    body = params.get("Body", b"")
    size = int(params.get("ContentLength") or (len(body) if isinstance(body, bytes | str) else 0))
    if operation == "PutObject" and size > OBJECT_PUT_BYTES:
        yield Refusal("EntityTooLarge", "Your proposed upload exceeds the maximum allowed object size.", S3_PUT_PAGE)


def _secrets(operation: str, params: Params, _: KeyNames) -> Iterator[Refusal]:
    if operation == "CreateSecret" and not _SECRET_NAME.fullmatch(params["Name"]):
        yield Refusal("ValidationException", "Invalid name. 1 to 512 of letters, digits and /_+=.@-", SECRETS_PAGE)
    if len(str(params.get("SecretString", "")).encode()) > SECRET_BYTES:
        yield Refusal("ValidationException", "The secret value is longer than 65536 bytes", SECRETS_PAGE)


def _batch(operation: str, params: Params, _: KeyNames) -> Iterator[Refusal]:
    if operation != "SubmitJob":
        return
    if not _JOB_NAME.fullmatch(params["jobName"]):
        message = f"Job name should match valid pattern: up to {JOB_NAME} letters, digits, hyphens and underscores"
        yield Refusal("ClientException", message, BATCH_PAGE)


_CHECKS: Final[Mapping[str, Callable[[str, Params, KeyNames], Iterator[Refusal]]]] = {
    "dynamodb": _dynamo,
    "sqs": _sqs,
    "events": _events,
    "s3": _s3,
    "secretsmanager": _secrets,
    "batch": _batch,
}


READS, WRITES = "table_read_units", "table_write_units"
OBJECT_READS, OBJECT_WRITES = "object_reads", "object_writes"
QUEUES = "queue_requests"
_READ_BYTES, _WRITE_BYTES = 4096, 1024
_TRANSACTION: Final = 2
_EVENTUAL: Final = 0.5
"""Part of a unit that a read costs which may miss the latest write."""
_FREE: Final = frozenset({"DELETE"})
_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
Stored = Callable[[str, Mapping[str, Any]], Mapping[str, Any] | None]
"""Returns the item of a table with a key as it stands; None for no item."""


class Meter:
    """Counts by kind, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: defaultdict[str, float] = defaultdict(float)

    def add(self, kind: str, count: float = 1) -> None:
        """Add to the count of a kind of request."""
        with self._lock:
            self._counts[kind] += count

    def counts(self) -> dict[str, float]:
        """Return the counts so far, by kind."""
        with self._lock:
            return dict(self._counts)

    def note_items(
        self, operation: str, request: Mapping[str, Any], answered: Mapping[str, Any], stored: Stored
    ) -> None:
        """Count a function's operation on items."""
        for kind, count in _units(operation, request, answered, stored):
            self.add(kind, count)

    def note(self, environ: Mapping[str, Any], request: bytes, answered: bytes, stored: Stored) -> None:
        """Count a request of a function and its answer; an answer that is a refusal costs as much."""
        service, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
        if service.startswith("DynamoDB"):
            self.note_items(operation, _read(request), _read(answered), stored)
        elif service == "AmazonSQS":
            self.add(QUEUES, len(_read(request).get("Entries", ["one"])))
        elif not service and environ["REQUEST_METHOD"] not in _FREE:
            one_object = "/" in environ["PATH_INFO"].strip("/")
            reads = environ["REQUEST_METHOD"] in {"GET", "HEAD"} and one_object
            self.add(OBJECT_READS if reads else OBJECT_WRITES)


def _units(
    operation: str, request: Mapping[str, Any], answer: Mapping[str, Any], stored: Stored
) -> Iterator[tuple[str, float]]:
    if operation == "TransactWriteItems":
        for action in request["TransactItems"]:
            yield from ((WRITES, _TRANSACTION * _written(what, what["TableName"], stored)) for what in action.values())
    elif operation == "BatchGetItem":
        for table, read in request["RequestItems"].items():
            items = answer.get("Responses", {}).get(table, [])
            units = sum(_blocks(item_bytes(item), _READ_BYTES) for item in items) + len(read["Keys"]) - len(items)
            yield READS, units * _share(read)
    elif operation == "BatchWriteItem":
        for table, changes in request["RequestItems"].items():
            for change in changes:
                yield from ((WRITES, _written(what, table, stored)) for what in change.values())
    elif operation in {"Query", "GetItem"}:
        size = sum(map(item_bytes, answer.get("Items", [answer.get("Item", {})])))
        yield READS, _share(request) * _blocks(size, _READ_BYTES)
    elif operation in _WRITES:
        yield WRITES, _written(request, request["TableName"], stored)


def _share(read: Mapping[str, Any]) -> float:
    return 1 if read.get("ConsistentRead") else _EVENTUAL


def _written(what: Mapping[str, Any], table: str, stored: Stored) -> int:
    item = what["Item"] if "Item" in what else stored(table, what["Key"])
    return _blocks(item_bytes(item or {}), _WRITE_BYTES)


def _blocks(size: int, block: int) -> int:
    return max(1, -(-size // block))


def _read(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
