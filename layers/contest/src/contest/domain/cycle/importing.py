"""An import: a zip of a cycle or of one set, brought in parts, then checked and loaded by a worker (platform §7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from contest.domain.cycle.cycle import SetKind
from contest.domain.moments import Millis
from contest.domain.uploads import Upload

MOST: Final = 256 * 1024 * 1024
"""Bytes of a zip: the worker has all of it in memory, beside what it unpacks to."""


class ImportKind(StrEnum):
    """What a zip holds."""

    CYCLE = "cycle"
    """``cycle.json`` and a folder for each set."""
    SET = "set"
    """The files of one set of the cycle that is loaded."""


class ImportState(StrEnum):
    """How far an import is; the last two are final."""

    UPLOADING = "uploading"
    QUEUED = "queued"
    CHECKING = "checking"
    STORING = "storing"
    DONE = "done"
    REFUSED = "refused"


FINAL: Final = frozenset({ImportState.DONE, ImportState.REFUSED})
WORKED_ON: Final = frozenset({ImportState.QUEUED, ImportState.CHECKING, ImportState.STORING})
"""When a worker is at it, or should be."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """An import that a worker is sent for."""

    import_id: str


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What somebody wants to import: the zip as it is uploaded; ``set_name`` and ``set_kind`` of one set, the kind of a
    new one alone."""

    kind: ImportKind
    upload: Upload
    set_name: str = ""
    set_kind: SetKind | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """An import as stored; ``version`` counts its writes."""

    import_id: str
    order: ImportOrder
    who: str
    created_at: Millis
    state: ImportState = ImportState.UPLOADING
    files: int = 0
    """Files in the zip, as soon as it was opened."""
    read: int = 0
    """Of them read and checked."""
    stored: int = 0
    """Objects stored: items, references."""
    faults: int = 0
    warnings: int = 0
    sent_at: Millis | None = None
    """When a worker was sent for last."""
    version: int = 1

    def at(self, state: ImportState, files: int | None = None, read: int = 0, stored: int = 0) -> Import:
        """The import in a state, with these counts, or with those it had."""
        after = replace(self, state=state, version=self.version + 1)
        return after if files is None else replace(after, files=files, read=read, stored=stored)
