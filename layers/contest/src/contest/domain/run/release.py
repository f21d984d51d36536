"""A file's release: the record of when it was to open and did, and what opened (platform §3, D 1.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from contest.domain.moments import Millis
from contest.domain.run.run import RunFile
from contest.domain.run.schedule import Schedule


class ArmedBy(StrEnum):
    """Whose work wrote a release record; neither decides when the file opens."""

    TIMER = "timer"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Release:
    """The release record of one file. ``version`` counts its writings: it is written anew when a pause moves it."""

    number: int
    planned_at: Millis
    opens_at: Millis
    armed_at: Millis
    armed_by: ArmedBy
    file_id: str
    content_sha256: str
    version: int = 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the platform proposes to the technical commission about a run; ``version`` counts its writings."""

    body: Mapping[str, Any]
    version: int


def due(
    schedule: Schedule, number: int, file: RunFile, before: Release | None, now: Millis, by: ArmedBy
) -> Release | None:
    """The record that is to be written now, None where the one there says what the schedule says.

    A record is never changed after its file has opened: the schedule cannot move it any more either.

    Clause: platform §3 arming
    """
    opens_at = schedule.opens_at(number)
    if before is not None and before.opens_at == opens_at:
        return None
    return Release(
        number=number,
        planned_at=schedule.planned_at(number),
        opens_at=opens_at,
        armed_at=now,
        armed_by=by,
        file_id=file.file_id,
        content_sha256=file.content_sha256,
        version=before.version + 1 if before else 1,
    )
