"""The cycle's calendar: which days are working days, and how terms in days are counted (T17).

A term begins with the day after what starts it. "At least n working days before" asks for n whole working days between
the two days; "within n working days" ends with the n-th. Calendar days are days of 24 hours from moment to moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from contest.domain.moments import DAY, SECOND, Millis

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ONE: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """Which days are worked on. ``weekend``: weekdays, 0 is Monday; the others are days as ``2027-01-01``.

    ``holidays`` are free whatever their weekday; ``working`` are days of a weekend that are worked on all the same.
    """

    weekend: tuple[int, ...] = (5, 6)
    holidays: tuple[str, ...] = ()
    working: tuple[str, ...] = ()

    def is_working(self, day: date) -> bool:
        """Whether a day is a working day."""
        named = day.isoformat()
        return named in self.working or (day.weekday() not in self.weekend and named not in self.holidays)


@dataclass(frozen=True, slots=True)
class Calendar:
    """Working days in a time zone."""

    zone: str
    days: WorkingDays = field(default_factory=WorkingDays)

    def earliest(self, told_at: Millis, days: int, *, working: bool) -> Millis:
        """From when something may be that was told of at a moment at least ``days`` before it. O(days)."""
        if not working:
            return told_at + days * DAY
        return self._begins(self._counted(self._day_of(told_at), days, _ONE) + _ONE)

    def latest(self, event_at: Millis, days: int, *, working: bool) -> Millis:
        """The last moment to tell of something at least ``days`` before it. O(days).

        ``told_at <= latest(event_at)`` exactly if ``event_at >= earliest(told_at)``.
        """
        if not working:
            return event_at - days * DAY
        return self._begins(self._counted(self._day_of(event_at), days, -_ONE)) - 1

    def due(self, since: Millis, days: int, *, working: bool) -> Millis:
        """When a term of ``days`` that began with an event is over: the first moment that is too late. O(days)."""
        if not working:
            return since + days * DAY + 1
        return self._begins(self._counted(self._day_of(since), days, _ONE) + _ONE)

    def begins(self, day: str) -> Millis:
        """When a day begins in the zone."""
        return self._begins(date.fromisoformat(day))

    def ends(self, day: str) -> Millis:
        """When a day is over in the zone: the beginning of the next."""
        return self._begins(date.fromisoformat(day) + _ONE)

    def _counted(self, first: date, days: int, step: timedelta) -> date:
        """The ``days``-th working day after (before) a day."""
        found = (day for day in _days(first, step) if self.days.is_working(day))
        for _ in range(days - 1):
            next(found)
        return next(found)

    def _day_of(self, moment: Millis) -> date:
        return datetime.fromtimestamp(moment / SECOND, ZoneInfo(self.zone)).date()

    def _begins(self, day: date) -> Millis:
        return round(datetime.combine(day, time.min, ZoneInfo(self.zone)).timestamp() * SECOND)


def _days(first: date, step: timedelta) -> Iterator[date]:
    while True:
        first += step
        yield first
