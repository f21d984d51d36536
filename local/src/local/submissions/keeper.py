"""The parent of a confined program: a process of its own that everything which leaves the program falls back to.

Run as a script with ``python -I``, it imports nothing of the package. Its one argument is a JSON object
``{command, folder, environment, status, limits: {resource: value}, cpus, group}``. It becomes the reaper of its
descendants, joins the cgroup (a folder, or null), starts the command in a session of its own and writes the command's
exit code, or minus its signal, as one line into the descriptor ``status``. Then it waits to be killed and goes on
reaping: who started it looks for what is left, all of which is its descendant.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_NOT_STARTED = 127
"""Exit code of a shell for a missing command."""


def main() -> None:
    """Start the command, report its exit code, and reap until the end."""
    order = json.loads(sys.argv[1])
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(order["status"], False)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    started = os.fork()
    if started == 0:
        _become(order, prctl)
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            signal.pause()
            continue
        if ended == started:
            os.write(order["status"], f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(order: dict[str, Any], prctl: Any) -> None:
    """Turn into the command under its limits; does not return."""
    try:
        os.setsid()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        if order["group"]:
            (Path(order["group"]) / "cgroup.procs").write_text(str(os.getpid()), "ascii")
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: order["cpus"]])
        for name, value in order["limits"].items():
            kind = getattr(resource, name)
            most = resource.getrlimit(kind)[1]
            bound = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (bound, bound))
        os.chdir(order["folder"])
        os.execvpe(order["command"][0], order["command"], order["environment"])  # noqa: S606 - the very purpose
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    finally:
        os._exit(_NOT_STARTED)


if __name__ == "__main__":
    main()
