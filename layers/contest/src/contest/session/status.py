"""A team's view of its sessions: status, list, receipts; a client's log.

A session is shown with all its files. A client's log is stored with its session (platform §3).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contest import reading, stored_names
from contest.cycle.rules.cycle import Mode
from contest.errors import AnswerTooLargeError, ConfirmationNeededError, SessionClosedError
from contest.people.errors import NoTeamError
from contest.platform import Platform
from contest.ports import Found, Page
from contest.results import annulments
from contest.results.rules import readiness
from contest.results.rules.qualification import Annulment
from contest.results.rules.readiness import FileView
from contest.run.rules.schedule import Schedule
from contest.session import access, following
from contest.session.access import Request, own_session
from contest.session.following import Known
from contest.session.rules.delivery import Receipt
from contest.session.rules.session import Counts, Session, State, TeamRequests, newest
from contest.values import Millis, sha256_hex
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its counts, and whether its client is one of the cycle's known ones (None: cannot be said)."""

    session: Session
    counts: Counts
    client_known: bool | None
    files: tuple[FileView, ...] = ()
    schedule: Schedule | None = None
    annulled: Annulment | None = None
    """Why the organizers have annulled a session that is over."""
    greatest_share: float = 1.0
    """Share of missed files above which a solution is annulled (R 7.7)."""


def fresh(platform: Platform, session: Session, now: Millis) -> SessionView:
    """Return a session with its counts, opened just now or long ago."""
    is_new = session.is_open and session.opened_at == now
    return _counted(platform, session, following.known_at_opening(platform, session) if is_new else None, now)


def _counted(platform: Platform, session: Session, facts: Known | None, now: Millis) -> SessionView:
    schedule = reading.schedule(platform, session.run_id) if session.run_id else None
    return _view(platform, session, following.counts_of(platform, session, now, facts), schedule)


def session_status(platform: Platform, request: Request) -> SessionView:
    """Return an own session with the state of every file; it is ended first if its time is over."""
    case, arrival = own_session(platform, request), request.arrival
    session, facts = case.session, following.known_of(platform, case.session, case.schedule)
    if case.schedule is None:  # one with a schedule was ended with the request, if it may be over at all
        session = following.by_time(platform, session, arrival, seen_at=arrival, facts=facts)
        facts = facts if session is case.session else following.known_of(platform, session)
    return _detailed(platform, session, facts, arrival)


# Clause: platform §3 list
def list_sessions(
    platform: Platform, request: Request, mode: str | None, limit: int, before: Millis | None
) -> tuple[SessionView, ...]:
    """List the team's sessions, newest first; ``before`` is the opening of the last one on the page before."""
    if not request.identity.team_id:
        raise NoTeamError
    team_id = request.identity.team_id
    views = sessions_of(platform, team_id, mode, limit, before, request.arrival, request.read_facts)
    access.remember_own(platform, team_id, (view.session.session_id for view in views))
    return views


def sessions_of(
    platform: Platform,
    team_id: str,
    mode: str | None,
    limit: int,
    before: Millis | None,
    now: Millis,
    read_facts: Found | None = None,
) -> tuple[SessionView, ...]:
    """List the sessions of any team, as :func:`list_sessions`; none for an unknown team.

    ``read_facts``: what a request of the team's program has read when it was let in.
    """
    requests = None if read_facts is None else read_facts.requests
    if read_facts is None or not read_facts.needs.lists:
        stored = reading.sessions(platform, platform.sessions.of_team(team_id, limit, before))
    else:
        stored = reading.sessions(platform, newest(read_facts.opened, limit, before), read_facts.guessed)
    of_mode = (session for session in stored.values() if mode in {None, session.order.mode})
    return tuple(_listed(platform, session, requests, now) for session in of_mode)


def _listed(platform: Platform, session: Session, requests: TeamRequests | None, now: Millis) -> SessionView:
    """Return a session with its counts; it is ended first if its time is over."""
    if not session.is_open:
        return _counted(platform, session, None, now)
    seen_at = None if requests is None else requests.seen_at(session) or session.opened_at
    facts = following.known_of(platform, session)
    latest = following.by_time(platform, session, now, seen_at, facts=facts)
    return _counted(platform, latest, facts if latest is session else None, now)


# Clause: R 4.5, platform §3 abort, platform §3 final states
def abort(platform: Platform, request: Request, *, confirmed: bool = False) -> SessionView:
    """End an own session at its team's wish (platform §3). Aborting an aborted one is the same; the quota stays used.

    In a final that ends the participation (R 4.5) and has to be ``confirmed``. A session that ended otherwise keeps
    its state, which is final, and whoever wanted to abort it is told so.
    """
    before = own_session(platform, request).session
    if before.is_open and before.order.mode == Mode.FINAL and not confirmed:
        raise ConfirmationNeededError
    session = following.end(platform, before, State.ABORTED, request.arrival)
    if session.state is not State.ABORTED:
        raise SessionClosedError.in_state(session.state.value)
    return _detailed(platform, session, following.known_of(platform, session), request.arrival)


def session_receipts(platform: Platform, request: Request, limit: int, after: str | None) -> Page[Receipt]:
    """List receipts of an own session by file and send."""
    session = own_session(platform, request).session
    return platform.deliveries.receipts(session.session_id, limit, after)


def _detailed(platform: Platform, session: Session, facts: Known, now: Millis) -> SessionView:
    files = following.files_of(platform, session, facts, now)
    policies = reading.track_of(platform, session).policies(session.order.mode)
    schedule = facts.circumstances.schedule if session.run_id else None
    view = _view(platform, session, readiness.count(files), schedule)
    return replace(view, files=files, greatest_share=policies.max_voided_share)


def _view(platform: Platform, session: Session, counts: Counts, schedule: Schedule | None) -> SessionView:
    annulled = None
    if not session.is_open:
        annulled = annulments.of_session(platform, session, annulments.recent(platform, session.cycle))
    return SessionView(
        session=session,
        counts=counts,
        client_known=access.are_known(reading.recent_written_cycle(platform), session.order.client),
        schedule=schedule,
        annulled=annulled,
    )


MAX_LOG: Final = 1024 * 1024
KEPT: Final = 20
"""Logs of a session that are kept: the latest."""


# Clause: platform §3 log
def store_log(platform: Platform, request: Request, body: bytes) -> str:
    """Store a log, open session or not, and return its SHA-256. The same log again is stored once more, harmlessly."""
    if len(body) > MAX_LOG:
        raise AnswerTooLargeError.over(len(body), MAX_LOG)
    session = own_session(platform, request).session
    digest, folder = sha256_hex(body), stored_names.log_folder(session.session_id)
    platform.blobs.put(f"{folder}{request.arrival:013d}-{digest[:16]}", body)
    for name in platform.blobs.names(folder)[:-KEPT]:
        platform.blobs.delete(name)
    return digest
