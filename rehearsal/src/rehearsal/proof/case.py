"""The case of the checks: a history put in order once; and the rows of their table: each check's promise and stages.

A row names the stages of its check, and how many cases it has at least.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from rehearsal.history import QUALIFYING, Call, Facts, Story
from rehearsal.proof.oracle import DIALOGUES, ESSAY, KINDS, PROGRAMS, ExpectedTimes, Visits, decisions, lives_of
from shadow.record import Keys

Json = Any
T = TypeVar("T")
EXCHANGE: Final = "exchange"
SCORES: Final = "scores"


@dataclass
class Check:
    """The result of one check: how many cases were looked at, and the counter-examples."""

    name: str
    examined: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Return whether nothing contradicts the check."""
        return not self.faults

    def look(self, *faults: str | None) -> None:
        """Count one more case, with its fault if it has one."""
        self.examined += 1
        self.faults += [fault for fault in faults if fault]

    def that(self, holds: object, fault: str) -> None:
        """Count one more case; it is a fault where the condition does not hold."""
        self.look(None if holds else fault)


def receipt_text(answer: Mapping[str, Json]) -> str:
    """Return a receipt with its signature as a text that is equal exactly when they are."""
    return json.dumps([answer["receipt"], answer["signature"]], ensure_ascii=False, sort_keys=True)


def published_keys(answer: Mapping[str, Json]) -> Keys:
    """Return the platform's keys, as ``GET /v1/keys`` answers them."""
    return Keys({key["key_id"]: key["public_key"] for key in answer["keys"]})


def contents_of(record: Mapping[str, Json]) -> dict[int, tuple[str, str]]:
    """Return name and SHA-256 of each file's hand-out, by the file's number."""
    return {row["number"]: (row["file_id"], row["content_sha256"]) for plan in record["plans"] for row in plan["rows"]}


def parameters_of(facts: Facts) -> Json:
    """Return the parameters of the newest version, which is the only one of a rehearsal."""
    bodies = [
        item["body"]
        for partition in facts.items["catalogue"].values()
        for sk, item in sorted(partition.items())
        if sk.startswith("PARAMETERS#")
    ]
    return json.loads(bodies[-1])


class Case:
    """A history with its schedule, the lives of its files and its receipts."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.facts: Facts = story.facts
        self.run: Mapping[str, Json] = story.facts.answers["run"]
        self.is_outside = bool(story.header.get("outside"))
        """True if nothing of the platform is known but answers of the interface."""
        self.keys = published_keys(story.facts.answers["keys"])
        self.schedule = ExpectedTimes.of(story.header, decisions(story.decided))
        self.lives = lives_of(story)
        self.visits = Visits(story)
        self._shared: dict[str, Any] = {}
        pointers = (sk.split("#") for sk, _ in self.facts.of(EXCHANGE, f"RUN#{self.schedule.run_id}", "SESSION#"))
        self.sessions = {team: session_id for _, team, session_id in pointers}
        """Session id by team, for every participant, also for a program that the history does not follow."""

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that several checks share by its name; the first of them makes it."""
        if name not in self._shared:
            self._shared[name] = make()
        return cast("T", self._shared[name])

    @cached_property
    def record(self) -> Mapping[str, Json]:
        """Return the run's record; KeyError where the platform has made none."""
        record: Mapping[str, Json] = self.facts.answers["record"]
        return record

    def stored_receipts(self, team: str) -> frozenset[str]:
        """Return all receipts that are stored with a team's session, each as :func:`receipt_text` writes it."""
        bodies = (json.loads(item["body"]) for _, item in self.receipts(team))
        return self.once(f"stored/{team}", lambda: frozenset(map(receipt_text, bodies)))

    @cached_property
    def statuses(self) -> Mapping[tuple[str, int], Mapping[str, Json]]:
        """Return the final state of each file by the sessions' status, by team and number; a session whose own program
        knows of no status has none."""
        return {
            (team, delivery["number"]): delivery
            for team in self.sessions
            if f"status/{team}" in self.facts.answers
            for delivery in self.facts.answers[f"status/{team}"]["deliveries"]
        }

    def item(self, team: str, sk: str) -> Mapping[str, Json] | None:
        return self.facts.items.get(EXCHANGE, {}).get(f"SESSION#{self.sessions[team]}", {}).get(sk)

    def receipts(self, team: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the stored receipts of a team's session by their sort keys."""
        return self.facts.of(EXCHANGE, f"SESSION#{self.sessions[team]}", "RECEIPT#")

    def receipts_told(self, team: str) -> list[Mapping[str, Json]]:
        """Return the receipts in any answer to a team, over HTTP or the event channel, also those lost on their way."""
        return self._told.get(team, [])

    @cached_property
    def _told(self) -> Mapping[str, list[Mapping[str, Json]]]:
        receipts: dict[str, list[Mapping[str, Json]]] = defaultdict(list)
        for call in self.story.calls:
            if call.what in {"answer", "channel_answer"} and call.status == 200:
                receipts[call.team].append(call.said["receipt"])
        return receipts

    def scores(self, team: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the stored score records of a team's session by their sort keys."""
        return self.facts.of(SCORES, f"SESSION#{self.sessions[team]}", "SCORE#")

    def of(self, prefix: str, *names: str) -> Sequence[Call]:
        """Return the calls of these names, each behind a prefix, that the platform did not fail."""
        full_names = {f"{prefix}{name}" for name in names}
        return [call for call in self.story.calls if call.what in full_names and not call.failed]

    def fate(self, team: str, number: int) -> str:
        """Return a file's fate by its session's status: ``answered``, or the cause of its annulment."""
        status = self.statuses[team, number]
        return "answered" if status["state"] == "answered" else str(status["cause"])

    def accepted(self, team: str, number: int) -> list[Mapping[str, Json]]:
        """Return the receipts of a file's accepted answers that a team got, each once, in the order of their sends."""
        by_send = {
            int(receipt["send"]): receipt
            for receipt in self.receipts_told(team)
            if receipt["number"] == number and receipt["status"] == "accepted"
        }
        return [by_send[send] for send in sorted(by_send)]

    def program(self, sha256: str) -> bytes:
        """Return the program of a declared measure as the rehearsal loaded it. KeyError for another hash."""
        written = base64.b64decode(self.story.header["program"])
        return {hashlib.sha256(written).hexdigest(): written}[sha256]

    def answer(self, session_id: str, number: int, digest: str | None) -> str | None:
        """Return the text of the answer that is stored under its hash, None where there is none."""
        stored, text = self.facts.objects.get(f"answers/{session_id}/{number}/{digest}.json", ("", None))
        return text if stored == digest else None


NOWHERE: Final = object()
"""Value at a place that an answer does not have."""
SURELY: Final = 4
"""Number of files of which at least one is handed out and answered, whatever is injected."""
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
        """Return whether a fault is played: on a driven clock, in a run that is long enough; organizers
        need a team that is too late for a file."""
        files, teams = _FEWEST.get(fault, (1, 0))
        return self.driven and fault in self.faults and self.files >= files and self.over_http >= teams


_FEWEST: Final = {"decisions": (4, 2), "qualifying": (2, 0)}
"""Files and teams over HTTP without which a fault is not played: two files before the pause, of which a team that may
still join misses the second, one that it moves, one to be voided; a run that is begun anew in its second file."""
Least = Callable[[Size], int]
"""Least number of cases of a check in a rehearsal of a size; zero if the rehearsal does not exercise the check. The
numbers follow from the rehearsal's own acts, never from the platform's answers: otherwise a platform that lets nobody
in would pass."""
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
        """Return its docstring from after "Check that" to the first full stop, semicolon, colon or bracket."""
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
    """Make a check's row of its function; a check that needs a fault has no case without it."""

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
