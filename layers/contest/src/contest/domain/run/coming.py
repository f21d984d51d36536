"""Which file of a session comes next: the lowest one that can still be had (R 6.4, 7.5).

Of a long session only a few files can be the next one. What a process has seen to be gone stays gone: a file that was
handed out, and one of a run that nobody asked for until no request can be under way any more.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Final

from contest.domain.moments import Millis
from contest.domain.run.schedule import Schedule, Window
from contest.domain.session.session import IN_FLIGHT

LOOKED_AT: Final = 3
"""So many possible files are looked at where it is not certain which one comes next."""


def possible(files: int, schedule: Schedule | None, gone: Container[int]) -> Iterator[int]:
    """Files that may come next, in their order: neither gone nor annulled for everybody.

    With a ``schedule`` they are those that it has; ``files`` counts a session's where they are there from the start.
    """
    annulled: Container[int] = schedule.voided_for_all if schedule else ()
    numbers = range(1, (schedule.total_files if schedule else files) + 1)
    return (number for number in numbers if number not in gone and number not in annulled)


def may_be_had(window: Window, asked: Millis | None, arrival: Millis) -> bool:
    """Whether a file of a run can be asked for now or was asked for in time."""
    return arrival <= window.request_by or (asked is not None and asked <= window.request_by)


def is_lost(window: Window, asked: Millis | None, arrival: Millis) -> bool:
    """Whether a file of a run was missed for good: not even a request under way can have been in time."""
    return arrival > window.request_by + IN_FLIGHT and not may_be_had(window, asked, arrival)


def by_number(schedule: Schedule | None) -> Mapping[int, Window]:
    """Windows of a run's files; none outside of one."""
    return dict(enumerate(schedule.windows, start=1)) if schedule else {}
