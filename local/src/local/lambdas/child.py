"""Runs a module in a process that dies with its parent, whatever way the parent dies.

    python -m local.lambdas.child MODULE ARGUMENT…

The parent holds the write end of this process's standard input and never writes to it. When the parent
ends, even by SIGKILL, the system closes that end and this process leaves at once. This works on every
system with pipes and for every handler, since nothing in the handler's own code is involved.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import threading

CLEANUP_OPTION = "--remove="


def _leave_with_parent(lifeline: int, leftovers: str | None) -> None:
    while os.read(lifeline, 1):
        pass
    if leftovers:
        shutil.rmtree(leftovers, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Watch the parent on a thread and run the module named on the command line as `__main__`.

    `--remove=DIR` before the module makes this process delete DIR when the parent has gone: one child of a local
    cloud tidies up the temporary folder that a killed parent cannot.
    """
    arguments = sys.argv[1:]
    leftovers = None
    if arguments[0].startswith(CLEANUP_OPTION):
        leftovers = arguments.pop(0).removeprefix(CLEANUP_OPTION)
    lifeline = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - os.devnull is no path of ours
        os.dup2(nothing.fileno(), 0)
    threading.Thread(target=_leave_with_parent, args=(lifeline, leftovers), daemon=True).start()
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
