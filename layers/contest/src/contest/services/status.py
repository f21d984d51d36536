"""What a team sees of its sessions: one with all its files, the list, the receipts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from contest.domain import overview
from contest.domain.cycle import Cycle, Mode
from contest.domain.moments import Millis
from contest.domain.overview import FileView
from contest.domain.receipts import Receipt
from contest.domain.rights import Identity
from contest.domain.run import Run
from contest.domain.session import Counts, Session, State
from contest.errors import ConfirmationNeededError
from contest.ports import Page
from contest.services import closing, facts, knowledge
from contest.services.access import own_session
from contest.services.platform import Platform


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its counts, and whether its client is one of the cycle's known ones (None: cannot be said)."""

    session: Session
    counts: Counts
    client_known: bool | None
    files: tuple[FileView, ...] = ()
    run: Run | None = None
    greatest_share: float = 1.0
    """Share of missed files above which a solution is annulled (R 7.7)."""


def fresh(platform: Platform, session: Session, now: Millis) -> SessionView:
    """A session with its counts, opened just now or long ago."""
    return _view(platform, session, closing.counts_of(platform, session, now))


def session_status(platform: Platform, identity: Identity, session_id: str, arrival: Millis) -> SessionView:
    """An own session with the state of every file; ended first if its time is over."""
    session = own_session(platform, identity, session_id, arrival)
    return _detailed(platform, closing.by_time(platform, session, arrival), arrival)


def list_sessions(
    platform: Platform, identity: Identity, mode: str | None, limit: int, before: Millis | None, now: Millis
) -> tuple[SessionView, ...]:
    """The team's sessions, newest first; ``before`` is the opening of the last one seen."""
    ids = platform.sessions.of_team(identity.team_id, limit, before)
    found = (knowledge.session(platform, each) for each in ids)
    sessions = (closing.by_time(platform, each, now) for each in found if each is not None)
    wanted = (each for each in sessions if mode in {None, each.order.mode})
    return tuple(fresh(platform, each, now) for each in wanted)


def abort(
    platform: Platform, identity: Identity, session_id: str, arrival: Millis, *, confirmed: bool = False
) -> SessionView:
    """End an own session at its team's wish (platform §3). Aborting an aborted one is the same; the quota stays used.

    In a final that ends the participation (R 4.5) and has to be ``confirmed``. A session that ended otherwise keeps
    its state, which is final.
    """
    session = own_session(platform, identity, session_id, arrival)
    if session.is_open and session.order.mode == Mode.FINAL and not confirmed:
        raise ConfirmationNeededError
    return _detailed(platform, closing.end(platform, session, State.ABORTED, arrival), arrival)


def session_receipts(
    platform: Platform, identity: Identity, session_id: str, limit: int, after: str | None, arrival: Millis
) -> Page[Receipt]:
    """Receipts of an own session by file and send."""
    session = own_session(platform, identity, session_id, arrival)
    return platform.deliveries.receipts(session.session_id, limit, after)


def _detailed(platform: Platform, session: Session, now: Millis) -> SessionView:
    files = facts.files_of(platform, session, now)
    policies = knowledge.track_of(platform, session).policies(session.order.mode)
    view = _view(platform, session, overview.count(files))
    return replace(view, files=files, greatest_share=policies.max_voided_share)


def _view(platform: Platform, session: Session, counts: Counts) -> SessionView:
    return SessionView(
        session=session,
        counts=counts,
        client_known=_client_known(knowledge.recent_cycle(platform), session),
        run=knowledge.run(platform, session.run_id) if session.run_id else None,
    )


def _client_known(cycle: Cycle, session: Session) -> bool | None:
    """Whether the program's modules are among the published ones (R 4.3, 11.4)."""
    client = session.order.client
    if client is None or client.sha256 is None or not cycle.known_clients:
        return None
    return client.sha256 in cycle.known_clients
