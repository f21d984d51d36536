"""Ending a session: by time, by its program's last request, by its team's wish. Ending twice is ending once."""

from __future__ import annotations

from dataclasses import replace

from contest.domain.cycle.cycle import Parameters
from contest.domain.moments import SECOND, Millis
from contest.domain.results import file_views
from contest.domain.run import fate
from contest.domain.run.schedule import Schedule
from contest.domain.session import ending
from contest.domain.session.ending import Activity
from contest.domain.session.session import Counts, Session, State
from contest.services import reading
from contest.services.platform import Platform
from contest.services.races import decide_until_written
from contest.services.session import facts
from contest.services.session.facts import Known


def by_time(
    platform: Platform,
    session: Session,
    now: Millis,
    seen_at: Millis | None = None,
    unseen: Millis = 0,
    known: Known | None = None,
) -> Session:
    """End a session whose time is over; the session as it then is.

    ``seen_at`` where the caller knows it better, ``known`` where the caller has read it a moment ago: by what it says
    nothing is ended, but a session that goes on by it goes on.
    """
    if not session.is_open:
        return session
    if seen_at is None:
        seen_at = latest_request(platform, session)
    if known is not None and _state_by_time(platform, session, known, seen_at, now, unseen) is None:
        return session
    # A file that was appended a second ago keeps the session open: the run is read as last written.
    schedule = reading.schedule_now_of(platform, session)
    latest = facts.known_of(platform, session, schedule)
    state = _state_by_time(platform, session, latest, seen_at, now, unseen)
    return end(platform, session, state, now) if state else session


def latest_request(platform: Platform, session: Session) -> Millis:
    """When a session was heard of last; its opening where nothing came after it."""
    kept = platform.requests.of_team(session.team_id)
    return (kept.seen_at(session) if kept else None) or session.opened_at


def may_be_over(schedule: Schedule | None, rules: Parameters, seen_at: Millis, now: Millis) -> bool:
    """Return whether it is worth the reading to find out whether an open session's time is over."""
    idle = rules.idle_timeout_s * SECOND
    return now >= seen_at + idle if schedule is None else fate.may_be_over(schedule, seen_at, idle, now)


def is_over(platform: Platform, session: Session, seen_at: Millis, now: Millis, unseen: Millis = 0) -> bool:
    """Whether :func:`by_time` would end an open session at a moment; nothing is written."""
    schedule = reading.schedule_now_of(platform, session)
    known = facts.known_of(platform, session, schedule)
    return _state_by_time(platform, session, known, seen_at, now, unseen) is not None


def end(platform: Platform, session: Session, state: State, now: Millis) -> Session:
    """Put a session into a final state unless it is in one already; the session as it then is.

    Clause: platform §3 final states
    """

    def close(known: Session) -> Session:
        if not known.is_open:
            return known
        after = ending.close(known, state, now)
        platform.sessions.close(known, after)
        return after

    return decide_until_written(session, close, lambda: reading.session_again(platform, session))


def counts_of(platform: Platform, session: Session, now: Millis) -> Counts:
    """A session's counts. Those of a closed algorithmic session are noted for whoever lists it later.

    In a run a decision of the organizers can still change them.
    """
    if session.counts is not None:
        return session.counts
    counts = file_views.count(facts.files_of(platform, session, facts.known_of(platform, session), now))
    if not session.is_open and session.run_id is None:
        platform.sessions.note_counts(replace(session, counts=counts))
    return counts


def _state_by_time(
    platform: Platform, session: Session, known: Known, seen_at: Millis, now: Millis, unseen: Millis
) -> State | None:
    rules = reading.parameters(platform, session.parameters_version)
    schedule = known.circumstances.schedule
    if schedule is None:
        return ending.ends_by_time(session, Activity(known.deliveries, seen_at), rules, now, unseen)
    idle = rules.idle_timeout_s * SECOND + unseen
    return fate.ends_by_time(schedule, known.deliveries, seen_at, idle, now)
