"""Measure moto's faults in a fresh process: `python -m tests.local.aws.moto_faults [corrected]` prints them as JSON.

A fault is a wrong answer, or the number of calls that a piece of work takes. The process that is given `corrected`
applies our corrections first, and lists the attributes that they replace.
"""

from __future__ import annotations

import copy
import functools
import gc
import http.client
import io
import json
import sys
from inspect import isfunction
from threading import Condition
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.core import responses
from moto.core.serialize import JSONSerializer
from moto.core.utils import get_service_model
from moto.dynamodb import responses as table_responses
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.models import Table, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.parsing.expressions import UpdateExpressionParser
from moto.dynamodb.responses import DynamoHandler
from moto.dynamodbstreams.models import dynamodbstreams_backends
from moto.moto_api._internal import mock_random
from moto.sqs import models as sqs

from local.clock import ClockState
from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable

HELD_MS = 1_000_000
TABLE = "faults"
_KEYS = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
_EXPRESSION = "SET a = :one, b = :one, c = :one, d = :one"


@functools.cache
def _client(service: str) -> Any:
    """Return a client for all measures: making one takes longer than most of them."""
    return boto3.client(service, region_name=REGION, **_KEYS)


def _table() -> Any:
    tables = _client("dynamodb")
    tables.create_table(
        TableName=TABLE,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    return tables


def _stored() -> Table:
    return dynamodb_backends[ACCOUNT][REGION].tables[TABLE]


def _key(pk: str, sk: str = "-") -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def _put_once(pk: str) -> dict[str, Any]:
    return {"Put": {"TableName": TABLE, "Item": _key(pk), "ConditionExpression": "attribute_not_exists(pk)"}}


def _calls(work: Callable[[], Any]) -> int:
    """Count the function calls of a piece of work, Python's and C's."""
    count = 0

    def profile(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    work()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def cancelled_transaction() -> list[str]:
    """List the stream's new records, read by an iterator from before a cancelled transaction and a later put."""
    tables = _table()
    tables.put_item(TableName=TABLE, Item=_key("taken"))
    streams = dynamodbstreams_backends[ACCOUNT][REGION]
    arn = tables.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    shard = _stored().stream_shard
    iterator = streams.get_shard_iterator(arn, shard.id, "LATEST")
    try:
        tables.transact_write_items(TransactItems=[_put_once("phantom"), _put_once("taken")])
    except tables.exceptions.TransactionCanceledException:
        tables.put_item(TableName=TABLE, Item=_key("after"))
    records = streams.get_records(iterator.arn, 10)["Records"]
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]


def copied_table() -> bool:
    """Return whether a cancelled transaction leaves another table in place of the one that others write to."""
    tables = _table()
    tables.put_item(TableName=TABLE, Item=_key("taken"))
    before = _stored()
    try:
        tables.transact_write_items(TransactItems=[_put_once("taken")])
    except tables.exceptions.TransactionCanceledException:
        return _stored() is not before
    raise AssertionError


def failed_update() -> bool:
    """Return whether an update that is refused as too large leaves the item that it would have created."""
    tables = _table()
    values = {":x": {"S": "x" * 410_000}}
    try:
        tables.update_item(
            TableName=TABLE, Key=_key("a"), UpdateExpression="SET x = :x", ExpressionAttributeValues=values
        )
    except ClientError:
        return "Item" in tables.get_item(TableName=TABLE, Key=_key("a"))
    raise AssertionError


def upsert() -> int:
    """Count the stream records of one update that creates an item."""
    tables = _table()
    values = {":x": {"N": "1"}}
    tables.update_item(TableName=TABLE, Key=_key("a"), UpdateExpression="SET x = :x", ExpressionAttributeValues=values)
    return len(_stored().stream_shard.items)


def overwritten() -> int:
    """Count the items in memory of one that was written three times."""
    tables = _table()
    for content in "123":
        tables.put_item(TableName=TABLE, Item={**_key("overwritten"), "content": {"S": content}})
    del _stored().stream_shard.items[:]
    gc.collect()
    items = [item for item in gc.get_objects() if type(item) is Item]
    return sum(item.hash_key.value == "overwritten" for item in items)


def query() -> int:
    """Count the calls by which 100 items of other partitions make a query of one item longer."""
    tables = _table()
    tables.put_item(TableName=TABLE, Item=_key("own"))
    ask = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "own"}}}

    def work() -> None:
        tables.query(TableName=TABLE, **ask)

    alone = _calls(work)
    for number in range(100):
        tables.put_item(TableName=TABLE, Item=_key(f"other-{number}"))
    return _calls(work) - alone


def answer() -> int:
    """Count the calls by which 100 attributes make an answer longer."""
    service = get_service_model("dynamodb")
    operation = service.operation_model("GetItem")
    serializer = JSONSerializer(operation)

    def calls(count: int) -> int:
        item = {"Item": {f"a{number}": {"S": "x"} for number in range(count)}}
        return _calls(lambda: serializer.serialize(item))

    return calls(101) - calls(1)


def operations() -> int:
    """Count the calls that look up the operations of a service."""
    return _calls(lambda: responses.method_names_from_class(DynamoHandler))


def request_id() -> int:
    """Count the calls that draw an answer's id."""
    return _calls(lambda: mock_random.get_random_string(length=52))


def headers() -> int:
    """Count the calls that read 20 headers of a request."""
    lines = b"".join(b"Header-%d: value\r\n" % number for number in range(20)) + b"\r\n"
    return _calls(lambda: http.client.parse_headers(io.BytesIO(lines)))


def condition() -> int:
    """Count the calls that parse a condition for the second time, with another value."""
    names = {"#0": "a"}

    def parse(value: str) -> None:
        ConditionExpressionParser("#0 = :0 AND attribute_exists (#0)", names, {":0": {"S": value}}).parse()

    parse("first")
    return _calls(lambda: parse("second"))


def update() -> int:
    """Count the calls that parse an update's expression for the second time."""
    UpdateExpressionParser.make(_EXPRESSION)
    return _calls(lambda: UpdateExpressionParser.make(_EXPRESSION))


def _item() -> Item:
    return Item(DynamoType({"S": "a"}), None, {f"a{number}": {"S": "x"} for number in range(20)})


def made_item() -> int:
    """Count the calls that make an item of 20 attributes."""
    return _calls(_item)


def weighed_item() -> int:
    """Count the calls that weigh an item of 20 attributes."""
    return _calls(_item().size)


def compared_key() -> int:
    """Count the calls that look for a key among others."""
    keys, key = {DynamoType({"S": "a"}): 1}, DynamoType({"S": "a"})
    return _calls(lambda: keys.get(key))


def copied_item() -> int:
    """Count the calls that copy an item of 20 attributes."""
    item = _item()
    return _calls(lambda: copy.deepcopy(item))


def answered_item() -> int:
    """Count the calls that give an item of 20 attributes the form of an answer."""
    item = {"Item": _item().attrs}
    return _calls(lambda: table_responses.dynamo_to_dict(item))  # type: ignore[attr-defined]  # its import


class _Waiting(Condition):
    """Record how long a receiver waits, and end its wait by an error; record notifications."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []
        self.notified = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout)
        raise TimeoutError

    def notify_all(self) -> None:
        self.notified += 1


def _queue() -> tuple[sqs.SQSBackend, sqs.Queue]:
    _client("sqs").create_queue(QueueName=TABLE)
    backend = sqs.sqs_backends[ACCOUNT][REGION]
    return backend, backend.queues[TABLE]


def _sent(backend: sqs.SQSBackend, **options: Any) -> sqs.Message:
    return backend.send_message(TABLE, "body", **options)


def lost_message() -> bool:
    """Return whether a message is lost that comes while another is deleted.

    Who holds the queue's lock is asked at the only moment that matters, while the remaining messages are collected:
    a sender needs the lock.
    """
    backend, queue = _queue()
    message = _sent(backend)
    [received] = backend.receive_message(TABLE, 1, 0, 30)
    is_locked = []
    had = message.had_receipt_handle

    def had_receipt_handle(handle: str) -> bool:
        is_locked.append(queue._messages_lock._is_owned())
        return had(handle)

    message.had_receipt_handle = had_receipt_handle
    backend.delete_message(TABLE, str(received.receipt_handle))
    return not all(is_locked)


def waiting_receiver() -> float | None:
    """Return for how many seconds a receiver that waits up to 20 sleeps at first, the next message due in 15."""
    backend, queue = _queue()
    _sent(backend, delay_seconds=15)
    queue._messages_lock = waiting = _Waiting()
    try:
        backend.receive_message(TABLE, 1, 20, 30)
    except TimeoutError:
        return waiting.waits[0]
    raise AssertionError


def returned_message() -> int:
    """Count how often waiting receivers are woken when a message is given back."""
    backend, queue = _queue()
    _sent(backend)
    [received] = backend.receive_message(TABLE, 1, 0, 30)
    queue._messages_lock = waiting = _Waiting()
    backend.change_message_visibility(TABLE, str(received.receipt_handle), 0)
    return waiting.notified


def retention() -> int:
    """Count the calls that ask whether a message is past its retention."""
    backend, _ = _queue()
    message = _sent(backend)
    return _calls(lambda: backend.is_message_valid_based_on_retention_period(TABLE, message))


def sent_at() -> float:
    """Return when a message was sent, in milliseconds."""
    backend, _ = _queue()
    return float(_sent(backend).sent_timestamp)


def visible_at_once() -> bool:
    """Return whether a message is visible at the very millisecond of its time."""
    backend, _ = _queue()
    message = _sent(backend)
    sqs.unix_time_millis = lambda: float(HELD_MS)
    message.visible_at = HELD_MS
    return message.visible


MEASURES: tuple[Callable[[], Any], ...] = tuple(
    thing
    for name, thing in vars().items()
    if isfunction(thing) and thing.__module__ == __name__ and not name.startswith("_")
)


def _attributes() -> dict[str, Any]:
    """Return all attributes of moto's modules and their classes, and of the standard library's HTTP client."""
    attributes = {"http.client.parse_headers": http.client.parse_headers}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "moto":
            for place, thing in vars(module).items():
                attributes[f"{name}.{place}"] = thing
                if isinstance(thing, type) and thing.__module__ == name:
                    attributes.update({f"{name}.{place}.{attribute}": had for attribute, had in vars(thing).items()})
    return attributes


def _correct() -> list[str]:
    """Apply our corrections; list the attributes that they replaced."""
    from local.aws.moto_corrections import correct_moto

    before = _attributes()
    correct_moto(functools.partial(ClockState, HELD_MS))
    missing = object()
    return sorted(name for name, thing in _attributes().items() if before.get(name, missing) is not thing)


def main() -> None:
    """Print the measures of this process, and what was replaced before."""
    replaced = _correct() if sys.argv[1:] == ["corrected"] else []
    measures = {}
    for measure in MEASURES:
        with mock_aws():
            measures[measure.__name__] = measure()
    print(json.dumps({"replaced": replaced, "measures": measures}))


if __name__ == "__main__":
    main()
