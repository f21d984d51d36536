"""A cgroup (version 2) of one job, where the machine has such groups and lets this process make one."""

from __future__ import annotations

import shlex
import subprocess
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from local.submissions.job import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Where groups with bounds of memory and processes can be made: the nearest group above this process's own, or its
    own, that hands both down, and where a program was really started in one."""
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
