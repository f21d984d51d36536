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

from local.rehearsal.history import MARK_OF_PROGRAMS, SUBMITTING, Call, Story
from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.proof.case import Check
from local.rehearsal.proof.conclusion import published_keys
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


@dataclass(frozen=True)
class Brought:
    """A submission that was handed in: its team, its program, the first call whose answer has its receipt."""

    name: str
    team: str
    program: Mapping[str, Json]
    taken: Call

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
        limits = next(each for each in story.own if "zone" in each)
        self.zone = ZoneInfo(limits["zone"])
        self.most = (int(limits["a_day"]), int(limits["unscored_a_day"]))
        self.programs = {(each["team"], each["number"]): each for each in story.own if "way" in each}
        self.truth = {(each["set"], each["subtask"]): each["truth"] for each in story.own if "truth" in each}
        self._track: Any = registry.get("fusion")
        self._rules, _ = self._track.read_parameters({})
        self._scored: dict[tuple[str, str], Json] = {}

    def of(self, *names: str) -> Sequence[Call]:
        """Return the calls of these kinds, in their order."""
        wanted = {f"{SUBMITTING}{each}" for each in names}
        return [each for each in self.story.calls if each.what in wanted]

    @cached_property
    def brought(self) -> Mapping[str, Brought]:
        """Return every submission that was taken, by its name."""
        found: dict[str, Brought] = {}
        for call in sorted(self.of("complete"), key=lambda each: each.done_at):
            name = call.means["submission"]
            if call.status == 200 and name not in found:
                program = self.programs[int(call.team.rpartition("-")[2]) - 1, call.means["program"]]
                found[name] = Brought(name, call.team, program, call)
        return found

    def stored(self, name: str) -> Mapping[str, Json]:
        """Return a submission's record as it is stored. KeyError where there is none."""
        body: Mapping[str, Json] = json.loads(self.facts.items["exchange"][f"SUBMISSION#{name}"]["STATE"]["body"])
        return body

    @cached_property
    def private_runs(self) -> Mapping[str, Mapping[str, Json]]:
        """Return the stored private runs by their names."""
        named = (pk.removeprefix("SUBMISSION#") for pk in self.facts.items["exchange"] if pk.startswith("SUBMISSION#"))
        found = {name: self.stored(name) for name in named}
        return {name: each for name, each in found.items() if each["of"]}

    @cached_property
    def reruns(self) -> Mapping[str, Millis]:
        """Return when the organizers had a run begun again, by submission."""
        calls = [each for each in self.of("rerun") if each.status == 200]
        return {each.means["submission"]: each.sent_at for each in reversed(calls)}

    @cached_property
    def published_at(self) -> Millis | None:
        """Return when the private test was published."""
        return next((each.sent_at for each in self.of("publish") if each.status == 200), None)

    def result(self, program: Mapping[str, Json], of: str) -> Json:
        """Return the aggregate of a program over a set, by the scoring library."""
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
        """Return the value that a board shows of it."""
        found: float | None = self._track.value(result, board)
        return found

    def best_in_private(self, board: str) -> Mapping[str, tuple[str, Json]]:
        """Return each team's better private run on a board, of equal ones the earlier submission: its submission, and
        the library's numbers over the private set."""
        found: dict[str, tuple[str, Json]] = {}
        for run in sorted(self.private_runs.values(), key=lambda each: self.brought[each["of"]].taken.sent_at):
            made = self.result(self.brought[run["of"]].program, PRIVATE)
            known = found.get(run["team_id"])
            if known is None or (self.value(made, board) or 0) > (self.value(known[1], board) or 0):
                found[run["team_id"]] = run["of"], made
        return found

    @cached_property
    def confirmed(self) -> frozenset[str]:
        """Return the submissions of which a team has declared that at least 30 % is shared, and the commission has
        confirmed it (F-8): by the requests of both."""
        shared = {each.means["submission"]: each.means["shared"] for each in self.of("declare") if each.status == 200}
        ruled = {each.means["submission"]: each.means["confirmed"] for each in self.of("ruled") if each.status == 200}
        return frozenset(name for name, fine in ruled.items() if fine and shared.get(name, 0) >= LEAST_SHARED)

    def day(self, moment: Millis) -> str:
        """Return the day of the cycle's zone."""
        return datetime.fromtimestamp(moment / SECOND, self.zone).date().isoformat()

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Return the scored submissions of which no totals may be told (decision 0028): a subtask of theirs has fewer
        than ten predictions, or fewer than ten other ones than an earlier submission of the team whose totals were
        told."""
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
        """Return the submissions of a team that run in private: those it has named, at most two, else its best
        (F-7)."""
        named = [each for each in self.of("name") if each.team == team and each.status == 200]
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


_PRIVATE: Final = "private"
_REFUSALS: Final = {"pry": 404, "private": 403, "name_late": 409}
"""What is answered to whoever looks or chooses where there is nothing for them, by the kind of call."""
_NOMINATION: Final = 300_000
_MINIMA: Final = {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
_LEAST_SUM, _FULL_SUM = 1300, 2300
_PLACES: Final = ((1_000_000, 2000, 3_000_000), (500_000, 1000, 1_500_000), (200_000, 600, 800_000))
"""Of the places 1 to 3 in the sum: FIX, what a thousandth of S over Smin adds, MAX, in roubles (F, the prize)."""


def receipts(case: ProgramCase) -> Check:
    """Check that every submission handed in has one signed receipt over the announced bytes, for the day of its
    arrival, and is stored with it; asked again, the platform gives the same one (T13)."""
    check = Check("handed_in_kept")
    for call in case.of("complete"):
        if call.status != 200:
            continue
        brought = case.brought[call.means["submission"]]
        said, where, program = _promise(call), f"{call.where}", brought.program
        told = said["receipt"]
        check.look(
            None if case.keys.signed(told, said["signature"]) else f"{where}: the receipt has no good signature",
            _unlike(where, "content_sha256", told["content_sha256"], program["sha256"]),
            _unlike(where, "bytes", told["bytes"], program["bytes"]),
            _unlike(where, "submission_id", told["submission_id"], brought.name),
            _unlike(where, "day", told["day"], case.day(from_text(told["received_at"]))),
        )
        check.that(said == _promise(brought.taken), f"{where}: another receipt than the first time")
    for name, brought in case.brought.items():
        kept, where = case.stored(name)["receipt"], f"{brought.team}, {name}"
        is_kept = kept and json.loads(kept) == _promise(brought.taken)
        check.that(is_kept, f"{where}: its receipt is not stored")
    return check


def _promise(call: Call) -> Json:
    """Return the receipt in an answer, with its signature."""
    return {name: call.said[name] for name in ("receipt", "signature")}


def ended(case: ProgramCase) -> Check:
    """Check that every submission handed in ends as its program does, with the cause that the rules name; one that a
    machine lost is scored once it is run again (F-4, T13)."""
    check = Check("ended_as_played")
    for name, brought in case.brought.items():
        body, way = case.stored(name), brought.way
        state = {"scored": "scored", "refused": "refused", LOST: "scored" if name in case.reruns else "failed"}
        wanted = (state.get(way, "failed"), None if way in {"scored", "refused"} else way)
        if way == LOST and name in case.reruns:
            wanted = ("scored", None)
        found = (body["state"], body["cause"])
        check.that(found == wanted, f"{brought.team}, {name}: ended as {found}, played was {wanted}")
    for call in case.of("give_up"):
        if call.status == 200:
            state = case.stored(call.means["submission"])["state"]
            check.that(state == "refused", f"{call.where}: what was given up is {state}")
    return check


def quota(case: ProgramCase) -> Check:
    """Check that a team may hand in as long as fewer than three are scored on the day, and fewer than the limit are
    not; a failure of the platform counts nowhere, and nothing but that limit refuses a submission (F-5)."""
    check = Check("counted_by_day")
    for call in case.of("complete"):
        if call.status is None or call.failed or call.code == "submission_under_way":
            continue
        before = case.brought.get(call.means["submission"])
        if before is not None and before.taken.n != call.n:
            continue
        scored, unscored = _counted(case, call)
        full = scored >= case.most[0] or unscored >= case.most[1]
        wanted = 429 if full else 200
        said = f"{call.where}: with {scored} scored and {unscored} not it is answered {call.status}"
        check.that(call.status == wanted, said)
    return check


def _counted(case: ProgramCase, call: Call) -> tuple[int, int]:
    """Return how many of a team's submissions count on the day of a call, by how their programs end."""
    scored = unscored = 0
    for each in case.brought.values():
        same = each.team == call.team and each.taken.done_at < call.sent_at
        if not same or case.day(each.taken.sent_at) != case.day(call.sent_at):
            continue
        again = case.reruns.get(each.name)
        if each.way == "scored" or (each.way == LOST and again is not None and again < call.sent_at):
            scored += 1
        elif each.way != LOST:
            unscored += 1
    return scored, unscored


def one_at_a_time(case: ProgramCase) -> Check:
    """Check that while a team's submission is under way no other is taken, and that one is named (F-5)."""
    check = Check("one_at_a_time")
    for name, brought in case.brought.items():
        ends = case.stored(name)["changed_at"]
        for call in case.of("complete"):
            other = call.means["submission"]
            if call.team != brought.team or other == name or name in case.reruns or call.failed or call.status is None:
                continue
            if brought.taken.done_at < call.sent_at and call.done_at < ends:
                repeated = call.status == 200 and other in case.brought and case.brought[other].taken.n != call.n
                right = call.status == 409 or repeated
                check.that(right, f"{call.where}: taken while {name} is under way")
    return check


def scores(case: ProgramCase) -> Check:
    """Check that the numbers of a submission in a report and a list are the library's over its own program's
    predictions, and that the run that the report names is its own (T13, F-2, F-6)."""
    check = Check("numbers_of_its_own")
    for name, brought in case.brought.items():
        body = case.stored(name)
        if body["state"] != "scored":
            continue
        made = case.result(brought.program, PUBLIC)
        where = f"{brought.team}, {name}"
        text = case.facts.objects[f"submissions/reports/{name}.json"][1]
        report = json.loads(text or "{}")
        if name in case.withheld:
            continue
        if report["result"] is None:
            check.look(f"{where}: its totals are withheld")
            continue
        check.look(
            _unlike(where, "s", report["result"]["s"], made["s"]),
            _unlike(where, "value", body["value"], made["s"]),
            _unlike(where, "run", report["run"]["run"], f"{name}-{body['attempt']}"),
            _unlike(
                where,
                "missing",
                sorted(report["missing"]),
                sorted(set(SUBTASKS) - set(brought.program["predictions"][PUBLIC])),
            ),
            *(
                _unlike(
                    where,
                    each,
                    report["result"]["subtasks"][each.lower()]["score"],
                    made["subtasks"][each.lower()]["score"],
                )
                for each in SUBTASKS
            ),
        )
    for call in case.of("report"):
        if call.status == 200:
            said = call.said["submission"]["submission_id"]
            check.look(_unlike(f"{call.where}", "submission_id", said, call.means["submission"]))
    return check


def prints(case: ProgramCase) -> Check:
    """Check that a program's output is shown to its own team alone, and of a private run to nobody (F-4)."""
    check = Check("prints_of_its_own")
    for call in case.story.calls:
        if not call.what.startswith(SUBMITTING) or not call.said:
            continue
        told = {each.partition(".")[0] for each in _marks(json.dumps(call.said))}
        mine = {
            f"{each.program['team']}-{each.program['number']}"
            for each in case.brought.values()
            if each.team == call.team
        }
        where = f"{call.where}"
        others = sorted(told - mine)
        check.that(not others, f"{where}: is told what {', '.join(others)} has printed")
        if call.what == f"{SUBMITTING}logs" and call.status == 200:
            name = call.means["submission"]
            program, attempt = case.brought[name].program, case.stored(name)["attempt"]
            runs = {f"{program['team']}-{program['number']}.{name}-{each}" for each in range(1, attempt + 1)}
            fine = program["real"] or set(_marks(call.said["stdout"])) <= runs
            check.that(fine, f"{where}: the logs are another run's")
    return check


def _marks(text: str) -> Iterator[str]:
    """Yield the program and run behind each mark in a text."""
    for part in text.split(MARK_OF_PROGRAMS)[1:]:
        yield part.split("\\")[0].split("\n")[0].split('"')[0].split(" ")[0]


def private_kept(case: ProgramCase) -> Check:
    """Check that before its publication nobody but the organizers is told anything of the private test; teams choose
    nothing once it has begun; another team's data is unknown to a team at any time (F-7, T10)."""
    check = Check("private_kept")
    for call in case.of("private", "pry", "name_late"):
        if call.status is None or call.failed or call.status == 429:
            continue
        wanted = _REFUSALS[call.what.removeprefix(SUBMITTING)]
        out = case.published_at is not None and call.sent_at >= case.published_at
        if call.what == f"{SUBMITTING}private" and out:
            continue
        check.that(call.status == wanted, f"{call.where}: {call.path} is answered {call.status}")
    for call in case.story.calls:
        if call.team.startswith("team-") and (case.published_at is None or call.sent_at < case.published_at):
            said = json.dumps(call.said) if call.what != f"{SUBMITTING}pry" else ""
            told = sorted(each for each in case.private_runs if each in said)
            check.that(not told, f"{call.where}: is told of the private runs {', '.join(told)}")
    return check


def chosen(case: ProgramCase) -> Check:
    """Check that the private test runs each team's named submissions, at most two, else its best, each once (F-7)."""
    check = Check("chosen_are_run")
    runs = defaultdict[str, list[str]](list)
    for each in case.private_runs.values():
        runs[each["team_id"]].append(each["of"])
        check.look(_unlike(f"{each['team_id']}, {each['submission_id']}", "set", each["order"]["set_name"], _PRIVATE))
    for team in sorted({each.team for each in case.brought.values()}):
        due, found = case.chosen(team), sorted(runs[team])
        check.that(found == sorted(due), f"{team}: {found} is run in private, chosen was {sorted(due)}")
    return check


def boards(case: ProgramCase) -> Check:
    """Check that the boards of the public test have each team's best, those of the private test the better of its runs,
    with their places; nothing but the private test decides there (F-6, F-7)."""
    check = Check("boards_by_replay")
    public = defaultdict[str, list[Json]](list)
    for name, each in case.brought.items():
        if case.stored(name)["state"] == "scored" and name not in case.withheld:
            public[each.team].append(case.result(each.program, PUBLIC))
    private = defaultdict[str, list[Json]](list)
    for run in case.private_runs.values():
        private[run["team_id"]].append(case.result(case.brought[run["of"]].program, _PRIVATE))
    out = case.facts.answers.get("private", {})
    check.that(out.get("published"), "the private test is not published")
    for key in ("s", *(each.lower() for each in SUBTASKS)):
        rows = case.facts.answers[f"board/{key}"]["rows"]
        shown = sorted((each["team_id"], each["place"], each["value"]) for each in rows)
        check.look(_board(f"the board {key}", shown, _placed(case, public, key)))
        final = sorted(
            (each["team_id"], each["place"], each["value"]) for each in out.get("places", ()) if each["board"] == key
        )
        check.look(_board(f"the private board {key}", final, _placed(case, private, key)))
    return check


def _board(where: str, shown: Json, expected: Json) -> str | None:
    return None if shown == expected else f"{where}: it shows {shown}, the replay gives {expected}"


def _placed(case: ProgramCase, results: Mapping[str, Sequence[Json]], key: str) -> list[tuple[str, int, float | None]]:
    best = {team: max((case.value(each, key) for each in known), key=lambda each: -1.0 if each is None else each)
            for team, known in results.items()}  # fmt: skip
    values = [-1.0 if each is None else each for each in best.values()]
    return sorted((team, 1 + sum(each > (-1.0 if value is None else value) for each in values), value)
                  for team, value in best.items())  # fmt: skip


def prizes(case: ProgramCase) -> Check:
    """Check the prizes. The first of each subtask above its minimum share 300 000 roubles; the prizes of the sum go to
    the first three of the models of which the commission has confirmed that they share 30 % of their parameters, and to
    no other (F-8, F-9)."""
    check = Check("prizes_by_the_rules")
    given = case.facts.answers.get("private", {}).get("awards", ())
    for key in (each.lower() for each in SUBTASKS):
        values = {team: case.value(each, key) for team, (_, each) in case.best_in_private(key).items()}
        reached = {team: each for team, each in values.items() if each is not None and each >= _MINIMA[key]}
        first = sorted(team for team, each in reached.items() if each == max(reached.values()))
        due = {team: round(_NOMINATION / len(first), 2) for team in first}
        check.look(_board(f"the prizes of {key}", _given(given, key), due))
    check.look(_board("the prizes of the sum", _given(given, "s"), _of_sum(case)))
    return check


def _given(awards: Sequence[Json], board: str) -> dict[str, float]:
    return {each["team_id"]: each["roubles"] for each in awards if each["board"] == board}


def _of_sum(case: ProgramCase) -> dict[str, float]:
    """Return the roubles by team: of each place FIX + α (S - Smin) millions, MAX from 2.3 on; level teams share what
    their places are worth, and below a minimum a place is worth nothing (F, the prize). S counts in thousandths
    here."""
    known = {
        team: made
        for team, (of, made) in case.best_in_private("s").items()
        if made["s"] is not None and of in case.confirmed
    }
    sums = {team: round(made["s"] * 1000) for team, made in known.items()}
    due = {}
    for team, made in known.items():
        level = sum(each == sums[team] for each in sums.values())
        place = sum(each > sums[team] for each in sums.values())
        fine = sums[team] >= _LEAST_SUM and all(made["subtasks"][each]["rounded"] >= _MINIMA[each] for each in _MINIMA)
        worth = sum(_worth(sums[team], each) for each in range(place, place + level)) if fine else 0
        if worth:
            due[team] = round(worth / level, 2)
    return due


def _worth(thousandths: int, place: int) -> int:
    """Return the roubles of a place, the first is 0."""
    if place >= len(_PLACES):
        return 0
    fix, slope, most = _PLACES[place]
    return most if thousandths >= _FULL_SUM else min(most, fix + slope * (thousandths - _LEAST_SUM))


def at_rest(case: ProgramCase) -> Check:
    """Check that in the end every submission and every private run is final, and no message waits (T13)."""
    check = Check("nothing_under_way")
    for pk, of in case.facts.items["exchange"].items():
        if pk.startswith("SUBMISSION#"):
            state = json.loads(of["STATE"]["body"])["state"]
            fine = state in {"scored", "failed", "refused", "uploading"}
            check.that(fine, f"{pk.removeprefix('SUBMISSION#')}: is still {state}")
    for queue, messages in case.facts.left.items():
        check.that(messages == 0, f"{queue}: {messages} messages are left")
    return check


def _unlike(where: str, name: str, told: Json, value: Json) -> str | None:
    return None if told == value else f"{where}: {name} is told as {told}, not {value}"
