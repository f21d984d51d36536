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
from contest.domain.session.requests import Latest
from contest.domain.session.session import Session
from contest.services import reading
from contest.services.platform import Platform
from contest.services.session import facts
from contest.services.session.access import OwnSession
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


class _Looked(NamedTuple):
    """Files whose deliveries and first requests were read, and what there was of them."""

    numbers: Container[int]
    deliveries: Mapping[int, Delivery]
    asked: Mapping[int, Millis]
    latest: Latest | None = None
    """The latest request before this one."""

    def counted(self, number: int, schedule: Schedule, arrival: Millis) -> Millis:
        """When a request for a file that arrives at a moment counts as made."""
        taken = lag.owed(number, schedule, self.deliveries, self.asked, self.latest)
        return lag.counted(arrival, schedule.opens_at(number), taken)


class Uncertain(NamedTuple):
    """What was read does not say which file is next."""


def announced(platform: Platform, own: OwnSession, arrival: Millis) -> NextFile:
    """Which file comes next, as told beside something else: nothing ends by being told."""
    session = own.session
    schedule = reading.schedule_of(platform, session)
    number = _among_read(platform, own, schedule, arrival)
    if isinstance(number, Uncertain):
        number = among_known(platform, own, facts.known_of(platform, session), arrival)
    if number is not None:
        return found_next(session, schedule, number)
    return NextFile(None, session, _closes_at(platform, session, schedule), schedule=schedule)


def first(platform: Platform, own: OwnSession, arrival: Millis) -> NextFile | Known:
    """The earliest file that can be had, else the next one to open; with none left, everything known of the session.

    Missed and annulled files are passed over.
    """
    session = own.session
    schedule = reading.schedule_of(platform, session)
    number = _among_read(platform, own, schedule, arrival)
    if isinstance(number, int):
        return found_next(session, schedule, number)
    known = facts.known_of(platform, session)
    number = among_known(platform, own, known, arrival)
    return known if number is None else found_next(session, schedule, number)


def found_next(session: Session, schedule: Schedule | None, number: int) -> NextFile:
    """A file that is next."""
    return NextFile(number, session, None, schedule.opens_at(number) if schedule else None, schedule)


def among_known(platform: Platform, own: OwnSession, known: Known, arrival: Millis) -> int | None:
    """The next file by everything that is known of a session."""
    session = own.session
    deliveries = {each.number: each for each in known.deliveries}
    looked = _Looked(range(1, session.files + 1), deliveries, known.circumstances.asked, own.latest)
    number = _lowest(platform, session, known.circumstances.schedule, looked, arrival)
    return number if isinstance(number, int) else None


def _among_read(
    platform: Platform, own: OwnSession, schedule: Schedule | None, arrival: Millis
) -> int | Uncertain | None:
    found, session = own.found, own.session
    whole = found.wanted.session_id == session.session_id and (schedule is None or found.wanted.asked)
    looked = _Looked(found.wanted.numbers if whole else (), found.deliveries, found.asked, own.latest)
    return _lowest(platform, session, schedule, looked, arrival)


def _lowest(
    platform: Platform, session: Session, schedule: Schedule | None, looked: _Looked, arrival: Millis
) -> int | Uncertain | None:
    """The lowest number that can still come; what turns out to be gone for good is remembered."""
    known_gone = gone(platform, session.session_id)
    for number in coming.possible(session.files, schedule, known_gone):
        if number not in looked.numbers:
            return Uncertain()
        delivery, asked = looked.deliveries.get(number), looked.asked.get(number)
        if delivery is not None:
            known_gone[number] = delivery.answer_by
            continue
        if schedule is None:
            return number
        window, counted = schedule.window(number), looked.counted(number, schedule, arrival)
        if coming.may_be_had(window, asked, counted):
            return number
        if coming.is_lost(window, asked, counted):
            known_gone[number] = None
    return None


def _closes_at(platform: Platform, session: Session, schedule: Schedule | None) -> Millis:
    """When a session with nothing left will have ended; deadlines that this process has not seen are read."""
    known_gone = gone(platform, session.session_id)
    if any(number not in known_gone for number in range(1, session.files + 1)):
        deadlines = {each.number: each.answer_by for each in facts.known_of(platform, session).deliveries}
    else:
        deadlines = {number: each for number, each in known_gone.items() if each is not None}
    return fate.closes_at(schedule, deadlines) if schedule else ending.closes_at(deadlines.values())
