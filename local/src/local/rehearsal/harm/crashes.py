"""A copy of the functions whose processes can be made to die, fail or forget at any write (see :mod:`hook`)."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from local.rehearsal.harm import hook

_INSTALL: Final = """

from local.rehearsal.harm import hook as _hook

_hook.install({folder!r}, __name__)
"""
_BEGIN: Final = """
from local.rehearsal.harm import hook
hook.begin({folder!r})
"""
METHODS: Final = (
    "blobs.S3Blobs.put_if_absent",
    "deliveries.DynamoDeliveries.send",
    "deliveries.DynamoDeliveries.hand_out",
    "deliveries.DynamoOutbox.done",
    "queue.SqsQueue.send",
    "scores.DynamoScores.put",
    "scores.DynamoScores.enter",
    "sessions.DynamoSessions.open",
    "sessions.DynamoSessions.close",
)
"""Methods of adapters at which a test can interfere, each with its module."""


class Crashes:
    """A copy of the folder ``sources`` in ``folder``; ``functions`` is where the copies are.

    ``methods`` are points besides the writes; ``bug`` is a bug of :mod:`local.rehearsal.harm.bugs` that every process
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
        """A program that goes before each of the organizer's commands."""
        return _BEGIN.format(folder=str(self._folder))

    def add(self, module: str, code: str) -> None:
        """Let a module of the copy, ``submit/api.py`` for one, end with more code."""
        path = self.functions / module
        path.write_text(path.read_text("utf-8") + code, "utf-8")

    def plan(self, point: str, deed: str, *, once: bool = True, handler: str | None = None) -> str:
        """Let ``deed`` happen at ``point``, in the processes of ``handler`` alone if one is named; the plan's name.

        Several plans may wait at the same time; the earliest that fits is taken.
        """
        with self._lock:
            name = f"{next(self._numbers):06d}"
        fresh = self._folder / f"{name}.new"
        fresh.write_text(json.dumps({"point": point, "deed": deed, "once": once, "handler": handler}), "utf-8")
        fresh.replace(self._plans / f"{name}.json")
        return name

    def stalls(self) -> bool:
        """Whether a process waits at a write."""
        return (self._folder / hook.STALLED).exists()

    def go_on(self) -> None:
        """Let the process that waits go on."""
        (self._folder / hook.STALLED).unlink(missing_ok=True)

    def happened(self) -> bool:
        """Whether everything that was planned to happen once has happened."""
        return not any(self._plans.iterdir())

    def stop(self) -> None:
        """Plan nothing any more."""
        for path in self._plans.iterdir():
            path.unlink(missing_ok=True)

    def forget(self, name: str) -> bool:
        """Take a plan back; whether it was still waiting."""
        try:
            (self._plans / f"{name}.json").unlink()
        except FileNotFoundError:
            return False
        return True

    def waits(self, name: str) -> bool:
        """Whether a plan has not been met yet."""
        return (self._plans / f"{name}.json").exists()

    def acts(self) -> list[Mapping[str, Any]]:
        """What happened at points and which watched writes succeeded, in order."""
        try:
            lines = (self._folder / hook.ACTS).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]
