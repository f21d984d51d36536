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
from contest.domain.channel import Attachment, Connection, Emitted, Push, PushKind, Told
from contest.domain.moments import MINUTE, Millis
from contest.domain.people import bearer, token_hash
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

    def failure(self, name: str, payload: Any) -> list[Told]:
        """Say that an event came to nothing because the platform failed."""


def connect(platform: Platform, connection_id: str, query: Mapping[str, str], arrival: Millis) -> bool:
    """Accept a connection; False for a protocol that is not spoken here (another revision, long polling)."""
    revision = _REVISIONS.get(query.get("EIO", "3"))
    if revision is None or query.get("transport", "websocket") != "websocket":
        return False
    known = _hashed(query.get("token"))
    platform.connections.add(Connection(connection_id, revision, arrival, arrival, token_sha256=known))
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
        platform.connections.note(replace(connection, pinged_at=now), "pinged_at")


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
    entered = _entered(connection, namespace if namespace in dialects else "", query)
    platform.connections.note(entered, "namespace", "token_sha256", "session_id")
    reach(platform, entered, lambda: platform.sockets.welcome(entered, namespace))
    if entered.namespace and identity(platform, entered) is None:
        turn_away(platform, entered)


def _entered(connection: Connection, namespace: str, query: Mapping[str, Any]) -> Connection:
    """A connection after entering a namespace; who brings another token there speaks for no session yet."""
    entered = replace(connection, namespace=namespace or connection.namespace)
    token_sha256 = _hashed(query["token"]) if "token" in query else connection.token_sha256
    if token_sha256 == connection.token_sha256:
        return entered
    return replace(entered, token_sha256=token_sha256, session_id="")


def _hashed(token: Any) -> str:
    """Under which a token is stored; nothing for what is none by its form."""
    known = bearer(f"Bearer {token}") if isinstance(token, str) else None
    return token_hash(known) if known else ""


def hear(
    platform: Platform,
    dialects: Mapping[str, Dialect],
    connection_id: str,
    said: Emitted,
    arrival: Millis,
) -> None:
    """Do what an event asks for. Before its namespace is entered there is nobody to ask for anything."""
    connection = _heard(platform, dialects, connection_id, said)
    if connection is None:
        return
    speaker = identity(platform, connection)
    if speaker is None:
        turn_away(platform, connection)
        return
    client, dialect = Client(connection, speaker, arrival), dialects[connection.namespace]
    tell(platform, connection, dialect.answer(platform, client, said.name, said.payload), said.ack)


def regret(platform: Platform, dialects: Mapping[str, Dialect], connection_id: str, said: Emitted) -> None:
    """Tell a client that the platform failed to do what an event asked for: silence would keep it waiting."""
    connection = _heard(platform, dialects, connection_id, said)
    if connection is not None:
        tell(platform, connection, dialects[connection.namespace].failure(said.name, said.payload), said.ack)


def _heard(platform: Platform, dialects: Mapping[str, Dialect], connection_id: str, said: Emitted) -> Connection | None:
    connection = platform.connections.get(connection_id)
    entered = connection is not None and connection.namespace == said.namespace and said.namespace in dialects
    return connection if entered else None


def leave(platform: Platform, connection_id: str, now: Millis) -> None:
    """A connection is gone; the session stays, and remembers since when its client is away.

    The absence is evidence and is written first; a connection that stays behind is found out when it is spoken to.
    """
    connection = platform.connections.get(connection_id)
    if connection is None:
        return
    if connection.session_id:
        lose(platform, connection.session_id, connection_id, now)
    platform.connections.remove(connection_id)


def lose(platform: Platform, session_id: str, connection_id: str, now: Millis) -> None:
    """A session's client is away, unless it is there over another connection."""
    _change(platform, session_id, lambda found: channel.lost(found, connection_id, now))


def end(platform: Platform, connection_id: str, now: Millis) -> None:
    """Close a connection from our side."""
    leave(platform, connection_id, now)
    platform.sockets.close(connection_id)


def attach(platform: Platform, connection: Connection, session_id: str, now: Millis) -> None:
    """Push a session's files to this connection from now on; an earlier one of the session is closed.

    The connection knows its session before the session knows it: whatever ends in between, who leaves is missed.
    """
    before = platform.connections.attachment(session_id)
    platform.connections.note(replace(connection, session_id=session_id), "session_id")
    _change(platform, session_id, lambda found: channel.attached(found, connection.connection_id, now))
    if before is not None and before.connection_id not in {"", connection.connection_id}:
        _replaced(platform, before.connection_id, now)
    if platform.connections.get(connection.connection_id) is None:
        lose(platform, session_id, connection.connection_id, platform.clock.now())  # it has left meanwhile


def _replaced(platform: Platform, connection_id: str, now: Millis) -> None:
    earlier = platform.connections.get(connection_id)
    if earlier is not None:
        reach(platform, earlier, lambda: platform.sockets.part(earlier))
        end(platform, connection_id, now)


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


def turn_away(platform: Platform, connection: Connection) -> None:
    """Tell a client that its token is none, or none any more, and close its connection."""
    if tell(platform, connection, [_NO_TOKEN]):
        reach(platform, connection, lambda: platform.sockets.part(connection))
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
