"""The gate of a run: no file before its opening, every file that was asked for in time (platform §3, R-App2).

The stored schedule decides, compared with the clock when the request is there. What has to be read is read before the
opening, so that between it and the file lies one write.
"""

from __future__ import annotations

from contest.domain import course as fates
from contest.domain import delivery as way
from contest.domain import run as schedule
from contest.domain.delivery import Cause, Delivery
from contest.domain.moments import Millis, iso, iso_or_none
from contest.domain.release import ArmedBy
from contest.domain.run import Run
from contest.domain.session import Session, State
from contest.errors import FileMissedError, NotOpenYetError
from contest.services import arming, closing, facts, hand_out, knowledge
from contest.services.hand_out import HandedOut, NextFile
from contest.services.platform import Platform


def next_file(platform: Platform, session: Session, run_id: str, arrival: Millis) -> NextFile:
    """The earliest file that can be had, else the next one to open; missed and annulled ones are passed over.

    With none left and everything settled, this request ends the session.
    """
    run = knowledge.run(platform, run_id)
    course = facts.course_of(platform, session, run)
    deliveries = platform.deliveries.of_session(session.session_id)
    gone = {each.number for each in deliveries} | set(course.annulled)
    for number, window in enumerate(course.windows, start=1):
        possible = course.asked_in_time(number) or arrival <= window.request_by
        if number not in gone and possible:
            return NextFile(number, session, None, window.opens_at, run)
    if not fates.settled(course, deliveries, arrival):
        return NextFile(None, session, fates.closes_at(course, deliveries), run=run)
    return NextFile(None, closing.end(platform, session, State.FINISHED, arrival), None, run=run)


def hand_out_file(platform: Platform, session: Session, run_id: str, number: int, arrival: Millis) -> HandedOut:
    """Hand a file of a run out, the same at every repetition.

    :class:`NotOpenYetError` before its opening, unless that is so near that the request is held until then;
    :class:`FileMissedError` when it was not asked for in time. It was if its first request arrived in time, whatever
    became of that one.
    """
    run = knowledge.run(platform, run_id)
    planned = knowledge.planned_file(platform, session, number)
    known = platform.deliveries.get(session.session_id, number)
    if known is None and arrival < schedule.opens_at(run, number) - schedule.HOLD:
        raise _not_yet(platform, run, number)
    content = hand_out.shown(platform, session, planned)
    delivery = known or _release(platform, session, run, number, arrival)
    return HandedOut(planned, delivery, content, run)


def _release(platform: Platform, session: Session, run: Run, number: int, arrival: Millis) -> Delivery:
    """Wait for the opening if need be, and hand the file out in that instant."""
    window = schedule.window(run, number)
    annulled = schedule.voided_for_all(run).get(number)
    if annulled is not None:
        raise FileMissedError.because(Cause.ORGANIZER_DECISION, window.request_by, amendment=annulled)
    if arrival < window.opens_at and not platform.clock.wait_until(min(window.opens_at, platform.clock.now() + 1)):
        raise _not_yet(platform, run, number)  # the time stands still: nobody waits, and nobody has asked in vain
    asked = platform.deliveries.ask(session.session_id, number, arrival)
    if asked > window.request_by:
        raise _missed(session, window.request_by, asked)
    key = ("armed", run.run_id, number, window.opens_at)
    platform.memory.keep(key, lambda: arming.arm(platform, run, number, ArmedBy.REQUEST))
    if not platform.clock.wait_until(window.opens_at) or not schedule.is_open(run, number, platform.clock.now()):
        raise _not_yet(platform, run, number)

    def fresh() -> Delivery:
        now = platform.clock.now()
        return way.release(number, now, schedule.answer_by(run, number, asked, now))

    return hand_out.write(platform, session, number, fresh)


def _missed(session: Session, request_by: Millis, asked: Millis) -> FileMissedError:
    if session.opened_at > request_by:
        return FileMissedError.because(Cause.TEAM_LATE, request_by, joined_at=iso(session.opened_at))
    return FileMissedError.because(Cause.TEAM_LATE, request_by, late_by_ms=asked - request_by)


def _not_yet(platform: Platform, run: Run, number: int) -> NotOpenYetError:
    now = platform.clock.now()
    pause = schedule.pause_at(run, now)
    return NotOpenYetError.at(
        schedule.opens_at(run, number),
        now,
        number=number,
        run_state=schedule.state_at(run, now).value,
        paused_until=iso_or_none(pause.until if pause else None),
    )
