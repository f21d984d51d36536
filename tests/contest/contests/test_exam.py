"""The exam, played over HTTP: whole variants, a closed test, missed tasks as wrong (tracks-sessions T, U)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.people.rules import Role
from contest.run.rules.run import Kind
from contest.session.rules.delivery import Cause
from tests.stage import Answered, Program, Stage
from tests.stage_kept import Setting
from tests.tracks.exam.exam_items import right, variant
from tracks import registry
from tracks.protocol import ItemFacts, Outcome

TRACK = registry.get("exam")
VARIANTS = {"train": (1, 2), "test": (3, 4)}
ITEMS = {f"{1000 * number + place}": each for number in range(1, 6) for place, each in enumerate(variant(number))}
RIGHT = right(list(ITEMS.values()))


def exam_cycle(final: bool = True, **parameters: Any) -> dict[str, Any]:
    """Return a cycle: two variants to train on, two as the closed test, one for the final, answered after the run."""
    sets = {**VARIANTS, **({"final": (5,)} if final else {})}
    kinds = {"train": "training", "test": "test", "final": "final"}
    head = {
        "cycle": "exam-1",
        "name": {"ru": "Экзамен", "en": "Exam"},
        "track": "exam",
        "languages": {"rus": [str(number) for number in range(1, 6)]},
        "parameters": parameters,
        "sets": {name: {"kind": kinds[name]} for name in sets},
    }
    files: dict[str, Any] = {"cycle.json": head}
    for name, numbers in sets.items():
        for each in (item for number in numbers for item in variant(number)):
            files[f"{name}/{each['meta']['id']}.json"] = each
            files[f"{name}/{each['meta']['id']}_exp01.json"] = {"outputs": each["outputs"]}
    return files


def exam_loaded(stage: Stage) -> None:
    stage.load(exam_cycle())


STAGE = Setting("exam-1", exam_loaded)


@pytest.fixture
def red(stage: Stage) -> Program:
    return Program(stage, stage.team("red"))


def begin(program: Program, set_name: str = "train", **order: Any) -> Answered:
    answered = program.ask("POST", "/v1/sessions", {"mode": "algorithmic", "set": set_name, **order})
    if answered.status == 201:
        program.session_id = answered.json["session_id"]
    return answered


def play(program: Program, wrong: frozenset[int] = frozenset(), missed: frozenset[int] = frozenset()) -> None:
    """Answer every task rightly but for the wrong and the missed ones, by number; a missed one times out."""
    while (found := program.get("next").json)["status"] == "available":
        number = found["number"]
        item = item_of(program, number)
        assert program.get(f"files/{number}").status == 200
        if number not in missed:
            answer = "zz, 9" if number in wrong else RIGHT[item]
            taken = program.answer(number, json.dumps(answer))
            assert taken.status == 200, taken.text
        program.stage.advance(1)
    program.stage.tick(after=200)
    program.stage.report_all()
    program.stage.score_all()


def item_of(program: Program, number: int) -> str:
    """Return the id of the item behind a file, which nobody outside the platform knows."""
    return program.stage.platform.sessions.plan(program.session_id)[number - 1].item_id


def report(program: Program) -> dict[str, Any]:
    answered = program.get("report")
    assert answered.status == 200, answered.text
    found: dict[str, Any] = answered.json
    return found


def by_the_library(program: Program, missed: frozenset[int], wrong: frozenset[int]) -> Any:
    """Aggregate the same answers by the library alone."""
    outcomes = []
    for number, planned in enumerate(program.stage.platform.sessions.plan(program.session_id), start=1):
        item = ITEMS[planned.item_id]
        answer = None if number in missed else "zz, 9" if number in wrong else RIGHT[planned.item_id]
        record = TRACK.score(item, answer, [{"outputs": item["outputs"]}], {})
        outcomes.append(
            Outcome(ItemFacts(planned.file_id, planned.language, planned.group), answer is not None, record)
        )
    return TRACK.aggregate(outcomes, {}, 0)


@pytest.mark.clause("TS U-3", "TS T6")
def test_u_3_a_session_draws_whole_variants(red: Program) -> None:
    one = begin(red, choices={"variants": 1})
    assert (one.status, one.json["files"], one.json["choices"]) == (201, 30, {"variants": 1})
    assert (one.json["requested_files"], one.json["available_files"]) == (30, 60)
    groups = {each.group for each in red.stage.platform.sessions.plan(red.session_id)}
    assert len(groups) == 1
    red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    all_of_them = begin(red)
    assert all_of_them.json["files"] == 60


@pytest.mark.clause("TS T6")
def test_t6_what_cannot_be_chosen_is_refused_by_name(red: Program) -> None:
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"files": 10}, "not_in_this_mode", "body.files"),
        ({"choices": {"variants": 31}}, "out_of_range", "body.choices.variants"),
        ({"choices": {"variants": 0}}, "out_of_range", "body.choices.variants"),
        ({"choices": {"nosologies": 1}}, "not_in_this_mode", "body.choices.nosologies"),
    ]
    for order, code, field in wrong:
        refused = begin(red, **order)
        assert refused.status == 422
        assert [(each["code"], each["field"]) for each in refused.json["error"]["details"]] == [(code, field)]


@pytest.mark.clause("TS T6")
def test_t6_a_contest_without_technical_runs_has_none(red: Program, stage: Stage) -> None:
    refused = red.join("technical")
    assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "unknown_mode")
    stage.tick()
    assert stage.request("GET", "/v1/runs").json["runs"] == []


@pytest.mark.clause("TS T6")
def test_t6_the_closed_test_has_three_sessions_a_day_and_the_training_set_twenty(red: Program) -> None:
    for _ in range(3):
        assert begin(red, "test").status == 201
        red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    assert begin(red, "test").refusal == (429, "quota_exhausted")
    for _ in range(20):
        red.stage.advance(1)
        assert begin(red, "train").status == 201
        red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
    assert begin(red, "train").code == "quota_exhausted"


@pytest.mark.clause("TS T5", "TS T4", "TS T11", "TS U-3", "U grade_norm")
def test_t5_a_missed_task_is_worth_nothing_the_grade_is_there_and_no_readiness(red: Program) -> None:
    begin(red, choices={"variants": 1})
    play(red, missed=frozenset({7}))
    made = report(red)
    assert made["counts"]["voided"] == 1
    expected = by_the_library(red, frozenset({7}), frozenset())
    assert made["result"] == expected
    lost = expected["variants"].values()
    assert 0 < made["result"]["grade_norm"] == sum(lost) / 34 < 1
    assert made["result"]["answered"] == 29
    assert made["readiness"] is None, "the exam knows none"
    assert red.ask("GET", f"/v1/sessions/{red.session_id}/conclusion").status == 404


@pytest.mark.clause("TS T5")
def test_t5_what_the_organizers_void_or_the_platform_lost_counts_for_nobody(stage: Stage, red: Program) -> None:
    run = stage.plan(in_s=600, interval_s=30)
    stage.advance(600)
    assert red.join().status == 201
    for number in range(1, 31):
        stage.set_clock(run.starts_at + (number - 1) * 30_000)
        red.get(f"files/{number}")
        if number > 4:
            assert red.answer(number, '"1"').status == 200
    stage.advance(10)
    stage.decide(run, Kind.VOID, numbers=(1,))
    stage.decide(run, Kind.RULE, numbers=(2,), team_id="red", cause=Cause.PLATFORM)
    stage.decide(run, Kind.RULE, numbers=(3,), team_id="red", cause=Cause.NETWORK)
    stage.tick(after=300)
    stage.report_all()
    stage.settle()
    stage.score_all()
    session = stage.platform.sessions.get(red.session_id)
    records = stage.platform.scores.of_session(red.session_id)
    assert session is not None
    assert not session.is_open
    assert {key.number for key in records if key.answer_sha256 == "missed"} == {3, 4}
    assert {key.number for key in records} == set(range(3, 31))


@pytest.mark.clause("TS T10", "TS U-6")
def test_t10_of_the_closed_test_totals_are_told_and_nothing_of_a_task(red: Program) -> None:
    begin(red, "test")
    play(red, wrong=frozenset({3}))
    made = report(red)
    whole = by_the_library(red, frozenset(), frozenset({3}))
    assert made["result"]["grade_norm"] == whole["grade_norm"]
    assert [each["state"] for each in made["files"]] == ["answered"] * 60  # when and why, and no measure
    assert "points" not in red.get("report.csv").text
    assert "files" not in {each["key"] for each in made["sections"]}
    assert "variants" not in made["result"]
    told = [group for key in ("by_task", "by_section", "by_type") for group in made["result"][key].values()]
    assert told
    assert all(each["items"] >= 10 for each in told)
    for what in ("score", "comparison"):
        assert red.get(f"files/3/{what}").refusal == (403, "totals_only")
    training = red.stage.person(Role.ORGANIZER)
    told_to_organizers = red.stage.request("GET", f"/v1/sessions/{red.session_id}/files/3/score", token=training)
    assert told_to_organizers.status == 200


@pytest.mark.long
@pytest.mark.clause("TS U-5", "TS T9", "U human")
def test_u_5_the_board_has_the_best_session_over_the_whole_test_beside_people(stage: Stage, red: Program) -> None:
    blue = Program(stage, stage.team("blue"))
    begin(red, "test", choices={"variants": 1})  # a part of the test stands on no board, however good
    play(red)
    begin(blue, "test")
    play(blue, missed=frozenset(range(1, 41)))  # no 95 % are asked for
    found = stage.request("GET", "/v1/boards/grade_norm").json
    assert [(row["place"], row["team_id"]) for row in found["rows"]] == [(1, "blue")]
    (row,) = found["rows"]
    grade = by_the_library(blue, frozenset(range(1, 41)), frozenset())["grade_norm"]
    assert (row["value"], row["barrier"]) == (grade, False)
    people = {"en": "people (2019), 23.835 of 34", "ru": "люди (2019), 23,835 из 34"}
    assert found["board"]["levels"] == [{"title": people, "value": 0.701}]
    stage.advance(86_400)
    begin(red, "test")
    play(red)
    rows = stage.request("GET", "/v1/boards/grade_norm").json["rows"]
    assert [(row["place"], row["team_id"], row["value"], row["barrier"]) for row in rows] == [
        (1, "red", 1.0, True),
        (2, "blue", grade, False),
    ]
    assert stage.request("GET", "/v1/leaderboards/qualification").json["rows"] == rows
    assert [each["key"] for each in stage.request("GET", "/v1/boards").json["boards"]] == ["grade_norm"]
    assert stage.request("GET", "/v1/boards/relative_accuracy").status == 404
