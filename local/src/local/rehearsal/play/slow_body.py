"""A team whose requests' bodies take their time: the headers are sent at one moment, the rest at a later one."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from local.rehearsal.history import PRACTISED, Call, History
from local.rehearsal.moments import Millis
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Ask, Reply, Wire
from markup_core.receipt import sha256_hex

Json = Any
BEGINS, ENDS = f"{PRACTISED}body_begins", f"{PRACTISED}body_ends"
_PATIENCE_S: Final = 60.0
_BUFFER: Final = 65_536


class SlowTeam(Team):
    """A team that sends a body in two parts: by the ask :data:`BEGINS`, then by the same with :data:`ENDS`."""

    def __init__(self, index: int, name: str, token: str, wire: Wire, history: History) -> None:
        super().__init__(index, name, token, wire)
        self._history = history
        self._way = wire
        self._under_way: tuple[socket.socket, Millis] | None = None

    def ask(self, ask: Ask) -> Reply:
        """Make a request, or a half of one."""
        if ask.what == BEGINS:
            return self._begun(ask)
        return self._ended(ask) if ask.what == ENDS else super().ask(ask)

    def _begun(self, ask: Ask) -> Reply:
        """Send the headers and half the body. The clock moves on when this is done, so it is done when the gateway has
        said that it has the headers, however slow the machine is."""
        place, body = urlsplit(self._way.url), ask.body or b""
        head = (
            f"{ask.method} {ask.path} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            "Expect: 100-continue\r\n\r\n"
        )
        opened = socket.create_connection((place.hostname, place.port), timeout=_PATIENCE_S)
        opened.sendall(head.encode())
        _heard(opened)
        opened.sendall(body[: len(body) // 2])
        self._under_way = opened, self._way.now()
        return Reply(self._way.now(), 200, {})

    def _ended(self, ask: Ask) -> Reply:
        if self._under_way is None:
            return Reply(self._way.now(), None, {})
        (opened, begun_at), self._under_way = self._under_way, None
        body = ask.body or b""
        call = Call(self._history.number(), self.name, ask.what, ask.number, begun_at, 0, path=ask.path)
        call = replace(call, body_sha256=sha256_hex(body), content_sha256=ask.content_sha256, means=ask.means)
        self._history.asked(call)
        with opened:
            opened.sendall(body[len(body) // 2 :])
            status, said = _answer(opened)
        now = self._way.now()
        self._history.called(replace(call, done_at=now, status=status, said=said))
        return Reply(now, status, said)


def _heard(opened: socket.socket) -> None:
    """Wait until the other side says that the headers are there; not longer than for an answer."""
    received = b""
    with suppress(OSError):
        while b"\r\n\r\n" not in received and (part := opened.recv(_BUFFER)):
            received += part


def _answer(opened: socket.socket) -> tuple[int | None, dict[str, Json]]:
    """Status and JSON object of the one answer on a connection; None and nothing where there is none."""
    received = b""
    with suppress(OSError):
        while part := opened.recv(_BUFFER):
            received += part
    head, _, content = received.partition(b"\r\n\r\n")
    words = head.split(maxsplit=2)
    status = int(words[1]) if len(words) > 1 else None
    with suppress(ValueError):
        found = json.loads(content)
        return status, found if isinstance(found, dict) else {}
    return status, {}
