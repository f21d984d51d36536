"""The real functions with points at which a test can make their process die or lose what it was told to do.

A point is a method of an adapter. What shall happen there next is written into a file that every process reads; the
first one that comes there takes it and obeys.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from exchange_programs import FUNCTIONS

_HOOK = """

import json as _json
import os as _os
import signal as _signal
from contest.adapters import blobs as _blobs, deliveries as _deliveries, queue as _queue, scores as _scores
from contest.adapters import sessions as _sessions
from contest.ports import LostRaceError as _LostRaceError

_FILE = {file!r}
_KNOWN = {{
    each.__name__: each
    for each in (
        _blobs.S3Blobs, _deliveries.DynamoDeliveries, _deliveries.DynamoOutbox, _queue.SqsQueue,
        _scores.DynamoScores, _sessions.DynamoSessions,
    )
}}


def _taken(point):
    try:
        with open(_FILE) as file:
            plan = _json.load(file)
        if plan["point"] != point:
            return None
        if plan["once"]:
            _os.unlink(_FILE)
    except (FileNotFoundError, ValueError):
        return None
    return plan["deed"]


def _pointed(point, method):
    def run(*words, **named):
        deed = _taken(point)
        if deed == "die before":
            _os.kill(_os.getpid(), _signal.SIGKILL)
        if deed == "lose":
            return None
        if deed == "lose the race":
            raise _LostRaceError
        found = method(*words, **named)
        if deed == "die after":
            _os.kill(_os.getpid(), _signal.SIGKILL)
        return found
    return run


for _point in {points!r}:
    _kind, _, _name = _point.partition(".")
    setattr(_KNOWN[_kind], _name, _pointed(_point, getattr(_KNOWN[_kind], _name)))
"""
_POINTS = (
    "S3Blobs.put_if_absent",
    "DynamoDeliveries.send",
    "DynamoDeliveries.hand_out",
    "DynamoOutbox.done",
    "SqsQueue.send",
    "DynamoScores.put",
    "DynamoScores.enter",
    "DynamoSessions.open",
    "DynamoSessions.close",
)


class Crashes:
    """A folder of functions with such points."""

    def __init__(self, folder: Path) -> None:
        self.functions = folder / "functions"
        self._file = folder / "crash.json"
        shutil.copytree(FUNCTIONS, self.functions, ignore=shutil.ignore_patterns("__pycache__"))
        for module in self.functions.glob("*/*.py"):
            if module.name != "__init__.py":
                hook = _HOOK.format(file=str(self._file), points=_POINTS)
                module.write_text(module.read_text("utf-8") + hook, "utf-8")

    def plan(self, point: str, deed: str, *, once: bool = True) -> None:
        """Let ``deed`` (die before, die after, lose, lose the race) happen at ``point``."""
        assert point in _POINTS
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps({"point": point, "deed": deed, "once": once}), "utf-8")
        fresh.replace(self._file)

    def happened(self) -> bool:
        """Whether what was planned to happen once has happened."""
        return not self._file.exists()

    def stop(self) -> None:
        """Plan nothing any more."""
        self._file.unlink(missing_ok=True)
