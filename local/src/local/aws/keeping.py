"""moto's state in its database: after each request the parts that it changed, at a start all of them back into moto.

A part is written as it stands after a request, whatever the request was, so that nothing depends on computing it twice.
Only what the template defines is kept: a later cloud has nothing else. Of an object's versions the last one is kept; a
message that was in a function's hands is delivered again; jobs and uploads that were under way are gone.
"""

from __future__ import annotations

import json
import os
import re
import traceback
import uuid
from collections import defaultdict
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.utilities import dynamo_json_dump
from moto.s3.models import FakeKey, s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.sqs.models import Message, sqs_backends
from requests.structures import CaseInsensitiveDict

from local.aws import refusing
from local.aws.line import to_base64, with_bytes
from local.aws.moto_corrections import stored_value
from local.aws.state_database import (
    ACCOUNTS,
    ITEM,
    MESSAGE,
    OBJECT,
    READER,
    RECORD,
    SECRET,
    Change,
    StateDatabase,
    StateFolderError,
)
from local.environment import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from moto.dynamodb.models.table import Table

    from local.aws.accounts import Accounts

_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_READS_OF_OBJECTS: Final = frozenset({"GET", "HEAD"})
_READING: Final = ("Get", "List", "Describe", "AdminGet", "Receive", "Delete", "ChangeMessageVisibility")
"""Beginnings of operations that need no room on the disk, or next to none."""
_OF_A_MESSAGE: Final = ("sent_timestamp", "deduplication_id", "group_id", "sequence_number", "delayed_until")
_KEY_IN_XML: Final = re.compile(rb"<Key>(.*?)</Key>")


class _Record:
    """A record of a stream as moto has it."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    def to_json(self) -> dict[str, Any]:
        """Return the record."""
        return self.record


class Kept:
    """Keeps moto's state in a folder. `read` has readers' positions in streams, by table and reader.

    StateFolderError when the folder cannot be used; then nothing in moto has changed.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str], readers: Mapping[str, list[str]]) -> None:
        self._database = StateDatabase(folder, variables)
        self.accounts: dict[str, Any] = {}
        self.read: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._readers = readers
        self._streamed: dict[str, int] = {}
        self._messages: dict[str, set[str]] = {name: set() for name in _queues()}
        self._tables = frozenset(_tables())
        self._buckets = frozenset(_buckets())
        self._secrets: dict[str, str | None] = dict.fromkeys(_secrets())
        self._check()
        self._restore()
        self._note_secrets()
        self.wait()

    def wait(self) -> None:
        """Return when everything noted is on the disk: no answer goes out before."""
        self._database.wait()

    def may_change(self, operation: str, method: str) -> bool:
        """Return whether a request may go on: one that changes something needs room on the disk."""
        changes = not operation.startswith(_READING) if operation else method not in _READS_OF_OBJECTS | {"DELETE"}
        return not changes or operation in {"Query", "Scan", "BatchGetItem", "TransactGetItems"} or self.has_room()

    def has_room(self) -> bool:
        """Return whether the disk has room for changes."""
        return self._database.has_room()

    def note(self, environ: Mapping[str, Any], service: str, operation: str, body: bytes) -> None:
        """Note what a request has changed that one of the services has answered.

        Where that fails, this process ends: moto has the change, and nobody must learn of it.
        """
        try:
            if service.startswith("DynamoDB"):
                self._note_items(operation, json.loads(body))
            elif service == "AmazonSQS":
                self.note_queue(str(json.loads(body).get("QueueUrl")).rpartition("/")[2])
            elif service:
                self._note_secrets()
            elif environ["REQUEST_METHOD"] not in _READS_OF_OBJECTS:
                self._note_objects(environ["PATH_INFO"], body)
        except BaseException:  # noqa: BLE001 - whatever it is
            traceback.print_exc()
            os._exit(1)

    def note_items(self, operation: str, request: Mapping[str, Any]) -> None:
        """Note what an operation on items has changed, as `note` does."""
        try:
            self._note_items(operation, request)
        except BaseException:  # noqa: BLE001 - whatever it is
            traceback.print_exc()
            os._exit(1)

    def _note_items(self, operation: str, request: Mapping[str, Any]) -> None:
        """Note the items of a request to tables, and the records that it put into streams, together."""
        if operation not in _WRITES:
            return
        touched = [entry for entry in _touched(operation, request) if entry[0] in self._tables]
        changes = [
            Change((ITEM, table, json.dumps(key, default=to_base64)), _item(table, key)) for table, key in touched
        ]
        for table in dict.fromkeys(table for table, _ in touched):
            records, start = _records(_tables()[table]), self._streamed.get(table, 0)
            if table in self._readers:
                changes += [
                    Change((RECORD, table, str(number)), json.loads(dynamo_json_dump(records[number].record)))
                    for number in range(start, len(records))
                ]
                self._streamed[table] = len(records)
        self._database.note(changes)

    def note_reader(self, table: str, reader: str, position: int) -> None:
        """Note how far a reader of a stream is: it does not get the records before."""
        if self.read[table].get(reader) != position:
            self.read[table][reader] = position
            self._database.note([Change((READER, table, reader), position)])

    def note_object(self, bucket: str, key: str) -> None:
        """Note an object that was put, as `note` does."""
        try:
            if bucket in self._buckets:
                self._database.note([_object(bucket, key)])
        except BaseException:  # noqa: BLE001 - whatever it is
            traceback.print_exc()
            os._exit(1)

    def _note_objects(self, path: str, body: bytes) -> None:
        """Note the object that a request with this path (of WSGI) is about, or those that it names."""
        bucket, _, key = path.encode("latin-1").decode("utf-8", "replace").removeprefix("/").partition("/")
        keys = [key] if key else [unescape(name.decode()) for name in _KEY_IN_XML.findall(body)]
        if bucket in self._buckets:
            self._database.note(_object(bucket, name) for name in keys)

    def note_queue(self, name: str) -> None:
        """Note the messages that have come into a queue, and into the one for what fails in it, and those that left."""
        queue = _queues().get(name)
        if queue is None or name not in self._messages:
            return
        if queue.dead_letter_queue is not None:
            self.note_queue(queue.dead_letter_queue.name)
        with queue._messages_lock:
            messages = {message.id: message for message in queue._messages}
            before, self._messages[name] = self._messages[name], set(messages)
            come = [Change((MESSAGE, name, i), _message(messages[i])) for i in messages if i not in before]
            self._database.note([*come, *(Change((MESSAGE, name, i), None) for i in before - messages.keys())])

    def _note_secrets(self) -> None:
        """Note the secrets that have a new value."""
        secrets = [_secrets()[name] for name in self._secrets if name in _secrets()]
        present = {secret.name: secret.versions[secret.default_version_id]["secret_string"] for secret in secrets}
        changed = {name: text for name, text in present.items() if self._secrets[name] != text}
        self._secrets |= changed
        self._database.note(Change((SECRET, "", name), text) for name, text in changed.items())

    def note_accounts(self, accounts: Accounts) -> None:
        """Note all accounts."""
        self._database.note([Change((ACCOUNTS, "", ""), accounts.dump())])

    def _check(self) -> None:
        """Refuse a state with parts that the template does not define: this cloud would lose them."""
        defined = {
            **dict.fromkeys((ITEM, RECORD, READER), self._tables),
            OBJECT: self._buckets,
            MESSAGE: frozenset(self._messages),
            SECRET: frozenset(self._secrets),
            ACCOUNTS: frozenset({""}),
        }
        unknown = sorted({place for kind, place in self._database.places() if place not in defined[kind]})
        if unknown:
            self._database.close()
            raise StateFolderError("unknown", *unknown)

    def _restore(self) -> None:
        """Put all parts of the state into moto."""
        records: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        for (kind, place, key), value, content in self._database.rows():
            match kind:
                case "item":
                    insert(_tables()[place], {name: stored_value(attribute) for name, attribute in value.items()})
                case "record":
                    records[place][int(key)] = value
                case "reader":
                    self.read[place][key] = value
                case "object":
                    assert content is not None  # noqa: S101 - each object has one, for the type checker
                    stored = s3_backends[ACCOUNT]["aws"].put_object(place, key, content)
                    stored.set_metadata(CaseInsensitiveDict(value["metadata"]))
                case "message":
                    _put_message(place, key, value)
                    self._messages[place].add(key)
                case "secret":
                    put: Callable[..., Any] = secretsmanager_backends[ACCOUNT][REGION].put_secret_value
                    put(key, value, None, str(uuid.uuid4()), ["AWSCURRENT"])
                case "accounts":
                    self.accounts = value
        for table, names in self._readers.items():
            self._restore_stream(table, names, records[table])

    def _restore_stream(self, table: str, names: Iterable[str], records: Mapping[int, Any]) -> None:
        """Put a stream's records to their numbers; a new reader begins with the first that is left."""
        read = self.read[table]
        stale = [Change((READER, table, name), None) for name in read if name not in names]
        length = max([*(number + 1 for number in records), *read.values()], default=0)
        first = min([*records, *(read[name] for name in names if name in read)], default=length)
        self.read[table] = {name: read.get(name, first) for name in names}
        stream = _records(_tables()[table])
        shard: Any = _tables()[table].stream_shard
        for number in range(length):
            emptied = {"dynamodb": {"SequenceNumber": str(shard.starting_sequence_number + number)}}
            stream.append(_Record(records.get(number, emptied)))
        self._streamed[table] = length
        new = [Change((READER, table, name), first) for name in names if name not in read]
        self._database.note([*stale, *new])


def insert(table: Table, attributes: dict[str, Any]) -> None:
    """Put an item into one of moto's tables, without a record of its stream."""
    items: dict[DynamoType, Any] = table.items
    hash_key = DynamoType(attributes[table.hash_key_attr])
    if table.range_key_attr is None:
        items[hash_key] = Item(hash_key, None, attributes)
    else:
        range_key = DynamoType(attributes[table.range_key_attr])
        items[hash_key][range_key] = Item(hash_key, range_key, attributes)


def _touched(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the table and the key of each item that a request writes."""
    writes: Iterable[tuple[str, Mapping[str, Any]]]
    if operation == "TransactWriteItems":
        writes = ((what["TableName"], what) for action in request["TransactItems"] for what in action.values())
    elif operation == "BatchWriteItem":
        named = request["RequestItems"].items()
        writes = ((table, what) for table, changes in named for change in changes for what in change.values())
    else:
        writes = [(request["TableName"], request)]
    for named_table, what in writes:
        table = named_table.rpartition("/")[2]
        key = what.get("Key") or what["Item"]
        yield table, {name: key[name] for name in refusing.key_names(table)}


def _item(table: str, key: Mapping[str, Any]) -> Any:
    """Return an item's attributes as they go over the wire; None without one."""
    hash_key, *range_key = [DynamoType(with_bytes(key[name])) for name in refusing.key_names(table)]
    item = _tables()[table].get_item(hash_key, range_key[0] if range_key else None)
    return None if item is None else item.to_json()["Attributes"]


def _records(table: Table) -> list[Any]:
    return table.stream_shard.items if table.stream_shard else []


def _object(bucket: str, key: str) -> Change:
    stored = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys.get(key)
    if not isinstance(stored, FakeKey):
        return Change((OBJECT, bucket, key), None)
    return Change((OBJECT, bucket, key), {"metadata": dict(stored.metadata)}, stored.value)


def _message(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(message, name) for name in _OF_A_MESSAGE}
    attributes = {"attributes": message.message_attributes, "system": message.system_attributes}
    return {**fields, "body": message.body, **attributes}


def _put_message(queue: str, message_id: str, value: Mapping[str, Any]) -> None:
    message: Any = Message(message_id, value["body"], value["system"])
    message.message_attributes = value["attributes"]
    for name in _OF_A_MESSAGE:
        setattr(message, name, value[name])
    _queues()[queue]._messages.append(message)


def _tables() -> Mapping[str, Table]:
    return dynamodb_backends[ACCOUNT][REGION].tables


def _buckets() -> Mapping[str, Any]:
    return s3_backends[ACCOUNT]["aws"].buckets


def _queues() -> Mapping[str, Any]:
    return sqs_backends[ACCOUNT][REGION].queues


def _secrets() -> Mapping[str, Any]:
    return secretsmanager_backends[ACCOUNT][REGION].secrets
