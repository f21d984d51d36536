"""A crowd at the edge: strangers at one address ask for every file in the moment of its opening, without a good token.

They want what is nowhere, come without a token, with what is none by its form and with tokens that nobody was given,
over HTTP and over the event channel. Their answers are part of the history like everybody's.
"""

from __future__ import annotations

import json
import random
import re
import socket
import string
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final
from urllib.parse import quote

import httpx
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from local.rehearsal.history import STRANGERS, Call, History
from local.rehearsal.moments import Millis
from local.rehearsal.play.announced import Timing, coming
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.wire import Ask, Reply, answered, marks_in, said_by

Json = Any
_ADDRESS: Final = "127.0.0.2"
_PATIENCE_S: Final = 10.0
"""Real seconds for which a stranger listens in vain."""
_SIGNS: Final = string.ascii_letters + string.digits
_PREFIX: Final = "hrd_"
_LENGTH: Final = 43
_FILE_IDS: Final = re.compile(r'"fileId"\s*:\s*"([^"]*)"')
_EVENT: Final = re.compile(r"42(?:/\w+,)?(\[.*)", re.DOTALL)
_TOLD_IN: Final = re.compile(r"42(/\w+),")
_PARTED: Final = re.compile(r"41(/\w+),?")


class Want(StrEnum):
    """What strangers do."""

    NOWHERE = "nowhere"
    WITHOUT_TOKEN = "without_token"  # noqa: S105 - a name
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    CONNECT = "connect"
    CONNECT_MALFORMED = "connect_malformed"
    CONNECT_UNKNOWN = "connect_unknown"


_TIMES: Final[Mapping[Want, int]] = {
    Want.NOWHERE: 45,
    Want.WITHOUT_TOKEN: 10,
    Want.MALFORMED: 6,
    Want.UNKNOWN: 6,
    Want.CONNECT: 4,
    Want.CONNECT_MALFORMED: 2,
    Want.CONNECT_UNKNOWN: 2,
}
"""How often at each opening: a little more than the gateway passes on of what is nowhere."""
_MALFORMED: Final = frozenset({Want.MALFORMED, Want.CONNECT_MALFORMED})
_UNKNOWN: Final = frozenset({Want.UNKNOWN, Want.CONNECT_UNKNOWN})
_CONNECTING: Final = frozenset({Want.CONNECT, Want.CONNECT_MALFORMED, Want.CONNECT_UNKNOWN})


class Crowd:
    """All strangers, an :class:`local.rehearsal.play.driver.Actor`; each thing they do is one ask of their play."""

    def __init__(self, url: str, now: Callable[[], Millis], history: History, seed: int) -> None:
        self._source = _source()
        transport = httpx.HTTPTransport(local_address=self._source)
        self._http = httpx.Client(base_url=url, transport=transport, timeout=60)
        self._channel = f"{url.replace('http', 'ws', 1)}/socket.io/?EIO=3&transport=websocket"
        self._now = now
        self._history = history
        self._seed = seed

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def play(self, timing: Timing, injected: Callable[..., None]) -> Play:
        """Come at every opening."""
        number = 0
        while (number := number + 1) <= timing.all_files:
            yield from coming(timing, number)
            path = f"/v1/sessions/{number:015d}/files/{number}"
            asks = tuple(Ask(want, "GET", "/nowhere" if want is Want.NOWHERE else path, number) for want in Want)
            yield Step(timing.opens_at(number), asks)
            injected("crowd", number=number)

    def ask(self, ask: Ask) -> Reply:
        """Do one thing, as often as strangers do it at an opening."""
        want = Want(ask.what)
        chance = random.Random(f"{self._seed}/crowd/{want}/{ask.number}")  # noqa: S311 - reproducible, nothing secret
        for _ in range(_TIMES[want]):
            token = _token(want, chance)
            call = Call(self._history.number(), STRANGERS, want, None, self._now(), 0)
            self._history.asked(call)
            if want in _CONNECTING:
                self._history.called(self._connected(call, token))
            else:
                self._history.called(self._asked(call, ask.path, token))
        return Reply(self._now(), 200, {})

    def _asked(self, call: Call, path: str, token: str | None) -> Call:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = None
        with suppress(httpx.TransportError):
            response = self._http.get(path, headers=headers)
        told = answered(call, self._now(), response, said_by(response), seen=response is not None)
        return replace(told, said={"token": token})

    def _connected(self, call: Call, token: str | None) -> Call:
        """Listen to whatever the channel says until it closes the connection."""
        query = "" if token is None else f"&token={quote(token)}"
        source = None if self._source is None else (self._source, 0)
        status, frames = None, list[str]()
        try:
            with connect(
                self._channel + query, source_address=source, compression=None, ping_interval=None
            ) as connection:
                status = 101
                frames += _frames(connection)
        except InvalidStatus as refused:
            status = refused.response.status_code
        except (WebSocketException, OSError, EOFError):
            pass  # without a status nobody was let in
        said = {"token": token, "connection": _connection_id(frames), "told": list(_events(frames))}
        spoken, parted = ([each[1] for frame in frames if (each := how.match(frame))] for how in (_TOLD_IN, _PARTED))
        said |= {"spoken_in": spoken, "parted": parted}
        file_ids = tuple(each for frame in frames for each in _FILE_IDS.findall(frame))
        marks = marks_in("".join(frames))
        return replace(call, done_at=self._now(), status=status, said=said, file_ids=file_ids, marks=marks)


def _token(want: Want, chance: random.Random) -> str | None:
    """What a stranger brings: nothing, what is no token by its form, or one of the right form that is nobody's."""
    if want in _UNKNOWN:
        return _PREFIX + _drawn(chance, _LENGTH)
    if want not in _MALFORMED:
        return None
    return chance.choice(
        (
            _PREFIX + _drawn(chance, _LENGTH - 1),
            _PREFIX + _drawn(chance, _LENGTH + 1),
            _PREFIX.upper() + _drawn(chance, _LENGTH),
            _drawn(chance, _LENGTH),
        )
    )


def _drawn(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(_SIGNS, k=length))


def _source() -> str | None:
    """An address of the strangers' own, where this machine has more than one on its loopback; else the teams' own."""
    try:
        with socket.socket() as probe:
            probe.bind((_ADDRESS, 0))
    except OSError:
        return None
    return _ADDRESS


def _frames(connection: ClientConnection) -> Iterator[str]:
    with suppress(WebSocketException, OSError, EOFError):  # a time-out is an OSError
        while True:
            frame = connection.recv(timeout=_PATIENCE_S)
            yield frame if isinstance(frame, str) else frame.decode()


def _connection_id(frames: list[str]) -> str | None:
    """The connection's name, which its first frame tells."""
    first = next((frame for frame in frames if frame.startswith("0{")), None)
    return None if first is None else str(json.loads(first[1:])["sid"])


def _events(frames: list[str]) -> Iterator[str]:
    for frame in frames:
        found = _EVENT.fullmatch(frame)
        if found is not None:
            yield str(json.loads(found[1])[0])
