"""The event channel as the earlier clients use it: Engine.IO 3 with Socket.IO 2 inside, over a real WebSocket.

Two kinds. Both come back by themselves when the connection is lost, and neither says so: one asks after every connect
for what it may have missed, the other says nothing at all.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from enum import StrEnum
from socket import SHUT_RDWR
from typing import Any, Final
from urllib.parse import quote

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from local.clock import monotonic_s

Json = Any
Event = tuple[str, Mapping[str, Json]]
_BROUGHT: Final = frozenset({"session-file-available", "session-file-repeat-success"})
_ENTERED_S: Final = 20.0
"""Real seconds until a client that was not let in gives the connection up and makes another."""


class Kind(StrEnum):
    """Which client it is like."""

    ASKING = "asking"
    """Sends `session-file-repeat {lastFileId}` after every connect."""
    SILENT = "silent"
    """Sends nothing that a person did not ask for."""


class ChannelClient:
    """One client. ``brought`` hears of every file as it comes, also of one that came before."""

    def __init__(
        self,
        url: str,
        token: str,
        kind: Kind,
        brought: Callable[[Mapping[str, Json]], None],
        namespace: str = "/pku",
    ) -> None:
        self._address = f"{url.replace('http', 'ws', 1)}/socket.io/?EIO=3&transport=websocket&token={quote(token)}"
        self._kind = kind
        self._namespace = namespace
        self._brought = brought
        self._last = "No files yet"
        self._open = ExitStack()
        self._socket: ClientConnection | None = None
        self._heard: list[Event] = []
        self._frames: list[str] = []
        self._lock = threading.Lock()
        self.connections = 0
        """How often it has come."""

    def come(self) -> bool:
        """Connect and enter; False where that came to nothing, or the platform cut the client off meanwhile."""
        self.leave()
        self.connections += 1
        with suppress(WebSocketException, OSError, EOFError):
            opened = connect(self._address, compression=None, ping_interval=None, open_timeout=_ENTERED_S)
            self._socket = self._open.enter_context(opened)
            if self._frame(_ENTERED_S)[:1] == "0" and self._frame(_ENTERED_S) == "40":
                self._say(f"40{self._namespace},")
                if self._entered():
                    if self._kind is Kind.ASKING:
                        self._say_event("session-file-repeat", {"lastFileId": self._last})
                    return True
        self.leave()
        return False

    def leave(self) -> None:
        """Lose the connection, without a word."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.socket.shutdown(SHUT_RDWR)
            with suppress(WebSocketException, OSError, EOFError):
                self._open.close()
            self._socket = None

    def say(self, name: str, payload: Mapping[str, Json]) -> None:
        """Emit an event; over a connection that is gone, it is lost."""
        with suppress(WebSocketException, OSError, EOFError):
            self._say_event(name, payload)

    def until(self, *names: str, within_s: float) -> Event | None:
        """The first of these events, heard now or before; None when the time, in real seconds, is over, or when the
        connection was lost meanwhile and has been made again: what was said over it may be lost, too.
        """
        ends, there = monotonic_s() + within_s, True
        while True:
            found = next((each for each in self._heard if each[0] in names), None)
            if found is not None:
                self._heard.remove(found)
                return found
            left = ends - monotonic_s()
            if left <= 0 or not there:
                return None
            there = self._listen(left)

    def frames(self) -> str:
        """Return every frame that came since the last time, whoever made it, a line each."""
        taken, self._frames = self._frames, []
        return "\n".join(taken)

    def _listen(self, seconds: float) -> bool:
        """Hear one frame, or nothing for so long; False when the connection was lost and has been made again."""
        with suppress(TimeoutError):
            try:
                self._take(self._frame(seconds))
            except (WebSocketException, ConnectionError, EOFError):
                self.come()
                return False
        return True

    def _entered(self) -> bool:
        """Whether the namespace is entered; events may come before the welcome."""
        ends = monotonic_s() + _ENTERED_S
        while (left := ends - monotonic_s()) > 0:
            frame = self._frame(left)
            if frame.startswith(f"40{self._namespace}"):
                return True
            self._take(frame)
        return False

    def _frame(self, seconds: float) -> str:
        if self._socket is None:
            raise EOFError
        frame = self._socket.recv(timeout=seconds)
        text = frame if isinstance(frame, str) else frame.decode()
        self._frames.append(text)
        return text

    def _take(self, frame: str) -> None:
        """Remember an event. What is no frame is a gateway's own words for a function that failed: begin anew."""
        if frame.startswith("{"):
            raise EOFError
        head = f"42{self._namespace},"
        if not frame.startswith(head):
            return
        name, *rest = json.loads(frame.removeprefix(head))
        payload: Mapping[str, Json] = rest[0] if rest else {}
        if name in _BROUGHT:
            self._last = str(payload["fileId"])
            self._brought(payload)
        self._heard.append((name, payload))

    def _say_event(self, name: str, payload: Mapping[str, Json]) -> None:
        self._say(f"42{self._namespace},{json.dumps([name, payload])}")

    def _say(self, frame: str) -> None:
        if self._socket is None:
            raise EOFError
        with self._lock:
            self._socket.send(frame)
