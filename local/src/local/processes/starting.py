"""Starting a process that dies with this one: where forks are safe, by a fork of one that has loaded its libraries.

On Linux the first process with some libraries starts a fork server for them, which lives as long as this process
(see `fork_server`). Elsewhere, where system libraries do not bear a fork, every process is started anew.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from local.environment import base_environment
from local.processes.fork_server import MESSAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FORKS = sys.platform == "linux"
# OpenBLAS starts a thread for every other processor when numpy is loaded, which no fork would have.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Order:
    """A process to be started: a module with its arguments, the process's whole environment, its folder.

    `stdout`, `stderr`: descriptors, this process's own unless said otherwise; `descriptors` it gets under the same
    numbers. `libraries`: modules that it needs and that neither start threads nor open anything when they are loaded.
    `remove`: a folder that is deleted should this process be killed.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    libraries: tuple[str, ...] = ()
    stdout: int = 1
    stderr: int = 2
    descriptors: tuple[int, ...] = ()
    remove: Path | None = None

    @property
    def command(self) -> list[str]:
        """Return the words for `local.processes.child`."""
        cleanup = [f"--remove={self.remove}"] if self.remove else []
        return [*cleanup, *self.words]


class Process(Protocol):
    """A started process. `kill` may be called at any time and by any thread, also when it has ended."""

    pid: int

    def kill(self) -> None:
        """End it."""

    def has_ended(self) -> bool:
        """Return whether it has ended, without waiting."""

    def wait(self) -> int:
        """Return its status when it has ended, the negative number of a signal that ended it. For one caller."""


def start(order: Order) -> Process:
    """Start a process. Waits for the libraries if this is the first process with them."""
    if not _FORKS:
        return _Spawned(order)
    try:
        return _fork_server(order.libraries).start(order)
    except ConnectionError:  # it was killed, by whom it may be; its other processes go on
        return _fork_server(order.libraries).start(order)


def prepare(libraries: tuple[str, ...]) -> None:
    """Begin to load libraries for processes that are started later."""
    if _FORKS:
        _fork_server(libraries)


class _Spawned:
    """A process that was started anew."""

    def __init__(self, order: Order) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "local.processes.child", *order.command],
            stdin=subprocess.PIPE,
            stdout=order.stdout,
            stderr=order.stderr,
            pass_fds=order.descriptors,
            env=dict(order.environment),
            cwd=order.folder,
            start_new_session=True,  # Ctrl-C is for the parent, which then stops its children in order
        )
        self.pid = self._process.pid

    def kill(self) -> None:
        self._process.kill()

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self) -> int:
        status = self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        return status


class _Forked:
    """A process of a fork server. `handle` means it as long as it is open, whoever has its number by now."""

    def __init__(self, pid: int, handle: int, status: int, lifeline: int) -> None:
        self.pid = pid
        self._handle = handle
        self._status = status
        self._lifeline = lifeline
        self._lock = threading.Lock()
        self._ended: int | None = None

    def kill(self) -> None:
        with self._lock, suppress(ProcessLookupError):
            if self._ended is None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def has_ended(self) -> bool:
        with self._lock:
            return self._ended is not None or bool(select.select([self._handle], [], [], 0)[0])

    def wait(self) -> int:
        if self._ended is not None:
            return self._ended
        line = os.read(self._status, 16)
        with self._lock:
            # Where its server was killed nobody knows how it has ended, or whether: without its line to us it does.
            self._ended = int(line) if line else -signal.SIGKILL
            for number in (self._handle, self._status, self._lifeline):
                os.close(number)
        return self._ended


class _ForkServer:
    """This process's end of a fork server."""

    def __init__(self, libraries: tuple[str, ...]) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        self.is_closed = False
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", "local.processes.fork_server", str(number), *libraries],
                stdin=subprocess.DEVNULL,
                pass_fds=(number,),
                env={**base_environment(), **_ONE_THREAD},
                cwd=os.sep,
                start_new_session=True,
            )
        atexit.register(self.close)

    def start(self, order: Order) -> Process:
        """Start a process by a fork; ConnectionError when the server has ended."""
        lifeline_read, lifeline = os.pipe()
        status, status_write = os.pipe()
        places = [0, 1, 2, *order.descriptors]
        message = {
            "words": order.command,
            "environment": dict(order.environment),
            "folder": str(order.folder),
            "places": places,
        }
        descriptors = [status_write, lifeline_read, order.stdout, order.stderr, *order.descriptors]
        try:
            with self._lock:
                socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
                answered, handles, _, _ = socket.recv_fds(self._control, MESSAGE_LIMIT, 1)
        except BaseException:  # who is answered what is not known any more
            self._abandon(status, lifeline)
            raise
        finally:
            os.close(status_write)
            os.close(lifeline_read)
        if not answered:
            self._abandon(status, lifeline)
            raise ConnectionResetError("the fork server has ended")
        return _Forked(json.loads(answered)["pid"], handles[0], status, lifeline)

    def _abandon(self, *descriptors: int) -> None:
        for number in descriptors:
            os.close(number)
        self.close()

    def close(self) -> None:
        """Let the server end; its processes go on."""
        self.is_closed = True
        atexit.unregister(self.close)
        self._control.close()
        self._process.wait()


_servers: dict[tuple[str, ...], _ForkServer] = {}
_servers_lock = threading.Lock()


def _fork_server(libraries: tuple[str, ...]) -> _ForkServer:
    """Return this process's fork server with some libraries."""
    with _servers_lock:
        server = _servers.get(libraries)
        if server is None or server.is_closed:
            _servers[libraries] = server = _ForkServer(libraries)
        return server
