"""A copy of the functions whose processes can be made to die, fail or forget at any write (see :mod:`hook`)."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from local.clock import Clock
from rehearsal.harm import hook
from rehearsal.moments import SECOND, Millis

_INSTALL: Final = """

from rehearsal.harm import hook as _hook

_hook.install({folder!r}, __name__)
"""
_BEGIN: Final = """
from rehearsal.harm import hook
hook.begin({folder!r})
"""
_LOOK_AGAIN_S: Final = 0.005


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
        self._plans = folder / hook.PLANS
        self.stalled = folder / hook.STALLED
        """There while a process waits at a write."""
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._plans.mkdir(parents=True)
        config = {"methods": list(methods), "bug": bug, "watched": list(watched)}
        (folder / hook.CONFIG).write_text(json.dumps(config), "utf-8")
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
        acts = self._folder / hook.ACTS
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
        """Let the first process of a handler that comes to a write before the context ends wait there for so long, by
        the clock. One that is driven nobody else may move meanwhile."""
        plan, over = self._crashes.plan(point, hook.STALL, handler=handler), threading.Event()

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
