"""Connections of the event channel: clients connect, send events and disconnect.

The services of the exchange carry out the events. The gateway sends nothing to a connection before it was accepted, so
the first frame is a push of its own. A client has one connection: a later one of the same session replaces the earlier
one. Admission and rate limits are those of HTTP. Nothing is stored of a client without a valid token: the protocol
gives the reason in an event, so the client is accepted, gets the reason in one push, and is disconnected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Protocol

from contest import reading
from contest.channel.rules import (
    GREETING_PAUSE,
    GREETINGS,
    NAMESPACES,
    OF_THE_CYCLE,
    STRANGERS_GREETINGS,
    TOO_LARGE,
    Attachment,
    Connection,
    Emitted,
    Push,
    PushKind,
    Told,
    attachment_after_loss,
    attachment_after_return,
    client_spelling,
    cut_off,
    owes_ping,
    told_reason,
)
from contest.errors import NoCycleError
from contest.people.authentication import cached_identity
from contest.people.rules import Identity, bearer_hash
from contest.platform import Platform, read_and_decide
from contest.room_ports import GoneError
from contest.session.rules.session import Session
from contest.values import Millis
from markup_core.lazy import dataclass

DEFAULT_NAMESPACE: Final = "/"
_REVISIONS: Final = {"3": 3, "4": 4}
_NO_TOKEN: Final = Told(
    "connection-auth-error", {"message": "Токен неизвестен или отозван / the token is unknown or revoked"}
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Sender of an event: its identity, its connection, and the moment of arrival."""

    connection: Connection
    identity: Identity
    arrival: Millis


class Dialect(Protocol):
    """Events of one kind of client. Refusals are events too: nothing is raised for a client's action."""

    def entered(self, platform: Platform, speaker: Speaker) -> list[Told]:
        """Resume the client's open session and return the events of it; none without an open session."""

    def answer(self, platform: Platform, speaker: Speaker, name: str, payload: Any) -> list[Told]:
        """Carry out a client's event and return the events of its outcome."""

    def failure(self, session_id: str, name: str, payload: Any) -> list[Told]:
        """Return the refusal of an event that failed because of the platform."""


def connect(platform: Platform, connection_id: str, query: Mapping[str, str], arrival: Millis) -> bool:
    """Accept a connection; False for a protocol that is not spoken here (another revision, long polling), and without
    a token of the right form."""
    revision = _REVISIONS.get(query.get("EIO", "3"))
    token_sha256 = token_hash(query.get("token"))
    if revision is None or query.get("transport", "websocket") != "websocket" or not token_sha256:
        return False
    if cached_identity(platform, token_sha256) is None:
        platform.pushes.send([Push(PushKind.FAREWELL, arrival, connection_id, revision=revision)], arrival)
        return True
    platform.connections.add(Connection(connection_id, revision, arrival, arrival, token_sha256=token_sha256))
    platform.pushes.send([Push(PushKind.OPENING, arrival, connection_id)], arrival)
    return True


def send_greeting(platform: Platform, push: Push) -> None:
    """Send a new connection its first frames.

    The push may overtake the gateway, which knows the connection only after it has received the acceptance;
    until then it reports the connection as gone.
    """
    connection = platform.connections.get(push.connection_id)
    if connection is None:
        return
    if not _greeted(platform, push, connection) and push.attempt >= GREETINGS:
        record_left(platform, push.connection_id, platform.clock.now())


def bid_farewell(platform: Platform, push: Push) -> None:
    """Tell a client with an invalid token why it may not stay, and close its connection.

    It may not have entered a namespace yet; its library receives events of the one that it is about to enter.
    """
    stranger = Connection(push.connection_id, push.revision, push.at, push.at)
    if not _greeted(platform, push, stranger):
        return
    with suppress(GoneError):
        for namespace in dict.fromkeys((*NAMESPACES, _of_the_cycle(platform))):
            entering = replace(stranger, namespace=namespace)
            platform.sockets.welcome(entering, namespace)
            platform.sockets.tell(entering, [client_spelling(_NO_TOKEN, namespace)])
            platform.sockets.part(entering)
    platform.sockets.close(push.connection_id)


def _greeted(platform: Platform, push: Push, connection: Connection) -> bool:
    """Return whether the first frame was accepted; if not, queue the push again up to its number of tries."""
    try:
        platform.sockets.greet(connection)
    except GoneError:
        tries = STRANGERS_GREETINGS if push.kind is PushKind.FAREWELL else GREETINGS
        if push.attempt < tries:
            platform.clock.wait_until(platform.clock.now() + GREETING_PAUSE)
            now = platform.clock.now()
            platform.pushes.send([replace(push, at=now, attempt=push.attempt + 1)], now)
        return False
    return True


def answer_heartbeat(platform: Platform, connection_id: str, data: str) -> None:
    """Answer a client's heartbeat."""
    connection = platform.connections.get(connection_id)
    if connection is not None:
        send_or_record(platform, connection, lambda: platform.sockets.pong(connection, data))


def keep_alive(platform: Platform, connection: Connection, now: Millis) -> None:
    """Send a client the heartbeat that is due."""
    if owes_ping(connection, now) and send_or_record(platform, connection, lambda: platform.sockets.ping(connection)):
        platform.connections.note(replace(connection, pinged_at=now), "pinged_at")


def enter_namespace(
    platform: Platform,
    dialects: Mapping[str, Dialect],
    connection_id: str,
    namespace: str,
    query: Mapping[str, Any],
    arrival: Millis,
) -> None:
    """Admit a client to a namespace; a client without a valid token is told so and turned away.

    A client with an open session resumes it here: the clients' libraries reconnect by themselves after a lost
    connection, without announcing it. The session is attached before the welcome, so that a failure in between leaves
    no client that is connected and counts as away.
    """
    connection = platform.connections.get(connection_id)
    if connection is None:
        return
    dialect = spoken_in(platform, dialects, namespace)
    if dialect is None and namespace != DEFAULT_NAMESPACE:
        message = f"there is no namespace {namespace}"
        send_or_record(platform, connection, lambda: platform.sockets.refuse(connection, namespace, message))
        return
    entered = _entered(connection, namespace if dialect is not None else "", query)
    platform.connections.note(entered, "namespace", "token_sha256", "session_id")
    client = identity(platform, entered) if dialect is not None else None
    try:
        events = dialect.entered(platform, Speaker(entered, client, arrival)) if client and dialect else []
        is_there = send_or_record(platform, entered, lambda: platform.sockets.welcome(entered, namespace))
    except Exception:
        # A client without a welcome would wait for it, and count as away; cut off, it reconnects by itself.
        end_connection(platform, connection_id, arrival)
        raise
    if not is_there:
        return
    if entered.namespace and identity(platform, entered) is None:
        turn_away(platform, entered)
    elif events:
        send_events(platform, entered, events)


# Clause: TS D-13
def spoken_in(platform: Platform, dialects: Mapping[str, Dialect], namespace: str) -> Dialect | None:
    """Return the dialect of a namespace.

    The cycle's own name is a namespace, too, for clients that had another one in every cycle.
    """
    return dialects.get(OF_THE_CYCLE if namespace == _of_the_cycle(platform) else namespace)


def _of_the_cycle(platform: Platform) -> str:
    """Return the namespace of the cycle's name; without a cycle, :data:`OF_THE_CYCLE`."""
    try:
        return f"/{reading.recent_cycle(platform).name}"
    except NoCycleError:
        return OF_THE_CYCLE


def _entered(connection: Connection, namespace: str, query: Mapping[str, Any]) -> Connection:
    """Return a connection after entering a namespace; with another token it speaks for no session yet."""
    entered = replace(connection, namespace=namespace or connection.namespace)
    token_sha256 = token_hash(query["token"]) if "token" in query else connection.token_sha256
    if token_sha256 == connection.token_sha256:
        return entered
    return replace(entered, token_sha256=token_sha256, session_id="")


def token_hash(token: Any) -> str:
    """Return the hash under which a token is stored; empty for a malformed token."""
    return (bearer_hash(f"Bearer {token}") if isinstance(token, str) else None) or ""


def carry_out_event(
    platform: Platform, dialects: Mapping[str, Dialect], connection_id: str, emitted: Emitted, arrival: Millis
) -> None:
    """Carry out an event. Before its namespace is entered, the client has no identity, and nothing is done."""
    heard = _heard(platform, dialects, connection_id, emitted)
    if heard is None:
        return
    connection, dialect = heard
    client = identity(platform, connection)
    if client is None:
        turn_away(platform, connection)
        return
    speaker = Speaker(connection, client, arrival)
    send_events(platform, connection, dialect.answer(platform, speaker, emitted.name, emitted.payload), emitted.ack)


def tell_failure(platform: Platform, dialects: Mapping[str, Dialect], connection_id: str, emitted: Emitted) -> None:
    """Report a failure of the platform to the client of an event: silence would keep it waiting."""
    heard = _heard(platform, dialects, connection_id, emitted)
    if heard is not None:
        connection, dialect = heard
        send_events(
            platform, connection, dialect.failure(connection.session_id, emitted.name, emitted.payload), emitted.ack
        )


def _heard(
    platform: Platform, dialects: Mapping[str, Dialect], connection_id: str, emitted: Emitted
) -> tuple[Connection, Dialect] | None:
    connection, dialect = platform.connections.get(connection_id), spoken_in(platform, dialects, emitted.namespace)
    if connection is None or dialect is None or connection.namespace != emitted.namespace:
        return None
    return connection, dialect


def record_left(platform: Platform, connection_id: str, now: Millis) -> None:
    """Record that a connection is gone; the session stays, with the beginning of its client's absence.

    The absence is evidence and is written first; a connection that stays stored is detected at the next send.
    """
    connection = platform.connections.get(connection_id)
    if connection is None:
        return
    if connection.session_id:
        record_absence(platform, connection.session_id, connection_id, now)
        for session in sessions_beside(platform, connection):
            record_absence(platform, session.session_id, connection_id, now)
    platform.connections.remove(connection_id)


def sessions_beside(platform: Platform, connection: Connection) -> list[Session]:
    """Return the team's other open sessions whose files are pushed to a connection.

    A team has one open session of each mode, and a client one connection for all of them.
    """
    spoken_for = reading.session(platform, connection.session_id)
    sessions = reading.open_sessions(platform, spoken_for.team_id, spoken_for.track) if spoken_for is not None else []
    others = (session for session in sessions if session.session_id != connection.session_id)
    attachments = ((session, platform.connections.attachment(session.session_id)) for session in others)
    return [
        session
        for session, attachment in attachments
        if attachment is not None and attachment.connection_id == connection.connection_id
    ]


def record_closed(platform: Platform, connection_id: str, code: int | None, arrival: Millis) -> None:
    """Record the gateway's report that a connection was closed, with its code.

    A client that was cut off for a message that was too large gets the reason at its next connection: otherwise it
    would send the same message again, without end.
    """
    connection = platform.connections.get(connection_id)
    record_left(platform, connection_id, arrival)
    session_id = _session_of(platform, connection) if connection and code == TOO_LARGE else ""
    if session_id:
        _change(platform, session_id, cut_off)


def _session_of(platform: Platform, connection: Connection) -> str:
    """Return the connection's session, else the latest of its team; a log may come after the end."""
    if connection.session_id:
        return connection.session_id
    client = identity(platform, connection)
    latest = platform.sessions.of_team(client.team_id, 1, None) if client and client.team_id else ()
    return next(iter(latest), "")


def owes_reason(platform: Platform, session_id: str) -> bool:
    """Return whether a session's client must be told why it was cut off; after one call it has been told."""
    attachment = platform.connections.attachment(session_id)
    if attachment is None or not attachment.owes_reason:
        return False
    _change(platform, session_id, told_reason)
    return True


def record_absence(platform: Platform, session_id: str, connection_id: str, now: Millis) -> None:
    """Record that a session's client is away, unless it is there over another connection."""
    _change(platform, session_id, lambda attachment: attachment_after_loss(attachment, connection_id, now))


def end_connection(platform: Platform, connection_id: str, now: Millis) -> None:
    """Close a connection from our side."""
    record_left(platform, connection_id, now)
    platform.sockets.close(connection_id)


def close_silent(platform: Platform, silent: Iterable[Connection], failures: list[Exception]) -> int:
    """Close and delete connections without a session and return their number; one that cannot be closed stays.

    They are closed first: a client that enters a namespace in the same instant is disconnected, and reconnects.
    """
    closed = []
    for connection in silent:
        try:
            platform.sockets.close(connection.connection_id)
        except Exception as error:  # noqa: BLE001 -- one failure must not stop the others
            failures.append(error)
        else:
            closed.append(connection.connection_id)
    platform.connections.remove_all(closed)
    return len(closed)


def attach_session(platform: Platform, connection: Connection, session_id: str, now: Millis) -> None:
    """Push a session's files to this connection from now on; an earlier one of the session is closed.

    The connection stores its session before the session stores it, so that no failure in between hides a departure.
    """
    before = platform.connections.attachment(session_id)
    platform.connections.note(replace(connection, session_id=session_id), "session_id")
    _change(platform, session_id, lambda attachment: attachment_after_return(attachment, connection.connection_id, now))
    if before is not None and before.connection_id not in {"", connection.connection_id}:
        earlier = platform.connections.get(before.connection_id)
        if earlier is not None:
            send_or_record(platform, earlier, lambda: platform.sockets.part(earlier))
            end_connection(platform, before.connection_id, now)
    if platform.connections.get(connection.connection_id) is None:
        record_absence(
            platform, session_id, connection.connection_id, platform.clock.now()
        )  # the client has left meanwhile


def attach_again(platform: Platform, connection: Connection, session_id: str, now: Millis) -> bool:
    """Push a session's files to this connection, too, after its own was lost; False if it never had one, or has one.

    The connection goes on speaking for the session that it was attached to.
    """
    before = platform.connections.attachment(session_id)
    if before is None or before.connection_id == connection.connection_id:
        return before is not None
    if before.connection_id and platform.connections.get(before.connection_id) is not None:
        return False
    _change(platform, session_id, lambda attachment: attachment_after_return(attachment, connection.connection_id, now))
    return True


def send_events(platform: Platform, connection: Connection, events: Sequence[Told], ack: int | None = None) -> bool:
    """Send events, then remember which files went over this connection; False when it is gone.

    In this order, a process that ends in between makes a file come twice rather than never.
    """
    named = [client_spelling(event, connection.namespace) for event in events]
    if not send_or_record(platform, connection, lambda: platform.sockets.tell(connection, named, ack)):
        return False
    for session_id, number in (event.file for event in events if event.file is not None):
        platform.connections.mark_pushed(session_id, number, connection.connection_id)
    return True


def tell_client(platform: Platform, session_id: str, events: Sequence[Told]) -> None:
    """Send events to a session's client over the connection that it has now, if it has one."""
    attachment = platform.connections.attachment(session_id)
    connection = platform.connections.get(attachment.connection_id) if attachment and not attachment.is_away else None
    if connection is not None and events:
        send_events(platform, connection, events)


def send_or_record(platform: Platform, connection: Connection, send: Callable[[], None]) -> bool:
    """Call ``send``; False if the connection is gone, which is then recorded."""
    try:
        send()
    except GoneError:
        record_left(platform, connection.connection_id, platform.clock.now())
        return False
    return True


def identity(platform: Platform, connection: Connection) -> Identity | None:
    """Return the identity behind a connection, checked every minute: a revoked token dies within one."""
    return cached_identity(platform, connection.token_sha256)


def turn_away(platform: Platform, connection: Connection) -> None:
    """Tell a client that its token is unknown or no longer valid, and close its connection."""
    if send_events(platform, connection, [_NO_TOKEN]):
        send_or_record(platform, connection, lambda: platform.sockets.part(connection))
    end_connection(platform, connection.connection_id, platform.clock.now())


def _change(platform: Platform, session_id: str, how: Callable[[Attachment], Attachment]) -> None:
    def changed(before: Attachment | None) -> None:
        after = how(before or Attachment(session_id))
        if after != before:
            platform.connections.attach(before, after)

    read_and_decide(lambda: platform.connections.attachment(session_id), changed)
