"""Runs a module in a process that dies with its parent, whatever way the parent dies.

    python -m local.processes.child [--remove=FOLDER] MODULE ARGUMENT…
    python -m local.processes.child -c PROGRAM ARGUMENT…

The parent holds the write end of this process's standard input and never writes to it. When the parent
ends, even by SIGKILL, the system closes that end and this process leaves at once. This works on every
system with pipes and for every module, since nothing in the module's own code is involved.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CLEANUP_OPTION = "--remove="
PROGRAM_OPTION = "-c"


def _leave_with_parent(lifeline: int, leftovers: str | None) -> None:
    while os.read(lifeline, 1):
        pass
    if leftovers:
        shutil.rmtree(leftovers, ignore_errors=True)
    os._exit(0)


def become(words: Sequence[str]) -> None:
    """Watch the parent on a thread and run the module that the words name, with its arguments, as `__main__`.

    With `-c` they have a program's text in its place, as Python takes it.

    `--remove=DIR` before the module makes this process delete DIR when the parent has gone: one child of a local
    cloud tidies up the temporary folder that a killed parent cannot.
    """
    leftovers, arguments = None, list(words)
    if arguments[0].startswith(CLEANUP_OPTION):
        leftovers = arguments.pop(0).removeprefix(CLEANUP_OPTION)
    lifeline = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - os.devnull is no path of ours
        os.dup2(nothing.fileno(), 0)
    threading.Thread(target=_leave_with_parent, args=(lifeline, leftovers), daemon=True).start()
    if arguments[0] == PROGRAM_OPTION:
        _, program, *more = arguments
        sys.argv = [PROGRAM_OPTION, *more]
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own text
        return
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    become(sys.argv[1:])
