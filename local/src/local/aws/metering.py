"""Count the functions' requests to the emulated services, in the units of the services' bills.

Units are those of the services' price lists: DynamoDB's read units are 4 KB of an item, half of one where the latest
write need not be seen, its write units 1 KB; both double in a transaction. Sizes are those of the items as DynamoDB
counts them; of what an update or a deletion leaves, as it stands afterwards. Objects are read or written a request at a
time. Messages are sent, received and deleted as if none were ever in a batch with another, for the size of batches
depends on the machine.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from local.aws.request_limits import item_bytes

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
