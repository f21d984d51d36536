"""Bubblewrap and the limited child process: programs of this machine, confined by what its kernel gives everybody."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from local.submissions.job import HOME, MIB, Job, Limits
from local.submissions.outputs import remove
from local.submissions.supervision import Confined, Patience, groups_folder, supervise
from local.texts import tr
from tracks.protocol import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.submissions.job import Ending, Engine

NO_IMAGE: Final = tr("the image is not used: the program runs with what is installed on this machine, without a GPU")
COUNTED: Final = tr("memory and the number of processes are counted twenty times a second, not bounded by the kernel")
OPEN: Final = tr(
    "the network and the files of this machine are open to the program, with the rights of the user who runs it"
)
HIDING: Final = tr("a process that kills its keeper and clears its environment is not found at the end")
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
"""What programs need of a machine, and nothing that somebody keeps on it."""
_INSIDE_BUBBLEWRAP: Final = 3
"""Below the keeper: bubblewrap, its first process within the new name space, the program."""


@dataclass(frozen=True)
class BubblewrapEngine:
    """A program in name spaces of its own: no network, no process and no file but the system's and the job's to see."""

    program: str = "bwrap"
    patience: Patience = field(default_factory=Patience)
    groups: Path | None = field(default_factory=groups_folder)
    name: str = "bubblewrap"

    def installed(self) -> bool:
        """Return whether ``bwrap`` is there."""
        return shutil.which(self.program) is not None

    def works(self) -> bool:
        """Return whether it is there and may make name spaces here."""
        return self.installed() and _tried(self)

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that are not held: the image, and the kernel's bounds where there are no groups."""
        return (NO_IMAGE,) if self.groups else (NO_IMAGE, COUNTED)

    # Clause: F directory, F limits network
    def run(self, job: Job) -> Ending:
        """Run a job with its folder at ``/home/jovyan``, read-only but ``output/`` and bounded /tmp, /dev/shm."""
        for name in ("input", "output"):
            _cleared(job.folder / name).mkdir()
        scratch = ("--size", str(job.limits.outputs), "--tmpfs")
        wrapped = [
            *(shutil.which(self.program) or self.program, "--unshare-all", "--die-with-parent", "--new-session"),
            *("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "submission", "--clearenv"),
            # Before the system: the Python that runs this may lie below /tmp, and would be hidden by what comes later.
            *(*scratch, "/tmp"),  # noqa: S108 - the program's own
            *_system(),
            *("--proc", "/proc", "--dev", "/dev", *scratch, "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
            *("--ro-bind", str(job.folder), HOME),
            *("--ro-bind", str(job.inputs), f"{HOME}/input", "--bind", str(job.outputs), f"{HOME}/output"),
            *("--remount-ro", "/", "--chdir", HOME),
        ]
        for name, value in _environment(HOME).items():
            wrapped += ["--setenv", name, value]
        command = [*wrapped, "--", *shlex.split(job.entry_point)]
        # Of bubblewrap itself: it needs no more than its name to be found.
        confined = Confined(command, job.folder, {}, job.outputs, job.limits, _INSIDE_BUBBLEWRAP, self.groups)
        return supervise(confined, self.patience)


@dataclass(frozen=True)
class ChildEngine:
    """A child process with the limits that every machine has; for submissions of people one trusts.

    In the entry point ``/home/jovyan`` is read as the job's folder.
    """

    patience: Patience = field(default_factory=Patience)
    groups: Path | None = field(default_factory=groups_folder)
    name: str = "child process"

    def installed(self) -> bool:
        """Return whether it can run here: always, since it needs nothing."""
        return True

    def works(self) -> bool:
        """Return whether programs can be started here."""
        return _tried(self)

    def not_enforced(self) -> Sequence[Text]:
        """Return the limits that are not held: nearly all but time, memory and size."""
        return (OPEN, HIDING, NO_IMAGE) if self.groups else (OPEN, HIDING, NO_IMAGE, COUNTED)

    def run(self, job: Job) -> Ending:
        """Run a job in its folder, where ``input`` and ``output`` lead to the job's."""
        _cleared(job.folder / "input").symlink_to(job.inputs.resolve())
        _cleared(job.folder / "output").symlink_to(job.outputs.resolve())
        command = shlex.split(job.entry_point.replace(HOME, shlex.quote(str(job.folder))))
        environment = _environment(str(job.folder))
        confined = Confined(command, job.folder, environment, job.outputs, job.limits, 1, self.groups)
        return supervise(confined, self.patience)


def _tried(engine: Engine) -> bool:
    """Return whether a program that writes one file runs in an engine to its end, and the file is there."""
    with tempfile.TemporaryDirectory(prefix="hurdle-trial-") as place:
        folder, inputs, outputs = (Path(place, name) for name in ("folder", "inputs", "outputs"))
        for place_of_job in (folder, inputs, outputs):
            place_of_job.mkdir()
        limits = Limits(wall_s=10, memory=512 * MIB, grace_s=0)
        try:
            ending = engine.run(Job("sh -c 'echo tried > output/tried'", folder, inputs, outputs, limits=limits))
        except OSError:
            return False
        return ending.exit_code == 0 and (outputs / "tried").is_file()


def _cleared(place: Path) -> Path:
    """Return a place in a submission's folder that is the platform's, whatever its archive had put there."""
    if place.is_dir() and not place.is_symlink():
        remove(place)
    else:
        place.unlink(missing_ok=True)
    return place


def _system() -> list[str]:
    """Return this machine's parts that are shown, read-only: the system's programs, and the Python that runs this."""
    arguments = list[str]()
    for name in dict.fromkeys((*_SYSTEM, sys.base_prefix, sys.prefix)):
        place = Path(name)
        if place.is_symlink() and name in _SYSTEM:
            arguments += ["--symlink", str(place.readlink()), name]
        elif place.exists():
            arguments += ["--ro-bind", name, name]
    return arguments


def _environment(home: str) -> Mapping[str, str]:
    """Return all that a program learns from its environment: nothing of the platform's own."""
    search = os.pathsep.join((f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin"))
    return {"PATH": search, "HOME": home, "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
