"""Attempts to see secrets: teams before openings, an attacker of a hidden set, strangers at the edge.

None of them may reveal anything, nor cost anybody a file. They are part of the history like everything else.
"""

from __future__ import annotations

import json
import random
import re
import socket
import string
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

from rehearsal.history import ATTACKING, PUSHES, STRANGERS, Call, History
from rehearsal.moments import MINUTE, SECOND, Millis
from rehearsal.play.channel import ChannelClient, Kind
from rehearsal.play.driver import Play, Step, Timing, coming
from rehearsal.play.script import STEP, Script, is_over, is_there
from rehearsal.play.teams import Team, once
from rehearsal.play.wire import Ask, Reply, Wire, answered, begun, marks_in, said_by

Json = Any
OWN_EARLY, OWN_SHOWN = "own_early", "own_shown"
_OWN: Final = 3
"""So many files of its own a team looks at."""
EARLY, OTHERS, STAFF, AGAIN, LATECOMER = "pry_early", "pry_others", "pry_staff", "join_again", "join_late"
BEFORE: Final[Sequence[Millis]] = (59_900, 30_000, 10_000, 2_001, 2_000, 1)
"""Milliseconds before an opening at which a team asks for the file; which team when goes round."""
EYES: Final = 4
"""So many teams look before each opening."""
_OF_A_SESSION: Final[Sequence[tuple[str, str]]] = (
    ("GET", ""),
    ("GET", "/next"),
    ("GET", "/files/1"),
    ("GET", "/receipts"),
    ("PUT", "/files/1/answer"),
    ("PUT", "/log"),
    ("POST", "/abort"),
)
_AFTER_JOINING: Final[Millis] = 5_250
_METHODS: Final = frozenset({"post", "put"})
_NOBODYS: Final = "0" * 15


def early(team: Team, number: int) -> Callable[[], tuple[Ask, ...]]:
    """Return the file that a team asks for, once it has joined."""
    return lambda: (Ask(EARLY, "GET", team.path(f"/files/{number}"), number),) if team.session_id else ()


def looks(teams: Sequence[Team], timing: Timing) -> Iterator[tuple[Team, int, Millis]]:
    """Yield which team looks into which file, and how long before its opening; whether it has joined is seen then."""
    for number in range(1, timing.files + 1):
        for place in range(min(EYES, len(teams))):
            team = teams[(number * EYES + place) % len(teams)]
            yield team, number, BEFORE[(team.index + number) % len(BEFORE)]


def look(team: Team, timing: Timing, number: int, before: Millis) -> Play:
    """Look into a file so long before its opening, as the team knows it shortly before."""
    opening = yield from coming(timing, number)
    if asks := early(team, number)():
        yield Step(opening - before, asks)


def again(team: Team, at: Millis, body: bytes) -> Play:
    """Open a session once more, without the key of the first time, if there was one."""
    if (yield from _at(at)) and team.session_id:
        yield Step(at, (Ask(AGAIN, "POST", "/v1/sessions", body=body),))


def late(timing: Timing, body: bytes) -> Play:
    """Come a millisecond after the last moment to join."""
    yield from once(timing.starts_at + timing.join + 1, Ask(LATECOMER, "POST", "/v1/sessions", body=body))


def others(teams: Sequence[Team], timing: Timing) -> Sequence[tuple[Team, Millis, Callable[[], tuple[Ask, ...]]]]:
    """Return each team's looks into the next team's session, while both are open: who, when, the request."""
    moment = min(timing.starts_at + timing.join, timing.opens_at(timing.files)) + _AFTER_JOINING
    return [
        (team, moment + place * SECOND, partial(_of, other, *what))
        for team, other in zip(teams, [*teams[1:], *teams[:1]], strict=True)
        if team is not other
        for place, what in enumerate(_OF_A_SESSION)
    ]


def peep(at: Millis, asks: Callable[[], tuple[Ask, ...]]) -> Play:
    """Ask at a moment for the files that then exist."""
    yield from _at(at)
    if requests := asks():
        yield Step(at, requests)


def _at(moment: Millis) -> Generator[Step, Sequence[Reply], bool]:
    """Wait for a moment, at which more may be known; return true."""
    yield Step(moment, ())
    return True


def own_results(teams: Sequence[Team], files: int, what: str) -> Iterator[tuple[Team, Ask]]:
    """Yield looks of teams at the results of some of their own files, before or after the publication."""
    for place, team in enumerate(teams):
        for number in sorted({1 + (place + step * 3) % files for step in range(_OWN)}):
            yield team, Ask(what, "GET", team.path(f"/files/{number}/comparison"), number)
            if what == OWN_EARLY:
                yield team, Ask(what, "GET", team.path(f"/files/{number}/score"), number)


def staff(document: Mapping[str, Json], names: Mapping[str, str]) -> Iterator[Ask]:
    """Yield a request of every route by which people alone change something, by the API document."""
    for path, methods in sorted(document["paths"].items()):
        for method in sorted(methods.keys() & _METHODS):
            ways = {way for requirement in methods[method].get("security", ()) for way in requirement}
            if ways == {"person"}:
                yield Ask(STAFF, method.upper(), _filled(path, names), body=b"{}")


def everything(document: Mapping[str, Json], names: Mapping[str, str]) -> Iterator[Ask]:
    """Yield a reading request of each route that is not people's alone, by the API document."""
    for path, methods in sorted(document["paths"].items()):
        route = methods.get("get")
        if route is not None and {way for requirement in route.get("security", ()) for way in requirement} != {
            "person"
        }:
            yield Ask("look", "GET", _filled(path, names))


def _filled(path: str, names: Mapping[str, str]) -> str:
    for part in path.split("/"):
        if part.startswith("{"):
            path = path.replace(part, names.get(part.strip("{}"), _NOBODYS))
    return path


def _of(other: Team, method: str, rest: str) -> tuple[Ask, ...]:
    if not other.session_id:
        return ()
    body = b"{}" if method != "GET" else None
    return (Ask(OTHERS, method, other.path(rest), body=body),)


ATTACKER: Final = "attacker"
ESSAYS, OF_THE_SET = 3, 4
"""Essays of a session of the attacker; the test set has more, so that none of its sessions is one over all of it."""
REWRITTEN: Final = 1000
"""Added to the number of a blind answer that is written otherwise, and to every total the same."""
_LOOKS: Final = 8
"""Times that it looks, once a minute, whether a session is reported of."""
_FORMS: Final = ("/report", "/report.html", "/report.csv", "/report.xlsx", "/receipts", "", "/timeline")
_OF_FILES: Final = ("score", "comparison", "answer")
FRAMES: Final = "frames"
"""What it heard over the event channel."""
RUN: Final = "run"
"""Its looks at its session of that run."""
LISTENED: Final = 2
"""Files of the run in which it listens; the file that losses keep from everybody is a later one."""
_JOINS_BEFORE: Final[Millis] = 20 * SECOND
_PUSHED_AFTER: Final[Millis] = 4 * SECOND
"""So long after an opening both pushes of a file have come."""
_SAID: Final = ("session-file-repeat", "session-reconnect", "logs-send", "session-client-abort")
"""What a client may say of a session that is over."""
_HEARD_S: Final = 0.2
"""Real seconds for which it listens once it is connected, and once it has said all."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session: over how many files (0: all), and by the place of an item among the set's which blind answer it gets;
    an item without one is not asked for."""

    name: str
    files: int
    variants: Mapping[int, int]
    looked_at: int = 1
    """Of so many files it asks for score and comparison."""


class Attacked(Protocol):
    """The attacker's knowledge of a hidden set: that of anybody who has been handed its items once."""

    sittings: Sequence[Sitting]
    namespace: str
    """Where the contest's clients are on the event channel."""

    def heard_in(self, received: str) -> int:
        """Return of how many files of a run that it listens to a text stands in something that was received."""

    def place(self, content: Json) -> int:
        """Return the place of an item in the set."""

    def blind(self, content: Json, variant: int) -> Json:
        """Return a valid answer that needs no references; equal arguments, equal answers."""

    def taken(self, content: Json, answer: Json) -> Sequence[Json]:
        """Return the part of an answer that each view of the totals takes, None where nothing."""


def of_items(files: int, items: int) -> tuple[Sitting, ...]:
    """Return sessions over a set of which totals are told: one of twelve answers, the same with one other answer, a
    single answer, twelve others of which half are to the same items, and two over the whole set, which differ in one
    answer and in how all the others are written. ``files``: 0 where nobody chooses."""
    whole = dict.fromkeys(range(12), 0)
    overlapping = dict.fromkeys(range(6, min(18, items)), 1)
    every = dict.fromkeys(range(items), 2)
    return (
        Sitting("whole", files, whole),
        Sitting("differing", files, {**whole, 0: 1}),
        Sitting("smallest", files, {0: 0}),
        Sitting("overlapping", files, overlapping),
        Sitting("every", files, every),
        Sitting("rewritten", files, {**dict.fromkeys(every, 2 + REWRITTEN), 0: 3}),
    )


def of_single_items(items: int, answers: int) -> tuple[Sitting, ...]:
    """Return sessions of one item each, which tell whether it was answered rightly: one with each blind answer, the
    first answer once more, and a session that answers nothing."""
    drawn = [dict.fromkeys(range(items), variant) for variant in (*range(answers), 0)]
    return (
        *(Sitting(f"single {number}", 1, variants, 1) for number, variants in enumerate(drawn)),
        Sitting("silent", 1, {}),
    )


OF_ESSAYS: Final = tuple(
    Sitting(name, files, dict.fromkeys(range(100), variant), files)
    for variant, (name, files) in enumerate(
        (("tiled", ESSAYS), ("overlapping", ESSAYS), ("differing", ESSAYS), ("smallest", 1))
    )
)
"""Sessions over essays: texts tiled in three words, the same a word further, tiled without the first fragment, and one
essay with one fragment."""


class Attack:
    """The play of the attacker."""

    def __init__(self, script: Script, material: Attacked, team: Team, wire: Wire) -> None:
        self._script = script
        self._material = material
        self._team = team
        self._wire = wire
        self._client = ChannelClient(wire.url, team.token, Kind.SILENT, lambda _: None, material.namespace)

    def play(self, document: Mapping[str, Json], names: Mapping[str, str]) -> None:
        """Play all sessions, one after the other, then look everywhere. ``document`` is the interface's own."""
        for sitting in self._material.sittings:
            self._played(sitting)
        named = {**names, "session_id": self._team.session_id, "number": "1", "file_number": "1"}
        for ask in everything(document, named):
            self._ask("look", ask.method, ask.path)

    def listens_to_run(self, timing: Timing, rested: Callable[[], object]) -> None:
        """Take part in a run over the event channel, ask for nothing, and write down the messages a millisecond before
        each opening, and after it. ``rested`` returns when the platform has done all that is due."""
        self._script.wait_until(timing.starts_at - _JOINS_BEFORE)
        opened = self._ask("open", "POST", "/v1/sessions", body={"mode": timing.mode, "run": timing.run_id})
        if opened.status != 201:
            return
        self._team.session_id = str(opened.body["session_id"])
        self._client.come()
        for number in range(1, timing.files + 1):
            opening = timing.opens_at(number)
            for moment, count in ((opening - 1, number - 1), (opening + _PUSHED_AFTER, number)):
                self._script.wait_until(moment)
                rested()
                self._client.until(within_s=_HEARD_S)
                frames = self._client.frames()
                means = {"opened": count, "texts": self._material.heard_in(frames)}
                self._wire.heard(self._team.name, f"{ATTACKING}{PUSHES}", frames, **means)
        self._client.leave()
        for form in _FORMS:
            self._ask(RUN, "GET", self._team.path(form))
        self._ask("abort", "POST", self._team.path("/abort"), body={"confirm": True})

    def _played(self, sitting: Sitting) -> None:
        order = {"mode": "algorithmic", "set": "test", **({"files": sitting.files} if sitting.files else {})}
        opened = self._ask("open", "POST", "/v1/sessions", body=order)
        if opened.status != 201:
            return
        self._team.session_id = str(opened.body["session_id"])
        self._listens(sitting)
        answers = dict(self._answered(sitting, int(opened.body["files"])))
        if not is_over(self._ask("status", "GET", self._team.path())):
            self._ask("abort", "POST", self._team.path("/abort"), body={})
        for _ in range(_LOOKS):
            self._script.wait_until(self._script.now() + MINUTE)
            if is_there(self._ask("waiting", "GET", self._team.path("/report"))):
                break
        self._listens(sitting, *_SAID)
        means: dict[str, Any] = {
            "sitting": sitting.name,
            "taken": {str(place): list(views) for place, views in answers.items()},
        }
        for form in _FORMS:
            what = form.lstrip("/") or "session"
            self._ask(what, "GET", self._team.path(form), **means)
        for number in range(1, min(len(answers), sitting.looked_at) + 1):
            for what in _OF_FILES:
                self._ask(what, "GET", self._team.path(f"/files/{number}/{what}"), number=number, **means)

    def _listens(self, sitting: Sitting, *events: str) -> None:
        """Come anew to the event channel, say something, and write down every frame that comes."""
        self._script.wait_until(self._script.now() + STEP)
        if self._client.come():
            for name in events:
                self._client.emit(name, {"entries": ["a"]})
            self._client.until(within_s=_HEARD_S)
        self._wire.heard(self._team.name, f"{ATTACKING}{FRAMES}", self._client.frames(), sitting=sitting.name)
        self._client.leave()

    def _answered(self, sitting: Sitting, files: int) -> Iterator[tuple[int, Sequence[Json]]]:
        """Ask for files until all answers are given; return the place of each, and the part that totals take of the
        answer."""
        places = set(sitting.variants)
        for number in range(1, files + 1):
            if not places:
                return
            file = self._ask("file", "GET", self._team.path(f"/files/{number}"), number=number)
            if file.status != 200:
                continue
            content = file.body["content"]
            place = self._material.place(content)
            if place in places:
                places.discard(place)
                answer = self._material.blind(content, sitting.variants[place])
                way = self._team.path(f"/files/{number}/answer")
                if self._ask("answer_sent", "PUT", way, body=answer, number=number, sent=answer).status == 200:
                    yield place, self._material.taken(content, answer)

    def _ask(
        self, what: str, method: str, path: str, body: Json = None, number: int | None = None, **means: Json
    ) -> Reply:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        return self._script.together(
            [(self._team, Ask(f"{ATTACKING}{what}", method, path, number, content, means=means))]
        )[0]


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
    """The aims of strangers."""

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
    """All strangers, an :class:`rehearsal.play.driver.Actor`; each thing they do is one ask of their play."""

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
            call = begun(self._history, STRANGERS, Ask(want, "GET", ""), self._now())
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
        answered_call = answered(call, self._now(), response, said_by(response), answer_seen=response is not None)
        return replace(answered_call, said={"token": token})

    def _connected(self, call: Call, token: str | None) -> Call:
        """Listen to the channel until it closes the connection."""
        query = "" if token is None else f"&token={quote(token)}"
        source = None if self._source is None else (self._source, 0)
        status, frames = None, list[str]()
        try:
            with connect(
                self._channel + query, source_address=source, compression=None, ping_interval=None
            ) as connection:
                status = 101
                with suppress(WebSocketException, OSError, EOFError):  # a time-out is an OSError
                    while True:
                        frame = connection.recv(timeout=_PATIENCE_S)
                        frames.append(frame if isinstance(frame, str) else frame.decode())
        except InvalidStatus as refused:
            status = refused.response.status_code
        except (WebSocketException, OSError, EOFError):
            pass  # without a status nobody was let in
        first = next((frame for frame in frames if frame.startswith("0{")), None)
        heard = {
            "token": token,
            "connection": None if first is None else str(json.loads(first[1:])["sid"]),
            "told": [str(json.loads(event[1])[0]) for frame in frames if (event := _EVENT.fullmatch(frame))],
        }
        spoken, parted = ([match[1] for frame in frames if (match := how.match(frame))] for how in (_TOLD_IN, _PARTED))
        heard |= {"spoken_in": spoken, "parted": parted}
        file_ids = tuple(file_id for frame in frames for file_id in _FILE_IDS.findall(frame))
        marks = marks_in("".join(frames))
        return replace(call, done_at=self._now(), status=status, said=heard, file_ids=file_ids, marks=marks)


def _token(want: Want, chance: random.Random) -> str | None:
    """Return a stranger's token: none, one of a wrong form, or one of the right form that is nobody's."""
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
    """Return an address of the strangers' own, where this machine has more than one on its loopback; else the teams'
    own."""
    try:
        with socket.socket() as probe:
            probe.bind((_ADDRESS, 0))
    except OSError:
        return None
    return _ADDRESS
