"""A program that somebody submitted, to be run: what its job is told, what it tells, and how it may end (F-2 … F-4).

The job and the platform know of each other by objects alone, all below one folder: the platform writes the order, the
job writes its outputs, the ends of its two streams, and last its ending. The true answers are in none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MIB: Final = 1024**2
LOG_BYTES: Final = MIB
"""Kept of the end of stdout, and as many of stderr (F-4)."""


class FailureCause(StrEnum):
    """Why a submission failed (F-4)."""

    IMAGE = "image"
    """Its image could not be copied, or is too large."""
    EXIT_CODE = "exit_code"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NO_OUTPUT = "no_output"
    BAD_OUTPUT = "bad_output"
    PLATFORM = "platform"
    """Nothing of the submission's: it counts for no quota and may be run again."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds of one run.

    Clause: TS F-2
    """

    wall_s: int = 1800
    """From the start of the entry point to SIGTERM; pulling and unpacking are not counted."""
    grace_s: int = 10
    """From SIGTERM to SIGKILL."""
    memory: int = 100 * 1024 * MIB
    """Bytes of all processes together."""
    cpus: int = 3
    gpus: int = 1
    processes: int = 1024
    file: int = 64 * MIB
    """Bytes of one output."""
    outputs: int = 1024 * MIB
    """Bytes of all outputs together."""
    image: int = 15 * 1024 * MIB
    """Bytes of the image."""
    packed: int = 10 * 1024 * MIB
    unpacked: int = 10 * 1024 * MIB
    members: int = 100_000


@dataclass(frozen=True, slots=True)
class Stored:
    """An object that the job reads: ``name`` is its key in the cycle's bucket, ``path`` where it goes."""

    name: str
    size: int
    sha256: str
    path: str = ""
    """Below ``input/``, parts with slashes; empty of a part of the archive."""


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What is to be run; the object ``order.json`` of the run's folder, as :func:`as_json` writes it.

    ``archive`` are the parts of the zip in their order; together they are it. ``inputs`` are put below ``input/``.
    """

    run: str
    """The run's name: SUBMISSION-ATTEMPT, of a private run SUBMISSION-private-ATTEMPT."""
    folder: str
    """Before the names of everything that the job writes; it ends with a slash."""
    image: str
    """As the submission names it."""
    entry_point: str
    archive: tuple[Stored, ...]
    inputs: tuple[Stored, ...]
    limits: RunLimits = RunLimits()


@dataclass(frozen=True, slots=True)
class Output:
    """A file that the program wrote directly into ``output/``; its object is FOLDER``output/``NAME."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: the object ``ending.json`` of its folder. The first one written stays.

    ``cause`` is None where there are outputs to score. ``exit_code`` is negative for the signal that ended the entry
    point, None where nothing is known of it. ``seconds`` are those of the entry point alone.
    """

    cause: FailureCause | None
    exit_code: int | None
    seconds: float
    outputs: tuple[Output, ...] = ()
    machine: str = ""
    """What it ran on, as the report names it."""
    image_digest: str | None = None
    not_enforced: tuple[tuple[str, str], ...] = ()
    """Bounds that this machine did not hold, each in English and Russian."""
    said: str = ""
    """Of a failure of the platform's: what failed, for organizers."""


class Phase(StrEnum):
    """How far a run is, as whoever runs it says."""

    UNKNOWN = "unknown"
    """There is none of this name."""
    WAITING = "waiting"
    STARTED = "started"
    OVER = "over"
    """Nothing of it runs any more, whether or not it has left an ending."""


def as_json(order: RunOrder) -> dict[str, Any]:
    """An order as the job reads it."""
    return {
        "format": 1,
        "run": order.run,
        "folder": order.folder,
        "image": order.image,
        "entry_point": order.entry_point,
        "archive": [_stored(each) for each in order.archive],
        "inputs": [_stored(each) for each in order.inputs],
        "limits": {name: getattr(order.limits, name) for name in RunLimits.__slots__},
    }


def order_from(raw: dict[str, Any]) -> RunOrder:
    """The order that :func:`as_json` has written."""
    said = {name: raw[name] for name in ("run", "folder", "image", "entry_point")}
    archive, inputs = (tuple(Stored(**each) for each in raw[name]) for name in ("archive", "inputs"))
    return RunOrder(**said, archive=archive, inputs=inputs, limits=RunLimits(**raw["limits"]))


def ending_as_json(ending: Ending) -> dict[str, Any]:
    """An ending as the job writes it."""
    return {
        "format": 1,
        "cause": ending.cause.value if ending.cause else None,
        "exit_code": ending.exit_code,
        "seconds": ending.seconds,
        "outputs": [{"name": each.name, "size": each.size, "sha256": each.sha256} for each in ending.outputs],
        "machine": ending.machine,
        "image_digest": ending.image_digest,
        "not_enforced": [list(each) for each in ending.not_enforced],
        "said": ending.said,
    }


def ending_from(raw: dict[str, Any]) -> Ending:
    """The ending that a job has written."""
    return Ending(
        cause=FailureCause(raw["cause"]) if raw["cause"] else None,
        exit_code=raw["exit_code"],
        seconds=raw["seconds"],
        outputs=tuple(Output(**each) for each in raw["outputs"]),
        machine=raw["machine"],
        image_digest=raw["image_digest"],
        not_enforced=tuple((en, ru) for en, ru in raw["not_enforced"]),
        said=raw["said"],
    )


def _stored(each: Stored) -> dict[str, Any]:
    return {"name": each.name, "size": each.size, "sha256": each.sha256, "path": each.path}
