"""What the clients of every dialect have in common: whom they are, their open session, what follows by itself."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from contest.domain.channel.channel import Told
from contest.domain.cycle.cycle import Mode
from contest.domain.people.rights import Identity
from contest.domain.session.session import Session
from contest.errors import NoCycleError, UnknownSessionError
from contest.refusals import ContestError
from contest.services import reading
from contest.services.channel import connections, pushing
from contest.services.channel.connections import Speaker
from contest.services.platform import Platform
from contest.services.session import access
from contest.services.session.request import Request

_LONGEST_NAME: Final = 100
"""Characters of a name that a refusal repeats; ours are far shorter."""
_FIRST: Final = (Mode.FINAL.value, Mode.TECHNICAL.value)
"""Sessions that go before any others: a final before a technical one."""


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


def open_session(platform: Platform, identity: Identity, arrival: int, named: str = "") -> Session:
    """The session that is named, else the team's open one; :class:`UnknownSessionError` where none is open.

    None is before a cycle is loaded: whoever connects that early is welcome.
    """
    try:
        modes = [each.name for each in platform.tracks(reading.recent_cycle(platform).track).modes()]
    except NoCycleError:
        raise UnknownSessionError from None
    order = dict.fromkeys([*_FIRST, *modes])
    by_mode = (platform.sessions.open_of(identity.team_id, each) for each in order)
    for found in chain([named], by_mode):
        session = access.own_session(platform, Request(identity, arrival, found)).session if found else None
        if session is not None and session.is_open:
            return session
    raise UnknownSessionError


def attach(platform: Platform, speaker: Speaker, session: Session) -> None:
    """Push the session's files to this connection from now on."""
    connections.attach(platform, speaker.connection, session.session_id, speaker.arrival)
    schedule = reading.schedule_of(platform, session)
    if schedule is not None:
        pushing.plan_pushes(platform, session, schedule, speaker.arrival)


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
