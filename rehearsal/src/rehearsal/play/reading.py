"""Read every route as every role, before, during and after a run; count what was asked of the interface.

Each reader caches its answers and sends their entity tags, as browsers do: an answer that the platform calls unchanged
is read from the cache.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from rehearsal.history import READING
from rehearsal.moments import SECOND, Millis, to_text
from rehearsal.play.driver import Play, Step, Timing
from rehearsal.play.wire import Ask, Caller, Wire
from rehearsal.proof import readable
from rehearsal.proof.readable import DOORS, ORGANIZER, OWN, PARTS, PUBLIC, Door, Phase

Json = Any
APART: Final[Millis] = 411  # offset of the reads from other steps: a process killed for them serves nobody else
EVERYBODY: Final = "everybody"  # name of the reader without a token; no team has it
STAFF: Final = {f"{role}@example.org": role for role in readable.STAFF}
_AT_ONCE: Final = 2  # requests of a reader between two waits
_NOBODYS: Final = "0" * 15
_PAGE: Final = "limit=2"
_MOST_PAGES: Final = 40
_UNKNOWN: Final = Door(frozenset())
"""Stands for a route without a row in the model: it is read, and the checker reports the missing row."""
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
        "run_id": timing.run_id or _NOBODYS,
        "board": timing.run_id or _NOBODYS,
        "announcement_id": f"run-{timing.run_id}",
        "team_id": team,
        "session_id": session_id or _NOBODYS,
        "number": "1",
        "name": "train",
        "set_name": "train",
        "part": "1",
        "version": "1",
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


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the interface, and how often it was answered with success and with a refusal."""

    name: str
    answered: int
    refused: int


def operations(document: Mapping[str, Json], answers: Mapping[tuple[str, str, int], int]) -> list[Operation]:
    """Return the operations of a document with the numbers of their answers, by method, path and status.

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
        Operation(f"{method} {path}", answered[method, path], refused[method, path])
        for path, method in sorted((path, method) for method, path in names)
    ]


def written(wire: Wire) -> list[dict[str, Json]]:
    """Return the operations of the document that a platform has of itself, for the history."""
    return [asdict(operation) for operation in operations(wire.get("/v1/openapi.json").json(), wire.asked)]
