"""Frames of the earlier clients' channel: Engine.IO 3 and 4 with Socket.IO 2 and 5 inside, over a WebSocket.

A frame is one text. Its first digit is Engine.IO's packet type; a message (4) holds a Socket.IO packet:
``type[namespace,][ack id][JSON]``, the namespace being left out for ``/``. Sources: the protocol documents of Engine.IO
(revisions 3 and 4) and of Socket.IO (revisions 4, spoken by clients 2.x, and 5, by clients 3 and 4). Binary packets and
long polling are not supported: no event of the contest needs them.
"""

from __future__ import annotations

import json
import re
from enum import IntEnum
from typing import Any, Final
from urllib.parse import parse_qsl

from markup_core.lazy import dataclass

DEFAULT_NAMESPACE: Final = "/"
MAX_MESSAGE: Final = 128 * 1024
"""Largest message, in bytes: API Gateway's limit."""
_PACKET: Final = re.compile(
    r"(?P<type>[0-6])(?:(?P<namespace>/[^,]{0,999}),?)?(?P<ack>\d{1,15})?(?P<data>.*)", re.DOTALL
)


class Revision(IntEnum):
    """Engine.IO's revision, the query's ``EIO``; with it goes Socket.IO 2 or 5."""

    THREE = 3
    FOUR = 4


class FrameError(ValueError):
    """Malformed frame; the text gives the defect."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Heartbeat that requires an answer with the same data."""

    data: str = ""


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to a ping."""

    data: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """The other side leaves."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Frame without meaning here."""


@dataclass(frozen=True, slots=True)
class Connect:
    """The client enters a namespace.

    ``query`` stands behind the namespace's name (Socket.IO 2) or is the packet's data (5).
    """

    namespace: str
    query: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The client leaves a namespace."""

    namespace: str


@dataclass(frozen=True, slots=True)
class Event:
    """Event; ``ack`` is the number for the acknowledgement that the client asks for."""

    namespace: str
    name: str
    arguments: tuple[Any, ...]
    ack: int | None = None


Packet = Ping | Pong | Closing | Nothing | Connect | Disconnect | Event


def read(frame: str) -> Packet:
    """Read a client's frame; :class:`FrameError` for a malformed one."""
    if not frame:
        raise FrameError("an empty frame")
    kind, rest = frame[0], frame[1:]
    match kind:
        case "1":
            return Closing()
        case "2":
            return Ping(rest)
        case "3":
            return Pong(rest)
        case "4":
            return _message(rest)
        case "5" | "6":
            return Nothing()
        case _:
            raise FrameError(f"not a frame of a client: {frame[:20]!r}")


def opening(connection_id: str, revision: Revision, ping_interval_ms: int, ping_timeout_ms: int) -> str:
    """Return the first frame of a connection."""
    handshake: dict[str, Any] = {
        "sid": connection_id,
        "upgrades": [],
        "pingInterval": ping_interval_ms,
        "pingTimeout": ping_timeout_ms,
    }
    if revision is Revision.FOUR:
        handshake["maxPayload"] = MAX_MESSAGE
    return "0" + _json(handshake)


def ping() -> str:
    """Return the server's heartbeat (revision 4)."""
    return "2"


def pong(data: str) -> str:
    """Return the answer to a client's ping (revision 3)."""
    return "3" + data


def connected(namespace: str, revision: Revision, connection_id: str) -> str:
    """Return the frame that confirms entering a namespace."""
    return _packet(0, namespace, _json({"sid": connection_id}) if revision is Revision.FOUR else "")


def refused(namespace: str, revision: Revision, message: str) -> str:
    """Return the frame that refuses a namespace."""
    return _packet(4, namespace, _json({"message": message} if revision is Revision.FOUR else message))


def disconnected(namespace: str) -> str:
    """Return the frame that ends the client's stay in a namespace."""
    return _packet(1, namespace, "")


def event(namespace: str, name: str, *arguments: Any) -> str:
    """Return an event for the client."""
    return _packet(2, namespace, _json([name, *arguments]))


def acknowledged(namespace: str, ack: int, *arguments: Any) -> str:
    """Return the acknowledgement of a client's event."""
    return _packet(3, namespace, f"{ack}{_json(list(arguments))}")


def _packet(kind: int, namespace: str, rest: str) -> str:
    return f"4{kind}" + ("" if namespace == DEFAULT_NAMESPACE else f"{namespace},") + rest


def _message(text: str) -> Packet:
    packet = _PACKET.fullmatch(text)
    if packet is None:
        raise FrameError(f"not a packet: {text[:20]!r}")
    namespace, _, query = (packet["namespace"] or DEFAULT_NAMESPACE).partition("?")
    match packet["type"]:
        case "0":
            details = _value(packet["data"]) if packet["data"] else {}
            if not isinstance(details, dict):
                raise FrameError("a connect packet carries an object or nothing")
            return Connect(namespace, {**dict(parse_qsl(query)), **details})
        case "1":
            return Disconnect(namespace)
        case "2":
            value, ack = _value(packet["data"]), packet["ack"]
            if not isinstance(value, list) or not value or not isinstance(value[0], str):
                raise FrameError("an event is a list that begins with its name")
            return Event(namespace, value[0], tuple(value[1:]), None if ack is None else int(ack))
        case "3" | "4":
            return Nothing()
        case _:
            raise FrameError("binary packets are not spoken here")


def _value(data: str) -> Any:
    try:
        return json.loads(data, parse_constant=_no_json)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"not JSON: {type(error).__name__}") from None


def _no_json(constant: str) -> None:
    raise ValueError(constant)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
