"""Organizers' decisions in a rehearsal: what they do, what programs make of it, what the checker holds them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from local.rehearsal.history import History
from local.rehearsal.moments import SECOND, to_text
from local.rehearsal.play import deciding
from local.rehearsal.play.driver import AHEAD, ASK_AGAIN, Timing, coming, opened
from local.rehearsal.play.teams import insist
from local.rehearsal.play.wire import Ask, Reply
from local.rehearsal.proof.checker import check
from local.rehearsal.proof.oracle import Decision, ExpectedTimes, folded
from markup_core.receipt import canonical_bytes, sha256_hex
from shadow.calendar import PAUSES_TOGETHER
from tests.local.rehearsal.story import INTERVAL, KEY_ID, RUN, START, Pen, fresh_pen, signature

Json = Any
MINUTE = 60 * SECOND


def timing(files: int = 4) -> Timing:
    return Timing("r", "final", START, MINUTE, 10_000, 50_000, 60_000, 120_000, files)


# What decisions make of a run, by the rules


def test_a_pause_moves_what_opens_in_it_and_everything_after_it() -> None:
    made = [Decision(1, "pause", START + 50_000, {}), Decision(2, "resume", START + 80_000, {})]
    schedule = ExpectedTimes(RUN, START, MINUTE, 3, 10_000, 50_000, 60_000, decided=folded(made, START, MINUTE, 3))
    assert schedule.decided.pauses == ((START + 55_000, START + 110_000),)
    assert [schedule.opens_at(number) - START for number in schedule.numbers] == [0, 115_000, 175_000]
    assert schedule.known_at(START + 79_999).opens_at(2) == START + MINUTE + PAUSES_TOGETHER, "nobody knows its end yet"
    assert schedule.known_at(START + 49_999).opens_at(2) == START + MINUTE


def test_a_replacement_voids_its_files_and_appends_others_at_the_end_a_minute_ahead() -> None:
    made = [Decision(1, "replace", START + 100_000, {"numbers": [1]})]
    found = folded(made, START, MINUTE, 2)
    assert found.voided == {1}
    assert found.slots == (3,), "the second place would be in less than a minute"


def test_what_is_taken_back_has_never_held_but_for_the_numbers_of_appended_files() -> None:
    made = [
        Decision(1, "void", START, {"numbers": [2]}),
        Decision(2, "undo", START + 1, {"amendment": 1}),
        Decision(3, "replace", START + 2, {"numbers": [1]}),
        Decision(4, "undo", START + 3, {"amendment": 3}),
        Decision(5, "rule", START + 4, {"team_id": "ann", "number": 2, "cause": "platform"}),
    ]
    found = folded(made, START, MINUTE, 2)
    assert found.voided == {3}
    assert found.slots == (2,)
    assert found.ruled == {("ann", 2): "platform"}


# What programs and organizers do


def test_a_program_waits_out_a_pause_of_which_it_has_heard() -> None:
    known = timing()
    play = coming(known, 3)
    assert next(play).at == known.opens_at(3) - AHEAD
    known.news.since = known.opens_at(3) - 5_000
    assert play.send(()).at == known.opens_at(3) - AHEAD + ASK_AGAIN, "paused: it looks again"
    known.news.pauses.append((known.news.since, known.news.since + 55_000))
    known.news.since = None
    assert play.send(()).at == START + 2 * MINUTE + 55_000 - AHEAD
    with pytest.raises(StopIteration) as ended:
        play.send(())
    assert ended.value.value == START + 2 * MINUTE + 55_000


def test_a_file_that_opened_before_the_pause_is_not_waited_for() -> None:
    known = timing()
    known.news.since = known.opens_at(2)
    play = opened(known, 1)
    assert next(play).at == START
    with pytest.raises(StopIteration):
        play.send(())


@pytest.mark.parametrize(("state", "again"), [("paused", ASK_AGAIN), ("running", 7_200_000)])
def test_in_a_pause_programs_ask_again_soon_whatever_they_are_told(state: str, again: int) -> None:
    play = insist(START, Ask("file", "GET", "/"))
    next(play)
    details = {"opens_at": to_text(START + 7_200_000), "run_state": state}
    step = play.send([Reply(START, 425, {"error": {"code": "not_open_yet", "details": [details]}})])
    assert step.at == START + again


ORDER = ("pause", "void", "rule", "undo", "replace", "resume")
"""What they decide; whatever comes out of turn is forbidden."""


def forbids(made: Sequence[tuple[int, Json]], wish: Json) -> bool:
    """Whether the next decision is another one, or takes back another one."""
    due = ORDER[len(made)] if len(made) < len(ORDER) else None
    return wish["kind"] != due or wish.get("amendment", 2) != 2


def test_organizers_decide_around_the_opening_of_a_file_in_the_second_half() -> None:
    known, history = timing(), History()
    play = deciding.Decisions(known, history, "bob").play()
    made: list[tuple[int, Json]] = []
    step = next(play)
    try:
        while True:
            if step.asks[0].body is None:
                made.append((step.at - known.starts_at - 2 * MINUTE, step.asks[0].path))
                step = play.send([Reply(step.at, 200, {"rulings": []})])
                continue
            wish = json.loads(step.asks[0].body)
            if forbids(made, wish):
                step = play.send([Reply(step.at, 409, {"error": {"code": f"due to {wish['kind']}"}})])
                continue
            made.append((step.at - known.starts_at - 2 * MINUTE, wish["kind"]))
            holds = step.at + (30_000 if wish["kind"] == "resume" else 5_000)
            told = {"amendment": len(made), "effective_at": to_text(holds), "details": {"slot": 4}}
            step = play.send([Reply(step.at, 200, told)])
    except StopIteration:
        pass
    assert made == [
        (-10_000, "pause"),
        (8_000, "void"),
        (12_000, "rule"),
        (15_000, "undo"),
        (18_000, "replace"),
        (20_000, "resume"),
        (25_000, "/v1/runs/r"),
    ]
    assert history.story().facts.answers["run_during"] == {"rulings": []}
    assert [each["wish"].get("amendment") for each in history.story().decided] == [None, None, None, 2, None, None]
    assert [(each["due"], each["code"]) for each in history.story().forbidden] == [
        ("not_paused", "due to resume"),
        ("paused_already", "due to pause"),
        ("ruled_already", "due to rule"),
        ("in_effect_already", "due to undo"),
        ("late_refused", "due to admit"),
        ("nothing_to_undo", "due to undo"),
        ("void_already", "due to void"),
        ("unknown_file", "due to void"),
        ("unknown_file", "due to replace"),
        ("too_many_replaced", "due to replace"),
        ("resumes_already", "due to resume"),
    ]
    assert not known.paused
    assert known.opens_at(3) == START + 2 * MINUTE + 55_000
    assert known.all_files == 5
    assert known.opens_at(5) == START + 4 * MINUTE + 55_000


# What the checker finds


def decided(pen: Pen, *made: tuple[str, int, Json]) -> Pen:
    """Return the story with decisions that change nothing of its files and are announced as they were made."""
    previous = pen.answer("run")["commitment"]["statement"]
    told = []
    for number, (kind, at, wish) in enumerate(made, start=1):
        holds = to_text(START + at + (30_000 if kind == "resume" else 5_000))
        said = {"amendment": number, "kind": kind, "effective_at": holds, "details": wish, "version": number}
        pen.add("decided", at=START + at, wished=kind, wish=wish, status=200, told=said)
        seal = {"seal": sha256_hex(canonical_bytes(unsealed(number, wish)))}
        public = ("sealed", seal) if kind == "rule" else (kind, wish)
        statement = {
            "kind": "amendment",
            "number": number,
            "amendment": public[0],
            "effective_at": holds,
            "details": public[1],
            "previous": sha256_hex(canonical_bytes(previous)),
            "key_id": KEY_ID,
        }
        told.append({"amendment": statement, "signature": signature(statement)})
        previous = statement
    pen.answer("run").update(
        amendments=told, pauses=[{"from": to_text(START + 70_000), "until": to_text(START + 110_000)}]
    )
    pen.add("answer", of="run_during", body=json.loads(json.dumps(pen.answer("run"))))
    rulings = [unsealed(number, wish) for number, (kind, _, wish) in enumerate(made, start=1) if kind == "rule"]
    pen.answer("run")["rulings"] = rulings
    pen.answer("record").update(json.loads(json.dumps({"amendments": told, "rulings": rulings})))
    sign_record(pen)
    return pen


def unsealed(number: int, wish: Json) -> Json:
    """Return the opening of a ruling's seal."""
    said = {"amendment": "rule", "reason": "the logs show it", "details": wish, "salt": "5" * 64}
    return {"run_id": RUN, "number": number, **said}


def sign_record(pen: Pen) -> None:
    """Sign the record as it now is, after the last decision."""
    pen.sign_record()
    said = pen.answer("record_statement")["statement"]
    said["previous"] = sha256_hex(canonical_bytes(pen.answer("run")["amendments"][-1]["amendment"]))
    pen.answer("record_statement")["signature"] = signature(said)


MADE: Sequence[tuple[str, int, Json]] = (
    ("pause", 65_000, {}),
    ("void", 70_000, {"numbers": [2]}),
    ("undo", 75_000, {"amendment": 2}),
    ("resume", 80_000, {}),
)


@pytest.fixture(scope="module")
def written() -> Pen:
    return decided(fresh_pen(), *MADE)


@pytest.fixture
def pen(written: Pen) -> Pen:
    return written.copy()


def red(pen: Pen) -> dict[str, list[str]]:
    return {each.name: each.faults for each in check(pen.story()) if not each.passed}


def test_decisions_that_hold_as_they_were_made_are_right(pen: Pen) -> None:
    assert red(pen) == {}


def test_a_decision_that_is_refused_was_not_taken(pen: Pen) -> None:
    pen.add("decided", at=START + 85_000, wished="void", wish={"numbers": [1]}, status=409, told={})
    assert red(pen) == {
        "decisions_kept": [f"the decision void at {to_text(START + 85_000)} was answered 409"],
    }


@pytest.mark.parametrize("answered", [(200, None), (409, "another"), (500, "nothing_to_undo")])
def test_what_the_rules_forbid_is_refused_for_the_right_reason(pen: Pen, answered: tuple[int, str | None]) -> None:
    status, code = answered
    wished = {"wished": "undo", "wish": {"amendment": 2}, "due": "nothing_to_undo"}
    pen.add("forbidden", at=START + 85_000, status=409, code="nothing_to_undo", **wished)
    assert red(pen) == {}
    pen.add("forbidden", at=START + 85_000, status=status, code=code, **wished)
    (fault,) = red(pen)["decisions_kept"]
    assert fault.endswith(f"is against the rules and was answered {status} {code}, not nothing_to_undo")


@pytest.mark.parametrize("name", ["amendment", "effective_at", "kind"])
def test_a_decision_that_is_told_otherwise_than_by_the_rules_is_found(pen: Pen, name: str) -> None:
    pen.all("decided")[0]["told"][name] = "another"
    assert set(red(pen)) == {"decisions_kept"}


@pytest.mark.parametrize("place", ["run", "record"])
def test_a_decision_that_nobody_is_told_of_is_found(pen: Pen, place: str) -> None:
    pen.answer(place)["amendments"].pop()
    sign_record(pen)
    assert any("other decisions than were made" in each for each in red(pen)["decisions_kept"])


def test_a_decision_that_everybody_is_told_of_with_other_files_is_found(pen: Pen) -> None:
    pen.answer("run")["amendments"][1]["amendment"]["details"] = {"numbers": [1]}
    assert "the run tells decision 2 (void) as {'numbers': [1]}" in red(pen)["decisions_kept"]


def test_a_pause_that_is_told_of_with_another_end_is_found(pen: Pen) -> None:
    pen.answer("run")["pauses"][0]["until"] = to_text(START + 111_000)
    assert set(red(pen)) == {"decisions_kept"}


def test_a_file_that_is_void_for_everybody_is_so_for_each(pen: Pen) -> None:
    for line in pen.all("decided", wished="undo"):
        line["status"] = 409
    faults = red(pen)
    assert "ann, file 2: void for everybody, and is answered (None)" in faults["decisions_kept"]
    assert "ann, file 2: is answered, by the rules organizer_decision" in faults["causes_by_the_rules"]


@pytest.fixture
def ruled() -> Pen:
    wish = {"team_id": "bob", "number": 2, "cause": "platform"}
    return decided(fresh_pen(), *MADE, ("rule", 85_000, wish))


def test_a_ruling_names_the_cause_of_what_was_missed_and_leaves_what_was_answered(ruled: Pen) -> None:
    assert red(ruled) == {}, "an answered file stays so"


def told_early(pen: Pen) -> None:
    pen.answer("run_during")["rulings"] = pen.answer("run")["rulings"]


def reworded(pen: Pen) -> None:
    pen.answer("record")["rulings"][0]["details"]["cause"] = "network"


def reworded_with_its_seal(pen: Pen) -> None:
    said = {**pen.answer("record")["rulings"][0], "details": {"team_id": "bob", "number": 2, "cause": "network"}}
    for place in ("run", "record"):
        pen.answer(place)["rulings"] = [said]
        pen.answer(place)["amendments"][-1]["amendment"]["details"]["seal"] = sha256_hex(canonical_bytes(said))


def kept_back(pen: Pen) -> None:
    pen.answer("record")["rulings"].clear()


def sealed_otherwise(pen: Pen) -> None:
    """Another cause than was ordered, from the beginning."""
    reworded_with_its_seal(pen)
    pen.answer("run_during")["amendments"] = json.loads(json.dumps(pen.answer("run")["amendments"]))


def opened_without_a_ruling(pen: Pen) -> None:
    pen.answer("record")["rulings"].append(unsealed(2, {"team_id": "bob", "number": 1, "cause": "platform"}))


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        (told_early, "rulings are told while the run goes on"),
        (reworded, "the record opens decision 5 (rule) with another content than was sealed"),
        (reworded_with_its_seal, "decision 5: it is told otherwise than while the run went on"),
        (kept_back, "the record does not open decision 5 (rule)"),
        (sealed_otherwise, "the record opens decision 5 (rule) as {'team_id': 'bob', 'number': 2, 'cause': 'network'}"),
        (opened_without_a_ruling, "the record opens decision 2, which is no ruling"),
    ],
)
def test_a_ruling_that_is_not_the_one_that_was_sealed_is_found(
    ruled: Pen, lie: Callable[[Pen], None], said: str
) -> None:
    lie(ruled)
    sign_record(ruled)
    assert any(each.startswith(said) for each in red(ruled)["decisions_kept"])


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"opens_at": to_text(START + INTERVAL), "run_state": "running"}, "is told that the run is running"),
        ({"opens_at": to_text(START + 1), "run_state": "paused"}, f"is told that it opens at {to_text(START + 1)}"),
        ({"run_state": "paused"}, "is told that it opens at None"),
    ],
)
def test_who_asks_in_a_pause_is_told_so(pen: Pen, details: Json, said: str) -> None:
    error = {"error": {"code": "not_open_yet", "details": [details]}}
    n = pen.call("ann", "file", 2, 72_000, 425, said=error)
    assert f"ann, call {n}: file 2 in a pause {said}" in red(pen)["decisions_kept"]


def test_a_file_of_the_reserve_under_a_number_of_the_plan_is_found(pen: Pen) -> None:
    response = pen.find("response", n=pen.hand_out("ann", 2))
    response["texts"] = [3]
    assert any(each.endswith("file 2 is of another set") for each in red(pen)["decisions_kept"])


def test_decisions_that_nobody_made_are_found() -> None:
    pen = fresh_pen()
    pen.answer("run")["pauses"] = [{"from": to_text(START), "until": to_text(START + 1)}]
    assert "there are decisions though nobody decided anything" in red(pen)["commitment_kept"]
