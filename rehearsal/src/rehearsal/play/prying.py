"""Readers of every route as every role, before, during and after a run, and attempts to see secrets.

Each reader caches its answers and sends their entity tags, as browsers do: an answer that the platform calls unchanged
is read from the cache. What was asked of the interface is counted.

Teams try to see files before openings, an attacker a hidden set, strangers the routes behind the edge. No attempt may
reveal anything, nor cost anybody a file. The attempts are part of the history like all other calls.
"""

from __future__ import annotations

import json
import random
import re
import socket
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from websockets.exceptions import InvalidStatus

from rehearsal.history import ATTACKING, MINUTE, PUSHES, READING, SECOND, STRANGERS, Call, Millis, to_text
from rehearsal.play.channel import GONE, ChannelClient, connected, received
from rehearsal.play.driver import STEP, Play, Script, Step, Timing, coming, is_over, is_there
from rehearsal.play.teams import Team, as_json, once
from rehearsal.play.wire import Ask, Caller, Http, Reply, Wire, answered, begun, marks_in
from rehearsal.proof import readable
from rehearsal.proof.checks_prying import OWN_EARLY
from rehearsal.proof.readable import DOORS, ORGANIZER, OWN, PARTS, PUBLIC, Door, Phase

Json = Any
APART: Final[Millis] = 411  # offset of the reads from other steps: a process killed at them serves nobody else
EVERYBODY: Final = "everybody"  # name of the reader without a token; no team has it
STAFF: Final = {f"{role}@example.org": role for role in readable.STAFF}
_AT_ONCE: Final = 2  # requests of a reader between two waits
_NOBODYS: Final = "0" * 15
_PAGE: Final = "limit=2"
_MOST_PAGES: Final = 40
_UNKNOWN: Final = Door(frozenset())
"""Door of a route without a row in the model: it is read, and the checker reports the missing row."""
NOMINATIONS: Final = {"older": {"name": {"ru": "Старшие классы", "en": "Older classes"}, "groups": ["eng", "hist"]}}
PARAMETERS: Final = {"nominations": NOMINATIONS}


class Reader(Caller):
    """A reader in a role, which sends the entity tags of its earlier answers; ``token`` returns its token, None for an
    unauthenticated one."""

    def __init__(self, role: str, name: str, wire: Wire, token: Callable[[], str | None]) -> None:
        super().__init__(name, wire, token)
        self.role = role
        self.cache = {}


def names_of(
    timing: Timing, team: str, session_id: str, now: Millis, keys: str = "relative_accuracy"
) -> dict[str, str]:
    """Return values for the parameters of paths; without an open session an id that nobody has. ``keys`` are those of
    the contest's boards, with commas between."""
    return {
        **dict.fromkeys(("run_id", "board"), timing.run_id or _NOBODYS),
        **dict.fromkeys(("name", "set_name"), "train"),
        **dict.fromkeys(("number", "part", "version"), "1"),
        "announcement_id": f"run-{timing.run_id}",
        "session_id": session_id or _NOBODYS,
        "team_id": team,
        "key": keys,
        "day": to_text(now)[:10],
    }


def asks(
    phase: Phase,
    role: str,
    names: Mapping[str, str],
    routes: Iterable[str],
    parts: Sequence[str],
    seed: int | None,
    doors: Mapping[str, Door] = DOORS,
) -> Iterator[Ask]:
    """Yield the requests of a role in a phase, for the routes of the API document and of the model.

    ``parts`` are the queries for the parts of a final's leaderboard; ``seed`` draws further readers, None takes all.
    """
    every = seed is None
    for place, route in enumerate(sorted({*routes, *doors}), start=seed or 0):
        door = doors.get(route, _UNKNOWN)
        if role not in door.read_by(phase, place, every=every) or ("{session_id}" in route and phase is Phase.PLANNED):
            continue
        mine = role in door.readers and phase >= door.since and role in {PUBLIC, OWN, ORGANIZER}
        queries = [one for query in door.queries for one in (parts if query == PARTS else (query,))] if mine else []
        for query in ("", *queries) if door.bare or not queries else queries:
            first, *more = names["key"].split(",")
            for key in [first, *(more if "{key}" in route and not query else ())]:  # the main board alone has parts
                yield ask_of(phase, role, route, query, {**names, "key": key})


def ask_of(phase: Phase, role: str, route: str, query: str, names: Mapping[str, str]) -> Ask:
    """Return one request, with role, phase, route and query for the checker."""
    path = "/".join(
        names.get(part.strip("{}"), _NOBODYS) if part.startswith("{") else part for part in route.split("/")
    )
    of_run = names["run_id"] != _NOBODYS
    if "leaderboards/final" in route and phase is not Phase.RUNNING and of_run:
        query = "&".join(part for part in (f"run={names['run_id']}", query) if part)
    if route == "/v1/boards/{key}" and of_run:
        query = "&".join(part for part in (f"of=final&run={names['run_id']}", query) if part)
    for name in ("team_id", "day"):
        query = query.replace(f"{{{name}}}", names[name])
    means = {"role": role, "phase": int(phase), "route": route, "query": query}
    return Ask(READING, "GET", f"{path}?{query}" if query else path, means=means)


def in_run(moment: Millis, requests: Callable[[], Sequence[Ask]]) -> Play:
    """Play reads during a run, four requests a second."""
    yield Step(moment, ())
    pending = list(requests())
    while pending:
        yield Step(moment, tuple(pending[:4]))
        pending, moment = pending[4:], moment + SECOND


def everybody(readers: Sequence[Reader], looks: Callable[[Reader], Sequence[Ask]], wait: Callable[[], object]) -> None:
    """Play the reads of all readers in turns; ``wait`` passes the time between two requests of one reader."""
    rows = [looks(reader) for reader in readers]
    for place in range(max(map(len, rows), default=0)):
        if place % _AT_ONCE == 0:
            wait()
        for reader, row in zip(readers, rows, strict=True):
            if place < len(row):
                reader.ask(row[place])


def pages(reader: Reader, phase: Phase, route: str, names: Mapping[str, str], wait: Callable[[], object]) -> None:
    """Read a list page by page, two rows a page."""
    query = _PAGE
    for number in range(_MOST_PAGES):
        wait()
        ask = ask_of(phase, reader.role, route, query, names)
        reply = reader.ask(replace(ask, means={**ask.means, "page": number}))
        if not (after := reply.body.get("next")):
            return
        query = f"{_PAGE}&after={quote(after)}"


METHODS: Final = ("get", "put", "post", "patch", "delete")
_PARAMETER: Final = re.compile(r"\\{(\w+)\\?\+?\\}")


def operations(document: Mapping[str, Json], answers: Mapping[tuple[str, str, int], int]) -> list[dict[str, Json]]:
    """Return the operations of a document, and how often each was answered with success and with a refusal, of the
    answers by method, path and status.

    A path belongs to the operation with the fewest parameters that fits.
    """
    names = [
        (method.upper(), path) for path, methods in document["paths"].items() for method in METHODS if method in methods
    ]
    names.sort(key=lambda name: name[1].count("{"))
    patterns = [(method, re.compile(_PARAMETER.sub("[^/]+", re.escape(path))), path) for method, path in names]
    answered, refused = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (method, path, status), times in answers.items():
        fitting = (name for verb, pattern, name in patterns if verb == method and pattern.fullmatch(path))
        name = next(fitting, None)
        if name is not None:
            (refused if status >= 400 else answered)[method, name] += times
    return [
        {"name": f"{method} {path}", "answered": answered[method, path], "refused": refused[method, path]}
        for path, method in sorted((path, method) for method, path in names)
    ]


def written(wire: Wire) -> list[dict[str, Json]]:
    """Return the operations of the document that a platform has of itself, for the history."""
    return operations(wire.get("/v1/openapi.json").json(), wire.asked)


_OWN: Final = 3  # number of its own files whose results a team requests
EARLY, OTHERS, OF_STAFF, AGAIN, LATECOMER = "pry_early", "pry_others", "pry_staff", "join_again", "join_late"
BEFORE: Final[Sequence[Millis]] = (59_900, 30_000, 10_000, 2_001, 2_000, 1)
"""Milliseconds before an opening at which a team asks for the file; the teams take them in turns."""
EYES: Final = 4  # number of teams that look before each opening
_OF_A_SESSION: Final[Sequence[tuple[str, str]]] = (
    ("GET", ""), ("GET", "/next"), ("GET", "/files/1"), ("GET", "/receipts"), ("PUT", "/files/1/answer"),
    ("PUT", "/log"), ("POST", "/abort"),
)  # fmt: skip
_AFTER_JOINING: Final[Millis] = 5_250


def looks(teams: Sequence[Team], timing: Timing) -> Iterator[tuple[Team, int, Millis]]:
    """Yield which team looks into which file, and how long before its opening; whether it has joined is seen then."""
    for number in range(1, timing.files + 1):
        for place in range(min(EYES, len(teams))):
            team = teams[(number * EYES + place) % len(teams)]
            yield team, number, BEFORE[(team.index + number) % len(BEFORE)]


def look(team: Team, timing: Timing, number: int, before: Millis) -> Play:
    """Look into a file ``before`` milliseconds before its opening, as the team knows the opening shortly before."""
    opening = yield from coming(timing, number)
    if team.session_id:
        yield Step(opening - before, (team.asks(number, EARLY),))


def again(team: Team, at: Millis, body: bytes) -> Play:
    """Open a session once more, without the key of the first time, if there was one."""
    yield Step(at, ())
    if team.session_id:
        yield Step(at, (Ask(AGAIN, "POST", "/v1/sessions", body=body),))


def late(timing: Timing, body: bytes) -> Play:
    """Come a millisecond after the last moment to join."""
    yield from once(timing.starts_at + timing.join + 1, Ask(LATECOMER, "POST", "/v1/sessions", body=body))


def others(teams: Sequence[Team], timing: Timing) -> Sequence[tuple[Team, Play]]:
    """Return each team's looks into the next team's session, while both are open."""
    moment = min(timing.starts_at + timing.join, timing.opens_at(timing.files)) + _AFTER_JOINING
    return [
        (team, _peep(moment + place * SECOND, other, *what))
        for team, other in zip(teams, [*teams[1:], *teams[:1]], strict=True)
        if team is not other
        for place, what in enumerate(_OF_A_SESSION)
    ]


def plays(joined: Mapping[Team, Millis], timing: Timing, least: Millis = 0) -> Iterator[tuple[Team, Play]]:
    """Yield the attempts in a run of teams that have ``joined`` by a moment; none looks into a file less than so long
    before its opening."""
    order, teams = as_json({"mode": timing.mode, "run": timing.run_id}), list(joined)
    for team, moment in joined.items():
        yield team, again(team, moment + timing.interval // 2, order)
    for team, number, before in looks(teams, timing):
        if before >= least:
            yield team, look(team, timing, number, before)
    yield from others(teams, timing)


def _peep(at: Millis, other: Team, method: str, rest: str) -> Play:
    yield Step(at, ())
    if other.session_id:
        yield Step(at, (Ask(OTHERS, method, other.path(rest), body=b"{}" if method != "GET" else None),))


def own_results(teams: Sequence[Team], files: int, what: str) -> Iterator[tuple[Team, Ask]]:
    """Yield teams' requests for the results of some of their own files, before or after the publication."""
    for place, team in enumerate(teams):
        for number in sorted({1 + (place + step * 3) % files for step in range(_OWN)}):
            yield team, Ask(what, "GET", team.path(f"/files/{number}/comparison"), number)
            if what == OWN_EARLY:
                yield team, Ask(what, "GET", team.path(f"/files/{number}/score"), number)


def routes(document: Mapping[str, Json], names: Mapping[str, str], *, of_people: bool) -> Iterator[Ask]:
    """Yield a request for each changing route that only people may use (``of_people``), else for each reading route
    that is not for people alone, by the API document."""
    for path, methods in sorted(document["paths"].items()):
        for method in sorted(methods.keys() & ({"post", "put"} if of_people else {"get"})):
            ways = {way for requirement in methods[method].get("security", ()) for way in requirement}
            if (ways == {"person"}) is of_people:
                what, body = (OF_STAFF, b"{}") if of_people else ("look", None)
                parts = (names.get(part.strip("{}"), _NOBODYS) if part[:1] == "{" else part for part in path.split("/"))
                yield Ask(what, method.upper(), "/".join(parts), body=body)


ATTACKER: Final = "attacker"
ESSAYS, OF_THE_SET = 3, 4
"""Essays of an attacker's session, and of the test set, which has more, so that no session covers all of it."""
REWRITTEN: Final = 1000  # added to the number of a blind answer that is written otherwise, and to every total the same
_LOOKS: Final = 8  # number of looks, one a minute, whether a session has a report
_FORMS: Final = ("/report", "/report.html", "/report.csv", "/report.xlsx", "/receipts", "", "/timeline")
_OF_FILES: Final = ("score", "comparison", "answer")
FRAMES: Final = "frames"  # name of its calls with frames of the event channel
RUN: Final = "run"  # name of its requests about its session of that run
LISTENED: Final = 2  # files of the run in which it listens; the file that losses keep from everybody is a later one
_JOINS_BEFORE: Final[Millis] = 20 * SECOND
_PUSHED_AFTER: Final[Millis] = 4 * SECOND  # time after an opening by which both pushes of a file have come
_SAID: Final = ("session-file-repeat", "session-reconnect", "logs-send", "session-client-abort")
"""Events that a client may emit about a session that is over."""
_HEARD_S: Final = 0.2  # real seconds for which it listens once it is connected and has emitted its events


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session: its number of files (0: all), and the number of the blind answer by the item's place in the set; an
    item without an answer is not asked for."""

    name: str
    files: int
    variants: Mapping[int, int]
    looked_at: int = 1  # number of files of which it requests score and comparison


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
    """The play of the attacker; the material is its knowledge of a hidden set: anybody has it who once received the
    set's items."""

    def __init__(self, script: Script, material: Any, team: Team) -> None:
        self._script, self._material, self._team, self._wire = script, material, team, team.wire
        self._client = ChannelClient(team.wire.url, team.token, lambda _: None, material.namespace, asks=False)

    def play(self, document: Mapping[str, Json], names: Mapping[str, str]) -> None:
        """Play all sessions, one after the other, then look everywhere. ``document`` is the interface's own."""
        for sitting in self._material.sittings:
            self._played(sitting)
        named = {**names, "session_id": self._team.session_id, "number": "1", "file_number": "1"}
        for ask in routes(document, named, of_people=False):
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
            self._script.wait(MINUTE)
            if is_there(self._ask("waiting", "GET", self._team.path("/report"))):
                break
        self._listens(sitting, *_SAID)
        views_by_place = {str(place): list(views) for place, views in answers.items()}
        means: dict[str, Any] = {"sitting": sitting.name, "taken": views_by_place}
        for form in _FORMS:
            what = form.lstrip("/") or "session"
            self._ask(what, "GET", self._team.path(form), **means)
        for number in range(1, min(len(answers), sitting.looked_at) + 1):
            for what in _OF_FILES:
                self._ask(what, "GET", self._team.path(f"/files/{number}/{what}"), number=number, **means)

    def _listens(self, sitting: Sitting, *events: str) -> None:
        """Come anew to the event channel, say something, and write down every frame that comes."""
        self._script.wait(STEP)
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
        content = None if body is None else as_json(body)
        ask = Ask(f"{ATTACKING}{what}", method, path, number, content, means=means)
        return self._script.together([(self._team, ask)])[0]


_ADDRESS: Final = "127.0.0.2"
_PATIENCE_S: Final = 10.0  # real seconds for which a stranger waits for a frame
_SIGNS: Final = string.ascii_letters + string.digits
_PREFIX: Final = "hrd_"
_LENGTH: Final = 43
_FILE_IDS: Final = re.compile(r'"fileId"\s*:\s*"([^"]*)"')
_EVENT: Final = re.compile(r"42(?:/\w+,)?(\[.*)", re.DOTALL)
_TOLD_IN: Final = re.compile(r"42(/\w+),")
_PARTED: Final = re.compile(r"41(/\w+),?")


_NOWHERE: Final = "nowhere"
_TIMES: Final = {
    _NOWHERE: 45, "without_token": 10, "malformed": 6, "unknown": 6,
    "connect": 4, "connect_malformed": 2, "connect_unknown": 2,
}  # fmt: skip
"""Number of strangers' requests at each opening, by their aim; of those to unknown paths a little more than the gateway
passes on."""


class Crowd:
    """All strangers, an :class:`rehearsal.play.driver.Actor`; each thing they do is one ask of their play."""

    def __init__(self, wire: Wire, seed: int) -> None:
        self._source = _source()
        self._http = Http(wire.url, self._source)
        self._wire, self._seed = wire, seed

    def close(self) -> None:
        self._http.close()

    def play(self, timing: Timing, injected: Callable[..., None]) -> Play:
        number = 0
        while (number := number + 1) <= timing.all_files:
            yield from coming(timing, number)
            path = f"/v1/sessions/{number:015d}/files/{number}"
            asks = tuple(Ask(want, "GET", "/nowhere" if want == _NOWHERE else path, number) for want in _TIMES)
            yield Step(timing.opens_at(number), asks)
            injected("crowd", number=number)

    def ask(self, ask: Ask) -> Reply:
        want, wire = ask.what, self._wire
        chance = random.Random(f"{self._seed}/crowd/{want}/{ask.number}")  # noqa: S311 - reproducible, nothing secret
        for _ in range(_TIMES[want]):
            token = _token(want, chance)
            call = begun(wire.history, STRANGERS, Ask(want, "GET", ""), wire.now())
            act = self._connected if want.startswith("connect") else self._asked
            wire.history.called(act(call, ask.path, token))
        return Reply(wire.now(), 200, {})

    def _asked(self, call: Call, path: str, token: str | None) -> Call:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = self._http.ask("GET", path, headers)
        return replace(answered(call, self._wire.now(), response), said={"token": token})

    def _connected(self, call: Call, _: str, token: str | None) -> Call:
        """Listen to the channel until it closes the connection."""
        source = None if self._source is None else (self._source, 0)
        status, frames = None, list[str]()
        try:
            with connected(self._wire.url, token, source_address=source) as connection:
                status = 101
                while True:
                    frames.append(received(connection, _PATIENCE_S))
        except InvalidStatus as refused:
            status = refused.response.status_code
        except GONE:  # without a status nobody was let in; a time-out is an OSError
            pass
        first = next((frame for frame in frames if frame.startswith("0{")), None)
        heard = {
            "token": token,
            "connection": None if first is None else str(json.loads(first[1:])["sid"]),
            "told": [str(json.loads(event[1])[0]) for frame in frames if (event := _EVENT.fullmatch(frame))],
            "spoken_in": [match[1] for frame in frames if (match := _TOLD_IN.match(frame))],
            "parted": [match[1] for frame in frames if (match := _PARTED.match(frame))],
        }
        file_ids = tuple(file_id for frame in frames for file_id in _FILE_IDS.findall(frame))
        marks = marks_in("".join(frames))
        return replace(call, done_at=self._wire.now(), status=status, said=heard, file_ids=file_ids, marks=marks)


def _token(want: str, chance: random.Random) -> str | None:
    """Return a stranger's token: None, one of a wrong form, or one of the right form that belongs to nobody."""

    def drawn(length: int = _LENGTH) -> str:
        return "".join(chance.choices(_SIGNS, k=length))

    if want.endswith("unknown"):
        return _PREFIX + drawn()
    if not want.endswith("malformed"):
        return None
    return chance.choice(
        (_PREFIX + drawn(_LENGTH - 1), _PREFIX + drawn(_LENGTH + 1), _PREFIX.upper() + drawn(), drawn())
    )


def _source() -> str | None:
    """Return an address of the strangers' own, where this machine has more than one on its loopback; else the teams'
    own."""
    try:
        with socket.socket() as probe:
            probe.bind((_ADDRESS, 0))
    except OSError:
        return None
    return _ADDRESS
