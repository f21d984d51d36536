"""Let the processes of a copy of the functions die, fail or forget, at moments drawn from the seed.

A :class:`Hook` in each worker process sits at points at which the process can die or fail. A point is a write to AWS,
named by what is written (``write:FILE``, ``write:ANSWER`` …), or a method of an adapter (``DynamoDeliveries.send``).
What shall happen at a point lies in the copy's folder as a small file (:class:`Crashes` writes it); the first process
that comes there takes it and obeys. Everything that happened is appended to a log beside it.

The names of writes are the first words of sort keys (``SESSION#…/FILE#0001`` is ``FILE``), of partitions that have a
name for each of their items (``OUTBOX``, ``CONNECTIONS``), the first folders of objects' names, and ``queue`` for
messages.

:class:`Sabotage` draws kills and throttles, :class:`Losses` loses messages for good. Nothing is sabotaged while a
request is under way that its program could not repeat in time: what the platform has no trace of, because the process
died before its first write, it cannot make good by itself. Timers, the relay and the scoring may be hit at any moment.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from local.clock import Clock
from rehearsal.history import SECOND, Millis

if TYPE_CHECKING:  # the functions of a copy load this module, and no HTTP client
    from rehearsal.play.wire import Ask

PLANS: Final = "plans"
ACTS: Final = "acts.jsonl"
CONFIG: Final = "config.json"
DIE_BEFORE: Final = "die before"
DIE_AFTER: Final = "die after"
THROTTLE: Final = "throttle"
STALL: Final = "stall"
STALLED: Final = "stalled"  # name of the file that exists while a process waits
_LOOK_AGAIN_S: Final = 0.005
_SINGLE: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_OBJECTS: Final = frozenset({"PutObject", "DeleteObject"})
_MESSAGES: Final = frozenset({"SendMessage", "SendMessageBatch"})
_REMOVALS: Final = frozenset({"DeleteItem", "DeleteObject"})
_BY_PARTITION: Final = frozenset({"OUTBOX", "CONNECTIONS"})


class Hook:
    """One process's access to the copy's folder. ``handler`` is the module that runs in it, ``submit.api`` for one."""

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


_INSTALL: Final = """

from rehearsal.harm import crashes as _crashes

_crashes.install({folder!r}, __name__)
"""
_BEGIN: Final = """
from rehearsal.harm.crashes import begin
begin({folder!r})
"""


class Crashes:
    """A copy of the folder ``sources`` in ``folder``; ``functions`` is where the copies are.

    ``methods`` are points besides the writes; ``bug`` is a bug of :mod:`rehearsal.harm.bugs` that every process
    of the copy has, and each of the organizer's commands; ``watched`` are kinds of writes that are logged.
    """

    def __init__(
        self,
        sources: Path,
        folder: Path,
        *,
        methods: Sequence[str] = (),
        bug: str | None = None,
        watched: Sequence[str] = (),
    ) -> None:
        self.functions = folder / "functions"
        self._folder = folder
        self._plans = folder / PLANS
        self.stalled = folder / STALLED
        """Path of a file that exists while a process waits at a write."""
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._plans.mkdir(parents=True)
        config = {"methods": list(methods), "bug": bug, "watched": list(watched)}
        (folder / CONFIG).write_text(json.dumps(config), "utf-8")
        shutil.copytree(sources, self.functions, ignore=shutil.ignore_patterns("__pycache__"))
        for module in self.functions.glob("*/*.py"):
            if module.name != "__init__.py":
                module.write_text(module.read_text("utf-8") + _INSTALL.format(folder=str(folder)), "utf-8")

    @property
    def before_commands(self) -> str:
        """Return the program that runs before each of the organizer's commands."""
        return _BEGIN.format(folder=str(self._folder))

    def add(self, module: str, code: str) -> None:
        """Let a module of the copy, ``submit/api.py`` for one, end with more code."""
        path = self.functions / module
        path.write_text(path.read_text("utf-8") + code, "utf-8")

    def plan(self, point: str, deed: str, *, once: bool = True, handler: str | None = None) -> str:
        """Plan ``deed`` at ``point``, in the processes of ``handler`` alone if one is named; return the plan's name.

        Several plans may wait at the same time; the earliest that fits is taken.
        """
        with self._lock:
            name = f"{next(self._numbers):06d}"
        fresh = self._folder / f"{name}.new"
        fresh.write_text(json.dumps({"point": point, "deed": deed, "once": once, "handler": handler}), "utf-8")
        fresh.replace(self._plans / f"{name}.json")
        return name

    def happened(self) -> bool:
        """Return whether every plan for a single deed was obeyed."""
        return not any(self._plans.iterdir())

    def stop(self) -> None:
        for path in self._plans.iterdir():
            path.unlink(missing_ok=True)

    def forget(self, name: str) -> bool:
        """Take a plan back; return whether it was still waiting."""
        try:
            (self._plans / f"{name}.json").unlink()
        except FileNotFoundError:
            return False
        return True

    def waits(self, name: str) -> bool:
        """Return whether no process has met a plan yet."""
        return (self._plans / f"{name}.json").exists()

    def acts(self) -> list[Mapping[str, Any]]:
        """Return the deeds done at points and the watched writes that succeeded, in order."""
        acts = self._folder / ACTS
        return [json.loads(line) for line in acts.read_text("utf-8").splitlines()] if acts.exists() else []


class Stalls:
    """Latency: one process of a copy waits at one of its writes until the clock has been moved on, or has run on.

    So the platform takes seconds of a program's time, as it would with a cold start or a slow table. On a driven clock
    the machine's own slowness still takes none. ``injected`` is called for each process that waited.
    """

    def __init__(self, crashes: Crashes, clock: Clock, injected: Callable[..., None]) -> None:
        self._crashes, self._clock, self._injected = crashes, clock, injected

    @contextmanager
    def at(self, point: str, handler: str, millis: Millis) -> Iterator[None]:
        """Let the first process of a handler that comes to a write before the context ends wait there for ``millis`` of
        the clock. Nobody else may move a driven clock meanwhile."""
        plan, over = self._crashes.plan(point, STALL, handler=handler), threading.Event()

        def move() -> None:
            while not self._crashes.stalled.exists():
                if over.wait(_LOOK_AGAIN_S):
                    return
            if self._clock.state.held_ms is None:
                threading.Event().wait(millis / SECOND)
            else:
                self._clock.advance(millis / SECOND)
            self._injected("stalled", point=point, millis=millis)
            self._crashes.stalled.unlink()

        mover = threading.Thread(target=move)
        mover.start()
        try:
            yield
        finally:
            over.set()
            mover.join()
            self._crashes.forget(plan)


MARGIN: Final[Millis] = 5 * SECOND
_ASKED: Final = ("dispatch.api", "submit.api", "dispatch.socket", "dispatch.push", "submit.submissions")
_UNASKED: Final = ("dispatch.minute_timer", "score.worker", "score.relay", "score.submission_worker", "shadow.job")
Writes = Mapping[str, tuple[str, ...]]
WRITES: Final[Writes] = {
    "dispatch.api": ("FILE", "STATE", "RELEASE", "SEEN"),
    "submit.api": ("ANSWER", "FILE", "RECEIPT", "OUTBOX", "SEEN"),
    "dispatch.socket": ("CONNECTION", "FILE", "RECEIPT", "PUSHED"),
    "dispatch.push": ("FILE", "PUSHED"),
    "dispatch.minute_timer": ("RELEASE", "STATE", "OUTBOX", "reports", "runs", "queue"),
    "score.worker": ("SCORE", "OUTBOX"),
    "score.relay": ("queue",),
}
"""Writes of each function in a final of essays, by their names in :class:`Hook`."""
_KILLS: Final = (DIE_BEFORE, DIE_AFTER)
_THROTTLES: Final = (THROTTLE,)
_MET: Final = 4  # number of vain attempts on a write that count as much as one hit


class Sabotage:
    """Kills processes and throttles tables: ``kill`` and ``throttle`` are their chances at a moment with requests;
    ``writes`` are the writes of each function that may be hit."""

    def __init__(
        self,
        crashes: Crashes,
        seed: int,
        injected: Callable[..., Any],
        *,
        kill: float,
        throttle: float,
        writes: Writes = WRITES,
    ) -> None:
        self._crashes = crashes
        self._chance = random.Random(f"{seed}/sabotage")  # noqa: S311 - reproducible, nothing secret
        self._injected = injected
        self._odds = (kill, throttle)
        self._writes = writes
        self._waiting: dict[str, dict[str, Any]] = {}
        self._uses: Counter[tuple[str, str, str]] = Counter()

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        for ask in asks:
            if ask.dies_at is not None:
                handler, point = ask.dies_at
                self._plan(handler, point, DIE_BEFORE)
                return
        kill, throttle = self._odds
        luck = self._chance.random()
        behind = self._chance.random() < 0.3
        safe = bool(asks) and all(ask.due is None or ask.due - now >= MARGIN for ask in asks)
        if luck >= kill + throttle or not (safe or behind):
            return
        # The function and its write that were hit the least, so that in time each is hit. One that is never met must
        # not keep the others waiting: trying counts a little.
        possible = [
            (handler, f"write:{kind}", deed)
            for handler in (_UNASKED if behind else _ASKED)
            for kind in self._writes.get(handler, ())
            for deed in (_KILLS if luck < kill else _THROTTLES)
        ]
        self._chance.shuffle(possible)
        chosen = min(possible, key=self._uses.__getitem__)
        self._uses[chosen] += 1
        self._plan(*chosen)

    def _plan(self, handler: str, point: str, deed: str) -> None:
        name = self._crashes.plan(point, deed, handler=handler)
        self._waiting[name] = {"handler": handler, "point": point, "deed": deed}

    def after(self) -> None:
        """Take back the requests' plans that no process met; plans for timers and scoring stay."""
        for name, plan in list(self._waiting.items()):
            if plan["handler"] in _UNASKED and (self._crashes.waits(name)):
                continue
            del self._waiting[name]
            self._settle(name, plan)

    def stop(self) -> None:
        self._odds = (0.0, 0.0)
        for name, plan in self._waiting.items():
            self._settle(name, plan)
        self._waiting.clear()

    def _settle(self, name: str, plan: dict[str, Any]) -> None:
        """Take a plan back, or record that a process has met it."""
        if self._crashes.forget(name):
            return
        self._uses[plan["handler"], plan["point"], plan["deed"]] += _MET
        self._injected("throttled" if plan["deed"] == THROTTLE else "killed", **plan)


_SHARE: Final = 0.15  # usual share of the answers, and of the steps towards record and board, that are lost once
_RELAY, _SCORE, _SETTLE, _JUDGE = "FunctionsRelay", "FunctionsScore", "FunctionsSettle", "FunctionsSubmissionWorker"
_PUSH: Final = "FunctionsPush"
_DIGEST: Final = re.compile(r"\b[0-9a-f]{64}\b")


class Losses:
    """Loses workers' messages for good: records of answers on their stream, messages of answers, steps, pushes.

    A lost message never comes again by itself: only the minute timer can find the loss. Of an answer its record or its
    first message is lost, never both, and no step is lost twice in a row: the platform promises to find a loss within
    two minutes, not to withstand a loss of everything. Tasks requested by hand are not lost: the requester repeats the
    request. One file is pushed to nobody: its cause must be the platform's fault.

    ``share`` of what may be lost is lost. Answers are drawn by their digests, tasks by their runs: they hold drawn
    names, so of few answers none may be lost, but for a share of 1. ``unpushed``: the file of which every push is
    lost, if any."""

    def __init__(self, seed: int, share: float | None, unpushed: int | None, injected: Callable[..., None]) -> None:
        self._seed, self._unpushed, self._injected = seed, unpushed, injected
        self._share = _SHARE if share is None else share
        self._lock = threading.Lock()
        self._chance = random.Random(f"{seed}/steps")  # noqa: S311 - reproducible, nothing secret
        self._jobs: set[str] = set()
        self._steps: set[str] = set()

    def takes(self, source: str, text: str) -> bool:
        """Return whether a message or record of a source is lost now (see :data:`local.lambdas.pump.Lost`)."""
        with self._lock:
            if source.startswith(_RELAY):
                return self._lose(self._loser(_digest(text)) == _RELAY, "record_lost", answer=_digest(text))
            if source.startswith(_SCORE):  # an answer's first message alone; the timer's repetitions come through
                is_lost = text not in self._jobs and self._loser(_digest(text)) == _SCORE
                self._jobs.add(text)
                return self._lose(is_lost, "job_lost", answer=_digest(text))
            if source.startswith(_JUDGE):  # the first message of a submission, or of a run's end
                run = str(json.loads(text)["run"])
                luck = random.Random(f"{self._seed}/{run}").random()  # noqa: S311 - reproducible, nothing secret
                is_lost = run not in self._jobs and luck < self._share
                self._jobs.add(run)
                return self._lose(is_lost, "task_lost", run=run)
            if source.startswith(_PUSH):
                push = json.loads(text)
                is_lost = push["kind"] == "file" and push["number"] == self._unpushed
                return self._lose(is_lost, "push_lost", session=push["session_id"], number=push["number"])
            return source.startswith(_SETTLE) and self._takes_step(text)

    def _lose(self, is_lost: bool, what: str, **where: Any) -> bool:
        if is_lost:
            self._injected(what, **where)
        return is_lost

    def _takes_step(self, text: str) -> bool:
        step = json.loads(text)
        if step.get("errand_id"):
            return False
        if text in self._steps:
            self._steps.remove(text)
            return False
        is_lost = self._chance.random() < self._share
        self._steps |= {text} if is_lost else set()
        return self._lose(is_lost, "step_lost", run=step["run_id"], session=step["session_id"])

    def _loser(self, digest: str) -> str | None:
        """Return the function before which an answer is lost; None for one that comes through."""
        luck = random.Random(f"{self._seed}/losses/{digest}").random()  # noqa: S311 - reproducible, nothing secret
        return None if luck >= self._share else _RELAY if luck < self._share / 2 else _SCORE


def _digest(text: str) -> str:
    """Return the SHA-256 of the answer that a record or message names; empty without one."""
    match = _DIGEST.search(text)
    return match[0] if match is not None else ""
