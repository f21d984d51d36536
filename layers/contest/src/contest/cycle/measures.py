"""The program of a declared measure: read from a cycle's folder, tried on its samples, stored by its hash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from contest.cycle.set_files import Contest, Source
from contest.platform import Platform
from contest.refusals import Fault, from_reason
from contest.stored_names import measure_name
from contest.texts import tr
from tracks.capabilities import MeasuredByProgram
from tracks.protocol import Reason, Track


def file_of(track: Track, parameters: Any) -> str:
    """Return the name of the program's file that a cycle's parameters demand; empty without one."""
    return track.program_file(parameters) if isinstance(track, MeasuredByProgram) else ""


def taken_in(contest: Contest, source: Source, named: str) -> tuple[Contest, bytes, list[Fault]]:
    """Return the contest whose parameters name the folder's program by its hash, the program, and all its faults.

    Faults of an image are those of the cycle's own file, which is called ``named``.

    The program runs: everything that its samples show is found before anything is stored.
    """
    track = contest.track
    if contest.stands_in or not isinstance(track, MeasuredByProgram) or track.program_sha256(contest.parameters):
        return contest, b"", []
    name = track.program_file(contest.parameters)
    try:
        content = track.program_content(contest.parameters, source.read)
    except LookupError:
        return contest, b"", [Fault("missing_file", name, tr("there is no such file"))]
    parameters, reasons = track.taken_in(contest.parameters, content)
    faults = [from_reason(reason, name or named) for reason in reasons]
    return replace(contest, parameters=parameters), content, faults


def store(platform: Platform, cycle: str, contest: Contest, program: bytes) -> None:
    """Store a program that was taken in, under its hash."""
    if program and isinstance(contest.track, MeasuredByProgram):
        name = measure_name(cycle, contest.track.program_sha256(contest.parameters))
        platform.blobs.put_if_absent(name, program)


def not_stored(platform: Platform, cycle: str, track: Track, parameters: Any) -> Iterator[Reason]:
    """Yield the reason why parameters without a folder cannot name a program: it is a file, or not stored."""
    if parameters is None or not isinstance(track, MeasuredByProgram):
        return
    field = {"field": "measure.program"}
    if not track.program_sha256(parameters):
        yield Reason("measure_needs_folder", tr("a new program comes with the cycle's folder: load it"), field)
    else:
        name = measure_name(cycle, track.program_sha256(parameters))
        if name not in platform.blobs.names(name):
            yield Reason("measure_not_stored", tr("the cycle has no program of this SHA-256"), field)
