"""The stand-in for AWS Batch in a rehearsed copy: runs are objects, and the rehearsal itself is the machine.

A process and a container for each of a hundred runs would take the rehearsal's time several times over. So the worker
of submissions begins a run by an object and looks at another one; the rehearsal's machines
(:mod:`rehearsal.play.programs`) leave what the real job leaves. Whatever the worker does otherwise is its own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from rehearsal.play.programs import FOLDER, ORDERED, OVER, STARTED

INSTALLED: Final = """

from contest.wiring import platform as _platform
from rehearsal.harm.machines import Machines as _Machines

_Machines.install(_platform())
"""
"""What the worker's module ends with."""


class Machines:
    """:class:`contest.submissions.ports.Runner` by objects."""

    def __init__(self, platform: Any) -> None:
        self._platform = platform

    @classmethod
    def install(cls, platform: Any) -> None:
        """Let a process's platform run its programs here."""
        platform.__dict__["runner"] = cls(platform)

    def start(self, order: Any) -> None:
        """Ask for a run."""
        self._platform.blobs.put_if_absent(f"{order.folder}{ORDERED}", order.run.encode())

    def phase(self, run: str) -> Any:
        """Return the phase of a run."""
        phases = import_module("contest.submissions.rules").Phase
        folder = f"{FOLDER}{run}/"
        there = {name.removeprefix(folder) for name in self._platform.blobs.names(folder)}
        if OVER in there:
            return phases.OVER
        if STARTED in there:
            return phases.STARTED
        return phases.WAITING if ORDERED in there else phases.UNKNOWN

    def stop(self, run: str) -> None:
        """End a run: a machine that finds this has nothing to do."""
        self._platform.blobs.put_if_absent(f"{FOLDER}{run}/{OVER}", b"")
