"""A contest of programs as it was played, put in order once, for the checks of it.

What is known of a program is what the rehearsal wrote down of it: how its run ends, what it predicts, what it prints.
Numbers are made anew of its predictions by the scoring library.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

from local.rehearsal.history import SUBMITTING, Call, Story
from local.rehearsal.moments import SECOND, Millis
from local.rehearsal.proof.conclusion import Keys
from tracks import registry
from tracks.protocol import ItemFacts, Outcome

Json = Any
MOST_CHOSEN: Final = 2
SUBTASKS: Final = ("C2C", "HTR", "zsOD", "VQA")
PUBLIC, PRIVATE = "public", "private"
LEAST_SHARED: Final = 30
"""Of a hundred parameters."""
LEAST_HIDDEN: Final = 10
"""Requests of which totals, and differences of totals, are told at least."""
LOST: Final = "platform"
BEGAN: Final = 200


@dataclass(frozen=True)
class Brought:
    """A submission that was handed in: by whom, which program it is, the call whose answer has its receipt first."""

    name: str
    team: str
    program: Mapping[str, Json]
    taken: Call

    @property
    def way(self) -> str:
        """How its first run ends."""
        return str(self.program["way"])


class ProgramCase:
    """A history of a contest of programs, put in order once."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.facts = story.facts
        self.keys = Keys(story.facts.answers["keys"])
        limits = next(each for each in story.own if "zone" in each)
        self.zone = ZoneInfo(limits["zone"])
        self.most = (int(limits["a_day"]), int(limits["unscored_a_day"]))
        self.programs = {(each["team"], each["number"]): each for each in story.own if "way" in each}
        self.truth = {(each["set"], each["subtask"]): each["truth"] for each in story.own if "truth" in each}
        self._track: Any = registry.get("fusion")
        self._rules, _ = self._track.read_parameters({})
        self._scored: dict[tuple[str, str], Json] = {}

    def of(self, *names: str) -> Sequence[Call]:
        """Calls of these kinds, in their order."""
        wanted = {f"{SUBMITTING}{each}" for each in names}
        return [each for each in self.story.calls if each.what in wanted]

    @cached_property
    def brought(self) -> Mapping[str, Brought]:
        """Everything that was taken, by its name."""
        found: dict[str, Brought] = {}
        for call in sorted(self.of("complete"), key=lambda each: each.done_at):
            name = call.means["submission"]
            if call.status == BEGAN and name not in found:
                program = self.programs[int(call.team.rpartition("-")[2]) - 1, call.means["program"]]
                found[name] = Brought(name, call.team, program, call)
        return found

    def stored(self, name: str) -> Mapping[str, Json]:
        """A submission's record as it is stored. KeyError where there is none."""
        body: Mapping[str, Json] = json.loads(self.facts.items["exchange"][f"SUBMISSION#{name}"]["STATE"]["body"])
        return body

    @cached_property
    def private_runs(self) -> Mapping[str, Mapping[str, Json]]:
        """Stored private runs by their names."""
        named = (pk.removeprefix("SUBMISSION#") for pk in self.facts.items["exchange"] if pk.startswith("SUBMISSION#"))
        found = {name: self.stored(name) for name in named}
        return {name: each for name, each in found.items() if each["of"]}

    @cached_property
    def reruns(self) -> Mapping[str, Millis]:
        """When the organizers had a run begun again, by submission."""
        calls = [each for each in self.of("rerun") if each.status == BEGAN]
        return {each.means["submission"]: each.sent_at for each in reversed(calls)}

    @cached_property
    def published_at(self) -> Millis | None:
        """When the private test was published."""
        return next((each.sent_at for each in self.of("publish") if each.status == BEGAN), None)

    def result(self, program: Mapping[str, Json], of: str) -> Json:
        """The aggregate of a program over a set, by the scoring library."""
        key = (program["sha256"], of)
        if key not in self._scored:
            said, outcomes = program["predictions"][of], []
            for each in SUBTASKS:
                truth = self.truth[of, each]
                asked = {name: sorted(value) for name, value in truth.items()} if each == "zsOD" else dict(truth)
                item = {"id": each, "subtask": each, "requests": sorted(truth) if each == "HTR" else asked}
                record = self._track.score(item, said.get(each), [truth], self._rules)
                outcomes.append(Outcome(ItemFacts(each, "mul", each), each in said, record))
            self._scored[key] = self._track.aggregate(tuple(outcomes), self._rules, 1)
        return self._scored[key]

    def value(self, result: Json, board: str) -> float | None:
        """What a board shows of it."""
        found: float | None = self._track.value(result, board)
        return found

    def best_in_private(self, board: str) -> Mapping[str, tuple[str, Json]]:
        """Each team's better private run on a board, of equal ones the earlier submission: which it is of, and the
        library's numbers over the private set."""
        found: dict[str, tuple[str, Json]] = {}
        for run in sorted(self.private_runs.values(), key=lambda each: self.brought[each["of"]].taken.sent_at):
            made = self.result(self.brought[run["of"]].program, PRIVATE)
            known = found.get(run["team_id"])
            if known is None or (self.value(made, board) or 0) > (self.value(known[1], board) or 0):
                found[run["team_id"]] = run["of"], made
        return found

    @cached_property
    def confirmed(self) -> frozenset[str]:
        """Submissions of which a team has declared that at least 30 % is shared, and the commission has confirmed it
        (F-8): by what both have asked for."""
        shared = {each.means["submission"]: each.means["shared"] for each in self.of("declare") if each.status == BEGAN}
        ruled = {each.means["submission"]: each.means["confirmed"] for each in self.of("ruled") if each.status == BEGAN}
        return frozenset(name for name, fine in ruled.items() if fine and shared.get(name, 0) >= LEAST_SHARED)

    def day(self, moment: Millis) -> str:
        """The day of the cycle's zone."""
        return datetime.fromtimestamp(moment / SECOND, self.zone).date().isoformat()

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Scored submissions of which no totals may be told (decision 0028): a subtask of theirs has fewer than ten
        predictions, or fewer than ten other ones than an earlier submission of the team whose totals were told."""
        counted, withheld = defaultdict[str, list[Mapping[str, Json]]](list), set[str]()
        when = {name: self.reruns.get(name, submission.taken.sent_at) for name, submission in self.brought.items()}
        for name, submission in sorted(self.brought.items(), key=lambda pair: when[pair[0]]):
            if self.stored(name)["state"] != "scored":
                continue
            own: Mapping[str, Json] = submission.program["predictions"][PUBLIC]
            if any(0 < len(predictions) < LEAST_HIDDEN for predictions in own.values()) or any(
                _is_near(own, predictions) for predictions in counted[submission.team]
            ):
                withheld.add(name)
            else:
                counted[submission.team].append(own)
        return frozenset(withheld)

    def chosen(self, team: str) -> list[str]:
        """What is run of a team in private: what it has named, at most two, else its best (F-7)."""
        named = [each for each in self.of("name") if each.team == team and each.status == BEGAN]
        own = [each for each in self.brought.values() if each.team == team and each.way in {"scored", LOST}]
        if named and named[-1].means["chosen"]:
            return sorted(named[-1].means["chosen"])[:MOST_CHOSEN]
        values = [
            (
                0 if each.name in self.withheld else -(self.value(self.result(each.program, PUBLIC), "s") or 0),
                each.taken.sent_at,
                each,
            )
            for each in own
        ]
        return [min(values, key=lambda each: each[:2])[2].name] if values else []


def _is_near(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Return whether two submissions have other predictions for one to nine requests of a subtask."""
    for subtask in SUBTASKS:
        mine, theirs = one.get(subtask, {}), other.get(subtask, {})
        differing = sum(mine.get(each) != theirs.get(each) for each in mine.keys() | theirs.keys())
        if 0 < differing < LEAST_HIDDEN:
            return True
    return False
