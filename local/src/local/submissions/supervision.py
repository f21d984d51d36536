"""A program under supervision: its time, its memory, its processes and what it writes, until nothing of it is left."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol

from local.clock import monotonic_s
from local.submissions.cgroup import Group, group_of
from local.submissions.job import Ending, Limits
from local.submissions.outputs import is_over
from local.submissions.relatives import MARK, kill_all, proportional, relatives

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.submissions.job import Cause

_LOOK_S: Final = 0.05
"""Between two looks at a job's processes."""
_CHUNK: Final = 64 * 1024
_READING_S: Final = 5.0
"""How long a log may still be read when every process is dead."""
_TELLING_S: Final = 1.0
"""How long the keeper may take to reap a program that is dead."""
_KEEPER: Final = Path(__file__).with_name("keeper.py")


class Patience(Protocol):
    """The clock of a run: what it says decides when a limit is over, and a job is looked at whenever it has waited."""

    def now_s(self) -> float:
        """Return seconds since some moment; they never go back."""

    def wait(self, descriptor: int, seconds: float) -> bool:
        """Wait until a descriptor can be read, or for some time; return whether it can be read."""


class MachinePatience:
    """The machine's own clock."""

    def now_s(self) -> float:
        """Return the seconds of the monotonic clock."""
        return monotonic_s()

    def wait(self, descriptor: int, seconds: float) -> bool:
        """Wait by poll (see :class:`Patience`)."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


class Tail:
    """The last bytes of a stream, read by a thread of its own as fast as they come; memory: twice what is kept."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._most, self._kept = stream, most, bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            while chunk := os.read(self._stream.fileno(), _CHUNK):
                self._kept += chunk
                if len(self._kept) > 2 * self._most:
                    del self._kept[: -self._most]

    def content(self) -> bytes:
        """Return the last output; waits for the stream's end, and not much longer than its writers live."""
        self._thread.join(_READING_S)
        return bytes(self._kept[-self._most :])


@dataclass(frozen=True, slots=True)
class Confined:
    """A command as an engine wraps it. ``outputs`` is watched; processes nearer to the keeper than ``inside`` (1 for
    the command itself) belong to the engine: they are not told to end, only killed."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    outputs: Path
    limits: Limits
    inside: int = 1
    groups: Path | None = None


def supervise(confined: Confined, patience: Patience) -> Ending:
    """Run a command to its end or to the first limit that it breaks, and leave no process of it.

    Every look costs a look at each process of the machine. Raises OSError where the machine cannot start it, or where
    something of it is left that cannot be killed.
    """
    with group_of(confined.groups, confined.limits) as group:
        return _Run(confined, group, patience).to_the_end()


@dataclass
class _Run:
    confined: Confined
    group: Group | None
    patience: Patience
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def to_the_end(self) -> Ending:
        reading, status = os.pipe()
        keeper: subprocess.Popen[bytes] | None = None
        try:
            began = self.patience.now_s()
            keeper = self._keeper(status)
            os.close(status)
            assert keeper.stdout is not None  # noqa: S101 - both are pipes
            assert keeper.stderr is not None  # noqa: S101
            most = self.confined.limits.log
            stdout, stderr = Tail(keeper.stdout, most), Tail(keeper.stderr, most)
            broken = self._watched(keeper.pid, reading, began)
            if broken == "timeout":
                self._asked_to_end(keeper.pid, reading)
            seconds = self.patience.now_s() - began
            gone = kill_all(keeper.pid, self.mark)
            exit_code = self._told(reading)
        finally:
            os.close(reading)
            if keeper is not None:
                keeper.kill()
                keeper.wait()
                kill_all(keeper.pid, self.mark)
        if not gone:
            raise OSError("a process of a submission cannot be killed")
        if self.group is not None and self.group.out_of_memory():
            broken = "out_of_memory"
        return Ending(exit_code, stdout.content(), stderr.content(), seconds, broken)

    def _keeper(self, status: int) -> subprocess.Popen[bytes]:
        limits = self.confined.limits
        order = {
            "command": list(self.confined.command),
            "folder": str(self.confined.folder),
            "environment": {**self.confined.environment, MARK: self.mark},
            "status": status,
            "cpus": limits.cpus,
            "group": str(self.group.folder) if self.group else None,
            "limits": {
                # Of one process: twice the memory, so that who takes too much is seen before it is refused, and told.
                "RLIMIT_AS": 2 * limits.memory,
                "RLIMIT_CPU": int(limits.wall_s * limits.cpus + limits.grace_s) + 1,
                "RLIMIT_FSIZE": limits.file + 1,  # one byte too many is what makes a file too big
                "RLIMIT_NPROC": _tasks_of_this_user() + limits.processes,
                "RLIMIT_CORE": 0,
            },
        }
        return subprocess.Popen(  # noqa: S603 - this package's own script
            [sys.executable, "-I", "-S", str(_KEEPER), json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(status,),
            start_new_session=True,
        )

    def _watched(self, keeper: int, status: int, began: float) -> Cause | None:
        """Wait for the end of the command, or for the first limit that is broken."""
        limits = self.confined.limits
        while not self.patience.wait(status, _LOOK_S):
            if self.patience.now_s() - began >= limits.wall_s:
                return "timeout"
            family = relatives(keeper, self.mark)
            if sum(process.threads for process in family) > limits.processes:
                return "exit_code"
            if sum(process.resident for process in family) > limits.memory and (proportional(family) > limits.memory):
                return "out_of_memory"
            if is_over(self.confined.outputs, limits):
                return "bad_output"
        return None

    def _asked_to_end(self, keeper: int, status: int) -> None:
        """Send SIGTERM to all processes of the program, then wait for the grace at most."""
        for process in relatives(keeper, self.mark):
            if process.depth == 0 or process.depth >= self.confined.inside:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGTERM)
        asked_s = self.patience.now_s()
        while self.patience.now_s() - asked_s < self.confined.limits.grace_s:
            if self.patience.wait(status, _LOOK_S):
                return

    def _told(self, status: int) -> int | None:
        """Return the command's exit code; None where it was killed here, or its keeper was killed by it."""
        if not self.patience.wait(status, _TELLING_S):
            return None
        line = os.read(status, 64)
        return int(line) if line else None


def _tasks_of_this_user() -> int:
    """Return the threads of this user on the machine; the kernel counts them with a job's."""
    own, total = os.getuid(), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == own:
                    total += len(os.listdir(f"/proc/{entry.name}/task"))  # noqa: PTH208 - names are enough
    return total
