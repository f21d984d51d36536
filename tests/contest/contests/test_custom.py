"""A contest with a measure of its own: the example from its folder to a board, and a program that fails in a final."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest.people.rules import Role
from contest.refusals import RefusedError
from contest.results import publishing
from tests.contest.contests.played import Contest
from tests.contest.contests.test_finals import Final
from tests.contest.results.test_rescoring import Rescorer
from tests.documented import conforms
from tests.stage import Program, Stage
from tests.stage_kept import Setting
from tests.tracks.samples import PROGRAM, SAMPLES

FOLDER = Path(__file__).resolve().parents[3] / "docs/examples/entities"
ANSWERS = json.loads((FOLDER.parent / "entities_answers.json").read_text("utf-8"))
pytestmark = [pytest.mark.integration, pytest.mark.slow]

STAGE = Setting("contest-1")


def example() -> dict[str, Any]:
    """Return the example's folder, for the deployment of these tests."""
    paths = (path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    files: dict[str, Any] = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}
    head = json.loads(files["cycle.json"])
    return {**files, "cycle.json": {**head, "cycle": "contest-1"}}


def test_the_example_is_played_from_its_folder_to_a_board(stage: Stage) -> None:
    loaded = stage.load(example())
    assert {fault.code for fault in loaded.warnings} <= {"small_test_set"}
    program = Program(stage, stage.team("red"))
    opened = program.open(mode="algorithmic", set="test", files=4)
    assert opened.status == 201, opened.text
    plan = stage.platform.sessions.plan(program.session_id)
    for number, planned in enumerate(plan, start=1):
        handed = program.get(f"files/{number}")
        conforms(handed, "get", "/v1/sessions/{session_id}/files/{number}")
        assert set(handed.json["content"]) == {"id", "content"}
        if planned.item_id in ANSWERS:
            assert program.answer(number, json.dumps(ANSWERS[planned.item_id]).encode()).status == 200
        stage.advance(1)
    refused = program.answer(1, b'[{"start": 0, "end": 1, "label": "CAT"}]')
    assert (refused.status, refused.json["error"]["details"][0]["code"]) == (422, "not_of_the_form")
    stage.pass_minutes(4)
    board = stage.request("GET", "/v1/boards/measure").json
    assert board["board"]["title"] == {"en": "Exact F", "ru": "Точная F"}
    (row,) = board["rows"]
    assert row["value"] == row["result"]["values"]["value"] == pytest.approx(0.621, abs=0.001)
    assert row["result"]["values"]["partial"] == pytest.approx(0.690, abs=0.001)
    assert row["result"]["people"]["value"] == pytest.approx(0.706, abs=0.001)
    assert row["barrier"] is False


FAILING = PROGRAM.replace(
    b"    answered = spans(answer or [])", b"    answered = spans(answer or [] if answer != [] else 1)"
)


def test_a_program_that_fails_in_a_final_loses_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert FAILING != PROGRAM
    good = SAMPLES["custom"]
    monkeypatch.setitem(SAMPLES, "failing", replace(good, files={"entities.py": FAILING}))  # type: ignore[arg-type]
    final = Final(stage, "failing")
    final.play()
    report = final.shadow()
    assert (report["state"], report["differences"]) == ("clean", []), "a failure is recomputed like a result"
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", final.run.run_id)
    assert refused.value.code == "results_not_measured"
    assert refused.value.details[0]["failure"] == "measure_raised"
    failed = final.result("blue")
    assert (failed["values"], failed["failed"]["code"]) == ({"value": None}, "measure_raised")
    answers = set(stage.platform.blobs.names("answers/"))
    monkeypatch.setitem(SAMPLES, "failing", good)  # type: ignore[arg-type]
    stage.load(Contest.named("custom").folder("final"))
    stage.restart()
    rescorer = Rescorer.__new__(Rescorer)
    rescorer.stage, rescorer.subject = stage, {"run_id": final.run.run_id}
    rescoring_id = rescorer.begin(parameters_version=2)
    assert stage.rescore(deliveries=2) == []
    assert rescorer.decide(rescoring_id, "accept").json["state"] == "accepted"
    assert stage.rescore(deliveries=2) == []
    stage.pass_minutes(4)
    assert final.shadow()["state"] == "clean"
    publishing.publish(stage.platform, "olga", final.run.run_id)
    rows = final.ask("/v1/boards/measure?of=final", Role.COMMISSION).json["rows"]
    assert [row["team_id"] for row in rows] == ["red", "blue", "grey"]
    assert all(row["value"] is not None for row in rows)
    assert answers <= set(stage.platform.blobs.names("answers/")), "nothing is lost"


FAULTS = b"""
SAMPLES = [{"answer": {"faults": 2}, "references": [], "counts": {"faults": 2}}]


def score(answer, references):
    return {"faults": 9 if answer is None else answer["faults"]}


def aggregate(counts):
    return sum(each["faults"] for each in counts) / len(counts)
"""


def of_faults(files: dict[str, Any]) -> dict[str, Any]:
    """Return the example's test set under a measure whose lower value is better; two faults are its barrier."""
    head = files["cycle.json"]
    measure = {
        "program": "faults.py",
        "name": {"en": "Faults", "ru": "Ошибки"},
        "unit": "points",
        "better": "lower",
        "barrier": 2,
        "answer": {"type": "object", "required": ["faults"], "properties": {"faults": {"type": "integer"}}},
    }
    cycle = {**head, "parameters": {**head["parameters"], "measure": measure}, "sets": {"test": {"kind": "test"}}}
    texts = {name: content for name, content in files.items() if name.startswith("test/")}
    references = {name: {"answer": {"faults": 0}} for name in texts if "_exp" in name}
    return {**texts, **references, "cycle.json": cycle, "faults.py": FAULTS}


def test_where_lower_is_better_the_lower_value_leads_is_a_teams_best_and_reaches_the_barrier(stage: Stage) -> None:
    stage.load(of_faults(example()))
    for team, tries in {"red": (3, 5), "blue": (1,), "grey": (2,)}.items():
        token = stage.team(team)
        for faults in tries:
            program = Program(stage, token)
            assert program.open(mode="algorithmic", set="test", files=4).status == 201
            for number in range(1, 5):
                assert program.get(f"files/{number}").status == 200
                assert program.answer(number, json.dumps({"faults": faults}).encode()).status == 200
            stage.pass_minutes(1)
    stage.pass_minutes(1)
    rows = stage.request("GET", "/v1/boards/measure").json["rows"]
    assert [(row["place"], row["team_id"], row["value"], row["barrier"]) for row in rows] == [
        (1, "blue", 1.0, True),
        (2, "grey", 2.0, True),
        (3, "red", 3.0, False),
    ]
