"""A body that takes its time: its request has begun when the other side has its headers, whenever the rest comes."""

from __future__ import annotations

import socket
import threading
from types import SimpleNamespace
from typing import Any

from local.rehearsal.history import History
from local.rehearsal.play.practice import BEGINS, ENDS, SlowTeam
from local.rehearsal.play.wire import Ask

BODY = b'{"a": 1}'


class Slow:
    """A server that says when it has the headers, and only once it is let."""

    def __init__(self) -> None:
        self.let, self.has_headers = threading.Event(), threading.Event()
        self.heads, self.bodies = list[bytes](), list[bytes]()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self._listening:
            connection, _ = self._listening.accept()
        with connection:
            self.heads.append(connection.recv(65_536))
            self.has_headers.set()
            self.let.wait(30)
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            received = b""
            while len(received) < len(BODY):
                received += connection.recv(65_536)
            self.bodies.append(received)
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"said": 7}')


def test_a_request_has_begun_when_its_headers_have_come_and_not_before() -> None:
    server, history = Slow(), History()
    wire: Any = SimpleNamespace(url=server.url, now=lambda: 1_000)
    team = SlowTeam(-1, "ann", "token", wire, history)
    ask = Ask(BEGINS, "PUT", "/v1/x", 1, BODY)
    begun = threading.Thread(target=team.ask, args=(ask,))
    begun.start()
    assert server.has_headers.wait(30)
    assert begun.is_alive(), "the clock must not move on while nobody has the headers"
    server.let.set()
    begun.join(30)
    assert b"Expect: 100-continue\r\n" in server.heads[0]
    assert server.heads[0].endswith(b"\r\n\r\n"), "nothing of the body goes before"
    reply = team.ask(Ask(ENDS, "PUT", "/v1/x", 1, BODY))
    assert (reply.status, reply.body, server.bodies) == (200, {"said": 7}, [BODY])
    (call,) = history.story().calls
    assert (call.what, call.status, call.said) == (ENDS, 200, {"said": 7})
