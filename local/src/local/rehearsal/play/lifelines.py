"""Two clients of the event channel that play no session: one of Engine.IO 4 enters and listens, one enters nothing.

Who has entered is sent a sign of life every few minutes, by which its library and the gateway's connection live; who
enters nothing is let go of, that nobody's place is taken for good.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from local.rehearsal.history import Call, History
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.announced import Timing
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.teams import Team, insist
from local.rehearsal.play.wire import Ask, Reply, Wire

Json = Any
ENTERED, HEARD, IDLE, LET_GO = "life_entered", "life_heard", "life_idle", "life_let_go"
LOOKED_AFTER: Final[Millis] = 5 * MINUTE
"""Before the gateway itself ends a silent connection, which is after ten."""
LOOKED_LAST: Final[Millis] = 13 * MINUTE
"""After three signs of life at the least."""
_COMES: Final[Millis] = 60 * SECOND
"""Before the start, when the timer has been there."""
_APART: Final[Millis] = 211
_OPENED_S: Final = 20.0
_LATEST_S: Final = 2.0
"""Real seconds for which a frame is waited for that must be there."""
_AT_ONCE_S: Final = 0.02
_PING, _PONG = "2", "3"


def looked_at(timing: Timing) -> Millis:
    """When both clients have looked for the last time, though they had to come twice."""
    return timing.starts_at + LOOKED_LAST


class Lifelines:
    """Both clients of a team's program, an :class:`local.rehearsal.play.driver.Actor`."""

    def __init__(self, team: Team, wire: Wire, history: History) -> None:
        url = wire.url.replace("http", "ws", 1)
        self._address = f"{url}/socket.io/?EIO=4&transport=websocket&token={quote(team.token)}"
        self._name = team.name
        self._now = wire.now
        self._history = history
        self._open = ExitStack()
        self._sockets: dict[str, ClientConnection] = {}
        self._signs = 0

    def play(self, timing: Timing) -> Play:
        """Come before the start; look whether the idle one was let go of, and what the other one has heard by then."""
        at = timing.starts_at - _COMES + _APART
        for what in (ENTERED, IDLE):
            at = (yield from insist(at, Ask(what, "WS", ""))).at
        for after in range(MINUTE, LOOKED_LAST + 1, MINUTE):
            for what in (LET_GO, HEARD) if after == LOOKED_AFTER else (HEARD,):
                yield Step(at + after, (Ask(what, "WS", ""),))

    def ask(self, ask: Ask) -> Reply:
        """Do one thing and record it as a call."""
        call = Call(self._history.number(), self._name, ask.what, None, self._now(), 0)
        self._history.asked(call)
        said: dict[str, Json] = {}
        with suppress(WebSocketException, OSError, EOFError):
            said = {ENTERED: self._enter, IDLE: self._connect, LET_GO: self._gone, HEARD: self._heard}[ask.what]()
        status = 200 if said else None
        self._history.called(replace(call, done_at=self._now(), status=status, said=said))
        return Reply(self._now(), status, said)

    def close(self) -> None:
        """Give the connections back."""
        with suppress(WebSocketException, OSError, EOFError):
            self._open.close()

    def _connected(self, what: str) -> ClientConnection:
        opened = connect(self._address, compression=None, ping_interval=None, open_timeout=_OPENED_S)
        self._sockets[what] = self._open.enter_context(opened)
        if not str(self._sockets[what].recv(timeout=_OPENED_S)).startswith("0"):
            raise EOFError
        return self._sockets[what]

    def _connect(self) -> dict[str, Json]:
        self._connected(IDLE)
        return {"opened": True}

    def _enter(self) -> dict[str, Json]:
        socket = self._connected(ENTERED)
        socket.send("40/pku,")
        frame = str(socket.recv(timeout=_OPENED_S))
        if frame.startswith("{"):  # the gateway's own words for a function that failed
            raise EOFError
        return {"entered": frame.startswith("40/pku,{")}

    def _gone(self) -> dict[str, Json]:
        """Whether the connection that entered nothing has been closed."""
        try:
            while True:
                self._sockets[IDLE].recv(timeout=_LATEST_S)
        except ConnectionClosed:
            return {"let_go": True}
        except TimeoutError:
            return {"let_go": False}

    def _heard(self) -> dict[str, Json]:
        """How many signs of life came so far; each is answered."""
        socket = self._sockets[ENTERED]
        with suppress(TimeoutError):
            while True:
                if socket.recv(timeout=_AT_ONCE_S) == _PING:
                    self._signs += 1
                    socket.send(_PONG)
        return {"signs": self._signs}
