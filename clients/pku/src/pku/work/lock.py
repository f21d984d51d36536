"""One runner per session: an exclusive lock that the system itself releases when its holder dies.

The lock is the operating system's, on a file that is never deleted; the number of the holding process stands in it for
the message only. So a lock is never stale: after ``kill -9`` or a power cut the next runner simply gets it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pku.errors import PkuError

if sys.platform == "win32":
    import msvcrt

    def _seize(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _seize(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_PID_AT = 1
"""The process number stands after the locked byte, where other processes may read it on every system."""


class Lock:
    """Held from :meth:`acquire` to :meth:`release` or the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock at once, or raise :class:`PkuError` ``session_in_use``."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            _seize(handle)
        except OSError:
            holder = os.pread(handle, 32, _PID_AT).decode("ascii", "replace").strip() or "?"
            os.close(handle)
            raise PkuError("session_in_use", pid=holder) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f" {os.getpid()}\n".encode(), 0)
        self._handle = handle

    def release(self) -> None:
        """Give the lock up; without one nothing happens."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
