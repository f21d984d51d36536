"""The check of the attacker: nobody learns a place, a code or a text of a hidden set's references, but by chance.

What is chance is measured: beside the references' places stand as many decoys, the same places moved. Who is told
nothing meets both alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, zip_longest
from typing import Any, Final

from local.rehearsal.history import ATTACKING, MARKED_CODES, PUSHES, Call
from local.rehearsal.proof.case import SCORES, Case, Check
from local.rehearsal.proof.checks_markups import OWN_EARLY
from local.rehearsal.proof.kinds import ESSAY
from local.rehearsal.proof.program_case import ProgramCase

Json = Any
Places = frozenset[tuple[int, int]]
ATTACKED: Final = "attacked"
"""Name of the answer in which the history has the references' places and hashes."""
_HIDDEN: Final = "test-"
"""How marks begin that stand in references of the set that is attacked."""
_LEAST: Final = 10
"""Items that totals, and differences of totals, are told of at least (decision 0028)."""
_WITH_A_TWIN: Final = 5
"""Programs of a team, from which on one of them answers almost as another does."""
_DONE, _TOO_MANY = 200, 429
_NUMBER: Final = re.compile(r"\d+")
_DECOYS: Final = range(1, 21)
_LUCK: Final = 3
"""So many more places than the luckiest of the decoys may be met by chance."""
_MEASURES: Final = frozenset({"algorithm_accuracy", "expert_accuracy", "relative_accuracy", "metrics"})
_PASSING: Final = frozenset({"stage", "files", "answered", "voided", "right", "passed"})
_FILE: Final = re.compile(r'"(?:fileId|taskId)":\s*"?([^",}]+)')
"""Names of files in pushes."""
_EVENT: Final = "session"
"""Stands in the name of every event."""
_METRICS: Final = frozenset(f"M{number}" for number in range(1, 8))


def learned_nothing(case: Case) -> Check:
    """No mark of a hidden set's references is in any answer to a team or a stranger; no hash of one in any answer to
    the attacker; no more of their places than of decoys; of a file of which measures are told these alone, in whole per
    cent; totals of ten answers and more, and of no two sessions that differ in fewer (R 2.7, 6.5.2, 6.5.3, TS T10)."""
    check = Check("references_hidden")
    attacked = case.facts.answers.get(ATTACKED, {})
    calls = [call for call in case.story.calls if call.what.startswith(ATTACKING) and not call.failed]
    for call in (call for call in case.story.calls if "@" not in call.team):
        marks = [mark for mark in call.marks if mark.startswith((_HIDDEN, MARKED_CODES))]
        check.faults += [f"{_where(call)}: {call.path} tells of the references {', '.join(marks)}"] if marks else []
    secret = frozenset({*attacked.get("hashes", ()), *_scored_against(case, calls)})
    for call in calls:
        hashes = sorted(secret & set(call.hashes))
        check.look(f"{_where(call)}: {call.path} tells the hash of a reference, {hashes[0]}" if hashes else None)
    check.look(_places_met(calls, frozenset((first, last) for first, last in attacked.get("places", ()))))
    for call in calls:
        if call.what == f"{ATTACKING}score" and call.status == _DONE:
            check.look(*_measured_otherwise(call, measured=bool(attacked.get("measured"))))
    if attacked.get("passes"):
        _look_at_passing(check, calls)
    elif attacked and not attacked["measured"]:
        _look_at_totals(check, calls)
    if attacked:
        _look_at_frames(check, calls)
        _look_at_pushes(check, calls, attacked.get("listened", 0))
    for call in case.story.calls if case.story.header.get("stage", ESSAY) != ESSAY else ():
        if call.what == OWN_EARLY and call.status not in {None, _TOO_MANY}:
            is_told = call.status == _DONE
            check.look(f"{_where(call)}: {call.path} tells of a run before its results are out" if is_told else None)
    return check


def truths_kept(case: ProgramCase) -> Check:
    """No true answer of the tests of submitted programs, of those that are whole words or longer, is in any answer to
    anybody but the staff; of a submission that differs from an earlier one of its team in few requests nothing is told
    by which these could be judged (F-5, F-7, TS T10)."""
    check = Check("references_hidden")
    for call in case.story.calls:
        if "@" not in call.team and call.status == _DONE:
            fault = f"{call.team}, call {call.n}: {call.path} tells {len(call.texts)} true answers"
            check.look(fault if call.texts else None)
    for name in sorted(case.withheld):
        where, body = f"{case.brought[name].team}, {name}", case.stored(name)
        report = json.loads(case.facts.objects[f"submissions/reports/{name}.json"][1] or "{}")
        totals = [body["value"], report.get("result"), report.get("barrier", {}).get("overcome")]
        check.look(f"{where}: tells totals by which few requests are judged" if totals != [None] * 3 else None)
        boards = [
            key for key, board in case.facts.answers.items() if key.startswith("board/") and name in json.dumps(board)
        ]
        check.look(f"{where}: stands on {boards[0]}" if boards else None)
    due = case.brought and case.story.header["files"] >= _WITH_A_TWIN
    check.look("no team tried to read a request out of two submissions" if due and not case.withheld else None)
    return check


def _scored_against(case: Case, calls: list[Call]) -> Iterator[str]:
    """Return the hashes of references in the stored scores of the attacker's sessions."""
    opened = [
        call.said["told"]["session_id"] for call in calls if call.what == f"{ATTACKING}open" and call.status == 201
    ]
    for session_id in opened:
        for _, item in case.facts.of(SCORES, f"SESSION#{session_id}", "SCORE#"):
            inputs = json.loads(item["record"]).get("fingerprint", {}).get("inputs")
            yield from inputs[1:] if isinstance(inputs, list) else ()


def _where(call: Call) -> str:
    return f"{call.team}, call {call.n} ({call.means.get('sitting', call.what)})"


def _places_met(calls: list[Call], places: Places) -> str | None:
    """Return the fault where neighbouring numbers are places of references more often than decoys."""
    received: set[tuple[int, int]] = set()
    sent: set[tuple[int, int]] = set()
    for call in calls:
        received |= _pairs_in(str(call.said.get("heard", "")))
        for is_sorted in (False, True):  # as it was sent, and as it is stored
            own = json.dumps(call.means.get("sent"), ensure_ascii=False, sort_keys=is_sorted)
            sent |= _pairs_in(own)
    received -= sent
    met = len(received & places)
    chance = max(len(received & {(first + by, last + by) for first, last in places}) for by in _DECOYS)
    few = met <= 2 * chance + _LUCK
    return None if few else f"{met} places of references of {len(places)} are told, of decoys {chance} at most"


def _pairs_in(text: str) -> set[tuple[int, int]]:
    """Return pairs of numbers that stand next to each other, or with one between them."""
    numbers = [int(each) for each in _NUMBER.findall(text) if len(each) < 6]
    return {*pairwise(numbers), *zip(numbers, numbers[2:], strict=False)}


def _measured_otherwise(call: Call, *, measured: bool) -> Iterator[str]:
    """Yield the faults of a hidden file's score as it was told."""
    score: Mapping[str, Json] = call.said["told"]
    if not measured:
        yield f"{_where(call)}: {call.path} tells a score of an item, where totals alone are told"
        return
    more = sorted(score.keys() - _MEASURES) + sorted(score.get("metrics", {}).keys() - _METRICS)
    if more:
        yield f"{_where(call)}: {call.path} tells {', '.join(more)} of a hidden file"
    values = [value for name, value in {**score, **score.get("metrics", {})}.items() if name not in {"metrics", *more}]
    finer = [value for value in values if value is not None and value != int(value)]
    if finer:
        yield f"{_where(call)}: {call.path} tells {finer[0]}, which is no whole per cent"


def _look_at_totals(check: Check, calls: list[Call]) -> None:
    """Of each session either totals are told, or they must not be: the answers that count in a view, and those that
    differ in it from what was told before, are none or ten and more."""
    earlier: list[tuple[str, list[Mapping[str, Json]]]] = []
    for call in calls:
        if call.what != f"{ATTACKING}report" or call.status != _DONE:
            continue
        answers, views = call.means["taken"], _by_view(call.means["taken"])
        near = [name for name, other in earlier if any(0 < number < _LEAST for number in _differing(views, other))]
        few = len(answers) < _LEAST or any(0 < len(view) < _LEAST for view in views)
        allowed = not few and not near
        told = call.said["told"].get("result") is not None
        if told and not allowed:
            check.look(f"{_where(call)}: totals of {len(answers)} answers are told beside those of {near or 'nothing'}")
        else:
            check.look(None if told is allowed else f"{_where(call)}: no totals of {len(answers)} answers are told")
        earlier += [(call.means["sitting"], views)] if told else []


def _look_at_passing(check: Check, calls: list[Call]) -> None:
    """Look at each session of one item: whether it was answered rightly is told, which none was, and nothing else."""
    for call in calls:
        if call.what == f"{ATTACKING}report" and call.status == _DONE:
            result: Mapping[str, Json] = call.said["told"].get("result") or {}
            wrong = {**result, "passed": False, "right": 0}
            more = sorted(result.keys() - _PASSING)
            check.look(
                None if result == wrong else f"{_where(call)}: a wrong answer has the result {result}",
                f"{_where(call)}: {', '.join(more)} is told of one item" if more else None,
            )


def _look_at_frames(check: Check, calls: list[Call]) -> None:
    """Look whether the event channel said anything to the attacker, which is searched as every answer is."""
    heard = [call for call in calls if call.what == f"{ATTACKING}frames"]
    check.look(None if any(_EVENT in call.said["heard"] for call in heard) else "the event channel said nothing")


def _look_at_pushes(check: Check, calls: list[Call], files: int) -> None:
    """Look that a run's files are pushed as they open: none before its opening, by name or text, each afterwards."""
    looks = [call for call in calls if call.what == f"{ATTACKING}{PUSHES}"]
    if len(looks) != 2 * files:
        check.faults.append(f"{len(looks)} times the pushes of a run were looked at, of {2 * files}")
    names: set[str] = set()
    for call in looks:
        opened, texts = call.means["opened"], call.means["texts"]
        names.update(_FILE.findall(call.said["heard"]))
        check.look(
            None if len(names) == opened else f"{_where(call)}: {len(names)} files were pushed of {opened} open ones",
            f"{_where(call)}: texts of {texts} files came, {opened} were open" if texts > opened else None,
        )


def _by_view(taken: Mapping[str, list[Json]]) -> list[Mapping[str, Json]]:
    """Return by view what it takes of the answers, of which it takes anything."""
    number = max(map(len, taken.values()), default=0)
    return [{place: views[view] for place, views in taken.items() if views[view] is not None} for view in range(number)]


def _differing(one: list[Mapping[str, Json]], other: list[Mapping[str, Json]]) -> Iterator[int]:
    """Yield by view to how many items two have other answers."""
    nothing: Mapping[str, Json] = {}
    for first, second in zip_longest(one, other, fillvalue=nothing):
        yield sum(first.get(place) != second.get(place) for place in first.keys() | second.keys())
