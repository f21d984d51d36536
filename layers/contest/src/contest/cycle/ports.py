"""The ports of announcements and of imports; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port, Queue

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Capacity
    from contest.cycle.rules.notices import Announcement
    from contest.cycle.rules.sets import Import, ImportJob
    from contest.people.rules import Change


class Announcements(Protocol):
    """Announcements of the cycle."""

    def get(self, announcement_id: str) -> Announcement | None:
        """Return one announcement as last written."""

    def all(self) -> Sequence[Announcement]:
        """Return all announcements, drafts included, by id."""

    def add(self, announcement: Announcement, change: Change | None) -> None:
        """Write an announcement unless one of its id is there. ``change``: None where no person made it."""

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        """Write an announcement if it is still as it was read, and with it a new one unless that is there."""

    def told(self, announcement: Announcement) -> None:
        """Write the state that subscribers have received if the announcement is still of this version, which stays."""


class Announcer(Protocol):
    """The subscribers to announcements."""

    def tell(self, announcement: Announcement) -> None:
        """Send an announcement; after the return it will arrive, perhaps more than once."""


class Imports(Protocol):
    """Imports of cycles and sets."""

    def get(self, import_id: str) -> Import | None:
        """Return the import as last written."""

    def listed(self) -> Sequence[Import]:
        """Return all imports ever announced, in no order."""

    def unfinished(self) -> Sequence[Import]:
        """Return all imports that have, or should have, a worker."""

    def write(self, before: Import | None, after: Import, change: Change | None) -> None:
        """Write an import if the one there is still as it was read (None: there is none).

        ``change``: None where a worker did it.
        """


class CyclePorts:
    """The platform's ports of the cycle's room."""

    announcements: Port[Announcements] = Port()
    announcer: Port[Announcer] = Port()
    imports: Port[Imports] = Port()
    importing: Port[Queue[ImportJob]] = Port()
    capacity: Port[Capacity | None] = Port()
    """Capacity of the deployment; None where it states none."""
