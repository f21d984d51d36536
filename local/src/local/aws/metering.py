"""Count the functions' requests to the emulated services, in the units of the services' bills.

Units are those of the services' price lists: DynamoDB's read units are 4 KB of an item, its write units 1 KB, both
double in a transaction; objects are read or written a request at a time. Messages are sent, received and deleted as if
none were ever in a batch with another, for the size of batches depends on the machine. Sizes are those of the items'
JSON, which is a little longer than the stored item.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

READS, WRITES = "table_read_units", "table_write_units"
OBJECT_READS, OBJECT_WRITES = "object_reads", "object_writes"
QUEUES = "queue_requests"
_READ_BYTES, _WRITE_BYTES = 4096, 1024
_TRANSACTION: Final = 2
_EMPTY: Final = 1
_FREE: Final = frozenset({"DELETE"})
_BY_ANSWER: Final = frozenset({"Query", "GetItem"})
_BY_WISH: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
"""Operations on one item or one list of items, which are no larger than the JSON that they come in: what fits into one
unit need not be read."""


class Meter:
    """Counts by kind, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, count: int = 1) -> None:
        """Add to the count of a kind of request."""
        with self._lock:
            self._counts[kind] += count

    def counts(self) -> dict[str, int]:
        """Return the counts so far, by kind."""
        with self._lock:
            return dict(self._counts)

    def note(self, environ: Mapping[str, Any], request: bytes, answered: bytes) -> None:
        """Count a request of a function and its answer; an answer that is a refusal costs as much."""
        service, _, operation = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
        if operation in _BY_ANSWER and len(answered) <= _READ_BYTES:
            self.add(READS, _EMPTY)
        elif operation in _BY_WISH and len(request) <= _WRITE_BYTES:
            self.add(WRITES, _EMPTY)
        elif service.startswith("DynamoDB"):
            for kind, count in _units(operation, request, answered):
                self.add(kind, count)
        elif service == "AmazonSQS":
            self.add(QUEUES, len(_read(request).get("Entries", ["one"])))
        elif not service and environ["REQUEST_METHOD"] not in _FREE:
            one_object = "/" in environ["PATH_INFO"].strip("/")
            reads = environ["REQUEST_METHOD"] in {"GET", "HEAD"} and one_object
            self.add(OBJECT_READS if reads else OBJECT_WRITES)


def _units(operation: str, request: bytes, response: bytes) -> Iterator[tuple[str, int]]:
    if operation == "TransactWriteItems":
        for action in _read(request)["TransactItems"]:
            yield WRITES, _TRANSACTION * sum(_blocks(what, _WRITE_BYTES) for what in action.values())
    elif operation == "BatchGetItem":
        rows = [row for rows in _read(response).get("Responses", {}).values() for row in rows]
        keys = sum(len(keys_of_table["Keys"]) for keys_of_table in _read(request)["RequestItems"].values())
        yield READS, sum(_blocks(row, _READ_BYTES) for row in rows) + keys - len(rows)
    elif operation == "BatchWriteItem":
        wished = [change for part in _read(request)["RequestItems"].values() for change in part]
        yield WRITES, sum(_blocks(change, _WRITE_BYTES) for change in wished)
    elif operation == "Query":
        yield READS, _blocks(_read(response).get("Items", []), _READ_BYTES)
    elif operation == "GetItem":
        yield READS, _blocks(_read(response).get("Item", {}), _READ_BYTES)
    elif operation in _BY_WISH:
        wish = _read(request)
        content = wish.get("Item") or wish.get("ExpressionAttributeValues") or wish["Key"]
        yield WRITES, _blocks(content, _WRITE_BYTES)


def _blocks(value: Any, size: int) -> int:
    return max(_EMPTY, -(-len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) // size))


def _read(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
