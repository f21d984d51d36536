"""What the clients of every dialect have in common: whom they are, their open session, what follows by itself."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from contest.domain.channel.channel import Told
from contest.domain.moments import Millis
from contest.domain.people.rights import Identity
from contest.domain.run import fate
from contest.domain.session.session import Session
from contest.errors import NoCycleError, UnknownSessionError
from contest.refusals import ContestError
from contest.services import reading
from contest.services.channel import connections, pushing
from contest.services.channel.connections import Speaker
from contest.services.platform import Platform
from contest.services.session import access, facts
from contest.services.session.request import Request

_LONGEST_NAME: Final = 100
"""Characters of a name that a refusal repeats; ours are far shorter."""


def request(speaker: Speaker, session_id: str = "", number: int | None = None) -> Request:
    """What a speaker asks for, as the exchange takes it. The clients of this channel know no idempotency keys."""
    return Request(speaker.identity, speaker.arrival, session_id, number)


def mapping(payload: Any) -> Mapping[str, Any]:
    """An event's payload by name; a log may be anything."""
    if isinstance(payload, Mapping):
        return payload
    return {} if payload is None else {"entries": payload}


def name(raw: Any) -> str:
    """A name as the client says it, as text or as a number; nothing for what is none."""
    said = str(raw) if isinstance(raw, str | int) else ""
    return said if len(said) <= _LONGEST_NAME else ""


def message_of(error: ContestError) -> str:
    """Everything that a refusal says, in both languages."""
    lines = [f"{error.ru} / {error.en}", *(_line(each) for each in error.details)]
    return "\n".join(filter(None, lines))


def _line(detail: Mapping[str, Any]) -> str:
    russian, english = str(detail.get("message_ru", "")), str(detail.get("message", ""))
    return f"{russian} / {english}" if russian and english else russian or english


def open_session(platform: Platform, identity: Identity, arrival: Millis, named: str = "") -> Session:
    """Return the session that is named if it is open, else the first of the team's open ones.

    :class:`UnknownSessionError` where none is open.
    """
    session = access.own_session(platform, Request(identity, arrival, named)).session if named else None
    if session is not None and session.is_open:
        return session
    return open_sessions(platform, identity, arrival)[0]


def open_sessions(platform: Platform, identity: Identity, arrival: Millis) -> list[Session]:
    """Return a team's open sessions by what waits in them: a file in hand, then files to come, then nothing.

    A run whose files are all settled stays open to its end, and must not take a client from its work (tracks-sessions
    D-13, legacy-exchange). :class:`UnknownSessionError` where none is open, as before a cycle is loaded: whoever
    connects that early is welcome.

    Clause: TS D-13
    """
    try:
        track = reading.recent_cycle(platform).track
    except NoCycleError:
        raise UnknownSessionError from None
    known = reading.open_sessions(platform, identity.team_id, track)
    if not known:
        raise UnknownSessionError
    return sorted(known, key=lambda session: _urgency(platform, session, arrival)) if len(known) > 1 else known


def _urgency(platform: Platform, session: Session, arrival: Millis) -> int:
    """Rank a session by what waits in it; the least is first."""
    known = facts.known_of(platform, session)
    if any(each.answer is None and arrival <= each.answer_by for each in known.deliveries):
        return 0
    is_settled = known.circumstances.schedule is not None and fate.settled(
        known.circumstances, known.deliveries, arrival
    )
    return 2 if is_settled else 1


def to_abort(platform: Platform, speaker: Speaker, named: str) -> Session:
    """Return the session that a client wants to abort: the one it names, else its connection's, else the open one.

    One that has ended stands for no other: whoever stops it must not lose another session by it.
    """
    wanted = named or speaker.connection.session_id
    if wanted:
        return access.own_session(platform, request(speaker, wanted)).session
    return open_session(platform, speaker.identity, speaker.arrival)


def attach(platform: Platform, speaker: Speaker, session: Session) -> None:
    """Push the session's files to this connection from now on, and those of runs that its client has lost with an
    earlier connection."""
    connections.attach(platform, speaker.connection, session.session_id, speaker.arrival)
    _plan(platform, session, speaker.arrival)
    for other in reading.open_sessions(platform, session.team_id, session.track):
        if other.session_id == session.session_id or other.run_id is None:
            continue
        if connections.attach_again(platform, speaker.connection, other.session_id, speaker.arrival):
            _plan(platform, other, speaker.arrival)


def _plan(platform: Platform, session: Session, now: Millis) -> None:
    schedule = reading.schedule_of(platform, session)
    if schedule is not None:
        pushing.plan_pushes(platform, session, schedule, now)


def following(platform: Platform, speaker: Speaker, session: Session) -> list[Told]:
    """What follows by itself on something that is done; it cannot make that undone."""
    try:
        return pushing.next_events(platform, speaker.identity, session, speaker.arrival)
    except ContestError:
        return []


def in_hand(platform: Platform, speaker: Speaker, session: Session, *, whatever_came: bool = False) -> list[Told]:
    """Files in the client's hands; unless ``whatever_came``, those that did not come over this connection."""
    here, found = speaker.connection.connection_id, []
    for each in pushing.awaited(platform, session, speaker.arrival):
        if whatever_came or platform.connections.pushed_to(session.session_id, each.number) != here:
            with suppress(ContestError):  # its time has ended meanwhile
                found.append(pushing.file_available(platform, speaker.identity, session, each.number, speaker.arrival))
    return found
