"""Hook of a sabotaged copy's worker processes: points at which they die or fail.

A point is a write to AWS, named by what is written (``write:FILE``, ``write:ANSWER`` …), or a method of an adapter
(``DynamoDeliveries.send``). What shall happen at a point lies in the copy's folder as a small file; the first process
that comes there takes it and obeys. Everything that happened is appended to a log beside it.

The names of writes are the first words of sort keys (``SESSION#…/FILE#0001`` is ``FILE``), of partitions that have a
name for each of their items (``OUTBOX``, ``CONNECTIONS``), the first folders of objects' names, and ``queue`` for
messages.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

PLANS: Final = "plans"
ACTS: Final = "acts.jsonl"
CONFIG: Final = "config.json"
DIE_BEFORE: Final = "die before"
DIE_AFTER: Final = "die after"
THROTTLE: Final = "throttle"
STALL: Final = "stall"
STALLED: Final = "stalled"  # the file that is there while a process waits
_LOOK_AGAIN_S: Final = 0.005
_SINGLE: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_OBJECTS: Final = frozenset({"PutObject", "DeleteObject"})
_MESSAGES: Final = frozenset({"SendMessage", "SendMessageBatch"})
_REMOVALS: Final = frozenset({"DeleteItem", "DeleteObject"})
_BY_PARTITION: Final = frozenset({"OUTBOX", "CONNECTIONS"})


class Hook:
    """One process's eyes on the copy's folder. ``handler`` is the module that runs in it, ``submit.api`` for one."""

    def __init__(self, folder: Path, handler: str) -> None:
        self._folder, self._handler = folder, handler

    def method(self, point: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap an adapter's method so that it obeys the orders for its point."""

        def run(*words: Any, **named: Any) -> Any:
            deed = self._taken([point])
            if deed == DIE_BEFORE:
                _die()
            outcome = method(*words, **named)
            if deed == DIE_AFTER:
                _die()
            return outcome

        return run

    def call(self, method: Callable[..., Any], watched: tuple[str, ...]) -> Callable[..., Any]:
        """Wrap the SDK's one way to AWS: it obeys at writes and logs those of the ``watched`` kinds that succeeded."""

        def run(client: Any, operation: str, request: Mapping[str, Any]) -> Any:
            writes = tuple(_written(operation, request))
            deed = self._taken([f"write:{kind}" for kind in dict.fromkeys(kind for kind, _ in writes)])
            if deed == DIE_BEFORE:
                _die()
            if deed == STALL:
                self._wait()
            if deed == THROTTLE:
                raise _throttled(operation, len(request.get("TransactItems", ())))
            response = method(client, operation, request)
            for kind, item in writes:
                if kind in watched and operation not in _REMOVALS:
                    now: int = import_module("contest.wiring").platform().clock.now()
                    rest = {name: value for name, value in item.items() if name not in {"pk", "sk"}}
                    content = json.dumps(rest, sort_keys=True, default=repr)
                    keys = {name: item[name]["S"] for name in ("pk", "sk") if name in item}
                    digest = sha256(content.encode()).hexdigest()  # tells whether two writes are equal
                    self._log({"kind": "written", "what": kind, "at": now, **keys, "sha256": digest})
            if deed == DIE_AFTER:
                _die()
            return response

        return run

    def _wait(self) -> None:
        """Wait until the rehearsal has moved the clock and removed the sign."""
        sign = self._folder / STALLED
        sign.touch()
        while sign.exists():
            time.sleep(_LOOK_AGAIN_S)

    def _taken(self, points: list[str]) -> str | None:
        """Take the order for one of these points, so that no other process obeys it too; None without one."""
        if not points:
            return None
        with suppress(FileNotFoundError):
            for name in sorted(os.listdir(self._folder / PLANS)):  # noqa: PTH208 - in every write of a process: the cheap one
                with suppress(FileNotFoundError, ValueError):
                    path = self._folder / PLANS / name
                    plan = json.loads(path.read_bytes())
                    if plan["point"] in points and plan["handler"] in {None, self._handler}:
                        if plan["once"]:
                            path.unlink()
                        self._log({"kind": "obeyed", "point": plan["point"], "deed": plan["deed"], "plan": path.stem})
                        return str(plan["deed"])
        return None

    def _log(self, act: Mapping[str, Any]) -> None:
        line = json.dumps({**act, "handler": self._handler}, ensure_ascii=False) + "\n"
        handle = os.open(self._folder / ACTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


def install(folder: str, handler: str) -> None:
    """Plant the hook in a process; every handler's module of the copy calls this at its end."""
    config = json.loads(Path(folder, CONFIG).read_bytes())
    hook = Hook(Path(folder), handler)
    BaseClient._make_api_call = hook.call(BaseClient._make_api_call, tuple(config["watched"]))
    for point in config["methods"]:
        module, kind, name = point.rsplit(".", 2)
        adapter = getattr(import_module(module), kind)
        setattr(adapter, name, hook.method(f"{kind}.{name}", getattr(adapter, name)))
    _plant(config["bug"])


def begin(folder: str) -> None:
    """Plant the copy's bug before each of the organizer's commands, which are the platform's as well; nothing dies in
    them."""
    _plant(json.loads(Path(folder, CONFIG).read_bytes())["bug"])


def _plant(bug: str | None) -> None:
    if bug is not None:
        import_module("rehearsal.harm.bugs").BUGS[bug].plant()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _throttled(operation: str, items: int) -> ClientError:
    error = {"Code": "ProvisionedThroughputExceededException", "Message": "The rehearsal throttles this table"}
    if operation != "TransactWriteItems":
        return ClientError({"Error": error}, operation)
    reasons = [{"Code": "ThrottlingError", "Message": "throttled"}] * items
    error["Code"] = "TransactionCanceledException"
    return ClientError({"Error": error, "CancellationReasons": reasons}, operation)


def _written(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the kinds of a call's writes, each with its item, key or names."""
    changes = [request] if operation in _SINGLE else []
    if operation == "TransactWriteItems":
        entries = [change for entry in request["TransactItems"] for change in entry.items()]
        changes = [change for action, change in entries if action != "ConditionCheck"]
    for change in changes:
        item = change.get("Item") or change["Key"]
        partition: str = item["pk"]["S"].partition("#")[0]
        yield partition if partition in _BY_PARTITION else str(item["sk"]["S"]).partition("#")[0], item
    if operation in _OBJECTS:
        yield str(request["Key"]).partition("/")[0], {"pk": {"S": request["Key"]}}
    if operation in _MESSAGES:
        yield "queue", {}
