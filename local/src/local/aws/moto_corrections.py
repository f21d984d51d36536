"""Corrections to moto where it differs from AWS in ways that lose or invent data. Pinned to moto 5.2.5.

`correct_moto()` changes the classes of this process; tests/local/aws/test_moto_corrections.py shows each fault in plain
moto, so that a correction goes with the moto that mends it (docs/decisions/0046). The
DynamoDB corrections rely on one request at a time (moto_server's lock).

- A cancelled transaction put back copies of whole tables: what others wrote meanwhile was lost, iterators
  of streams were cut off, and phantom stream records stayed. Now only the touched items and the stream's
  length are remembered and put back. A failing single update is undone in the same way.
- An update that creates an item wrote two INSERT records to the stream, one with the keys alone.
- Whatever was ever stored stayed in memory, overwritten items and deleted messages too: moto lists all that it makes
  for a reset. Now nothing is listed, and versions of objects close their files when they are forgotten.
- A query sorted the whole table; now it looks at its own partition.
- Writing an item's attributes into a response took ten attribute look-ups for each; now none.
- A service's operations were looked up in its class at every request; now once. Each answer's id was drawn letter by
  letter; now at once.
- A queue counted its messages three times for each that it gave out.
- An item was weighed whole at each of its attributes, copied with values that nothing changes, and asked for its form
  value by value; a key was cast to a number before it was compared as a text.
- The condition of one write was parsed up to four times, its update twice; now each text once.
- A request's headers were read by the parser of mail, which took longer than moto does for most requests.
- SQS lost a message that was sent while another was deleted; a queue's messages are now under one lock.
- A waiting receiver looked for messages whose time had come at intervals; now it wakes at their time.
- SQS went by the system's clock; it now goes by the local cloud's, so that a held clock holds delays too.
"""

from __future__ import annotations

import copy
import functools
import http.client
import math
import string
import threading
from contextlib import contextmanager
from http.client import HTTPMessage
from typing import TYPE_CHECKING, Any, BinaryIO

import moto.sqs.models as sqs
from moto.core import responses
from moto.core.common_models import BaseModel
from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb import responses as table_responses
from moto.dynamodb.comparisons import AttributeValue, ConditionExpressionParser, Func, Op
from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing import expressions
from moto.moto_api._internal.moto_random import MotoRandom
from moto.s3.models import FakeKey

from local.aws.emulator import to_base64
from local.clock import ClockState, monotonic_s
from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence

_KEPT_EXPRESSIONS = 2000
LARGEST_ITEM = 405_000
"""moto's bound in bytes; AWS's own is `request_limits`'."""
_Target = tuple[Table, DynamoType, DynamoType | None]


def dynamodb_backend() -> DynamoDBBackend:
    """Return moto's backend of tables, without moto's search among all of its backends at each access."""
    account = dict.get(dynamodb_backends, ACCOUNT)
    return (dynamodb_backends[ACCOUNT] if account is None else account)[REGION]


def tables() -> Mapping[str, Table]:
    """Return moto's tables by their names."""
    return dynamodb_backend().tables


def key_names(table: str) -> Sequence[str]:
    """Return the names of the key attributes of a table, which may be named by its ARN."""
    named = tables().get(table.rpartition("/")[2])
    return [] if named is None else [name for name in (named.hash_key_attr, named.range_key_attr) if name]


def queues() -> dict[str, Any]:
    """Return moto's queues by their names."""
    return sqs.sqs_backends[ACCOUNT][REGION].queues


def records_of(table: Table) -> list[Any]:
    """Return the records of a table's stream, empty without one."""
    return table.stream_shard.items if table.stream_shard else []


def place_of(
    table: Table, hash_key: DynamoType, range_key: DynamoType | None
) -> tuple[MutableMapping[DynamoType, Any], DynamoType]:
    """Return the mapping that holds an item of a table, and the item's key there."""
    items: dict[DynamoType, Any] = table.items
    return (items, hash_key) if range_key is None else (items[hash_key], range_key)


def correct_moto(clock: Callable[[], ClockState]) -> None:
    """Apply every correction; `clock` gives the local cloud's clock at any moment."""
    correct_tables()
    _correct_queues(clock)
    _give_queues_the_clock(clock)
    http.client.parse_headers = _plain_headers  # type: ignore[assignment]  # see above


def correct_tables() -> None:
    """Apply the corrections of DynamoDB, and those that make every request shorter."""
    BaseModel.__new__ = staticmethod(_untracked)  # type: ignore[method-assign]  # the correction
    FakeKey.__del__ = FakeKey.dispose  # type: ignore[method-assign]  # moto warns there of what its list would hold
    responses.method_names_from_class = functools.cache(responses.method_names_from_class)  # type: ignore[attr-defined]
    MotoRandom.get_random_string = _random_string  # type: ignore[method-assign]  # the correction
    sqs.SQSBackend.is_message_valid_based_on_retention_period = _is_retained  # type: ignore[method-assign]  # as above
    _correct_items()
    _correct_values()
    _correct_transactions()
    _correct_updates()
    _correct_conditions()
    _correct_queries()
    _correct_responses()


def _untracked(cls: type[BaseModel], *_args: Any, **_arguments: Any) -> BaseModel:
    """Make an instance that moto does not keep for a reset: it would keep every one, items overwritten long ago too."""
    return object.__new__(cls)


def _is_retained(self: sqs.SQSBackend, queue_name: str, message: sqs.Message) -> bool:
    queue: Any = self.get_queue(queue_name)
    sent: Any = message.sent_timestamp
    return bool(queue.message_retention_period + sent / 1000 > sqs.unix_time())  # type: ignore[attr-defined]  # its import


def _random_string(self: MotoRandom, length: int = 20, include_digits: bool = True, lower_case: bool = False) -> str:
    letters = "".join(self.choices(string.ascii_letters + string.digits * include_digits, k=length))
    return letters.lower() if lower_case else letters


def _plain_headers(lines: BinaryIO, _class: type[HTTPMessage] = HTTPMessage) -> HTTPMessage:
    """Read headers up to the empty line: a name, a colon, a value; a line that begins with a blank goes on."""
    headers: list[tuple[str, str]] = []
    for line in http.client._read_headers(lines)[:-1]:  # type: ignore[attr-defined]  # it holds to the limits
        text = line.decode("iso-8859-1").rstrip("\r\n")
        if text[:1] in {" ", "\t"} and headers:
            headers[-1] = (headers[-1][0], headers[-1][1] + text)
        else:
            name, _, value = text.partition(":")
            headers.append((name, value.strip(" \t")))
    message = _class()
    message._headers = headers  # type: ignore[attr-defined]  # what its own parser does
    return message


def _correct_items() -> None:
    to_dict = table_responses.dynamo_to_dict  # type: ignore[attr-defined]  # its import

    def make(self: Item, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]) -> None:
        self.hash_key, self.range_key, self.attrs = hash_key, range_key, LimitedSizeDict()
        dict.update(self.attrs, {name: DynamoType(value) for name, value in attrs.items()})
        if self.size() > LARGEST_ITEM:
            raise ItemSizeTooLarge

    def deepcopy_value(self: DynamoType, memo: dict[int, Any]) -> DynamoType:
        if self.type not in {"L", "M", "SS", "NS", "BS"}:
            return self  # moto changes members of lists, maps and sets, and puts a new value in place of any other
        twin = DynamoType.__new__(DynamoType)
        twin.type = self.type
        twin.value = copy.deepcopy(self.value, memo)
        return twin

    def plain(value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return value
        if kind is DynamoType and value.type not in {"B", "BS"}:
            return {value.type: plain(value.value)}
        if kind is dict or kind is LimitedSizeDict:
            return {name: plain(member) for name, member in value.items()}
        if kind is list:
            return [plain(member) for member in value]
        return to_dict(value)

    Item.__init__ = make  # type: ignore[method-assign]  # the correction
    DynamoType.__deepcopy__ = deepcopy_value  # type: ignore[method-assign]  # the correction
    table_responses.dynamo_to_dict = plain  # type: ignore[assignment,attr-defined]  # the correction


def _correct_values() -> None:
    weigh, is_same = DynamoType.size, DynamoType.__eq__

    def size(self: DynamoType) -> int:
        return len(self.value.encode()) if self.type in {"S", "N"} and type(self.value) is str else weigh(self)

    def hash_value(self: DynamoType) -> int:
        return hash((self.type, self.value if self.type == "S" else self.cast_value))

    def equal(self: DynamoType, other: DynamoType) -> bool:
        return self.value == other.value if self.type == other.type == "S" else is_same(self, other)

    DynamoType.size = size  # type: ignore[method-assign]  # the correction
    DynamoType.__hash__ = hash_value  # type: ignore[method-assign]  # the correction
    DynamoType.__eq__ = equal  # type: ignore[method-assign]  # the correction


def _correct_transactions() -> None:
    transact = DynamoDBBackend.transact_write_items
    in_transaction: set[int] = set()

    def transact_write_items(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        targets = [
            target
            for item in transact_items
            for operation in item.values()
            if (target := _target_of(self, operation)) is not None
        ]
        tables = {id(table) for table, _, _ in targets}
        in_transaction.update(tables)
        try:
            with _undone_on_failure(targets):
                transact(self, transact_items)
        finally:
            in_transaction.difference_update(tables)

    def deepcopy_table(self: Table, memo: dict[int, Any]) -> Table:
        # moto copies the tables of a transaction to put them back; we undo by item, so the table stays itself.
        if id(self) in in_transaction:
            return self
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin.__dict__ = copy.deepcopy(self.__dict__, memo)
        return twin

    DynamoDBBackend.transact_write_items = transact_write_items  # type: ignore[method-assign]  # the correction
    Table.__deepcopy__ = deepcopy_table  # type: ignore[attr-defined]  # the correction


def _target_of(backend: DynamoDBBackend, operation: Any) -> _Target | None:
    """Return the item that a transaction's operation touches, or None where moto will refuse it anyway."""
    try:
        table = backend.get_table(operation["TableName"])
        key = operation.get("Key") or operation["Item"]
        hash_key = DynamoType(key[table.hash_key_attr])
        return table, hash_key, DynamoType(key[table.range_key_attr]) if table.range_key_attr else None
    except Exception:  # noqa: BLE001 - whatever is wrong with the request, moto's own check words the answer
        return None


@contextmanager
def _undone_on_failure(targets: Sequence[_Target]) -> Iterator[None]:
    undo = [undoing(*target, copied=copy.deepcopy) for target in targets]
    try:
        yield
    except BaseException:
        for undone in undo:
            undone()
        raise


def undoing(
    table: Table,
    hash_key: DynamoType,
    range_key: DynamoType | None,
    copied: Callable[[Item | None], Item | None] = lambda item: item,
) -> Callable[[], None]:
    """Return a function that restores an item, and the length of its table's stream, to their present state."""
    place, key = place_of(table, hash_key, range_key)
    item, stream = copied(place.get(key)), records_of(table)
    length = len(stream)

    def undo() -> None:
        if item is None:
            place.pop(key, None)
        else:
            place[key] = item
        del stream[length:]

    return undo


def _correct_updates() -> None:
    update = DynamoDBBackend.update_item

    def update_item(self: DynamoDBBackend, table_name: str, key: dict[str, Any], *args: Any, **kwargs: Any) -> Item:
        target = _target_of(self, {"TableName": table_name, "Key": key})
        with _undone_on_failure([target] if target else []):
            shard = target[0].stream_shard if target else None
            start = len(shard.items) if shard else 0
            item = update(self, table_name, key, *args, **kwargs)
            if shard and len(shard.items) == start + 2:
                whole = shard.items.pop()
                whole.record["dynamodb"]["SequenceNumber"] = str(shard.starting_sequence_number + start)
                shard.items[start] = whole
        return item

    DynamoDBBackend.update_item = update_item  # type: ignore[method-assign]  # the correction


class _Given(threading.local):
    """The values of the condition that a thread looks at."""

    values: Mapping[str, Mapping[str, Any]]


_given = _Given()


class _Placeholder(AttributeValue):
    """A value of a condition that was parsed for others: what stands at its name now."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def type(self) -> str:  # type: ignore[override]  # moto's is an attribute
        """Return the value's type."""
        return next(iter(_given.values[self._name]))

    @property
    def value(self) -> Any:
        """Return the value."""
        return _given.values[self._name][self.type]


class _Condition(Op):
    """A condition that was parsed once, with the values of one request."""

    def __init__(self, parsed: Op | Func, values: Mapping[str, Any]) -> None:
        self._parsed, self._values = parsed, values

    def expr(self, item: Item | None) -> bool:
        """Return whether it holds of an item."""
        _given.values = self._values
        return self._parsed.expr(item)


def _correct_conditions() -> None:
    parse, operand = ConditionExpressionParser.parse, ConditionExpressionParser._make_operand
    parsed_by_text: dict[Any, tuple[Op | Func, list[str], list[str]]] = {}

    def make_operand(self: ConditionExpressionParser, node: Any) -> Any:
        is_named = node.kind == self.Kind.EXPRESSION_ATTRIBUTE_VALUE
        return _Placeholder(node.text) if is_named else operand(self, node)

    def parsed(self: ConditionExpressionParser) -> Op | Func:
        if not self.condition_expression:
            return parse(self)
        values = self.expression_attribute_values or {}
        # What a value is may be refused, its type alone.
        types = tuple((name, *value) for name, value in values.items())
        key = (self.condition_expression, tuple((self.expression_attribute_names or {}).items()), types)
        if key not in parsed_by_text:
            if len(parsed_by_text) >= _KEPT_EXPRESSIONS:
                parsed_by_text.clear()
            _given.values = values
            parsed_by_text[key] = (parse(self), self.expr_attr_names_found, self.expr_attr_values_found)
        condition, names_found, values_found = parsed_by_text[key]
        self.expr_attr_names_found, self.expr_attr_values_found = [*names_found], [*values_found]
        return _Condition(condition, values)

    ConditionExpressionParser.parse = parsed  # type: ignore[method-assign]  # the correction
    ConditionExpressionParser._make_operand = make_operand  # type: ignore[method-assign]  # the correction
    # What moto validates and fills in is a copy of what is parsed.
    updates: Any = expressions.UpdateExpressionParser  # type: ignore[attr-defined]  # has no types
    updates.make = functools.lru_cache(_KEPT_EXPRESSIONS)(updates.make)


def _correct_queries() -> None:
    query = Table.query
    all_items = Table.all_items
    scope: list[list[Item]] = []

    def scoped_query(self: Table, hash_key: Any, *args: Any, **kwargs: Any) -> Any:
        partition: Any = self.items.get(hash_key, {} if self.range_key_attr else None)
        scope.append([*partition.values()] if self.range_key_attr else [partition] if partition else [])
        try:
            return query(self, hash_key, *args, **kwargs)
        finally:
            scope.pop()

    def scoped_items(self: Table) -> list[Item]:
        return scope[-1] if scope else all_items(self)

    Table.query = scoped_query  # type: ignore[method-assign]  # the correction
    Table.all_items = scoped_items  # type: ignore[method-assign]  # the correction


def _correct_responses() -> None:
    serialize = BaseJSONSerializer._serialize_type_structure

    def serialize_structure(self: BaseJSONSerializer, serialized: Any, value: Any, shape: Any, key: str) -> None:
        if shape.name == "AttributeValue" and type(value) is dict and len(value) == 1:
            self._default_serialize(serialized, wire_value(value), shape, key)
        else:
            serialize(self, serialized, value, shape, key)

    BaseJSONSerializer._serialize_type_structure = serialize_structure  # type: ignore[method-assign]  # the correction


def wire_value(value: dict[str, Any]) -> dict[str, Any]:
    """Return an attribute's value as it goes over the wire: bytes as base64."""
    [(kind, content)] = value.items()
    match kind:
        case "B":
            return {kind: to_base64(content) if isinstance(content, bytes) else content}
        case "BS":
            return {kind: [wire_value({"B": member})["B"] for member in content]}
        case "L":
            return {kind: [wire_value(member) for member in content]}
        case "M":
            return {kind: {name: wire_value(member) for name, member in content.items()}}
    return value


def waking_ms(message: sqs.Message) -> float:
    """Return when a message's delay and visibility time-out have both passed."""
    return max(message.visible_at, message.delayed_until)


def _correct_queues(clock: Callable[[], ClockState]) -> None:
    receive, delete = sqs.SQSBackend.receive_message, sqs.SQSBackend.delete_message
    change = sqs.SQSBackend.change_message_visibility

    def receive_message(
        self: sqs.SQSBackend,
        queue_name: str,
        count: int,
        wait_seconds_timeout: int,
        visibility_timeout: int,
        message_attribute_names: list[str] | None = None,
    ) -> list[sqs.Message]:
        queue = self.get_queue(queue_name)
        lock = queue._messages_lock
        deadline = monotonic_s() + (wait_seconds_timeout or 0)
        with lock:
            while True:
                messages = receive(self, queue_name, count, 0, visibility_timeout, message_attribute_names)
                left_s = deadline - monotonic_s()
                if messages or left_s <= 0:
                    return messages
                state = clock()
                now = state.now_ms()
                if state.held_ms is None:  # a held clock says when it moves
                    times = (time for time in map(waking_ms, queue._messages) if time > now)
                    left_s = min(left_s, (min(times, default=math.inf) - now) / 1000)
                lock.wait(left_s)

    def delete_message(self: sqs.SQSBackend, queue_name: str, receipt_handle: str) -> None:
        with self.get_queue(queue_name)._messages_lock:
            delete(self, queue_name, receipt_handle)

    def change_message_visibility(
        self: sqs.SQSBackend, queue_name: str, receipt_handle: str, visibility_timeout: int
    ) -> None:
        lock = self.get_queue(queue_name)._messages_lock
        with lock:
            change(self, queue_name, receipt_handle, visibility_timeout)
            lock.notify_all()

    sqs.SQSBackend.receive_message = receive_message  # type: ignore[method-assign]  # the correction
    sqs.SQSBackend.delete_message = delete_message  # type: ignore[method-assign]  # the correction
    sqs.SQSBackend.change_message_visibility = change_message_visibility  # type: ignore[method-assign]  # the correction


def _give_queues_the_clock(clock: Callable[[], ClockState]) -> None:
    def visible(self: sqs.Message) -> bool:
        # moto says "later than"; under a held clock a message returned with no delay would never be visible.
        return clock().now_ms() >= self.visible_at

    sqs.unix_time = lambda *_: clock().now_ms() / 1000  # type: ignore[attr-defined]  # the correction
    sqs.unix_time_millis = lambda *_: float(clock().now_ms())  # type: ignore[attr-defined]  # the correction
    sqs.Message.visible = property(visible)  # type: ignore[assignment,method-assign]  # the correction
