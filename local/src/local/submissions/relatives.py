"""The processes of a job, found in /proc whatever they did to hide: by descent, or by the mark in their environment."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    return [
        Relative(pid, max(depths[pid], 0), threads, resident)
        for pid, (_, threads, resident) in statuses.items()
        if pid != keeper and (depths[pid] > 0 or marked in _environment(pid))
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


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
