"""Reading what does not change: parameters, manifests, items, references, plans; each once per process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Final, cast

from contest.domain import run as schedule
from contest.domain.cycle import Cycle, Item, Manifest, Parameters
from contest.domain.moments import MINUTE
from contest.domain.run import Run, RunFile
from contest.domain.session import Plan, PlannedFile, Session
from contest.errors import NoCycleError, UnknownFileError, UnknownRunError
from contest.services.platform import SMALL, Platform
from tracks.protocol import Track

SETS: Final = "sets/"
RUNS: Final = "runs/"
_ROW: Final = 500
"""Bytes in memory of one line of a plan or a manifest, about."""


def cycle_now(platform: Platform) -> Cycle:
    """The cycle as last written: for decisions that depend on it."""
    found = platform.catalogue.cycle()
    if found is None:
        raise NoCycleError
    return found


def recent_cycle(platform: Platform) -> Cycle:
    """The cycle as it was at most a minute ago: for what every request asks."""
    window = platform.clock.now() // MINUTE
    return cast(Cycle, platform.memory.keep(("cycle", window), lambda: cycle_now(platform)))


def parameters(platform: Platform, version: int) -> Parameters:
    """Parameters of a version."""
    return cast(
        Parameters, platform.memory.keep(("parameters", version), lambda: platform.catalogue.parameters(version))
    )


def blob_names(cycle: str, kind: str, content_sha256: str) -> str:
    """Name of an object of a set: ``kind`` is ``manifests``, ``items`` or ``references``."""
    return f"{SETS}{cycle}/{kind}/{content_sha256}.json"


def manifest(platform: Platform, cycle: str, content_sha256: str) -> Manifest:
    """A set's manifest by its hash."""

    def read() -> Manifest:
        raw = json.loads(platform.blobs.get(blob_names(cycle, "manifests", content_sha256)))
        return Manifest(tuple(_item(*row) for row in raw["items"]))

    return cast(Manifest, platform.memory.keep(("manifest", content_sha256), read, lambda made: _ROW * len(made.items)))


def manifest_json(made: Manifest) -> dict[str, Any]:
    """A manifest as it is stored; :func:`manifest` reads it back."""
    rows = [[each.item_id, each.language, each.group, each.content, list(each.references)] for each in made.items]
    return {"format": 1, "items": rows}


def _item(item_id: str, language: str, group: str, content: str, references: Sequence[str]) -> Item:
    return Item(item_id, language, group, content, tuple(references))


def session(platform: Platform, session_id: str) -> Session | None:
    """A session as last written; an open one of a run has all files the run has by now."""
    found = platform.sessions.get(session_id)
    if found is None or found.run_id is None or not found.is_open:
        return found
    return replace(found, files=schedule.total_files(run(platform, found.run_id)))


def plan(platform: Platform, of: Session) -> Plan:
    """A session's files: its own, or its run's."""
    if of.run_id is not None:
        known = run(platform, of.run_id)
        marked = dict(known.markups)
        return tuple(
            PlannedFile(each.file_id, each.item_id, each.language, each.group, marked.get(each.manifest, each.manifest))
            for each in run_plan(platform, known)[: of.files]
        )

    def size(found: Plan) -> int:
        return _ROW * len(found)

    key = ("plan", of.session_id)
    return cast(Plan, platform.memory.keep(key, lambda: platform.sessions.plan(of.session_id), size))


def planned_file(platform: Platform, of: Session, number: int) -> PlannedFile:
    """File ``number`` of a session; :class:`UnknownFileError` outside 1 … files."""
    if not 1 <= number <= of.files:
        raise UnknownFileError.numbered(number, of.files)
    return plan(platform, of)[number - 1]


def item_of(platform: Platform, of: Session, planned: PlannedFile) -> Item:
    """The manifest's line about a file of a session."""
    digest = planned.manifest or of.manifest
    items = platform.memory.keep(("items", digest), lambda: manifest(platform, of.cycle, digest).by_id(), _rows)
    return cast(Mapping[str, Item], items)[planned.item_id]


def content(platform: Platform, of: Session, item: Item) -> Any:
    """An item's content; not to be changed."""
    return _kept_json(platform, blob_names(of.cycle, "items", item.content))


def references(platform: Platform, of: Session, item: Item) -> list[Any]:
    """An item's references, in their order; not to be changed."""
    return [_kept_json(platform, blob_names(of.cycle, "references", each)) for each in item.references]


def _kept_json(platform: Platform, name: str) -> Any:
    """A stored JSON value; in memory it takes about the bytes of its text, for most of it is text."""
    raw: list[bytes] = []

    def read() -> Any:
        raw.append(platform.blobs.get(name))
        return json.loads(raw[0])

    return platform.memory.keep(name, read, lambda _: 2 * len(raw[0]) + SMALL)


def _rows(found: Mapping[str, Item]) -> int:
    return _ROW * len(found)


def track_of(platform: Platform, of: Session) -> Track:
    """The track a session runs."""
    return platform.tracks(of.track)


def run_now(platform: Platform, run_id: str) -> Run:
    """A run as last written: for decisions that change it."""
    found = platform.runs.get(run_id)
    if found is None:
        raise UnknownRunError
    return found


def run(platform: Platform, run_id: str) -> Run:
    """A run as it was at most :data:`contest.domain.run.BELIEVED` ago, which knows all that is in effect."""
    window = platform.clock.now() // schedule.BELIEVED
    return cast(Run, platform.memory.keep(("run", run_id, window), lambda: run_now(platform, run_id)))


def run_plan_name(run_id: str, amendment: int = 0) -> str:
    """Name of the object with a run's first files (0), or with those that an amendment appends."""
    return f"{RUNS}{run_id}/plan-{amendment}.json"


def run_plan_json(files: Sequence[RunFile]) -> dict[str, Any]:
    """Files of a run as they are stored; :func:`run_files` reads them back."""
    return {"format": 1, "files": [list(astuple(each)) for each in files]}


def run_files(platform: Platform, run_id: str, amendment: int = 0) -> tuple[RunFile, ...]:
    """A run's first files, or those that an amendment appends; they never change."""

    def read() -> tuple[RunFile, ...]:
        raw = json.loads(platform.blobs.get(run_plan_name(run_id, amendment)))
        return tuple(RunFile(*row) for row in raw["files"])

    key = ("run files", run_id, amendment)
    return cast(tuple[RunFile, ...], platform.memory.keep(key, read, lambda found: _ROW * len(found)))


def run_plan(platform: Platform, known: Run) -> tuple[RunFile, ...]:
    """All files of a run with the appended ones; number n is at n - 1."""
    appended = [run_files(platform, known.run_id, each.number) for each, _ in schedule.replacements(known)]
    return tuple(file for part in (run_files(platform, known.run_id), *appended) for file in part)


def answer_name(session_id: str, number: int, content_sha256: str) -> str:
    """Name of a stored answer."""
    return f"answers/{session_id}/{number}/{content_sha256}.json"


def report_name(of: Session) -> str:
    """Name of a session's report."""
    return f"reports/{of.session_id}/{of.parameters_version}.json"
