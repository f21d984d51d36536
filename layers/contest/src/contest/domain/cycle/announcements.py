"""Announcements to everybody who takes part (R 4.7, 5.8, 9.2; D 6.12): drafted, published, corrected, withdrawn.

What was published stays to be read, as what became of it: a correction is another announcement that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from contest.domain.moments import Millis
from tracks.protocol import Text


class AnnouncementKind(StrEnum):
    """What an announcement is about."""

    PARAMETERS = "parameters"
    SETS = "sets"
    MODULES = "modules"
    SCHEDULE = "schedule"
    RESULTS = "results"
    GENERAL = "general"


class AnnouncementState(StrEnum):
    """What became of it."""

    DRAFT = "draft"
    PUBLISHED = "published"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"
    DISCARDED = "discarded"
    """A draft that nobody published."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement; ``version`` counts its writes, each conditional on the one before.

    ``about`` names what it is about: a version of the parameters, a run, sets. ``effective_at``: from when that holds.
    """

    announcement_id: str
    kind: AnnouncementKind
    title: Text
    text: Text
    created_at: Millis
    about: Mapping[str, Any] = field(default_factory=dict)
    effective_at: Millis | None = None
    state: AnnouncementState = AnnouncementState.DRAFT
    published_at: Millis | None = None
    ended_at: Millis | None = None
    """When it was corrected, withdrawn or discarded."""
    reason: str = ""
    """Why it was withdrawn."""
    corrects: str | None = None
    corrected_by: str | None = None
    told: AnnouncementState | None = None
    """As what subscribers were told of it last."""
    version: int = 1

    @property
    def is_public(self) -> bool:
        """Whether it was ever published, and so may be read by everybody for ever."""
        return self.published_at is not None


def both(said: Mapping[str, str]) -> Text:
    """Words in both languages, of what is stored of them."""
    return Text(en=said["en"], ru=said["ru"])


Announced = tuple[Announcement | None, Announcement]
"""An announcement as it was read (None: there is none) and as it is written."""


def published(known: Announcement, now: Millis) -> Announcement:
    """A draft as it is published; :class:`LookupError` for what is none."""
    _require(known, AnnouncementState.DRAFT)
    return replace(known, state=AnnouncementState.PUBLISHED, published_at=now, version=known.version + 1)


def discarded(known: Announcement, now: Millis) -> Announcement:
    """A draft that is not to be published; :class:`LookupError` for what is none."""
    _require(known, AnnouncementState.DRAFT)
    return replace(known, state=AnnouncementState.DISCARDED, ended_at=now, version=known.version + 1)


def withdrawn(known: Announcement, now: Millis, reason: str) -> Announcement:
    """A published announcement that does not hold any more; :class:`LookupError` for what is not published."""
    _require(known, AnnouncementState.PUBLISHED)
    ended = replace(known, state=AnnouncementState.WITHDRAWN, ended_at=now, reason=reason)
    return replace(ended, version=known.version + 1)


def corrected(known: Announcement, by: Announcement, now: Millis) -> tuple[Announcement, Announcement]:
    """A published announcement and the one that corrects it, each naming the other; :class:`LookupError` as above."""
    _require(known, AnnouncementState.PUBLISHED)
    before = replace(known, state=AnnouncementState.CORRECTED, ended_at=now, corrected_by=by.announcement_id)
    return replace(before, version=known.version + 1), replace(by, corrects=known.announcement_id)


def _require(known: Announcement, state: AnnouncementState) -> None:
    if known.state is not state:
        raise LookupError(known.state.value)
