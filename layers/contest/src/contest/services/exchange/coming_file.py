"""Which file of a session comes next, by what was read with the request wherever that is certain."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from contest.domain.moments import Millis
from contest.domain.run import coming, fate, lag
from contest.domain.run.schedule import Schedule
from contest.domain.session import ending
from contest.domain.session.delivery import Delivery
from contest.domain.session.session import Session
from contest.services.platform import Platform
from contest.services.session import facts
from contest.services.session.access import Case
from contest.services.session.facts import Known
from contest.services.session.request import gone


@dataclass(frozen=True, slots=True)
class NextFile:
    """The earliest file not handed out yet; None when there is none left."""

    number: int | None
    session: Session
    closes_at: Millis | None
    """When a session with nothing left will have ended by itself; None once it has, or while files are left."""
    opens_at: Millis | None = None
    """Of a file of a run."""
    schedule: Schedule | None = None


Gone = dict[int, Millis | None]
"""Files that are gone for good: see :func:`contest.services.session.request.gone`."""


class _Looked(NamedTuple):
    """Files whose deliveries and first requests were read, and what there was of them."""

    numbers: Container[int]
    deliveries: Mapping[int, Delivery]
    asked: Mapping[int, Millis]


class Uncertain(NamedTuple):
    """What was read does not say which file is next."""


def announced(platform: Platform, case: Case) -> NextFile:
    """Return which file comes next, as told beside something else: nothing ends by being told."""
    session, schedule = case.session, case.schedule
    known_gone = gone(platform, session.session_id)
    number = _among_read(case, known_gone)
    if isinstance(number, Uncertain):
        number = _among_known(case, facts.known_of(platform, session, schedule), known_gone)
    if number is not None:
        return found_next(session, schedule, number)
    # Deadlines that this process has not seen are read.
    if any(number not in known_gone for number in range(1, session.files + 1)):
        deadlines = {each.number: each.answer_by for each in facts.known_of(platform, session, schedule).deliveries}
    else:
        deadlines = {number: each for number, each in known_gone.items() if each is not None}
    closes_at = fate.closes_at(schedule, deadlines) if schedule else ending.closes_at(deadlines.values())
    return NextFile(None, session, closes_at, schedule=schedule)


def first(platform: Platform, case: Case) -> NextFile | Known:
    """Return the earliest file that can be had, else the next to open; with none left, all that is known.

    Missed and annulled files are passed over.
    """
    session, schedule = case.session, case.schedule
    known_gone = gone(platform, session.session_id)
    number = _among_read(case, known_gone)
    if isinstance(number, int):
        return found_next(session, schedule, number)
    known = facts.known_of(platform, session, schedule)
    number = _among_known(case, known, known_gone)
    return known if number is None else found_next(session, schedule, number)


def found_next(session: Session, schedule: Schedule | None, number: int) -> NextFile:
    """A file that is next."""
    return NextFile(number, session, None, schedule.opens_at(number) if schedule else None, schedule)


def _among_read(case: Case, known_gone: Gone) -> int | Uncertain | None:
    """Find the next file by what was read with the request."""
    found = case.found
    whole = found.wanted.session_id == case.session.session_id and (case.schedule is None or found.wanted.asked)
    looked = _Looked(found.wanted.numbers if whole else (), found.deliveries, found.asked)
    return _lowest(case, looked, known_gone)


def _among_known(case: Case, known: Known, known_gone: Gone) -> int | None:
    """Find the next file by everything that is known of a session."""
    deliveries = {each.number: each for each in known.deliveries}
    looked = _Looked(range(1, case.session.files + 1), deliveries, known.circumstances.asked)
    number = _lowest(case, looked, known_gone)
    return number if isinstance(number, int) else None


def _lowest(case: Case, looked: _Looked, known_gone: Gone) -> int | Uncertain | None:
    """Find the lowest number that can still come; what turns out to be gone for good is noted."""
    schedule, arrival = case.schedule, case.request.arrival
    for number in coming.possible(case.session.files, schedule, known_gone):
        if number not in looked.numbers:
            return Uncertain()
        delivery, asked = looked.deliveries.get(number), looked.asked.get(number)
        if delivery is not None:
            known_gone[number] = delivery.answer_by
            continue
        if schedule is None:
            return number
        window = schedule.window(number)
        taken = lag.owed(number, schedule, looked.deliveries, looked.asked, case.latest)
        counted = lag.counted(arrival, window.opens_at, taken)
        if coming.may_be_had(window, asked, counted):
            return number
        if coming.is_lost(window, asked, counted):
            known_gone[number] = None
    return None
