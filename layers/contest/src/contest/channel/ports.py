"""Ports of the event channel; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port

if TYPE_CHECKING:
    from contest.channel.rules import Attachment, Connection, Push, Told
    from contest.values import Millis


class GoneError(Exception):
    """The connection is closed."""


class Connections(Protocol):
    """Connections of the event channel."""

    def add(self, connection: Connection) -> None:
        """Write a new connection."""

    def get(self, connection_id: str) -> Connection | None:
        """Return the connection; None for one that is gone."""

    def note(self, connection: Connection, *fields: str) -> None:
        """Write these fields of a connection that exists, and no others, for its events may be heard at the same time.
        One that is gone stays so."""

    def remove(self, connection_id: str) -> None:
        """Forget a connection; forgetting one that is gone is right."""

    def remove_all(self, connection_ids: Sequence[str]) -> None:
        """Forget these connections, no name twice; forgetting ones that are gone is right."""

    def all(self) -> Sequence[Connection]:
        """Return all connections."""

    def attachment(self, session_id: str) -> Attachment | None:
        """Return the target of a session's pushes; None for a session that never used the channel."""

    def attach(self, before: Attachment | None, after: Attachment) -> None:
        """Write an attachment if the one there is still ``before``."""

    def pushed_to(self, session_id: str, number: int) -> str | None:
        """Return the connection that a file was last pushed to; None for an unpushed file."""

    def mark_pushed(self, session_id: str, number: int, connection_id: str) -> None:
        """Note that a file was pushed."""

    def claim(self, session_id: str, number: int, at: Millis, connection_id: str) -> bool:
        """Return whether the caller is the first to push a file over a connection at this moment: of copies one does
        it.
        """


class Sockets(Protocol):
    """Gateway's side of the event channel, in the client's revision.

    Sending raises :class:`GoneError` when the connection is closed.
    """

    def greet(self, connection: Connection) -> None:
        """Send the first frames of a connection."""

    def ping(self, connection: Connection) -> None:
        """Send a heartbeat."""

    def pong(self, connection: Connection, data: str) -> None:
        """Answer a client's heartbeat."""

    def welcome(self, connection: Connection, namespace: str) -> None:
        """Confirm that the client has entered a namespace."""

    def refuse(self, connection: Connection, namespace: str, message: str) -> None:
        """Refuse the client's entry into a namespace."""

    def tell(self, connection: Connection, events: Sequence[Told], ack: int | None = None) -> None:
        """Send events in their order; first, under its number, the acknowledgement that was asked for."""

    def part(self, connection: Connection) -> None:
        """Send a client away, so that it does not come back by itself."""

    def close(self, connection_id: str) -> None:
        """Close a connection; closing a closed one is right."""


class Pushes(Protocol):
    """Queue of pushes: at least once, in no order, not before its time to the second."""

    def send(self, pushes: Sequence[Push], now: Millis) -> None:
        """Put pushes into the queue; each arrives in the second before its moment or later, never earlier."""


class ChannelPorts:
    """The platform's ports of the event channel."""

    connections: Port[Connections] = Port()
    sockets: Port[Sockets] = Port()
    pushes: Port[Pushes] = Port()
