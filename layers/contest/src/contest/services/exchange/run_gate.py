"""The gate of a run: no file before its opening, every file that was asked for in time (platform §3, R-App2).

The stored schedule decides, compared with the clock when the request is there. What has to be read is read before the
opening, so that between it and the file lies one write.
"""

from __future__ import annotations

from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.run import lag
from contest.domain.run.release import ArmedBy
from contest.domain.run.run import HOLD
from contest.domain.run.schedule import Schedule
from contest.domain.session import transitions
from contest.domain.session.delivery import Cause, Delivery
from contest.domain.session.dialogue import Course, limited
from contest.domain.session.session import Session
from contest.errors import FileMissedError, NotOpenYetError
from contest.ports.requests import Found
from contest.services import reading
from contest.services.exchange import handed_out
from contest.services.exchange.handed_out import HandedOut
from contest.services.platform import Platform
from contest.services.run import arming
from contest.services.session import dialogues
from contest.services.session.access import OwnSession


def hand_out_file(platform: Platform, own: OwnSession, schedule: Schedule, number: int, arrival: Millis) -> HandedOut:
    """Hand out a file that opens by a schedule, a run's or the session's own; the same at every repetition.

    :class:`NotOpenYetError` before its opening, unless that is so near that the request is held until then;
    :class:`FileMissedError` when it was not asked for in time. It was if its first request arrived in time, whatever
    became of that one.

    Clause: platform §3 secrecy, R 7.5, platform §3 by number
    """
    session = own.session
    planned = reading.planned_file(platform, session, number)
    known = own.found.deliveries.get(number)
    if known is None and arrival < schedule.opens_at(number) - HOLD:
        raise _not_yet(platform, schedule, number)
    content = reading.shown(platform, session, planned)
    course = dialogues.course_of(platform, session, planned)
    delivery = known or _release(platform, own, schedule, number, arrival, course)
    standing = dialogues.standing(platform, session, planned, delivery)
    return HandedOut(planned, delivery, content, schedule, standing)


def _release(
    platform: Platform, own: OwnSession, schedule: Schedule, number: int, arrival: Millis, course: Course
) -> Delivery:
    """Wait for the opening if need be, and hand the file out in that instant.

    Clause: R-App2 §2 final, R 7.5, platform §3 arming
    """
    session, window = own.session, schedule.window(number)
    annulled = schedule.voided_for_all.get(number)
    if annulled is not None:
        raise FileMissedError.because(Cause.ORGANIZER_DECISION, window.request_by, amendment=annulled)
    if arrival < window.opens_at and not platform.clock.wait_until(min(window.opens_at, platform.clock.now() + 1)):
        raise _not_yet(platform, schedule, number)  # the time stands still: nobody waits, and nobody has asked in vain
    taken = lag.owed(number, schedule, own.found.deliveries, own.found.asked, own.latest)
    asked = platform.deliveries.ask(session.session_id, number, lag.counted(arrival, window.opens_at, taken))
    if asked > window.request_by:
        raise _missed(session, window.request_by, asked)
    if session.run_id is not None:
        _arm(platform, own.found, schedule, number)
    if not platform.clock.wait_until(window.opens_at) or not schedule.is_open(number, platform.clock.now()):
        raise _not_yet(platform, schedule, number)

    def fresh() -> Delivery:
        now = max(platform.clock.now() + own.took, asked)  # the write is the platform's time too
        return limited(transitions.release(number, now, schedule.answer_by(number, asked, now)), course)

    return handed_out.write(platform, session, number, fresh)


def _arm(platform: Platform, found: Found, schedule: Schedule, number: int) -> None:
    """Write the release record where the timer has not; this process looks once for every opening."""
    run_id, wanted = schedule.run.run_id, found.wanted
    key = ("armed", run_id, number, schedule.opens_at(number))
    if platform.memory.known(key):
        return
    was_read = (wanted.run_id, wanted.release) == (run_id, number)
    before = found.release if was_read else platform.runs.release(run_id, number)
    arming.arm(platform, schedule, number, ArmedBy.REQUEST, before)
    platform.memory.put(key, True)


def _missed(session: Session, request_by: Millis, asked: Millis) -> FileMissedError:
    if session.opened_at > request_by:
        return FileMissedError.because(Cause.TEAM_LATE, request_by, joined_at=iso(session.opened_at))
    return FileMissedError.because(Cause.TEAM_LATE, request_by, late_by_ms=asked - request_by)


def _not_yet(platform: Platform, schedule: Schedule, number: int) -> NotOpenYetError:
    now = platform.clock.now()
    pause = schedule.pause_at(now)
    return NotOpenYetError.at(
        schedule.opens_at(number),
        now,
        number=number,
        run_state=schedule.state_at(now).value,
        paused_until=iso_or_none(pause.until if pause else None),
    )
