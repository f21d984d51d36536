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
from contextlib import contextmanager
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.utilities import dynamo_json_dump
from moto.s3.models import FakeKey, s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.sqs.models import Message
from requests.structures import CaseInsensitiveDict

from local.aws.emulator import to_base64, with_bytes
from local.aws.moto_corrections import key_names, place_of, queues, records_of, tables
from local.aws.state import (
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

    from local.aws.identity import Accounts

_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_READS_OF_OBJECTS: Final = frozenset({"GET", "HEAD"})
_READING: Final = ("Get", "List", "Describe", "AdminGet", "Receive", "Delete", "ChangeMessageVisibility")
"""Beginnings of operations that need no room on the disk, or next to none."""
_OF_A_MESSAGE: Final = {
    **{name: name for name in ("body", "sent_timestamp", "delayed_until")},
    "attributes": "message_attributes",
    "system": "system_attributes",
}
"""moto's names of a message's fields by those of a state."""
_KEY_IN_XML: Final = re.compile(rb"<Key>(.*?)</Key>")


class _Record:
    """A record of a stream as moto has it."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record

    def to_json(self) -> dict[str, Any]:
        """Return the record."""
        return self.record


@contextmanager
def _or_end() -> Iterator[None]:
    """End this process where noting fails: moto has the change, and nobody must learn of it."""
    try:
        yield
    except BaseException:  # noqa: BLE001 - whatever it is
        traceback.print_exc()
        os._exit(1)


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
        self._messages: dict[str, set[str]] = {name: set() for name in queues()}
        self._tables = frozenset(tables())
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
        return (
            not changes
            or operation in {"Query", "Scan", "BatchGetItem", "TransactGetItems"}
            or self._database.has_room()
        )

    @_or_end()
    def note(self, environ: Mapping[str, Any], service: str, operation: str, body: bytes) -> None:
        """Note what a request has changed that one of the services has answered."""
        if service.startswith("DynamoDB"):
            self.note_items(operation, json.loads(body))
        elif service == "AmazonSQS":
            self.note_queue(str(json.loads(body).get("QueueUrl")).rpartition("/")[2])
        elif service:
            self._note_secrets()
        elif environ["REQUEST_METHOD"] not in _READS_OF_OBJECTS:
            path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
            bucket, _, key = path.removeprefix("/").partition("/")
            # Of several objects the body names each.
            keys = [key] if key else [unescape(name.decode()) for name in _KEY_IN_XML.findall(body)]
            if bucket in self._buckets:
                self._database.note(_object(bucket, name) for name in keys)

    @_or_end()
    def note_items(self, operation: str, request: Mapping[str, Any]) -> None:
        """Note the items of a request to tables, and the records that it put into streams, together."""
        if operation not in _WRITES:
            return
        touched = [entry for entry in _touched(operation, request) if entry[0] in self._tables]
        changes = [
            Change((ITEM, table, json.dumps(key, default=to_base64)), item_of(table, key)) for table, key in touched
        ]
        for table in dict.fromkeys(table for table, _ in touched):
            records, start = records_of(tables()[table]), self._streamed.get(table, 0)
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

    @_or_end()
    def note_object(self, bucket: str, key: str) -> None:
        """Note an object that was put."""
        if bucket in self._buckets:
            self._database.note([_object(bucket, key)])

    def note_queue(self, name: str) -> None:
        """Note the messages that have come into a queue, and into the one for what fails in it, and those that left."""
        queue = queues().get(name)
        if queue is None or name not in self._messages:
            return
        if queue.dead_letter_queue is not None:
            self.note_queue(queue.dead_letter_queue.name)
        with queue._messages_lock:
            messages = {message.id: message for message in queue._messages}
            before, self._messages[name] = self._messages[name], set(messages)
            come = [
                Change((MESSAGE, name, i), {key: getattr(messages[i], name) for key, name in _OF_A_MESSAGE.items()})
                for i in messages
                if i not in before
            ]
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

    def _restore(self) -> None:  # noqa: C901 - one per kind
        """Put all parts of the state into moto."""
        records: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        for (kind, place, key), value, content in self._database.rows():
            match kind:
                case "item":
                    insert(tables()[place], value)
                case "record":
                    records[place][int(key)] = value
                case "reader":
                    self.read[place][key] = value
                case "object":
                    assert content is not None  # noqa: S101 - each object has one, for the type checker
                    stored = s3_backends[ACCOUNT]["aws"].put_object(place, key, content)
                    stored.set_metadata(CaseInsensitiveDict(value["metadata"]))
                case "message":
                    message: Any = Message(key, value["body"], value["system"])
                    for stored_name, name in _OF_A_MESSAGE.items():
                        setattr(message, name, value[stored_name])
                    queues()[place]._messages.append(message)
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
        stream = records_of(tables()[table])
        shard: Any = tables()[table].stream_shard
        for number in range(length):
            emptied = {"dynamodb": {"SequenceNumber": str(shard.starting_sequence_number + number)}}
            stream.append(_Record(records.get(number, emptied)))
        self._streamed[table] = length
        new = [Change((READER, table, name), first) for name in names if name not in read]
        self._database.note([*stale, *new])


def insert(table: Table, attributes: dict[str, Any]) -> None:
    """Put an item into one of moto's tables, without a record of its stream."""
    hash_key = DynamoType(attributes[table.hash_key_attr])
    range_key = DynamoType(attributes[table.range_key_attr]) if table.range_key_attr else None
    place, key = place_of(table, hash_key, range_key)
    place[key] = Item(hash_key, range_key, attributes)


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
        yield table, {name: key[name] for name in key_names(table)}


def item_of(table: str, key: Mapping[str, Any]) -> Any:
    """Return an item's attributes as they go over the wire; None without one, or without the table."""
    if table not in tables():
        return None
    hash_key, *range_key = [DynamoType(with_bytes(key[name])) for name in key_names(table)]
    item = tables()[table].get_item(hash_key, range_key[0] if range_key else None)
    return None if item is None else item.to_json()["Attributes"]


def _object(bucket: str, key: str) -> Change:
    stored = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys.get(key)
    if not isinstance(stored, FakeKey):
        return Change((OBJECT, bucket, key), None)
    return Change((OBJECT, bucket, key), {"metadata": dict(stored.metadata)}, stored.value)


def _buckets() -> Mapping[str, Any]:
    return s3_backends[ACCOUNT]["aws"].buckets


def _secrets() -> Mapping[str, Any]:
    return secretsmanager_backends[ACCOUNT][REGION].secrets
