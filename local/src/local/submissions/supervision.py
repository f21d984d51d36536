"""A program under supervision: its time, its memory, its processes and what it writes, until nothing of it is left.

Its processes are found in /proc whatever they did to hide: by descent, or by the mark in their environment. Where the
machine has cgroups (version 2) and lets this process make one, the job has one of its own.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from local.clock import monotonic_s
from local.submissions.job import Ending, Limits, is_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from local.submissions.job import Cause

_NEEDED: Final = frozenset({"memory", "pids"})


@dataclass(frozen=True, slots=True)
class Group:
    """A cgroup; ``folder`` is its place in the file system of cgroups."""

    folder: Path

    def out_of_memory(self) -> bool:
        """Return whether the kernel killed something of it for its memory."""
        counts = dict(line.split() for line in (self.folder / "memory.events").read_text("ascii").splitlines())
        return int(counts.get("oom_kill", "0")) > 0


def groups_folder() -> Path | None:
    """Return the group below which groups with bounds of memory and processes can be made: the nearest one above this
    process's own, or its own, that hands both down and in which a program was really started. None: there is none."""
    with suppress(OSError, StopIteration):
        mounts = (line.split() for line in Path("/proc/self/mounts").read_text("utf-8").splitlines())
        root = next(Path(fields[1]) for fields in mounts if fields[2] == "cgroup2")
        lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
        own = root / next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        above = (group for group in (own, *own.parents) if group.is_relative_to(root))
        controls = ((group, (group / "cgroup.subtree_control").read_text("ascii").split()) for group in above)
        nearest = (group for group, handed_down in controls if set(handed_down) >= _NEEDED)
        return next(group for group in nearest if _tried(group))
    return None


def _tried(parent: Path) -> bool:
    """Return whether a program can be started in a group that is made there."""
    try:
        with group_of(parent, Limits()) as group:
            entered = f"echo $$ > {shlex.quote(str(group and group.folder))}/cgroup.procs"
            return subprocess.run(["/bin/sh", "-c", entered], check=False).returncode == 0  # noqa: S603 - made here
    except OSError:
        return False


@contextmanager
def group_of(parent: Path | None, limits: Limits) -> Iterator[Group | None]:
    """Yield a group with the bounds of a job, removed at the end; None where there is no place for one.

    The bounds are the kernel's: a process too many cannot be started, who takes too much memory is killed with the
    whole group. Raises OSError where the place is there and refuses.
    """
    if parent is None:
        yield None
        return
    folder = parent / f"submission-{uuid.uuid4().hex}"
    folder.mkdir()
    try:
        (folder / "memory.max").write_text(str(limits.memory), "ascii")
        (folder / "memory.oom.group").write_text("1", "ascii")
        (folder / "pids.max").write_text(str(limits.processes), "ascii")
        yield Group(folder)
    finally:
        folder.rmdir()


MARK: Final = "HURDLE_JOB"
"""The variable of the environment whose value only the processes of one job have."""
_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_ROUNDS: Final = 200


@dataclass(frozen=True, slots=True)
class Relative:
    """A living process: its distance from the keeper (0 for one that only the mark shows), threads, resident bytes."""

    pid: int
    depth: int
    threads: int
    resident: int


def relatives(keeper: int, mark: str) -> list[Relative]:
    """Return every living process of a job but its keeper; one look at each process of the machine."""
    pids = [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]
    statuses = {pid: status for pid in pids if (status := _status(pid)) is not None}
    depths: dict[int, int] = {keeper: 0}
    for pid in statuses:
        _depth(pid, statuses, depths)
    marked = f"{MARK}={mark}".encode()

    def is_marked(pid: int) -> bool:
        with suppress(OSError):
            return marked in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        return False

    return [
        Relative(pid, max(depths[pid], 0), threads, resident)
        for pid, (_, threads, resident) in statuses.items()
        if pid != keeper and (depths[pid] > 0 or is_marked(pid))
    ]


def kill_all(keeper: int, mark: str) -> bool:
    """Kill every process of a job but its keeper; return whether none is left.

    They are stopped first, so that they cannot multiply faster than they are killed. What is born meanwhile is found
    in the next round; a bounded number of rounds, for a process that the kernel holds may not die at once.
    """
    for _ in range(_ROUNDS):
        living = relatives(keeper, mark)
        if not living:
            return True
        for sent in (signal.SIGSTOP, signal.SIGKILL):
            for process in living:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, sent)
    return False


def proportional(family: Iterable[Relative]) -> int:
    """Return the resident bytes of processes, shared pages counted once; costly, for the kernel walks their pages.

    A process that lets nobody look is counted with all that it has.
    """
    total = 0
    for process in family:
        try:
            lines = (_PROC / str(process.pid) / "smaps_rollup").read_bytes().splitlines()
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
        except OSError:
            total += process.resident
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
    return total


def _status(pid: int) -> tuple[int, int, int] | None:
    """Return a process' parent, threads and resident bytes; None for one that is dead, a zombie or not visible."""
    try:
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X") and int(fields[17]) <= 1:  # threads may outlive the one that the process began with
        return None
    return int(fields[1]), int(fields[17]), int(fields[21]) * _PAGE


def _depth(pid: int, statuses: dict[int, tuple[int, int, int]], depths: dict[int, int]) -> None:
    """Fill in how far below the keeper a process and its ancestors are; -1 for no descendant of it."""
    way = list[int]()
    while pid in statuses and pid not in depths and pid not in way:
        way.append(pid)
        pid = statuses[pid][0]
    depth = depths.get(pid, -1)
    for member in reversed(way):
        depth = depth + 1 if depth >= 0 else -1
        depths[member] = depth


_LOOK_S: Final = 0.05
"""Time between two looks at a job's processes, in seconds."""
_CHUNK: Final = 64 * 1024
_READING_S: Final = 5.0
"""Longest time to read a log after the death of every process, in seconds."""
_TELLING_S: Final = 1.0
"""Longest time for the keeper to reap a dead program, in seconds."""
_KEEPER: Final = Path(__file__).with_name("keeper.py")


class Patience:
    """The clock of a run, by which a limit is over; a job is looked at whenever it has waited."""

    def now_s(self) -> float:
        """Return the seconds of the monotonic clock."""
        return monotonic_s()

    def wait(self, descriptor: int, seconds: float) -> bool:
        """Wait until a descriptor can be read, or for some time; return whether it can be read."""
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
            # Nothing is told where it was killed here, or its keeper was killed by it.
            line = os.read(reading, 64) if self.patience.wait(reading, _TELLING_S) else b""
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
        return Ending(int(line) if line else None, stdout.content(), stderr.content(), seconds, broken)

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


def _tasks_of_this_user() -> int:
    """Return the threads of this user on the machine; the kernel counts them with a job's."""
    own, total = os.getuid(), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == own:
                    total += len(os.listdir(f"/proc/{entry.name}/task"))  # noqa: PTH208 - names are enough
    return total
