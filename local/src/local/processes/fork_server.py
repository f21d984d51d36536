"""A process that has loaded libraries and becomes, by a fork of itself, each process that is asked of it.

    python -P -m local.processes.fork_server CONTROL LIBRARY…

To load a function's libraries takes most of the time until it is ready; here it is spent once for all functions. All
that a process gets with them is their code: this process has one thread, makes no clients, and its environment has
nothing of a function's, so a library that looks into it while it is loaded learns nothing. The process that a fork
becomes has the environment, folder, import path, session and descriptors that it would have had if it had been started
anew; it differs in the seed of its hashes, which all forks of one server share.

CONTROL is the descriptor of a socket that keeps messages apart. A message is an order in JSON (see `starting`), with
the descriptors it is about: first the one to which the process's status is written when it has ended, then those that
the process gets at the numbers of `places`. The answer is the process's id, with a descriptor that means the process
as long as it is open. This process ends when nobody holds the other end of CONTROL.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import selectors
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from local.environment import take_on
from local.processes import child
from markup_core.lazy import generate_all

if TYPE_CHECKING:
    from collections.abc import Sequence

MESSAGE_LIMIT = 128 * 1024
_DESCRIPTOR_LIMIT = 16


class _Child(NamedTuple):
    """A running fork: its id, the descriptor that means it, and where its status is to be written."""

    pid: int
    handle: int
    status: int


def main() -> None:
    """Load the libraries that there are, serve, and run the requested command in each fork."""
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        with suppress(ImportError):  # who needs a library that is not there will say so
            importlib.import_module(name)
    generate_all()
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page of what is never garbage
    words = _Server(control).serve()
    if words is not None:
        child.become(words)


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
                message, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE_LIMIT, _DESCRIPTOR_LIMIT)
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


if __name__ == "__main__":
    main()
