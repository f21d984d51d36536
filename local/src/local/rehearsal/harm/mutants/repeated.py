"""Whether a write that is done twice leaves something else than done once: seen from the requests that it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types

Call = tuple[str, Mapping[str, Any]]
_READS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "GetObject", "HeadObject", "ListObjectsV2"})
_SETTLED: Final = frozenset({"PutItem", "DeleteItem", "BatchWriteItem", "PutObject", "DeleteObject"})
"""The same once more leaves what is there, or is refused by its own condition."""
_ADDING: Final = ("ADD ", " + ", " - ", "list_append")
_calls: ContextVar[list[Call] | None] = ContextVar("calls", default=None)


@contextmanager
def watched() -> Iterator[list[Call]]:
    """The requests to AWS that are made inside, in their order."""
    if BaseClient._make_api_call.__name__ != "_noted":
        _watch_clients()
    calls: list[Call] = []
    around = _calls.get()
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)
        if around is not None:
            around.extend(calls)


def adds_up(calls: Sequence[Call]) -> bool:
    """Whether these requests, made a second time, may leave something else than they left: they add to what is there,
    send something, or write what they have just read.

    What only puts, sets or removes leaves the same, whatever its condition says the second time.
    """
    writes = [(operation, words) for operation, words in calls if operation not in _READS]
    read_first = bool(writes) and len(writes) < len(calls)
    return read_first or any(_adds(operation, words) for operation, words in writes)


def _adds(operation: str, words: Mapping[str, Any]) -> bool:
    if operation == "UpdateItem":
        return any(each in words.get("UpdateExpression", "") for each in _ADDING)
    if operation == "TransactWriteItems":
        return any(_adds("UpdateItem", each.get("Update", {})) for each in words["TransactItems"])
    return operation not in _SETTLED


def _watch_clients() -> None:
    """Have the one method through which every client goes note what it is asked for."""
    call = BaseClient._make_api_call

    def _noted(self: Any, operation_name: str, api_params: Mapping[str, Any]) -> Any:
        known = _calls.get()
        if known is not None:
            known.append((operation_name, api_params))
        return call(self, operation_name, api_params)

    BaseClient._make_api_call = _noted
