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
        self._blobs = platform.blobs

    @classmethod
    def install(cls, platform: Any) -> None:
        """Let a process's platform run its programs here."""
        platform.__dict__["runner"] = cls(platform)

    def start(self, order: Any) -> None:
        self._blobs.put_if_absent(f"{order.folder}{ORDERED}", order.run.encode())

    def phase(self, run: str) -> Any:
        phases = import_module("contest.submissions.rules").Phase
        there = self._blobs.names(f"{FOLDER}{run}/")
        phase_pairs = ((OVER, phases.OVER), (STARTED, phases.STARTED), (ORDERED, phases.WAITING))
        return next((phase for name, phase in phase_pairs if f"{FOLDER}{run}/{name}" in there), phases.UNKNOWN)

    def stop(self, run: str) -> None:
        """End a run: a machine that finds this has nothing to do."""
        self._blobs.put_if_absent(f"{FOLDER}{run}/{OVER}", b"")
