"""Ending a session: by time, by its program's last request, by its team's wish. Ending twice is ending once."""

from __future__ import annotations

from dataclasses import replace

from contest.domain import overview
from contest.domain import session as life
from contest.domain.moments import Millis
from contest.domain.session import Activity, Session, State
from contest.errors import BusyError
from contest.ports import LostRaceError
from contest.services import knowledge
from contest.services.platform import ATTEMPTS, Platform


def by_time(
    platform: Platform, session: Session, now: Millis, seen_at: Millis | None = None, unseen: Millis = 0
) -> Session:
    """End a session whose time is over; the session as it then is. ``seen_at`` where the caller knows it better."""
    if not session.is_open:
        return session
    if seen_at is None:
        seen_at = platform.sessions.seen_at(session.session_id) or session.opened_at
    activity = Activity(platform.deliveries.of_session(session.session_id), seen_at)
    rules = knowledge.parameters(platform, session.parameters_version)
    state = life.ends_by_time(session, activity, rules, now, unseen)
    return end(platform, session, state, now) if state else session


def end(platform: Platform, session: Session, state: State, now: Millis) -> Session:
    """Put a session into a final state unless it is in one already; the session as it then is."""
    for _ in range(ATTEMPTS):
        if not session.is_open:
            return session
        after = life.close(session, state, now)
        try:
            platform.sessions.close(session, after)
        except LostRaceError:
            session = platform.sessions.get(session.session_id) or session
            continue
        return counted(platform, after)
    raise BusyError


def counted(platform: Platform, closed: Session) -> Session:
    """A closed session with its counts, noted for whoever lists it later."""
    if closed.counts is not None or closed.closed_at is None:
        return closed
    deliveries = platform.deliveries.of_session(closed.session_id)
    counts = overview.count(closed.files, deliveries, closed.closed_at, session_open=False)
    noted = replace(closed, counts=counts)
    platform.sessions.note_counts(noted)
    return noted
