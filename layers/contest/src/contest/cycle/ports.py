"""The ports of announcements and of imports; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.cycle.rules.notices import Announcement
from contest.cycle.rules.sets import Import
from contest.people.rules import Change


class Announcements(Protocol):
    """Announcements of the cycle."""

    def get(self, announcement_id: str) -> Announcement | None:
        """One announcement as last written."""

    def all(self) -> Sequence[Announcement]:
        """All announcements, drafts included, by id."""

    def add(self, announcement: Announcement, change: Change | None) -> None:
        """Write an announcement unless one of its id is there. ``change``: None where no person did it."""

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        """Write an announcement if it is still as it was read, and with it a new one unless that is there."""

    def told(self, announcement: Announcement) -> None:
        """Write what subscribers were told of if the announcement is still of this version, which stays."""


class Announcer(Protocol):
    """Whoever has subscribed to announcements."""

    def tell(self, announcement: Announcement) -> None:
        """Pass an announcement on; once it returns it will arrive, perhaps more than once."""


class Imports(Protocol):
    """Imports of cycles and sets."""

    def get(self, import_id: str) -> Import | None:
        """The import as last written."""

    def listed(self) -> Sequence[Import]:
        """All that were ever announced, in no order."""

    def unfinished(self) -> Sequence[Import]:
        """All that a worker is at, or should be."""

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        """Write an import if the one there is still as it was read (None: there is none).

        ``change``: None where a worker did it.
        """
