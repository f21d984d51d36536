"""Throttles of tables, injected: the next requests of a table are refused as DynamoDB refuses beyond its capacity."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from werkzeug.wrappers import Response

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_READS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
_CODE: Final = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"


class Throttling:
    """Count requests by table that are to be refused, and those refused since the last look."""

    def __init__(self) -> None:
        self._left: Counter[str] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def inject(self, refusals: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse so many requests of a table."""
        self._left[refusals["table"]] += refusals["requests"]
        return {}

    def refused(self, _: Mapping[str, Any]) -> list[tuple[str, str, int]]:
        """Return table, metric and number of the requests refused since the last look."""
        counts = [(*key, count) for key, count in self._refused.items()]
        self._refused.clear()
        return counts

    def is_due(self) -> bool:
        """Return whether any request is to be refused."""
        return any(self._left.values())

    def refusal(self, operation: str, body: bytes) -> Response | None:
        """Return the refusal of a request to a table that is to refuse, None of any other."""
        if not self.is_due():
            return None
        for table in _tables(json.loads(body)):
            if self._left[table] > 0:
                self._left[table] -= 1
                self._refused[table, "ReadThrottleEvents" if operation in _READS else "WriteThrottleEvents"] += 1
                error = {"__type": _CODE, "message": "The level of configured provisioned throughput was exceeded."}
                return Response(json.dumps(error), status=400, mimetype="application/x-amz-json-1.0")
        return None


def _tables(request: Mapping[str, Any]) -> Iterator[str]:
    yield request.get("TableName", "")
    yield from request.get("RequestItems", {})
    for action in request.get("TransactItems", ()):
        yield from (part["TableName"] for part in action.values())
