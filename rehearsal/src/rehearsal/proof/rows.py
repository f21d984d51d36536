"""Rows of the checker's table: what each check tries, in which stages, and how many cases it has at least."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rehearsal.history import QUALIFYING, Call
from rehearsal.proof.case import Case, Check
from rehearsal.proof.oracle import DIALOGUES, ESSAY, KINDS, PROGRAMS

Json = Any
NOWHERE: Final = object()
"""Value at a place that an answer does not have."""
SURELY: Final = 4
"""One file in so many is handed out and answered, whatever is injected."""
ESSAYS_ALONE, DIALOGUES_ALONE, PROGRAMS_ALONE = ({ESSAY}, {DIALOGUES}, {PROGRAMS})
RUNS: Final = {ESSAY, *KINDS}
EVERY_STAGE: Final = {*RUNS, PROGRAMS}


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a rehearsal: simulated programs over HTTP and on the event channel, files, faults."""

    over_http: int
    listening: int
    files: int
    faults: frozenset[str]
    driven: bool = True

    @classmethod
    def of(cls, header: Mapping[str, Json]) -> Size:
        """Return the size in a history's header. KeyError where the header lacks it."""
        listening, faults = header["listening"], frozenset(header["faults"])
        return cls(header["teams"] - listening, listening, header["files"], faults, header["driven"])

    @property
    def teams(self) -> int:
        """Return the number of simulated teams."""
        return self.over_http + self.listening

    @property
    def lives(self) -> int:
        """Return the number of files of programs over HTTP: each team's each file."""
        return self.over_http * self.files

    @property
    def heard(self) -> int:
        """Return the number of files of programs on the event channel."""
        return self.listening * self.files

    @property
    def answered(self) -> int:
        """Return the least number of files answered over HTTP, whatever is injected."""
        return -(-self.lives // SURELY)

    @property
    def early(self) -> int:
        """Return the least number of looks into files before their openings: four teams look, three files open while
        teams may join, and in some moments a team has not joined yet."""
        return max(0, self.files - 3) * min(4, self.over_http) // 2

    def plays(self, fault: str) -> bool:
        """Return whether what belongs to a fault is played: on a driven clock, in a run that is long enough; organizers
        need a team that is too late for a file."""
        files, teams = _FEWEST.get(fault, (1, 0))
        return self.driven and fault in self.faults and self.files >= files and self.over_http >= teams


_FEWEST: Final = {"decisions": (4, 2), "qualifying": (2, 0)}
"""Files and teams over HTTP without which a fault is not played: two files before the pause, of which a team that may
still join misses the second, one that it moves, one to be voided; a run that is begun anew in its second file."""
Least = Callable[[Size], int]
"""The least number of cases of a check in a rehearsal of a size; zero where a rehearsal does not exercise it. The
numbers follow from what the rehearsal itself did, never from what the platform says of it: a platform that lets nobody
in has nothing to be found fault with."""
_REST: Final = re.compile(r"[.;:] | \(|\.$")


@dataclass(frozen=True, slots=True)
class Row:
    """A check by its name: the promise that it tries, its stages, and whether answers of the interface to teams and
    strangers suffice for it. ``needs`` is the fault without which, or the reason why, there is nothing to look at."""

    name: str
    promise: str
    run: Callable[[Check, Any], None]
    least: Least
    stages: frozenset[str]
    needs: str
    outside: bool

    @property
    def words(self) -> str:
        """Return what it checks in the words of its docstring's first sentence, without what follows."""
        text = " ".join(str(self.run.__doc__).split())
        return _REST.split(text.removeprefix("Check that ").removeprefix("Check "))[0]


def tries(
    promise: str,
    least: int | Least,
    *,
    fault: str = "",
    stages: set[str] = RUNS,
    outside: bool = False,
    needs: str = "",
    name: str = "",
) -> Callable[[Callable[[Check, Any], None]], Row]:
    """Make a check's row of its function; what is played with a fault alone has no case without it."""

    def cases(size: Size) -> int:
        enough = least(size) if callable(least) else least
        return enough if not fault or size.plays(fault) else 0

    absent = f"the fault «{fault}» was not injected, or the run is too small for it" if fault else needs
    return lambda run: Row(name or run.__name__, promise, run, cases, frozenset(stages), absent, outside)


def meant(promise: str, fault: str, what: str, name: str, least: int, words: str) -> Row:
    """Return the row of a check that calls of these names are answered as the rules say of each of them."""

    def run(check: Check, case: Case) -> None:
        look_as_meant(check, case, *what.split())

    run.__doc__ = f"Check that {words}."
    return tries(promise, least, fault=fault, stages=ESSAYS_ALONE, name=name)(run)


def look_as_meant(check: Check, case: Case, *what: str) -> None:
    """Check that all calls of these names are answered with one of the allowed codes and the content that the rules
    give."""
    for call in case.of(QUALIFYING, *what):
        check.look(*otherwise_than_meant(call, call.means["status"], call.means["says"]))


def otherwise_than_meant(call: Call, statuses: Collection[int] | None, says: Mapping[str, Json]) -> Iterator[str]:
    """Yield the difference between an answer and the one that the rules give: its status, then its values by place."""
    if statuses is not None and call.status not in statuses:
        expected = ", ".join(map(str, sorted(statuses)))
        yield f"{call.where}: {call.path} is answered {call.status} ({call.code}), by the rules {expected}"
        return
    rows = {row["team_id"] for row in call.said.get("rows", ())}
    for team in sorted(rows & set(call.means.get("absent", ()))):
        yield f"{call.where}: {team} stands on {call.path}"
    for team in sorted(set(call.means.get("present", ())) - rows):
        yield f"{call.where}: {team} does not stand on {call.path}"
    for place, expected in says.items():
        value = value_at(call.said, place)
        if value is NOWHERE or value != expected:
            yield f"{call.where}: {call.path} tells {place} as {None if value is NOWHERE else value}, not {expected}"


def value_at(answer: Mapping[str, Json], place: str) -> Json:
    """Return the value at a place such as ``rows.0.team_id``; :data:`NOWHERE` where an answer has none."""
    value: Json = answer
    for part in place.split("."):
        if isinstance(value, Mapping):
            value = value.get(part, NOWHERE)
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return NOWHERE
    return value
