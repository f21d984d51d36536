"""Teams that look where they must not: into a file before its opening, into others' sessions, behind staff's doors.

None of it may tell anybody anything, nor cost anybody a file. What they do is part of the history like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from local.rehearsal.moments import SECOND, Millis
from local.rehearsal.play.announced import Timing, coming
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.teams import Team, once
from local.rehearsal.play.wire import Ask, Reply

Json = Any
OWN_EARLY, OWN_SHOWN = "own_early", "own_shown"
_OWN: Final = 3
"""So many files of its own a team looks at."""
OWN_FORMS: Final = "own_forms"
"""A team's looks at all that there is of its own session."""
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
_OF_RESULTS: Final[Sequence[tuple[str, str]]] = (
    ("GET", ""),
    ("GET", "/receipts"),
    ("GET", "/report"),
    ("GET", "/report.html"),
    ("GET", "/report.csv"),
    ("GET", "/report.xlsx"),
    ("GET", "/timeline"),
    ("GET", "/files/1/score"),
    ("GET", "/files/1/comparison"),
    ("GET", "/files/1/answer"),
)
_AFTER_JOINING: Final[Millis] = 5_250
_METHODS: Final = frozenset({"get", "post", "put"})
_NOBODYS: Final = "0" * 15


def early(team: Team, number: int) -> Callable[[], tuple[Ask, ...]]:
    """A file that a team asks for, once it has joined."""
    return lambda: (Ask(EARLY, "GET", team.path(f"/files/{number}"), number),) if team.session_id else ()


def looks(teams: Sequence[Team], timing: Timing) -> Iterator[tuple[Team, int, Millis]]:
    """Which team looks into which file, and how long before its opening; whether it has joined is seen then."""
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
    """Each team's looks into the session of the team after it, while both are open: who, when, what it then asks."""
    moment = min(timing.starts_at + timing.join, timing.opens_at(timing.files)) + _AFTER_JOINING
    return [
        (team, moment + place * SECOND, partial(_of, other, *what))
        for team, other in zip(teams, [*teams[1:], *teams[:1]], strict=True)
        if team is not other
        for place, what in enumerate(_OF_A_SESSION)
    ]


def peep(at: Millis, asks: Callable[[], tuple[Ask, ...]]) -> Play:
    """Ask at a moment for what is then there."""
    yield from _at(at)
    if found := asks():
        yield Step(at, found)


def _at(moment: Millis) -> Generator[Step, Sequence[Reply], bool]:
    """Let it become a moment, at which more may be known; true."""
    yield Step(moment, ())
    return True


def results(teams: Sequence[Team]) -> Iterator[tuple[Team, Ask]]:
    """The looks into others' results once they are published."""
    for team, other in zip(teams, [*teams[1:], *teams[:1]], strict=True):
        if team is not other:
            for what in _OF_RESULTS:
                for ask in _of(other, *what):
                    yield team, ask


def own_results(teams: Sequence[Team], files: int, what: str) -> Iterator[tuple[Team, Ask]]:
    """Looks of teams at what became of some of their own files, before or after the results are published."""
    for place, team in enumerate(teams):
        for number in sorted({1 + (place + each * 3) % files for each in range(_OWN)}):
            yield team, Ask(what, "GET", team.path(f"/files/{number}/comparison"), number)
            if what == OWN_EARLY:
                yield team, Ask(what, "GET", team.path(f"/files/{number}/score"), number)


def own_forms(teams: Sequence[Team]) -> Iterator[tuple[Team, Ask]]:
    """Yield the looks of the first team at its own session in all its forms, whatever may be told of it by then."""
    for team in teams[:1]:
        for method, rest in _OF_RESULTS:
            yield team, Ask(OWN_FORMS, method, team.path(rest))


def staff(document: Mapping[str, Json], names: Mapping[str, str]) -> Iterator[Ask]:
    """A request of every route that only people may use, by the interface's own document."""
    for path, methods in sorted(document["paths"].items()):
        for method, said in sorted(methods.items()):
            ways = {way for each in said.get("security", ()) for way in each} if method in _METHODS else set()
            if ways == {"person"}:
                yield Ask(STAFF, method.upper(), _filled(path, names), body=b"{}" if method != "get" else None)


def everything(document: Mapping[str, Json], names: Mapping[str, str]) -> Iterator[Ask]:
    """Yield a reading request of each route that is not people's alone, by the interface's own document."""
    for path, methods in sorted(document["paths"].items()):
        said = methods.get("get")
        if said is not None and {way for each in said.get("security", ()) for way in each} != {"person"}:
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
