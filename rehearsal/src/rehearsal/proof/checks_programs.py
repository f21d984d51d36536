"""Checks of a contest of programs, written anew from the specification (tracks-sessions T13, F-1 … F-9).

A program is known by the rehearsal's own notes: how its run ends, its predictions, its output. The scoring library
makes the numbers anew from its predictions.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

from rehearsal.history import MARK_OF_PROGRAMS, SECOND, SUBMITTING, Call, Millis, Story, from_text
from rehearsal.proof.case import PROGRAMS_ALONE, Check, parameters_of, published_keys, tries
from rehearsal.proof.oracle import LEAST_TOLD
from tracks import registry
from tracks.protocol import ItemFacts, Outcome

Json = Any
_MOST_CHOSEN: Final = 2
SUBTASKS: Final = ("C2C", "HTR", "zsOD", "VQA")
PUBLIC_TEST, PRIVATE_TEST = "public", "private"
_LEAST_SHARED: Final = 30
"""Least number of shared parameters for a confirmed declaration, of a hundred."""
LOST: Final = "platform"


@dataclass(frozen=True)
class Brought:
    """A submission: its team, its program, the first call whose answer has its receipt."""

    name: str
    team: str
    program: Mapping[str, Json]
    completion: Call

    @property
    def way(self) -> str:
        """Return how its first run ends."""
        return str(self.program["way"])


class ProgramCase:
    """A history of a contest of programs, put in order once."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.facts = story.facts
        self.keys = published_keys(story.facts.answers["keys"])
        limits = next(entry for entry in story.own if "zone" in entry)
        self.zone = ZoneInfo(limits["zone"])
        self.most = (int(limits["a_day"]), int(limits["unscored_a_day"]))
        self.programs = {(entry["team"], entry["number"]): entry for entry in story.own if "way" in entry}
        self.truth = {(entry["set"], entry["subtask"]): entry["truth"] for entry in story.own if "truth" in entry}
        self.track: Any = registry.get("fusion")
        self._rules = parameters_of(story.facts)["track"]
        self._scored: dict[tuple[str, str], Json] = {}

    def of(self, *names: str) -> Sequence[Call]:
        full_names = {f"{SUBMITTING}{name}" for name in names}
        return [call for call in self.story.calls if call.what in full_names]

    @cached_property
    def brought(self) -> Mapping[str, Brought]:
        """Return every submission that was taken, by its name."""
        submissions: dict[str, Brought] = {}
        for call in sorted(self.of("complete"), key=lambda completion: completion.done_at):
            name = call.means["submission"]
            if call.status == 200 and name not in submissions:
                program = self.programs[int(call.team.rpartition("-")[2]) - 1, call.means["program"]]
                submissions[name] = Brought(name, call.team, program, call)
        return submissions

    def stored(self, name: str) -> Mapping[str, Json]:
        """Return a submission's record as it is stored. KeyError where there is none."""
        body: Mapping[str, Json] = json.loads(self.facts.items["exchange"][f"SUBMISSION#{name}"]["STATE"]["body"])
        return body

    @cached_property
    def private_runs(self) -> Mapping[str, Mapping[str, Json]]:
        """Return the stored private runs by their names."""
        named = (pk.removeprefix("SUBMISSION#") for pk in self.facts.items["exchange"] if pk.startswith("SUBMISSION#"))
        runs = {name: self.stored(name) for name in named}
        return {name: body for name, body in runs.items() if body["of"]}

    @cached_property
    def reruns(self) -> Mapping[str, Millis]:
        """Return when the organizers had a run begun again, by submission."""
        calls = [call for call in self.of("rerun") if call.status == 200]
        return {call.means["submission"]: call.sent_at for call in reversed(calls)}

    def receipt(self, name: str) -> Mapping[str, Json]:
        receipt: Mapping[str, Json] = self.brought[name].completion.said["receipt"]
        return receipt

    @cached_property
    def named(self) -> frozenset[str]:
        """Return the submissions that teams have chosen for the private test, by their last choices."""
        chosen = {call.team: call.means["chosen"] for call in self.of("name") if call.status == 200}
        return frozenset(name for names in chosen.values() for name in names)

    @cached_property
    def published_at(self) -> Millis | None:
        """Return when the private test was published."""
        return next((call.sent_at for call in self.of("publish") if call.status == 200), None)

    def result(self, program: Mapping[str, Json], set_name: str) -> Json:
        """Return the aggregate of a program over a set, by the scoring library."""
        key = (program["sha256"], set_name)
        if key not in self._scored:
            predictions, outcomes = program["predictions"][set_name], []
            for subtask in SUBTASKS:
                truth = self.truth[set_name, subtask]
                requests = {name: sorted(value) for name, value in truth.items()} if subtask == "zsOD" else dict(truth)
                item = {"id": subtask, "subtask": subtask, "requests": sorted(truth) if subtask == "HTR" else requests}
                record = self.track.score(item, predictions.get(subtask), [truth], self._rules)
                outcomes.append(Outcome(ItemFacts(subtask, "mul", subtask), subtask in predictions, record))
            self._scored[key] = self.track.aggregate(tuple(outcomes), self._rules, 1)
        return self._scored[key]

    def result_of(self, name: str, set_name: str) -> Json:
        return self.result(self.brought[name].program, set_name)

    def value(self, result: Json, board: str) -> float | None:
        """Return the value that a board shows of it."""
        value: float | None = self.track.value(result, board)
        return value

    def best_in_private(self, board: str) -> Mapping[str, tuple[str, Json]]:
        """Return each team's better private run on a board, of equal ones the earlier submission: its submission, and
        the library's numbers over the private set."""
        best: dict[str, tuple[str, Json]] = {}
        for run in sorted(self.private_runs.values(), key=lambda one: self.brought[one["of"]].completion.sent_at):
            result, earlier = self.result_of(run["of"], PRIVATE_TEST), best.get(run["team_id"])
            if earlier is None or (self.value(result, board) or 0) > (self.value(earlier[1], board) or 0):
                best[run["team_id"]] = run["of"], result
        return best

    @cached_property
    def shared(self) -> Mapping[str, int]:
        """Return the shared parameters that teams have declared at last, by submission."""
        return {call.means["submission"]: call.means["shared"] for call in self.of("declare") if call.status == 200}

    @cached_property
    def ruled(self) -> Mapping[str, bool]:
        """Return the submissions whose declarations the commission has ruled on, and whether it has confirmed them."""
        return {call.means["submission"]: call.means["confirmed"] for call in self.of("ruled") if call.status == 200}

    @cached_property
    def confirmed(self) -> frozenset[str]:
        """Return the submissions of which a team has declared that at least 30 % is shared, and the commission has
        confirmed it (F-8)."""
        return frozenset(
            name for name, fine in self.ruled.items() if fine and self.shared.get(name, 0) >= _LEAST_SHARED
        )

    def day(self, moment: Millis) -> str:
        """Return the day of the cycle's zone."""
        return datetime.fromtimestamp(moment / SECOND, self.zone).date().isoformat()

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Return the scored submissions of which no totals may be told (decision 0028): a subtask of theirs has fewer
        than ten predictions, or fewer than ten other ones than an earlier submission of the team whose totals were
        told."""
        counted, withheld = defaultdict[str, list[Mapping[str, Json]]](list), set[str]()
        when = {name: self.reruns.get(name, submission.completion.sent_at) for name, submission in self.brought.items()}
        for name, submission in sorted(self.brought.items(), key=lambda pair: when[pair[0]]):
            if self.stored(name)["state"] != "scored":
                continue
            own: Mapping[str, Json] = submission.program["predictions"][PUBLIC_TEST]
            if any(0 < len(predictions) < LEAST_TOLD for predictions in own.values()) or any(
                _is_near(own, predictions) for predictions in counted[submission.team]
            ):
                withheld.add(name)
            else:
                counted[submission.team].append(own)
        return frozenset(withheld)

    def chosen(self, team: str) -> list[str]:
        """Return the submissions of a team that run in private: those it has named, at most two, else its best
        (F-7)."""
        named = [call for call in self.of("name") if call.team == team and call.status == 200]
        if named and named[-1].means["chosen"]:
            return sorted(named[-1].means["chosen"])[:_MOST_CHOSEN]
        own = [one for one in self.brought.values() if one.team == team and one.way in {"scored", LOST}]

        def worse(one: Brought) -> tuple[float, Millis]:
            public = one.name not in self.withheld and self.value(self.result_of(one.name, PUBLIC_TEST), "s")
            return -(public or 0), one.completion.sent_at

        return [min(own, key=worse).name] if own else []


def _is_near(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Return whether two submissions have other predictions for one to nine requests of a subtask."""
    for subtask in SUBTASKS:
        mine, theirs = one.get(subtask, {}), other.get(subtask, {})
        differing = sum(mine.get(request) != theirs.get(request) for request in mine.keys() | theirs.keys())
        if 0 < differing < LEAST_TOLD:
            return True
    return False


_REFUSALS: Final = {"pry": 404, "private": 403, "name_late": 409}
"""Status codes of refused calls that read or choose what is not the caller's to see or choose, by the kind of call."""
_NOMINATION: Final = 300_000
_MINIMA: Final = {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
_LEAST_SUM, _FULL_SUM = 1300, 2300
_PLACES: Final = ((1_000_000, 2000, 3_000_000), (500_000, 1000, 1_500_000), (200_000, 600, 800_000))
"""Prizes of places 1 to 3 in the sum, in roubles: FIX, increase per thousandth of S over Smin, MAX (F, the prize)."""


@tries("kept", lambda size: 2 * size.lives, stages=PROGRAMS_ALONE)
def handed_in_kept(check: Check, case: ProgramCase) -> None:
    """Check that every submission handed in has one signed receipt over the announced bytes, for the day of its
    arrival, and is stored with it; asked again, the platform gives the same one (T13)."""
    for call in case.of("complete"):
        if call.status != 200:
            continue
        brought = case.brought[call.means["submission"]]
        promise, where, program = _promise(call), call.where, brought.program
        receipt = promise["receipt"]
        check.look(
            None if case.keys.signed(receipt, promise["signature"]) else f"{where}: the receipt has no good signature",
            _unlike(where, "content_sha256", receipt["content_sha256"], program["sha256"]),
            _unlike(where, "bytes", receipt["bytes"], program["bytes"]),
            _unlike(where, "submission_id", receipt["submission_id"], brought.name),
            _unlike(where, "day", receipt["day"], case.day(from_text(receipt["received_at"]))),
        )
        check.that(promise == _promise(brought.completion), f"{where}: another receipt than the first time")
    for name, brought in case.brought.items():
        stored, where = case.stored(name)["receipt"], f"{brought.team}, {name}"
        is_kept = stored and json.loads(stored) == _promise(brought.completion)
        check.that(is_kept, f"{where}: its receipt is not stored")


def _promise(call: Call) -> Json:
    """Return the receipt in an answer, with its signature."""
    return {name: call.said[name] for name in ("receipt", "signature")}


@tries("limits", lambda size: size.lives // 2, stages=PROGRAMS_ALONE)
def counted_by_day(check: Check, case: ProgramCase) -> None:
    """Check that a team may hand in as long as fewer than three are scored on the day, and fewer than the limit are
    not; a failure of the platform counts nowhere, nothing but that limit refuses a submission, and lists tell what is
    left of it (F-5)."""
    for call in [one for one in case.of("list") if one.status == 200]:
        quota = call.said["left_today"]
        due = [most - many for most, many in zip(case.most, _counted(case, call), strict=True)]
        rest = [quota["scored"], quota["unscored"]]
        check.that(rest == due, f"{call.where}: {rest} are told to be left of the day, not {due}")
    for call in case.of("complete"):
        if call.status is None or call.failed or call.code == "submission_under_way":
            continue
        before = case.brought.get(call.means["submission"])
        if before is not None and before.completion.n != call.n:
            continue
        scored, unscored = _counted(case, call)
        full = scored >= case.most[0] or unscored >= case.most[1]
        expected = 429 if full else 200
        problem = f"{call.where}: with {scored} scored and {unscored} not it is answered {call.status}"
        check.that(call.status == expected, problem)


def _counted(case: ProgramCase, call: Call) -> tuple[int, int]:
    """Return how many of a team's submissions count on the day of a call, by how their programs end."""
    scored = unscored = 0
    for submission in case.brought.values():
        same = submission.team == call.team and submission.completion.done_at < call.sent_at
        if not same or case.day(submission.completion.sent_at) != case.day(call.sent_at):
            continue
        again = case.reruns.get(submission.name)
        if submission.way == "scored" or (submission.way == LOST and again is not None and again < call.sent_at):
            scored += 1
        elif submission.way != LOST:
            unscored += 1
    return scored, unscored


@tries("limits", lambda size: size.over_http // 2, stages=PROGRAMS_ALONE)
def one_at_a_time(check: Check, case: ProgramCase) -> None:
    """Check that while a team's submission is under way no other is taken, and that one is named (F-5)."""
    for name, brought in case.brought.items():
        ends = case.stored(name)["changed_at"]
        for call in case.of("complete"):
            other = call.means["submission"]
            if call.team != brought.team or other == name or name in case.reruns or call.failed or call.status is None:
                continue
            if brought.completion.done_at < call.sent_at and call.done_at < ends:
                repeated = call.status == 200 and other in case.brought and case.brought[other].completion.n != call.n
                right = call.status == 409 or repeated
                check.that(right, f"{call.where}: taken while {name} is under way")


@tries("hidden", lambda size: size.lives, stages=PROGRAMS_ALONE)
def prints_of_its_own(check: Check, case: ProgramCase) -> None:
    """Check that a program's output is shown to its own team alone, and of a private run to nobody (F-4)."""
    for call in case.story.calls:
        if not call.what.startswith(SUBMITTING) or not call.said:
            continue
        programs = {mark.partition(".")[0] for mark in _marks(json.dumps(call.said))}
        mine = {
            f"{one.program['team']}-{one.program['number']}" for one in case.brought.values() if one.team == call.team
        }
        others = sorted(programs - mine)
        check.that(not others, f"{call.where}: is told what {', '.join(others)} has printed")
        if call.what == f"{SUBMITTING}logs" and call.status == 200:
            name = call.means["submission"]
            program, attempt = case.brought[name].program, case.stored(name)["attempt"]
            runs = {f"{program['team']}-{program['number']}.{name}-{number}" for number in range(1, attempt + 1)}
            fine = program["real"] or set(_marks(call.said["stdout"])) <= runs
            check.that(fine, f"{call.where}: the logs are another run's")


def _marks(text: str) -> Iterator[str]:
    """Yield the program and run behind each mark in a text."""
    for part in text.split(MARK_OF_PROGRAMS)[1:]:
        yield part.split("\\")[0].split("\n")[0].split('"')[0].split(" ")[0]


@tries("hidden", lambda size: size.over_http * (2 + size.plays("prying")), stages=PROGRAMS_ALONE)
def private_kept(check: Check, case: ProgramCase) -> None:
    """Check that before its publication nobody but the organizers is told anything of the private test; teams choose
    nothing once it has begun; another team's data is unknown to a team at any time (F-7, T10)."""
    for call in case.of("private", "pry", "name_late"):
        if call.status is None or call.failed or call.status == 429:
            continue
        refusal = _REFUSALS[call.what.removeprefix(SUBMITTING)]
        out = case.published_at is not None and call.sent_at >= case.published_at
        if call.what == f"{SUBMITTING}private" and out:
            continue
        check.that(call.status == refusal, f"{call.where}: {call.path} is answered {call.status}")
    for call in case.story.calls:
        if call.team.startswith("team-") and (case.published_at is None or call.sent_at < case.published_at):
            text = json.dumps(call.said) if call.what != f"{SUBMITTING}pry" else ""
            runs = sorted(run for run in case.private_runs if run in text)
            check.that(not runs, f"{call.where}: is told of the private runs {', '.join(runs)}")


@tries("admitted", lambda size: 2 * size.over_http, stages=PROGRAMS_ALONE)
def chosen_are_run(check: Check, case: ProgramCase) -> None:
    """Check that the private test runs each team's named submissions, at most two, else its best, each once (F-7)."""
    runs = defaultdict[str, list[str]](list)
    for run in case.private_runs.values():
        runs[run["team_id"]].append(run["of"])
        check.look(_unlike(f"{run['team_id']}, {run['submission_id']}", "set", run["order"]["set_name"], PRIVATE_TEST))
    for team in sorted({submission.team for submission in case.brought.values()}):
        due, started = case.chosen(team), sorted(runs[team])
        check.that(started == sorted(due), f"{team}: {started} is run in private, chosen was {sorted(due)}")


def prizes(case: ProgramCase) -> list[tuple[str, int, str, float]]:
    """Return board, place, team and roubles of each prize.

    The first of each subtask above its minimum share 300 000; the prizes of the sum go to the first three of the models
    of which the commission has confirmed that they share 30 % of their parameters: of each place FIX + α (S - Smin)
    millions, MAX from 2.3 on. Level teams share what their places are worth, and below a minimum a place is worth
    nothing (F, the prize; F-8, F-9). S counts in thousandths here.
    """
    best = case.best_in_private("s")
    confirmed = {team: result for team, (name, result) in best.items() if name in case.confirmed and result["s"]}
    sums = {team: round(result["s"] * 1000) for team, result in confirmed.items()}
    due = []
    for team, result in confirmed.items():
        level = sum(other == sums[team] for other in sums.values())
        place = sum(other > sums[team] for other in sums.values())
        fine = sums[team] >= _LEAST_SUM and all(
            result["subtasks"][key]["rounded"] >= least for key, least in _MINIMA.items()
        )
        worth = sum(_worth(sums[team], level_place) for level_place in range(place, place + level)) if fine else 0
        due += [("s", place + 1, team, round(worth / level, 2))] if worth else []
    for key, least in _MINIMA.items():
        values = {team: case.value(result, key) or 0.0 for team, (_, result) in case.best_in_private(key).items()}
        first = [team for team, value in values.items() if value == max(values.values()) and value >= least]
        due += [(key, 1, team, round(_NOMINATION / len(first), 2)) for team in first]
    return sorted(due)


def _worth(thousandths: int, place: int) -> int:
    """Return the roubles of a place, the first is 0."""
    if place >= len(_PLACES):
        return 0
    fix, slope, most = _PLACES[place]
    return most if thousandths >= _FULL_SUM else min(most, fix + slope * (thousandths - _LEAST_SUM))


@tries("results", lambda size: size.lives, stages=PROGRAMS_ALONE)
def nothing_under_way(check: Check, case: ProgramCase) -> None:
    """Check that in the end every submission and every private run is final, and no message waits (T13)."""
    for pk, items in case.facts.items["exchange"].items():
        if pk.startswith("SUBMISSION#"):
            state = json.loads(items["STATE"]["body"])["state"]
            fine = state in {"scored", "failed", "refused", "uploading"}
            check.that(fine, f"{pk.removeprefix('SUBMISSION#')}: is still {state}")
    for queue, messages in case.facts.left.items():
        check.that(messages == 0, f"{queue}: {messages} messages are left")


def _unlike(where: str, name: str, actual: Json, value: Json) -> str | None:
    return None if actual == value else f"{where}: {name} is told as {actual}, not {value}"
