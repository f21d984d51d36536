"""The event channel: clients come, say things, and go; what they say is done by the exchange's own services.

The gateway takes nothing for a connection before it was accepted, so the first frame is a push of its own. A client
has one connection: a later one of the same session takes the earlier one's place. Who may come in, and how fast, is
decided as over HTTP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, cast

from contest.domain import channel
from contest.domain.channel import Attachment, Connection, Push, PushKind, Told
from contest.domain.moments import MINUTE, Millis
from contest.domain.people import token_hash
from contest.domain.rights import Identity
from contest.errors import BusyError
from contest.ports import GoneError, LostRaceError
from contest.services.identity import identity_of
from contest.services.platform import ATTEMPTS, Platform

DEFAULT_NAMESPACE: Final = "/"
_REVISIONS: Final = {"3": 3, "4": 4}
_NO_TOKEN: Final = Told(
    "connection-auth-error", {"message": "Токен неизвестен или отозван / the token is unknown or revoked"}
)


@dataclass(frozen=True, slots=True)
class Client:
    """Who says something, over which connection, and when it arrived."""

    connection: Connection
    identity: Identity
    arrival: Millis


class Dialect(Protocol):
    """The events of one kind of client. Refusals are events too: nothing is raised for what a client does."""

    def answer(self, platform: Platform, client: Client, name: str, payload: Any) -> list[Told]:
        """Do what an event asks for and say what comes of it."""


def connect(platform: Platform, connection_id: str, query: Mapping[str, str], arrival: Millis) -> bool:
    """Accept a connection; False for a protocol that is not spoken here (another revision, long polling)."""
    revision = _REVISIONS.get(query.get("EIO", "3"))
    if revision is None or query.get("transport", "websocket") != "websocket":
        return False
    token = query.get("token", "")
    platform.connections.add(
        Connection(connection_id, revision, arrival, arrival, token_sha256=token_hash(token) if token else "")
    )
    platform.pushes.send([Push(PushKind.OPENING, arrival, connection_id)], arrival)
    return True


def greet(platform: Platform, push: Push) -> None:
    """Send a new connection its first frames.

    The push may overtake the gateway, which knows the connection only when its acceptance has come back: until then
    it says what it says of one that is gone.
    """
    connection = platform.connections.get(push.connection_id)
    if connection is None:
        return
    try:
        platform.sockets.greet(connection)
    except GoneError:
        if push.attempt >= channel.GREETINGS:
            leave(platform, push.connection_id, platform.clock.now())
            return
        platform.clock.wait_until(platform.clock.now() + channel.GREETING_PAUSE)
        now = platform.clock.now()
        platform.pushes.send([replace(push, at=now, attempt=push.attempt + 1)], now)


def pong(platform: Platform, connection_id: str, data: str) -> None:
    """Answer a client's sign of life."""
    connection = platform.connections.get(connection_id)
    if connection is not None:
        reach(platform, connection, lambda: platform.sockets.pong(connection, data))


def keep_alive(platform: Platform, connection: Connection, now: Millis) -> None:
    """Send the sign of life that is owed to a client."""
    if channel.owes_ping(connection, now) and reach(platform, connection, lambda: platform.sockets.ping(connection)):
        platform.connections.note(replace(connection, pinged_at=now))


def enter(
    platform: Platform,
    dialects: Mapping[str, Dialect],
    connection_id: str,
    namespace: str,
    query: Mapping[str, Any],
) -> None:
    """Let a client into a namespace; without a good token it is told so and turned away."""
    connection = platform.connections.get(connection_id)
    if connection is None:
        return
    if namespace not in {*dialects, DEFAULT_NAMESPACE}:
        message = f"there is no namespace {namespace}"
        reach(platform, connection, lambda: platform.sockets.refuse(connection, namespace, message))
        return
    token = query.get("token")
    known = replace(connection, token_sha256=token_hash(token)) if isinstance(token, str) and token else connection
    entered = replace(known, namespace=namespace) if namespace in dialects else known
    platform.connections.note(entered)
    reach(platform, entered, lambda: platform.sockets.welcome(entered, namespace))
    if entered.namespace and identity(platform, entered) is None:
        _turn_away(platform, entered)


def hear(
    platform: Platform,
    dialects: Mapping[str, Dialect],
    connection_id: str,
    name: str,
    payload: Any,
    ack: int | None,
    arrival: Millis,
) -> None:
    """Do what an event asks for. Before its namespace is entered there is nobody to ask for anything."""
    connection = platform.connections.get(connection_id)
    if connection is None or connection.namespace not in dialects:
        return
    speaker = identity(platform, connection)
    if speaker is None:
        _turn_away(platform, connection)
        return
    answers = dialects[connection.namespace].answer(platform, Client(connection, speaker, arrival), name, payload)
    tell(platform, connection, answers, ack)


def leave(platform: Platform, connection_id: str, now: Millis) -> None:
    """A connection is gone; the session stays, and remembers since when its client is away."""
    connection = platform.connections.get(connection_id)
    if connection is None:
        return
    platform.connections.remove(connection_id)
    if connection.session_id:
        _change(platform, connection.session_id, lambda found: channel.lost(found, connection_id, now))


def end(platform: Platform, connection_id: str, now: Millis) -> None:
    """Close a connection from our side."""
    leave(platform, connection_id, now)
    platform.sockets.close(connection_id)


def attach(platform: Platform, connection: Connection, session_id: str, now: Millis) -> None:
    """Push a session's files to this connection from now on; an earlier one of the session is closed."""
    before = platform.connections.attachment(session_id)
    _change(platform, session_id, lambda found: channel.attached(found, connection.connection_id, now))
    platform.connections.note(replace(connection, session_id=session_id))
    if before is not None and before.connection_id not in {"", connection.connection_id}:
        end(platform, before.connection_id, now)


def tell(platform: Platform, connection: Connection, events: Sequence[Told], ack: int | None = None) -> bool:
    """Send events, then remember which files went over this connection; False when it is gone.

    In this order, so that whatever ends in between makes a file come twice rather than never.
    """
    if not reach(platform, connection, lambda: platform.sockets.tell(connection, events, ack)):
        return False
    for session_id, number in (each.file for each in events if each.file is not None):
        platform.connections.mark_pushed(session_id, number, connection.connection_id)
    return True


def reach(platform: Platform, connection: Connection, send: Callable[[], None]) -> bool:
    """Send something; False when the connection turned out to be gone, which is then noted."""
    try:
        send()
    except GoneError:
        leave(platform, connection.connection_id, platform.clock.now())
        return False
    return True


def identity(platform: Platform, connection: Connection) -> Identity | None:
    """Who a connection speaks for; asked anew every minute, so that a revoked token dies within one."""
    key = ("channel identity", connection.token_sha256, platform.clock.now() // MINUTE)
    return cast(Identity | None, platform.memory.keep(key, lambda: identity_of(platform, connection.token_sha256)))


def _turn_away(platform: Platform, connection: Connection) -> None:
    tell(platform, connection, [_NO_TOKEN])
    end(platform, connection.connection_id, platform.clock.now())


def _change(platform: Platform, session_id: str, how: Callable[[Attachment], Attachment]) -> None:
    for _ in range(ATTEMPTS):
        before = platform.connections.attachment(session_id)
        after = how(before or Attachment(session_id))
        if after == before:
            return
        try:
            platform.connections.attach(before, after)
        except LostRaceError:
            continue
        return
    raise BusyError
