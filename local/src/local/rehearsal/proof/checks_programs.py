"""The checks of a contest of programs, written anew from the specification (tracks-sessions T13, F-1 … F-9).

What is known of a program is what the rehearsal wrote down of it: how its run ends, what it predicts, what it prints.
Numbers are made anew of its predictions by the scoring library.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from local.rehearsal.history import MARK_OF_PROGRAMS, SUBMITTING, Call
from local.rehearsal.moments import from_text
from local.rehearsal.proof import checks_archive, checks_attack
from local.rehearsal.proof.case import Check
from local.rehearsal.proof.program_case import BEGAN, LOST, PUBLIC, SUBTASKS, Json, ProgramCase

_PRIVATE: Final = "private"
_REFUSALS: Final = {"pry": 404, "private": 403, "name_late": 409}
"""What is answered to whoever looks or chooses where there is nothing for them, by the kind of call."""
_NOMINATION: Final = 300_000
_MINIMA: Final = {"c2c": 0.2, "htr": 0.6, "zsod": 0.15, "vqa": 0.35}
_LEAST_SUM, _FULL_SUM = 1300, 2300
_PLACES: Final = ((1_000_000, 2000, 3_000_000), (500_000, 1000, 1_500_000), (200_000, 600, 800_000))
"""Of the places 1 to 3 in the sum: FIX, what a thousandth of S over Smin adds, MAX, in roubles (F, the prize)."""


def receipts(case: ProgramCase) -> Check:
    """Whatever was handed in has one signed receipt over the bytes that were announced, for the day on which it came,
    and is stored with it; asked again, the same one (T13)."""
    check = Check("handed_in_kept")
    for call in case.of("complete"):
        if call.status != BEGAN:
            continue
        brought = case.brought[call.means["submission"]]
        said, where, program = _promise(call), f"{call.team}, call {call.n}", brought.program
        told = said["receipt"]
        check.look(
            None if case.keys.signed(told, said["signature"]) else f"{where}: the receipt has no good signature",
            _unlike(where, "content_sha256", told["content_sha256"], program["sha256"]),
            _unlike(where, "bytes", told["bytes"], program["bytes"]),
            _unlike(where, "submission_id", told["submission_id"], brought.name),
            _unlike(where, "day", told["day"], case.day(from_text(told["received_at"]))),
        )
        check.look(None if said == _promise(brought.taken) else f"{where}: another receipt than the first time")
    for name, brought in case.brought.items():
        kept, where = case.stored(name)["receipt"], f"{brought.team}, {name}"
        is_kept = kept and json.loads(kept) == _promise(brought.taken)
        check.look(None if is_kept else f"{where}: its receipt is not stored")
    return check


def _promise(call: Call) -> Json:
    """The receipt in an answer, with its signature."""
    return {name: call.said[name] for name in ("receipt", "signature")}


def ended(case: ProgramCase) -> Check:
    """Whatever was handed in ends as its program does, with the cause that the rules name; what a machine lost is
    scored once it is run again (F-4, T13)."""
    check = Check("ended_as_played")
    for name, brought in case.brought.items():
        body, way = case.stored(name), brought.way
        state = {"scored": "scored", "refused": "refused", LOST: "scored" if name in case.reruns else "failed"}
        wanted = (state.get(way, "failed"), None if way in {"scored", "refused"} else way)
        if way == LOST and name in case.reruns:
            wanted = ("scored", None)
        found = (body["state"], body["cause"])
        check.look(None if found == wanted else f"{brought.team}, {name}: ended as {found}, played was {wanted}")
    for call in case.of("give_up"):
        if call.status == BEGAN:
            state = case.stored(call.means["submission"])["state"]
            check.look(None if state == "refused" else f"{call.team}, call {call.n}: what was given up is {state}")
    return check


def quota(case: ProgramCase) -> Check:
    """A team hands in as long as fewer than three are scored on the day, and fewer than so many are not; what the
    platform failed at counts nowhere, and nothing but that refuses it (F-5)."""
    check = Check("counted_by_day")
    for call in case.of("complete"):
        if call.status is None or call.failed or call.code == "submission_under_way":
            continue
        before = case.brought.get(call.means["submission"])
        if before is not None and before.taken.n != call.n:
            continue
        scored, unscored = _counted(case, call)
        full = scored >= case.most[0] or unscored >= case.most[1]
        wanted = 429 if full else BEGAN
        said = f"{call.team}, call {call.n}: with {scored} scored and {unscored} not it is answered {call.status}"
        check.look(None if call.status == wanted else said)
    return check


def _counted(case: ProgramCase, call: Call) -> tuple[int, int]:
    """How many of a team's submissions count on the day of a call, by how their programs end."""
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
    """While a team's submission is under way, no other of it is taken, and the one that is under way is named (F-5)."""
    check = Check("one_at_a_time")
    for name, brought in case.brought.items():
        ends = case.stored(name)["changed_at"]
        for call in case.of("complete"):
            other = call.means["submission"]
            if call.team != brought.team or other == name or name in case.reruns or call.failed or call.status is None:
                continue
            if brought.taken.done_at < call.sent_at and call.done_at < ends:
                repeated = call.status == BEGAN and other in case.brought and case.brought[other].taken.n != call.n
                right = call.status == 409 or repeated
                check.look(None if right else f"{call.team}, call {call.n}: taken while {name} is under way")
    return check


def scores(case: ProgramCase) -> Check:
    """What a report and a list say of a submission are the library's numbers over what its own program predicts, and
    the run that the report names is its own (T13, F-2, F-6)."""
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
        if call.status == BEGAN:
            said = call.said["submission"]["submission_id"]
            check.look(_unlike(f"{call.team}, call {call.n}", "submission_id", said, call.means["submission"]))
    return check


def prints(case: ProgramCase) -> Check:
    """What a program has printed is told to its own team alone; of a private run nothing is (F-4)."""
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
        where = f"{call.team}, call {call.n}"
        others = sorted(told - mine)
        check.look(f"{where}: is told what {', '.join(others)} has printed" if others else None)
        if call.what == f"{SUBMITTING}logs" and call.status == BEGAN:
            name = call.means["submission"]
            program, attempt = case.brought[name].program, case.stored(name)["attempt"]
            runs = {f"{program['team']}-{program['number']}.{name}-{each}" for each in range(1, attempt + 1)}
            fine = program["real"] or set(_marks(call.said["stdout"])) <= runs
            check.look(None if fine else f"{where}: the logs are another run's")
    return check


def _marks(text: str) -> Iterator[str]:
    """What stands behind each mark in a text: program and run."""
    for part in text.split(MARK_OF_PROGRAMS)[1:]:
        yield part.split("\\")[0].split("\n")[0].split('"')[0].split(" ")[0]


def private_kept(case: ProgramCase) -> Check:
    """Before it is published nobody but the organizers is told anything of the private test; teams choose nothing once
    it has begun; what is another team's is unknown to a team at any time (F-7, T10)."""
    check = Check("private_kept")
    for call in case.of("private", "pry", "name_late"):
        if call.status is None or call.failed or call.status == 429:
            continue
        wanted = _REFUSALS[call.what.removeprefix(SUBMITTING)]
        out = case.published_at is not None and call.sent_at >= case.published_at
        if call.what == f"{SUBMITTING}private" and out:
            continue
        check.look(
            None if call.status == wanted else f"{call.team}, call {call.n}: {call.path} is answered {call.status}"
        )
    for call in case.story.calls:
        if call.team.startswith("team-") and (case.published_at is None or call.sent_at < case.published_at):
            said = json.dumps(call.said) if call.what != f"{SUBMITTING}pry" else ""
            told = sorted(each for each in case.private_runs if each in said)
            check.look(f"{call.team}, call {call.n}: is told of the private run {told[0]}" if told else None)
    return check


def chosen(case: ProgramCase) -> Check:
    """In private there is run what each team has named, at most two, else its best; each once, over the private set
    (F-7)."""
    check = Check("chosen_are_run")
    runs = defaultdict[str, list[str]](list)
    for each in case.private_runs.values():
        runs[each["team_id"]].append(each["of"])
        check.look(_unlike(f"{each['team_id']}, {each['submission_id']}", "set", each["order"]["set_name"], _PRIVATE))
    for team in sorted({each.team for each in case.brought.values()}):
        due, found = case.chosen(team), sorted(runs[team])
        check.look(None if found == sorted(due) else f"{team}: {found} is run in private, chosen was {sorted(due)}")
    return check


def boards(case: ProgramCase) -> Check:
    """The boards of the public test have each team's best, those of the private test the better of what was run, with
    their places; nothing but the private test decides there (F-6, F-7)."""
    check = Check("boards_by_replay")
    public = defaultdict[str, list[Json]](list)
    for name, each in case.brought.items():
        if case.stored(name)["state"] == "scored" and name not in case.withheld:
            public[each.team].append(case.result(each.program, PUBLIC))
    private = defaultdict[str, list[Json]](list)
    for run in case.private_runs.values():
        private[run["team_id"]].append(case.result(case.brought[run["of"]].program, _PRIVATE))
    out = case.facts.answers.get("private", {})
    check.look(None if out.get("published") else "the private test is not published")
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
    """The first of each subtask above its minimum share 300 000 roubles; the prizes of the sum go to the first three of
    the models of which the commission has confirmed that they share 30 % of their parameters, and to no other (F-8,
    F-9)."""
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
    """Roubles by team: of each place FIX + α (S - Smin) millions, MAX from 2.3 on; whoever is level shares what their
    places are worth, and below a minimum a place is worth nothing (F, the prize). S counts in thousandths here."""
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
    """Roubles of a place, the first is 0."""
    if place >= len(_PLACES):
        return 0
    fix, slope, most = _PLACES[place]
    return most if thousandths >= _FULL_SUM else min(most, fix + slope * (thousandths - _LEAST_SUM))


def at_rest(case: ProgramCase) -> Check:
    """In the end nothing is under way: every submission and every private run is final, no message waits (T13)."""
    check = Check("nothing_under_way")
    for pk, of in case.facts.items["exchange"].items():
        if pk.startswith("SUBMISSION#"):
            state = json.loads(of["STATE"]["body"])["state"]
            fine = state in {"scored", "failed", "refused", "uploading"}
            check.look(None if fine else f"{pk.removeprefix('SUBMISSION#')}: is still {state}")
    for queue, messages in case.facts.left.items():
        check.look(None if messages == 0 else f"{queue}: {messages} messages are left")
    return check


def _unlike(where: str, name: str, told: Json, value: Json) -> str | None:
    return None if told == value else f"{where}: {name} is told as {told}, not {value}"


CHECKS: Final = (
    ("handed_in_kept", receipts),
    ("ended_as_played", ended),
    ("counted_by_day", quota),
    ("one_at_a_time", one_at_a_time),
    ("numbers_of_its_own", scores),
    ("prints_of_its_own", prints),
    ("private_kept", private_kept),
    ("references_hidden", checks_attack.truths_kept),
    ("chosen_are_run", chosen),
    ("boards_by_replay", boards),
    ("prizes_by_the_rules", prizes),
    ("archive_kept", checks_archive.kept_of_programs),
    ("nothing_under_way", at_rest),
)
"""All checks in the order in which they are shown."""
