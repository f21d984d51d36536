"""Files that come by themselves: over the event channel a file is pushed when it may be had.

A queue's delay has whole seconds and may be late; the gate of the exchange decides, and what is left of the last
second is waited for. A push that comes too early is put off, one that comes twice finds the file marked as pushed, one
without a connection leaves the file where the client's return finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from contest.domain import run as schedule
from contest.domain.channel import Connection, Push, PushKind, Told
from contest.domain.cycle import Mode
from contest.domain.delivery import Delivery
from contest.domain.moments import SECOND, Millis
from contest.domain.rights import Identity
from contest.domain.run import Run
from contest.domain.session import Session, State
from contest.errors import ContestError, NotOpenYetError
from contest.services import channel as clients
from contest.services import exchange, knowledge
from contest.services.platform import Platform

SOON: Final[Millis] = 2 * SECOND
"""What is left to wait for a push after its queue's delay; more is put into the queue again."""


def pushed(platform: Platform, push: Push) -> None:
    """Do what a message of the queue asks for. Copies, late ones and those of ended sessions do nothing."""
    _DEEDS[push.kind](platform, push)


def file_available(platform: Platform, identity: Identity, session: Session, number: int, arrival: Millis) -> Told:
    """Hand a file out over the channel; refusals are those of the exchange."""
    found = exchange.hand_out_file(platform, identity, session.session_id, number, arrival)
    if session.run_id is None:
        again = Push(PushKind.NEXT, found.delivery.answer_by + SECOND, session_id=session.session_id, number=number)
        platform.pushes.send([again], platform.clock.now())
    said = {"sessionId": session.session_id, "fileId": found.planned.file_id, "content": found.content}
    return Told("session-file-available", said, (session.session_id, number))


def next_events(platform: Platform, identity: Identity, session: Session, arrival: Millis) -> list[Told]:
    """What comes by itself now: the next file of an algorithmic session, the open one of a run, or the end."""
    found = exchange.next_file(platform, identity, session.session_id, arrival)
    if found.number is None:
        return [closing_event(found.session)] if not found.session.is_open else []
    if found.opens_at is not None and found.opens_at > arrival:
        return []
    return [file_available(platform, identity, session, found.number, arrival)]


def closing_event(session: Session) -> Told:
    """How the channel says that a session has ended."""
    return Told("session-close", {"type": "timeout-close" if session.state is State.TIMED_OUT else "finish"})


def plan_openings(platform: Platform, session: Session, run: Run, now: Millis) -> None:
    """Put the pushes of the openings of the coming minutes into the queue; planned twice is pushed once."""
    numbers = range(1, schedule.total_files(run) + 1)
    openings = [(number, schedule.opens_at(run, number)) for number in numbers]
    pushes = [
        Push(PushKind.FILE, opening, session_id=session.session_id, number=number)
        for number, opening in openings
        if now < opening <= now + schedule.ARMED_AHEAD
    ]
    if pushes:
        platform.pushes.send(pushes, now)


def tend(platform: Platform, now: Millis) -> int:
    """The minute's work for the channel: signs of life, openings to come, ends to tell; how many clients there are."""
    ids = platform.connections.ids()
    for connection_id in ids:
        connection = platform.connections.get(connection_id)
        if connection is not None:
            _tend(platform, connection, now)
    return len(ids)


def _tend(platform: Platform, connection: Connection, now: Millis) -> None:
    clients.keep_alive(platform, connection, now)
    session = knowledge.session(platform, connection.session_id) if connection.session_id else None
    if session is None:
        return
    if not session.is_open:
        if clients.tell(platform, connection, [closing_event(session)]):
            platform.connections.note(replace(connection, session_id=""))
    elif session.run_id is not None:
        plan_openings(platform, session, knowledge.run(platform, session.run_id), now)


def _file(platform: Platform, push: Push) -> None:
    """Push a file of a run at its opening, to a client that is there."""
    now = platform.clock.now()
    if push.at > now + SOON:
        platform.pushes.send([push], now)
        return
    platform.clock.wait_until(push.at)
    listener = _listener(platform, push.session_id)
    if listener is None:
        return
    connection, identity, session = listener
    if platform.connections.pushed_to(push.session_id, push.number) == connection.connection_id:
        return
    moment = platform.clock.now()
    try:
        told = file_available(platform, identity, session, push.number, moment)
    except NotOpenYetError:
        _put_off(platform, session, push, moment)
        return
    except ContestError:
        return  # missed, annulled or over: the status says which, and nobody can be told over this event
    clients.tell(platform, connection, [told])


def _put_off(platform: Platform, session: Session, push: Push, now: Millis) -> None:
    """The schedule moved, or the clock stands: the push comes again at the opening that holds now."""
    if session.run_id is None:
        return
    opening = schedule.opens_at(knowledge.run(platform, session.run_id), push.number)
    if opening <= now + schedule.ARMED_AHEAD:
        platform.pushes.send([replace(push, at=max(opening, now + SECOND))], now)


def _next(platform: Platform, push: Push) -> None:
    """In an algorithmic session, go on after a file that nobody answered in time."""
    listener = _listener(platform, push.session_id)
    delivery = platform.deliveries.get(push.session_id, push.number)
    if listener is None or delivery is None or delivery.answer is not None:
        return
    connection, identity, session = listener
    if session.order.mode != Mode.ALGORITHMIC or not _is_latest(platform, session, delivery):
        return
    with suppress(ContestError):
        told = next_events(platform, identity, session, platform.clock.now())
        clients.tell(platform, connection, told)


def _is_latest(platform: Platform, session: Session, delivery: Delivery) -> bool:
    """Whether no file was handed out after this one; else the session has gone on already."""
    return all(each.number <= delivery.number for each in platform.deliveries.of_session(session.session_id))


def _listener(platform: Platform, session_id: str) -> tuple[Connection, Identity, Session] | None:
    """The open session's client, if it is there."""
    session = knowledge.session(platform, session_id)
    attachment = platform.connections.attachment(session_id)
    if session is None or not session.is_open or attachment is None or attachment.is_away:
        return None
    connection = platform.connections.get(attachment.connection_id)
    identity = clients.identity(platform, connection) if connection else None
    return (connection, identity, session) if connection and identity else None


_DEEDS: Final[Mapping[PushKind, Callable[[Platform, Push], None]]] = {
    PushKind.OPENING: clients.greet,
    PushKind.FILE: _file,
    PushKind.NEXT: _next,
}
