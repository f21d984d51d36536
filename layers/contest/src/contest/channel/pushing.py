"""Push of files over the event channel, at their opening.

A queue's delay has whole seconds and may be late: the gate of the exchange decides, and the rest of the last second is
waited for. A push that comes too early is put off. Of copies one does the work; a second push, a little after the
opening, does it where the first was lost with its process. Without a connection the file stays for the client's return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from contest import reading
from contest.channel import connections
from contest.channel.rules import AT_A_VISIT, END, ENTERED_BY, Connection, Push, PushKind, Told, owes_ping
from contest.errors import BusyError, NotOpenYetError
from contest.exchange import files
from contest.exchange.files import HandedOut
from contest.people.rules import Identity
from contest.platform import Platform
from contest.refusals import ContestError
from contest.run.rules.run import ARMED_AHEAD, HOLD
from contest.run.rules.schedule import Schedule
from contest.session.access import Request
from contest.session.rules import session as session_rules
from contest.session.rules.delivery import Delivery
from contest.session.rules.session import Session, State
from contest.stored_names import Figure
from contest.values import MINUTE, SECOND, Millis
from markup_core.lazy import dataclass
from tracks.capabilities import FetchedByEarlierClients

AVAILABLE: Final = "session-file-available"
NEXT_TASK: Final = "session-send-next-file"
SOON: Final[Millis] = HOLD
"""Longest wait for a push after its queue's delay; a push with a longer wait goes into the queue again."""
AFTERWARDS: Final[Millis] = 3 * SECOND
"""Time from an opening to the second push; well within the time to ask for the file."""
PLANNED_AHEAD: Final[Millis] = 2 * MINUTE
"""Milliseconds from queueing a push to its file's opening: two visits of the timer fit, of which one may fail. The
first one plans the second push alone, which does the work where the other visit has planned nothing."""
LOOKS: Final[tuple[Millis, ...]] = (15 * SECOND, 30 * SECOND, 45 * SECOND, 60 * SECOND)
"""Times of checking a paused run between two visits of the timer: it goes on half a minute after the decision."""


def push_files(platform: Platform, push: Push) -> None:
    """Carry out a message of the push queue; copies, late ones and those of ended sessions do nothing."""
    _DEEDS[push.kind](platform, push)


def file_available(platform: Platform, identity: Identity, session: Session, number: int, arrival: Millis) -> Told:
    """Hand a file out over the channel; refusals are those of the exchange."""
    handed_out = files.hand_out_file(platform, Request(identity, arrival, session.session_id, number))
    if reading.schedule_of(platform, session) is None:
        again = Push(
            PushKind.NEXT, handed_out.delivery.answer_by + SECOND, session_id=session.session_id, number=number
        )
        platform.pushes.send([again], platform.clock.now())
    return _announced(platform, session, handed_out)


def _announced(platform: Platform, session: Session, handed_out: HandedOut) -> Told:
    """Return the announcement of a file: with its content or, where the contest's clients fetch it, by name alone."""
    number = handed_out.delivery.number
    named, file_id = {"sessionId": session.session_id}, handed_out.planned.file_id
    track = reading.track_of(platform, session)
    if isinstance(track, FetchedByEarlierClients):
        version, _ = track.earlier_document(handed_out.content)
        task = session_rules.name_of(reading.plan(platform, session), number)
        return Told(
            NEXT_TASK,
            {**named, "epicrisisId": file_id, "versionId": version, "taskId": task},
            (session.session_id, number),
        )
    return Told(AVAILABLE, {**named, "fileId": file_id, "content": handed_out.content}, (session.session_id, number))


def awaited_files(platform: Platform, session: Session, arrival: Millis) -> list[Delivery]:
    """List the files in the client's hands: handed out, not answered, and still in time; by number."""
    deliveries = platform.deliveries.of_session(session.session_id)
    waiting = [delivery for delivery in deliveries if delivery.answer is None and arrival <= delivery.answer_by]
    return sorted(waiting, key=lambda delivery: delivery.number)


def next_events(platform: Platform, identity: Identity, session: Session, arrival: Millis) -> list[Told]:
    """Return the events due now.

    They are the next file of a session without a schedule, unless the client has one in hand; all files open by a
    schedule; or the end.

    The number is looked up before the files in hand: of two events that are done at the same time, both name the same
    file, or one finds the other's in hand. So a client never gets two files at once that should follow each other.
    """
    if reading.schedule_of(platform, session) is not None:
        return _open_files(platform, identity, session, arrival)
    coming = files.next_file(platform, Request(identity, arrival, session.session_id))
    if coming.number is None:
        return [closing_event(coming.session)] if not coming.session.is_open else []
    if awaited_files(platform, session, arrival):
        return []
    return [file_available(platform, identity, session, coming.number, arrival)]


def _open_files(platform: Platform, identity: Identity, session: Session, arrival: Millis) -> list[Told]:
    """Return the events of all open files of a schedule; they overlap where the interval is the shorter time."""
    events: list[Told] = []
    while True:
        coming = files.next_file(platform, Request(identity, arrival, session.session_id))
        if coming.number is None:
            return events if coming.session.is_open else [*events, closing_event(coming.session)]
        if coming.opens_at is None or coming.opens_at > arrival:
            return events
        try:
            events.append(file_available(platform, identity, session, coming.number, arrival))
        except ContestError:
            return events  # a decision of the organizers came between the two; files handed out must be sent


def closing_event(session: Session) -> Told:
    """Return the event that announces the end of a session."""
    how = "timeout-close" if session.state is State.TIMED_OUT else "finish"
    return Told("session-close", {"type": how}, (session.session_id, END))


def plan_pushes(platform: Platform, session: Session, schedule: Schedule, since: Millis) -> None:
    """Queue all pushes of a client for the minutes after a moment."""
    looks = _looks(session, since) if schedule.pause_at(since) else []
    _send(platform, [*_openings(session, schedule, since), *looks])


def _openings(session: Session, schedule: Schedule, since: Millis) -> list[Push]:
    """Return the pushes of coming openings; planned any number of times, each is done once."""
    return [
        Push(PushKind.FILE, opens_at + later, session_id=session.session_id, number=number, attempt=attempt)
        for number, opens_at in enumerate(schedule.openings, start=1)
        if since < opens_at <= since + PLANNED_AHEAD and number not in schedule.voided_for_all
        for attempt, later in enumerate((0, AFTERWARDS))
        if attempt or opens_at <= since + MINUTE
    ]


def _looks(session: Session, since: Millis) -> list[Push]:
    return [Push(PushKind.LOOK, since + later, session_id=session.session_id) for later in LOOKS]


def _send(platform: Platform, pushes: list[Push]) -> None:
    if pushes:
        platform.pushes.send(pushes, platform.clock.now())


@dataclass(frozen=True, slots=True)
class Tended:
    """Counts of one visit to the channel; ``failures`` holds the exceptions, everything else was done."""

    playing: int
    """Number of connections with a session; all are checked."""
    alive: int
    """Number of heartbeats sent to connections without a session."""
    retired: int
    """Number of connections closed because they had entered no namespace."""
    left: int
    """Number of due heartbeats and closings left to the next visit."""
    failures: tuple[Exception, ...]


def maintain(platform: Platform, now: Millis) -> Tended:
    """Do the channel's work of a minute.

    Announce coming openings and ends, then send heartbeats, then drop silent clients.

    However many connections have no session, a visit handles a limited number of them, the longest waiting first.
    One client's failure does not affect the others.
    """
    all_connections = platform.connections.all()
    failures: list[Exception] = []
    playing = [connection for connection in all_connections if connection.session_id]
    _try_all(playing, lambda connection: _maintain(platform, connection, now), failures)
    others = sorted(
        (connection for connection in all_connections if not connection.session_id),
        key=lambda connection: connection.pinged_at,
    )
    owed = [connection for connection in others if connection.namespace and owes_ping(connection, now)]
    _try_all(owed[:AT_A_VISIT], lambda connection: connections.keep_alive(platform, connection, now), failures)
    silent = [
        connection for connection in others if not connection.namespace and now >= connection.opened_at + ENTERED_BY
    ]
    retired = connections.close_silent(platform, silent[:AT_A_VISIT], failures)
    platform.upkeep.tick("tend", now)
    deferred = len(owed[AT_A_VISIT:]) + len(silent[AT_A_VISIT:])
    return Tended(len(playing), len(owed[:AT_A_VISIT]), retired, deferred, tuple(failures))


def _try_all(clients: Sequence[Connection], work: Callable[[Connection], None], failures: list[Exception]) -> None:
    for connection in clients:
        try:
            work(connection)
        except Exception as error:  # noqa: BLE001 -- one failure must not stop the others
            failures.append(error)


def _maintain(platform: Platform, connection: Connection, now: Millis) -> None:
    connections.keep_alive(platform, connection, now)
    session = reading.session(platform, connection.session_id)
    if session is None:
        return
    for other in connections.sessions_beside(platform, connection):
        _plan_ahead(platform, other, now)
    if session.is_open:
        _plan_ahead(platform, session, now)
        return
    # The client may know of its session's end already, or have begun another session since.
    there = platform.connections.get(connection.connection_id)
    knows_end = platform.connections.pushed_to(connection.session_id, END) == connection.connection_id
    if there is not None and there.session_id == connection.session_id and not knows_end:
        connections.send_events(platform, connection, [closing_event(session)])


def _plan_ahead(platform: Platform, session: Session, now: Millis) -> None:
    schedule = reading.schedule_of(platform, session)
    if schedule is not None:
        plan_pushes(platform, session, schedule, now)


def _file(platform: Platform, push: Push) -> None:
    """Push a file of a run at its opening, to a client that is there.

    All data are read before the opening; a client that has come back meanwhile gets the file over its new
    connection.
    """
    now = platform.clock.now()
    if push.at > now + SOON:
        platform.pushes.send([push], now)
        return
    if push.attempt:
        platform.clock.wait_until(push.at)
    listener = _listener(platform, push.session_id)
    if listener is None or not _is_due(platform, push, listener.connection):
        return
    event = _handed_out(platform, listener, push)
    if event is None:
        return
    platform.figures.note({Figure.OPENING_LATENESS: max(0, platform.clock.now() - push.at + push.attempt * AFTERWARDS)})
    if connections.send_events(platform, listener.connection, [event]):
        return
    back = _listener(platform, push.session_id)
    here = platform.connections.pushed_to(push.session_id, push.number)
    if back is not None and back.connection.connection_id != here:
        connections.send_events(platform, back.connection, [event])


def _is_due(platform: Platform, push: Push, connection: Connection) -> bool:
    """Return whether this push does the work: the first of its copies, or the one that comes afterwards.

    There is no work to do for a file that was answered, or whose time is over.
    """
    if platform.connections.pushed_to(push.session_id, push.number) == connection.connection_id:
        return False
    delivery = platform.deliveries.get(push.session_id, push.number)
    if delivery is not None and (delivery.answer is not None or platform.clock.now() > delivery.answer_by):
        return False
    if push.attempt:
        return True
    return platform.connections.claim(push.session_id, push.number, push.at, connection.connection_id)


def _handed_out(platform: Platform, listener: _Listener, push: Push) -> Told | None:
    """Return the file, held until its opening; None where nothing is to be pushed, or not yet."""
    moment = platform.clock.now()
    try:
        return file_available(platform, listener.identity, listener.session, push.number, moment)
    except NotOpenYetError:
        _put_off(platform, listener.session, push, moment)
    except BusyError:
        raise
    except ContestError:
        return None  # missed, annulled or over: the status says which, and nobody can be told over this event
    return None


def _put_off(platform: Platform, session: Session, push: Push, now: Millis) -> None:
    """Postpone a push to the present opening: the schedule moved, or the clock stands."""
    schedule = reading.schedule_of(platform, session)
    if schedule is None:
        return
    opening = schedule.opens_at(push.number)
    if opening > now + ARMED_AHEAD:
        _send(platform, _looks(session, now))
        return
    again = max(opening, now + SECOND) + (AFTERWARDS if push.attempt else 0)
    _send(platform, [replace(push, at=again)])


def _look(platform: Platform, push: Push) -> None:
    """Plan the pushes of coming openings, should the paused run go on."""
    listener = _listener(platform, push.session_id)
    schedule = None if listener is None else reading.schedule_of(platform, listener.session)
    if listener is not None and schedule is not None:
        _send(platform, _openings(listener.session, schedule, platform.clock.now()))


def _next(platform: Platform, push: Push) -> None:
    """Send the next file of an algorithmic session after a file's time is over, unless it was sent already."""
    listener = _listener(platform, push.session_id)
    delivery = platform.deliveries.get(push.session_id, push.number)
    if listener is None or delivery is None:
        return
    if any(other.number > delivery.number for other in platform.deliveries.of_session(push.session_id)):
        return  # another file was handed out after this one: the session has gone on already
    now = platform.clock.now()
    if delivery.answer is None and now <= delivery.answer_by:
        _send(platform, [replace(push, at=delivery.answer_by + SECOND)])
        return
    with suppress(ContestError):
        connections.send_events(
            platform, listener.connection, next_events(platform, listener.identity, listener.session, now)
        )


class _Listener(NamedTuple):
    """Connected client of a session."""

    connection: Connection
    identity: Identity
    session: Session


def _listener(platform: Platform, session_id: str) -> _Listener | None:
    """Return the open session's client, if it is there.

    A client that left without a trace is away from now on; one whose token is invalid by now is turned away.
    """
    session = reading.session(platform, session_id)
    attachment = platform.connections.attachment(session_id)
    if session is None or not session.is_open or attachment is None or attachment.is_away:
        return None
    connection = platform.connections.get(attachment.connection_id)
    if connection is None:
        connections.record_absence(platform, session_id, attachment.connection_id, platform.clock.now())
        return None
    identity = connections.identity(platform, connection)
    if identity is None:
        connections.turn_away(platform, connection)
        return None
    return _Listener(connection, identity, session)


_DEEDS: Final[Mapping[PushKind, Callable[[Platform, Push], None]]] = {
    PushKind.OPENING: connections.send_greeting,
    PushKind.FAREWELL: connections.bid_farewell,
    PushKind.FILE: _file,
    PushKind.NEXT: _next,
    PushKind.LOOK: _look,
}
