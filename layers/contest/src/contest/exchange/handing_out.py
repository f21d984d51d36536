"""Hand-out of files: choice of the next file, the gate of a run, the file itself (R 6.4, R-App2).

The next file is chosen by the items that were read with the request, wherever they decide it. No file of a schedule
leaves before its opening, and every file does that was requested in time (platform §3). The stored schedule decides,
compared with the clock when the request arrives. All reads are done before the opening, so that between the opening and
the file there is one write.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple

from contest import reading
from contest.errors import FileMissedError, NotOpenYetError, SessionClosedError
from contest.figures import Figure
from contest.platform import PATIENT_ATTEMPTS, Platform, decide_until_written
from contest.run import watching
from contest.run.rules import fate
from contest.run.rules import schedule as schedule_rules
from contest.run.rules.run import HOLD
from contest.run.rules.schedule import ArmedBy, Chance, Schedule, Window
from contest.session import following
from contest.session.access import Case, Request, own_session
from contest.session.following import Known, Standing, Work
from contest.session.rules import delivery as delivery_rules
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Cause, Delivery
from contest.session.rules.session import PlannedFile, Session, State
from contest.values import SECOND, Millis, iso, iso_or_none
from markup_core.lazy import dataclass


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
    """The files whose deliveries and first requests were read, and those that exist."""

    numbers: Container[int]
    deliveries: Mapping[int, Delivery]
    first_requests: Mapping[int, Millis]


class Uncertain(NamedTuple):
    """The read facts do not decide which file is next."""


def announced(platform: Platform, case: Case) -> NextFile:
    """Compute the next file without side effects (never closes the session)."""
    session, schedule, known_gone = case.session, case.schedule, case.request.gone
    number = _among_read(case)
    if isinstance(number, Uncertain):
        number = _among_known(case, following.known_of(platform, session, schedule))
    if number is not None:
        return found_next(session, schedule, number)
    # Deadlines that this process has not seen are read.
    if any(number not in known_gone for number in range(1, session.files + 1)):
        deadlines = {
            delivery.number: delivery.answer_by
            for delivery in following.known_of(platform, session, schedule).deliveries
        }
    else:
        deadlines = {number: deadline for number, deadline in known_gone.items() if deadline is not None}
    closes_at = schedule.closes_at(deadlines) if schedule else session_rules.closes_at(deadlines.values())
    return NextFile(None, session, closes_at, schedule=schedule)


def coming_file_first(platform: Platform, case: Case) -> NextFile | Known:
    """Return the earliest file that can be handed out, else the next to open; with none left, all facts of the session.

    Missed and annulled files are passed over.
    """
    session, schedule = case.session, case.schedule
    number = _among_read(case)
    if isinstance(number, int):
        return found_next(session, schedule, number)
    facts = following.known_of(platform, session, schedule)
    number = _among_known(case, facts)
    return facts if number is None else found_next(session, schedule, number)


def found_next(session: Session, schedule: Schedule | None, number: int) -> NextFile:
    """Return a file of a session as its next one."""
    return NextFile(number, session, None, schedule.opens_at(number) if schedule else None, schedule)


def _among_read(case: Case) -> int | Uncertain | None:
    """Find the next file by the facts that were read with the request."""
    read_facts = case.read_facts
    numbers = read_facts.needs.numbers if read_facts.needs.session_id == case.session.session_id else ()
    looked = _Looked(numbers, read_facts.deliveries, read_facts.first_requests)
    return _lowest(case, looked)


def _among_known(case: Case, facts: Known) -> int | None:
    """Find the next file by all facts of a session."""
    deliveries = {delivery.number: delivery for delivery in facts.deliveries}
    looked = _Looked(range(1, case.session.files + 1), deliveries, facts.circumstances.first_requests)
    number = _lowest(case, looked)
    return number if isinstance(number, int) else None


def _lowest(case: Case, looked: _Looked) -> int | Uncertain | None:
    """Find the lowest number that can still come; files that prove to be gone for good are noted."""
    schedule, arrival, known_gone = case.schedule, case.request.arrival, case.request.gone
    for number in schedule_rules.possible(case.session.files, schedule, known_gone):
        if number not in looked.numbers:
            return Uncertain()
        delivery = looked.deliveries.get(number)
        if delivery is not None:
            known_gone[number] = delivery.answer_by
            continue
        if schedule is None:
            return number
        marks = (looked.deliveries, looked.first_requests, case.latest)
        chance = schedule_rules.chance(arrival, number, schedule, *marks)
        if chance is Chance.OPEN:
            return number
        if chance is Chance.LOST:
            known_gone[number] = None
    return None


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A file with its times; the same at every repetition."""

    planned: PlannedFile
    delivery: Delivery
    content: Any
    window: Window | None = None
    """Of a file of a schedule, when it may be asked for."""
    standing: Standing | None = None
    """Of a file over which there is a dialogue, how it stands."""


# Clause: R 6.4, R 7.5, platform §3 next, R-App2 §2 algorithmic
def next_file(platform: Platform, request: Request) -> NextFile:
    """Name the next file. In a run in which everything is settled, the request says that no better answer comes, and
    the session ends before its last deadline; without a run it has ended by its last answer.

    Asking once more after that gets the same answer, because the first one may have been lost.
    """
    case = own_session(platform, request)
    session, schedule, arrival = case.session, case.schedule, request.arrival
    if session.state is State.FINISHED:
        return NextFile(None, session, None)
    if session.state is not State.OPEN:
        raise SessionClosedError.in_state(session.state.value)
    first = coming_file_first(platform, case)
    if isinstance(first, NextFile):
        return first
    deadlines = {delivery.number: delivery.answer_by for delivery in first.deliveries}
    if schedule is None:
        is_over = session_rules.is_settled(session, first.deliveries, arrival)
        closes_at = session_rules.closes_at(deadlines.values())
    else:
        is_over = fate.settled(first.circumstances, first.deliveries, arrival)
        closes_at = schedule.closes_at(deadlines)
    if is_over:
        return NextFile(None, following.end(platform, session, State.FINISHED, arrival), None, schedule=schedule)
    return NextFile(None, session, closes_at, schedule=schedule)


# Clause: platform §3 by number, platform §3 secrecy, R 7.5, R-App2 §2 algorithmic
def hand_out_file(platform: Platform, request: Request) -> HandedOut:
    """Hand a file out; a repetition returns the same file with the first one's times.

    The time for the answer starts when the platform has done its work, so that a cold start costs nobody anything. Of
    a file that opens by a schedule: :class:`NotOpenYetError` before its opening, unless that is so near that the
    request is held until then; :class:`FileMissedError` when it was not asked for in time. It was if its first request
    arrived in time, whatever became of that one.
    """
    case, number = own_session(platform, request), request.number or 0
    session, schedule = case.session, case.schedule
    planned = reading.planned_file(platform, session, number, schedule)
    if not session.is_open:
        raise SessionClosedError.in_state(session.state.value)
    delivery = case.read_facts.deliveries.get(number)
    if delivery is None and schedule is not None and request.arrival < schedule.opens_at(number) - HOLD:
        raise _not_yet(platform, schedule, number)
    window = schedule.window(number) if schedule else None
    work = following.work_on(platform, session, planned, case.rules)
    content = work.shown()
    if delivery is None and schedule is not None and window is not None:
        delivery = _release(platform, case, schedule, window, work, number)
    elif delivery is None:

        def fresh() -> Delivery:
            now = platform.clock.now()
            return delivery_rules.hand_out(number, now, now + session.order.time_limit_s * SECOND, work.limit_s)

        delivery = _write(platform, session, number, fresh, (Figure.HAND_OUT_LATENESS, request.arrival))
    case.request.gone[number] = delivery.answer_by
    standing = following.standing(platform, work, delivery) if work.is_dialogue else None
    return HandedOut(planned, delivery, content, window, standing)


# Clause: R-App2 §2 final, R 7.5, platform §3 arming
def _release(platform: Platform, case: Case, schedule: Schedule, window: Window, work: Work, number: int) -> Delivery:
    """Wait for a file's opening if need be, and hand the file out in that instant."""
    request, session, read_facts = case.request, case.session, case.read_facts
    annulled = schedule.voided_for_all.get(number)
    if annulled is not None:
        raise FileMissedError.because(Cause.ORGANIZER_DECISION, window.request_by, amendment=annulled)
    early = request.arrival < window.opens_at
    if early and not platform.clock.wait_until(min(window.opens_at, platform.clock.now() + 1)):
        raise _not_yet(platform, schedule, number)  # the time stands still: nobody waits, and nobody has asked in vain
    marks = (read_facts.deliveries, read_facts.first_requests, case.latest)
    counted = schedule_rules.credited(request.arrival, number, schedule, *marks)
    first_request = platform.deliveries.ask(session.session_id, number, counted)
    if first_request > window.request_by:
        joined_late = session.opened_at > window.request_by
        evidence = (
            {"joined_at": iso(session.opened_at)} if joined_late else {"late_by_ms": first_request - window.request_by}
        )
        raise FileMissedError.because(Cause.TEAM_LATE, window.request_by, **evidence)
    armed = ("armed", session.run_id, number, window.opens_at)
    if session.run_id is not None and not platform.memory.known(armed):  # this process looks once for every opening
        was_read = (read_facts.needs.run_id, read_facts.needs.release) == (session.run_id, number)
        before = read_facts.release if was_read else platform.runs.release(session.run_id, number)
        watching.arm(platform, schedule, number, ArmedBy.REQUEST, before)  # where the timer has not
        platform.memory.put(armed, True)
    if not platform.clock.wait_until(window.opens_at) or not schedule.is_open(number, platform.clock.now()):
        raise _not_yet(platform, schedule, number)

    def fresh() -> Delivery:
        now = max(platform.clock.now() + request.took, first_request)  # the write is the platform's time too
        return schedule_rules.hand_out(schedule, number, first_request, now, work.limit_s)

    promised = (Figure.OPENING_LATENESS, window.opens_at) if early else (Figure.HAND_OUT_LATENESS, request.arrival)
    return _write(platform, session, number, fresh, promised)


def _write(
    platform: Platform, session: Session, number: int, fresh: Callable[[], Delivery], promised: tuple[Figure, Millis]
) -> Delivery:
    """Write a delivery made in this instant, or find the one that another request has written meanwhile.

    ``promised``: the moment from which the file is due, and the figure that tells how much later it was handed out.
    """
    lateness, due = promised

    def decide(as_read: tuple[Session, Delivery | None]) -> Delivery:
        latest, theirs = as_read
        if not latest.is_open:
            raise SessionClosedError.in_state(latest.state.value)
        if theirs is not None:
            return theirs
        delivery = fresh()
        platform.deliveries.hand_out(latest.session_id, delivery)
        platform.figures.note({lateness: max(0, delivery.handed_out_at - due)})
        return delivery

    def read_again() -> tuple[Session, Delivery | None]:
        return reading.session_again(platform, session), platform.deliveries.get(session.session_id, number)

    as_read: tuple[Session, Delivery | None] = (session, None)
    return decide_until_written(as_read, decide, read_again, lambda _: PATIENT_ATTEMPTS)


def _not_yet(platform: Platform, schedule: Schedule, number: int) -> NotOpenYetError:
    """Return the refusal of a file that has not opened, with the known facts of its opening."""
    now = platform.clock.now()
    state, paused_until = schedule.standing_at(now)
    return NotOpenYetError.at(
        schedule.opens_at(number), now, number=number, run_state=state.value, paused_until=iso_or_none(paused_until)
    )
