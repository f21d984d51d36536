"""Ending a session: by time, by its program's last request, by its team's wish. Ending twice is ending once."""

from __future__ import annotations

from dataclasses import replace

from contest.domain import course as fates
from contest.domain import overview
from contest.domain import session as life
from contest.domain.moments import SECOND, Millis
from contest.domain.session import Activity, Counts, Session, State
from contest.errors import BusyError
from contest.ports import LostRaceError
from contest.services import facts, knowledge
from contest.services.platform import ATTEMPTS, Platform


def by_time(
    platform: Platform, session: Session, now: Millis, seen_at: Millis | None = None, unseen: Millis = 0
) -> Session:
    """End a session whose time is over; the session as it then is. ``seen_at`` where the caller knows it better."""
    if not session.is_open:
        return session
    if seen_at is None:
        seen_at = platform.sessions.seen_at(session.session_id) or session.opened_at
    state = _ends_by_time(platform, session, seen_at, now, unseen)
    return end(platform, session, state, now) if state else session


def may_be_over(platform: Platform, session: Session, seen_at: Millis, now: Millis) -> bool:
    """Whether it is worth the reading to find out whether an open session's time is over."""
    idle = knowledge.parameters(platform, session.parameters_version).idle_timeout_s * SECOND
    if session.run_id is None:
        return now >= seen_at + idle
    return fates.may_be_over(knowledge.run(platform, session.run_id), seen_at, idle, now)


def end(platform: Platform, session: Session, state: State, now: Millis) -> Session:
    """Put a session into a final state unless it is in one already; the session as it then is."""
    for _ in range(ATTEMPTS):
        if not session.is_open:
            return session
        after = life.close(session, state, now)
        try:
            platform.sessions.close(session, after)
        except LostRaceError:
            session = knowledge.session(platform, session.session_id) or session
            continue
        return after
    raise BusyError


def counts_of(platform: Platform, session: Session, now: Millis) -> Counts:
    """A session's counts. Those of a closed algorithmic session are noted for whoever lists it later.

    In a run a decision of the organizers can still change them.
    """
    if session.counts is not None:
        return session.counts
    counts = overview.count(facts.files_of(platform, session, now))
    if not session.is_open and session.run_id is None:
        platform.sessions.note_counts(replace(session, counts=counts))
    return counts


def _ends_by_time(platform: Platform, session: Session, seen_at: Millis, now: Millis, unseen: Millis) -> State | None:
    deliveries = platform.deliveries.of_session(session.session_id)
    rules = knowledge.parameters(platform, session.parameters_version)
    if session.run_id is None:
        return life.ends_by_time(session, Activity(deliveries, seen_at), rules, now, unseen)
    run = knowledge.run_now(platform, session.run_id)  # a file that was appended a second ago keeps the session open
    course = facts.course_of(platform, session, run)
    return fates.ends_by_time(course, run, deliveries, seen_at, rules.idle_timeout_s * SECOND + unseen, now)
