"""The event channel in memory: connections, messages to clients, and waiting pushes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contest.channel import connections, pushing
from contest.channel.dialects import DIALECTS
from contest.channel.rules import Attachment, Connection, Emitted, Push, Told
from contest.ports import LostRaceError
from contest.room_ports import GoneError
from contest.values import Millis
from tests.fakes import FakePlatform


class FakeConnections:
    def __init__(self) -> None:
        self.known: dict[str, Connection] = {}
        self.attachments: dict[str, Attachment] = {}
        self.pushed: dict[tuple[str, int], str] = {}
        self.claims: set[tuple[str, int, Millis, str]] = set()

    def add(self, connection: Connection) -> None:
        self.known[connection.connection_id] = connection

    def get(self, connection_id: str) -> Connection | None:
        return self.known.get(connection_id)

    def note(self, connection: Connection, *fields: str) -> None:
        known = self.known.get(connection.connection_id)
        if known is not None:
            self.known[known.connection_id] = replace(known, **{each: getattr(connection, each) for each in fields})

    def remove(self, connection_id: str) -> None:
        self.known.pop(connection_id, None)

    def remove_all(self, connection_ids: Sequence[str]) -> None:
        for each in connection_ids:
            self.remove(each)

    def all(self) -> Sequence[Connection]:
        return list(self.known.values())

    def attachment(self, session_id: str) -> Attachment | None:
        return self.attachments.get(session_id)

    def attach(self, before: Attachment | None, after: Attachment) -> None:
        if self.attachments.get(after.session_id) != before:
            raise LostRaceError
        self.attachments[after.session_id] = after

    def pushed_to(self, session_id: str, number: int) -> str | None:
        return self.pushed.get((session_id, number))

    def mark_pushed(self, session_id: str, number: int, connection_id: str) -> None:
        self.pushed[session_id, number] = connection_id

    def claim(self, session_id: str, number: int, at: Millis, connection_id: str) -> bool:
        wanted = (session_id, number, at, connection_id)
        first = wanted not in self.claims
        self.claims.add(wanted)
        return first


class FakeSockets:
    """``open``: connections that the gateway still has; ``told``: messages sent to each."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.told: dict[str, list[Any]] = {}

    def _post(self, connection: Connection, said: Any) -> None:
        if connection.connection_id not in self.open:
            raise GoneError(connection.connection_id)
        self.told.setdefault(connection.connection_id, []).append(said)

    def greet(self, connection: Connection) -> None:
        self._post(connection, "greeting")

    def ping(self, connection: Connection) -> None:
        self._post(connection, "ping")

    def pong(self, connection: Connection, data: str) -> None:
        self._post(connection, ("pong", data))

    def welcome(self, connection: Connection, namespace: str) -> None:
        self._post(connection, ("welcome", namespace))

    def refuse(self, connection: Connection, namespace: str, message: str) -> None:
        self._post(connection, ("refused", namespace))

    def tell(self, connection: Connection, events: Sequence[Told], ack: int | None = None) -> None:
        if ack is not None:
            self._post(connection, ("ack", ack))
        for each in events:
            self._post(connection, each)

    def part(self, connection: Connection) -> None:
        self._post(connection, "part")

    def close(self, connection_id: str) -> None:
        self.open.discard(connection_id)


class FakePushes:
    def __init__(self) -> None:
        self.waiting: list[Push] = []

    def send(self, pushes: Sequence[Push], now: Millis) -> None:
        self.waiting += pushes

    def taken(self, now: Millis) -> list[Push]:
        """Pushes whose time has come, in a queue's order: none."""
        due = [each for each in self.waiting if each.at <= now]
        self.waiting = [each for each in self.waiting if each.at > now]
        return due[::-1]


class ChannelPlatform(FakePlatform):
    """:class:`fakes.FakePlatform` with an event channel."""

    def __init__(self) -> None:
        super().__init__()
        self.connections = FakeConnections()
        self.sockets = FakeSockets()
        self.pushes = FakePushes()
        self.copies = None

    def carry(self) -> None:
        """Do what the push queue holds and is due, as often as something comes."""
        while due := self.pushes.taken(self.clock.now()):
            for push in due:
                pushing.push_files(self, push)


class SocketClient:
    """A client of the channel."""

    _made = 0

    def __init__(self, platform: ChannelPlatform, token: str, revision: str = "3", *, enters: bool = True) -> None:
        SocketClient._made += 1
        self.platform = platform
        self.connection_id = f"connection-{SocketClient._made}"
        platform.sockets.open.add(self.connection_id)
        query = {"EIO": revision, "transport": "websocket", "token": token}
        assert connections.connect(platform, self.connection_id, query, platform.clock.now())
        platform.carry()
        if enters:
            connections.enter_namespace(platform, DIALECTS, self.connection_id, "/pku", {}, platform.clock.now())

    @property
    def told(self) -> list[Any]:
        return self.platform.sockets.told.get(self.connection_id, [])

    def heard(self) -> list[Told]:
        """Return the events since the last call."""
        found = [each for each in self.told if isinstance(each, Told)]
        self.told.clear()
        return found

    def says(self, name: str, payload: Any = None, ack: int | None = None) -> list[Told]:
        """Emit an event and return what comes back."""
        now = self.platform.clock.now()
        connections.carry_out_event(
            self.platform, DIALECTS, self.connection_id, Emitted("/pku", name, payload, ack), now
        )
        return self.heard()

    def drops(self, code: int = 1006) -> None:
        """Lose the connection, and the gateway notices."""
        self.platform.sockets.open.discard(self.connection_id)
        connections.record_closed(self.platform, self.connection_id, code, self.platform.clock.now())
