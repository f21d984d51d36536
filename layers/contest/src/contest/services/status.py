"""What a team sees of its sessions: one with all its files, the list, the receipts."""

from __future__ import annotations

from dataclasses import dataclass

from contest.domain import overview
from contest.domain.cycle import Cycle
from contest.domain.moments import Millis
from contest.domain.overview import FileView
from contest.domain.receipts import Receipt
from contest.domain.rights import Identity
from contest.domain.session import Counts, Session, State
from contest.ports import Page
from contest.services import closing, knowledge
from contest.services.access import own_session
from contest.services.platform import Platform


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its counts, and whether its client is one of the cycle's known ones (None: cannot be said)."""

    session: Session
    counts: Counts
    client_known: bool | None
    files: tuple[FileView, ...] = ()


def fresh(platform: Platform, session: Session, now: Millis) -> SessionView:
    """A session that was opened just now, or found again by its key."""
    return _view(platform, session, now)


def session_status(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> SessionView:
    """An own session with the state of every file; ended first if its time is over."""
    session = own_session(platform, identity, session_id, arrival)
    return _detailed(platform, closing.by_time(platform, session, arrival), arrival)


def list_sessions(
    platform: Platform, identity: Identity, mode: str | None, limit: int, before: Millis | None, now: Millis
) -> tuple[SessionView, ...]:
    """The team's sessions, newest first; ``before`` is the opening of the last one seen."""
    ids = platform.sessions.of_team(identity.team_id, limit, before)
    found = (platform.sessions.get(each) for each in ids)
    sessions = (closing.by_time(platform, each, now) for each in found if each is not None)
    return tuple(_view(platform, each, now) for each in sessions if mode in {None, each.order.mode})


def abort(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> SessionView:
    """End an own session at its team's wish (platform §3). Aborting an aborted one is the same; the quota stays used.

    A session that ended otherwise keeps its state, which is final.
    """
    session = own_session(platform, identity, session_id, arrival)
    return _detailed(platform, closing.end(platform, session, State.ABORTED, arrival), arrival)


def session_receipts(
    platform: Platform, identity: Identity, session_id: str, limit: int, after: str | None, arrival: Millis
) -> Page[Receipt]:
    """Receipts of an own session by file and send."""
    session = own_session(platform, identity, session_id, arrival)
    return platform.deliveries.receipts(session.session_id, limit, after)


def _detailed(platform: Platform, session: Session, now: Millis) -> SessionView:
    deliveries = platform.deliveries.of_session(session.session_id)
    plan = knowledge.plan(platform, session.session_id)
    moment = session.closed_at if session.closed_at is not None else now
    return SessionView(
        session=session,
        counts=overview.count(session.files, deliveries, moment, session_open=session.is_open),
        client_known=_client_known(knowledge.recent_cycle(platform), session),
        files=overview.files_at(plan, deliveries, moment, session_open=session.is_open),
    )


def _view(platform: Platform, session: Session, now: Millis) -> SessionView:
    counts = closing.counted(platform, session).counts
    if counts is None:
        deliveries = platform.deliveries.of_session(session.session_id)
        counts = overview.count(session.files, deliveries, now, session_open=True)
    return SessionView(session, counts, _client_known(knowledge.recent_cycle(platform), session))


def _client_known(cycle: Cycle, session: Session) -> bool | None:
    """Whether the program's modules are among the published ones (R 4.3, 11.4)."""
    client = session.order.client
    if client is None or client.sha256 is None or not cycle.known_clients:
        return None
    return client.sha256 in cycle.known_clients
