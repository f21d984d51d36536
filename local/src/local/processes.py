"""Start processes that die with this one: where forks are safe, by a fork of a process that has loaded their libraries.

    python -m local.processes [--remove=FOLDER] MODULE ARGUMENT…
    python -m local.processes -c PROGRAM ARGUMENT…
    python -P -m local.processes --fork-server CONTROL LIBRARY…

The first two become the module or program, in a process that dies with its parent, whatever way the parent dies. The
parent holds the write end of this process's standard input and never writes to it. When the parent ends, even by
SIGKILL, the system closes that end and this process leaves at once. This works on every system with pipes and for every
module, since nothing in the module's own code is involved.

The third is a fork server. On Linux the first process with some libraries starts one for them, which lives as long as
the process that started it. Elsewhere, where system libraries do not bear a fork, every process is started anew. To
load a function's libraries takes most of the time until it is ready; here it is spent once for all functions. All
that a process gets with them is their code: the server has one thread, makes no clients, and its environment has
nothing of a function's, so a library that looks into it while it is loaded learns nothing. The process that a fork
becomes has the environment, folder, import path, session and descriptors that it would have had if it had been started
anew; it differs in the seed of its hashes, which all forks of one server share.

CONTROL is the descriptor of a socket that keeps messages apart. A message is an :class:`Order` in JSON, with the
descriptors it is about: first the one to which the process's status is written when it has ended, then those that the
process gets at the numbers of `places`. The answer is the process's id, with a descriptor that means the process as
long as it is open. The server ends when nobody holds the other end of CONTROL.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import runpy
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from local.environment import base_environment, take_on
from markup_core.lazy import generate_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_CLEANUP_OPTION = "--remove="
_PROGRAM_OPTION = "-c"
_SERVER_OPTION = "--fork-server"


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
    if arguments[0].startswith(_CLEANUP_OPTION):
        leftovers = arguments.pop(0).removeprefix(_CLEANUP_OPTION)
    lifeline = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - os.devnull is no path of ours
        os.dup2(nothing.fileno(), 0)
    threading.Thread(target=_leave_with_parent, args=(lifeline, leftovers), daemon=True).start()
    if arguments[0] == _PROGRAM_OPTION:
        _, program, *more = arguments
        sys.argv = [_PROGRAM_OPTION, *more]
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own text
        return
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


_MESSAGE_LIMIT = 128 * 1024
_DESCRIPTOR_LIMIT = 16


class _Child(NamedTuple):
    """A running fork: its id, the descriptor that means it, and where its status is to be written."""

    pid: int
    handle: int
    status: int


def serve_forks(control: socket.socket, libraries: Sequence[str]) -> None:
    """Load the libraries that there are, serve, and run the requested command in each fork."""
    gc.disable()  # a collection finds next to nothing while libraries are loaded, and takes a fifth of the time
    for name in libraries:
        with suppress(ImportError):  # who needs a library that is not there will say so
            importlib.import_module(name)
    generate_all()
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page of what is never garbage
    gc.enable()
    words = _Server(control).serve()
    if words is not None:
        become(words)


class _Server:
    """The loop of the process that forks. It has no thread: a fork would lose it, with whatever lock it held."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: set[_Child] = set()
        # Not epoll, whose kernel object the forks would share.
        self._selector = selectors.PollSelector()
        self._selector.register(control, selectors.EVENT_READ)

    def serve(self) -> Sequence[str] | None:
        """Return None when nobody asks any more; in a fork, the words of its command."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._bury(key.data)
                    continue
                message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE_LIMIT, _DESCRIPTOR_LIMIT)
                if not message:
                    return None
                order = json.loads(message)
                if self._fork(descriptors):
                    continue
                _settle(order, descriptors[1:])
                words: Sequence[str] = order["words"]
                return words

    def _fork(self, descriptors: Sequence[int]) -> int:
        """Return the id of the new process, and in that process 0."""
        status, *handed_on = descriptors
        pid = os.fork()
        if pid == 0:
            self._control.close()
            for descriptor in (
                status,
                *(number for other in self._children for number in (other.handle, other.status)),
            ):
                os.close(descriptor)
            return 0
        for number in handed_on:
            os.close(number)
        started = _Child(pid, os.pidfd_open(pid), status)
        self._children.add(started)
        self._selector.register(started.handle, selectors.EVENT_READ, started)
        socket.send_fds(self._control, [json.dumps({"pid": pid}).encode()], [started.handle])
        return pid

    def _bury(self, ended: _Child) -> None:
        _, status = os.waitpid(ended.pid, 0)
        self._selector.unregister(ended.handle)
        self._children.remove(ended)
        with suppress(BrokenPipeError):  # nobody wants to know
            os.write(ended.status, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(ended.status)
        os.close(ended.handle)


def _settle(order: dict[str, Any], descriptors: Sequence[int]) -> None:
    """Give this fork the session, descriptors, folder and environment of a process that is started anew."""
    os.setsid()
    above = max((*order["places"], *descriptors)) + 1
    apart = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, above) for number in descriptors]
    for number in descriptors:
        os.close(number)
    for number, place in zip(apart, order["places"], strict=True):
        os.dup2(number, place)
        os.close(number)
    os.chdir(order["folder"])
    take_on(order["environment"])
    more = [folder for folder in order["environment"].get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.path[:0] = [order["folder"], *more]


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
        """Return the words for :func:`become`."""
        cleanup = [f"{_CLEANUP_OPTION}{self.remove}"] if self.remove else []
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
            [sys.executable, "-m", "local.processes", *order.command],
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
                [sys.executable, "-P", "-m", "local.processes", _SERVER_OPTION, str(number), *libraries],
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
                answered, handles, _, _ = socket.recv_fds(self._control, _MESSAGE_LIMIT, 1)
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


if __name__ == "__main__":
    if sys.argv[1] == _SERVER_OPTION:
        serve_forks(socket.socket(fileno=int(sys.argv[2])), sys.argv[3:])
    else:
        become(sys.argv[1:])
