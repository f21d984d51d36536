"""A job and its ending: values alone, the same for every engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tracks.protocol import Text

MIB: Final = 1024**2
HOME: Final = "/home/jovyan"
"""The working directory of a submission (F, "Общий формат решения")."""

Cause = Literal["image", "exit_code", "timeout", "out_of_memory", "no_output", "bad_output", "platform"]
"""Why a submission failed (F-4)."""


# Clause: TS F-4
class ProgramFaultError(Exception):
    """Something of the submission's own ends its run, wherever it was noticed; the message is told to its team.

    Which failure has which cause is one table: docs/decisions/0027-causes-of-failed-runs.md.
    """

    def __init__(self, cause: Cause, problem: str) -> None:
        super().__init__(problem)
        self.cause = cause


# Clause: F limits container, TS F-2
@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; the defaults are the contest's (F, "Ограничения")."""

    wall_s: float = 1800.0
    """From the start of the entry point; pulling and unpacking are not counted."""
    memory: int = 100 * 1024 * MIB
    """Bytes of all processes together."""
    cpus: int = 3
    processes: int = 1024
    """Processes and threads together."""
    file: int = 64 * MIB
    """Bytes of one output file."""
    outputs: int = 1024 * MIB
    """Bytes of all output files together."""
    grace_s: float = 10.0
    """From SIGTERM to SIGKILL."""
    log: int = MIB
    """Bytes kept of the end of stdout, and as many of stderr."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a submission.

    ``folder`` holds the unpacked archive, ``inputs`` what the container shows as ``input/`` (never the true answers),
    ``outputs`` is an empty folder for what it writes into ``output/``. Only a container engine uses ``image``.
    """

    entry_point: str
    folder: Path
    inputs: Path
    outputs: Path
    image: str = ""
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a job's processes, as an engine saw it; none of them is left.

    ``exit_code`` is negative for the signal that ended the entry point (128 and the signal where the engine stands
    between), None where nothing is known of it. ``broken``
    is set where a limit was broken and everything was killed therefore.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    broken: Cause | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over. ``cause`` is None for one whose outputs can be scored; else ``outputs`` is empty.

    ``stdout`` and ``stderr`` are the last ``Limits.log`` bytes of each, ``seconds`` the time of the entry point alone,
    ``not_enforced`` one sentence for each bound that this machine did not hold.
    """

    cause: Cause | None
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    outputs: tuple[Path, ...]
    seconds: float
    engine: str
    not_enforced: tuple[Text, ...]


class Engine(Protocol):
    """A way to confine a program."""

    @property
    def name(self) -> str:
        """Return its name in logs and reports."""

    def installed(self) -> bool:
        """Return whether its command is on this machine, whether or not it works."""

    def works(self) -> bool:
        """Return whether a program really runs in it on this machine, found by running one."""

    def not_enforced(self) -> Sequence[Text]:
        """Return the bounds that it does not hold on this machine; empty where it holds all."""

    def run(self, job: Job) -> Ending:
        """Run a job to its end and leave no process of it. Raises OSError where the machine fails."""
