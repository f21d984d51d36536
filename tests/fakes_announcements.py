"""The port of announcements in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contest.cycle.rules.notices import Announcement
from contest.people.rules import Change
from contest.ports import LostRaceError


class FakeAnnouncements:
    def __init__(self, tell: Callable[[Change | None], None]) -> None:
        self._known: dict[str, Announcement] = {}
        self._tell = tell

    def get(self, announcement_id: str) -> Announcement | None:
        return self._known.get(announcement_id)

    def all(self) -> Sequence[Announcement]:
        return [each for _, each in sorted(self._known.items())]

    def add(self, announcement: Announcement, change: Change | None) -> None:
        self.require(None, announcement)
        self.put(announcement)
        self._tell(change)

    def replace(
        self, before: Announcement, after: Announcement, change: Change, new: Announcement | None = None
    ) -> None:
        self.require(before, after)
        if new is not None:
            self.require(None, new)
            self.put(new)
        self.put(after)
        self._tell(change)

    def told(self, announcement: Announcement) -> None:
        self.require(announcement, announcement)
        self.put(announcement)

    def require(self, before: Announcement | None, after: Announcement) -> None:
        known = self._known.get(after.announcement_id)
        if (known.version if known else None) != (before.version if before else None):
            raise LostRaceError

    def clear(self) -> None:
        """Forget all, as if none had been written."""
        self._known.clear()

    def put(self, announcement: Announcement) -> None:
        self._known[announcement.announcement_id] = announcement


class FakeAnnouncer:
    def __init__(self) -> None:
        self.events: list[Announcement] = []

    def tell(self, announcement: Announcement) -> None:
        self.events.append(announcement)
