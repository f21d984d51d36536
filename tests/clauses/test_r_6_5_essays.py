"""R 6.5 on essays: accuracies overall, by type and by metric; every file with its metrics; the experts beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.commands.main import Folder
from contest.cycle.loading import load_cycle
from contest.people.rules import Role
from contest.results.rules import leaderboard
from tests.stage import Program, staged

DEMONSTRATION = Path(__file__).resolve().parents[2] / "local" / "demonstration"
METRICS = ["M1", "M2", "M3", "M4", "M5", "M6", "M7"]


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Play and score a training session over demonstration essays, answered with the empty markup."""
    with staged(tmp_path_factory.mktemp("essays"), cycle="demo") as stage:
        load_cycle(stage.platform, "tests", "demo", Folder(DEMONSTRATION), lambda _: None)
        program = Program(stage, stage.team("red"))
        program.open(set="train", files=30)
        while (found := program.get("next").json)["status"] == "available":
            file = program.get(f"files/{found['number']}").json
            assert program.answer(found["number"], file["content"]).status == 200
            stage.advance(1)
        stage.score_all()
        yield program


@pytest.fixture(scope="module")
def report(essays: Program) -> Any:
    essays.stage.advance(1)
    answered = essays.get("report")
    assert answered.status == 200
    return answered.json


@pytest.mark.clause(
    "R 6.5.1",
    "R 6.5.1.1",
    "R 6.5.1.2",
    "R 6.5.1.3",
    "R 6.5.2",
    "R 6.5.4",
    "platform §4 intervals",
    "platform §4 abstention",
)
def test_r_6_5_1_the_report_breaks_down_by_type_metric_and_file_and_concludes_on_readiness(report: Any) -> None:
    result = report["result"]
    assert {"algorithm_accuracy", "expert_accuracy", "relative_accuracy"} <= set(result)
    ratio = 100 * result["algorithm_accuracy"] / result["expert_accuracy"]
    assert result["relative_accuracy"] == pytest.approx(ratio)
    low, high = result["interval_95"]["relative_accuracy"]
    assert low <= result["relative_accuracy"] <= high
    groups = {each["group"] for each in report["files"]}
    assert set(report["result"]["by_subject"]) == groups
    assert set(report["result"]["by_language"]) == {each["language"] for each in report["files"]}
    assert sorted(report["result"]["by_metric"]) == METRICS
    table = next(each for each in report["sections"] if each["key"] == "files")
    titles = [column["en"] for column in table["columns"]]
    assert [title.split(" ")[0] for title in titles if title.startswith("M")] == METRICS
    assert sorted(row[0] for row in table["rows"]) == sorted(each["file_id"] for each in report["files"])
    assert all(len(row) == len(titles) for row in table["rows"])
    assert (report["readiness"]["ready"], report["readiness"]["reasons"]) == (True, [])
    found = leaderboard.abstention(report["result"])
    assert found == {"relative_accuracy": report["result"]["relative_accuracy"], "difference": 0.0, "flagged": False}
    assert report["barrier"] == {"value": 100.0, "overcome": False}


def test_r_6_5_3_the_own_markup_is_shown_beside_the_experts_on_the_training_set(essays: Program) -> None:
    essays.stage.advance(1)
    body = essays.get("files/1/comparison").json
    assert body["answer"]["selections"] == []
    assert len(body["experts"]) == 2
    assert all(expert["text"] == body["answer"]["text"] for expert in body["experts"])
    assert body["score"] == essays.get("files/1/score").json


@pytest.fixture(scope="module")
def hidden(essays: Program) -> Program:
    """Play a session over ten hidden essays, each tiled with fragments of three words."""
    stage = essays.stage
    program = Program(stage, stage.team("blue"))
    program.open(set="test", files=10)
    codes = stage.request("GET", "/v1/classifier").json["classifier"]["subjects"]
    for number in range(1, 11):
        content = program.get(f"files/{number}").json["content"]
        words = [found.span() for found in re.finditer(r"\S+", content["text"])]
        code = next(each for each in codes[content["meta"]["subject"]] if each["group"] == "error")
        tiles = [
            {"id": index, "startSelection": some[0][0], "endSelection": some[-1][1]}
            | {"type": code["code"], "group": "error"}
            for index, some in enumerate((words[at : at + 3] for at in range(0, len(words), 3)), start=1)
        ]
        assert program.answer(number, {**content, "selections": tiles}).status == 200
        stage.advance(1)
    stage.score_all()
    return program


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3")
def test_r_6_5_3_of_a_hidden_file_whole_per_cents_are_told_and_the_record_to_organizers_alone(hidden: Program) -> None:
    measures = {"algorithm_accuracy", "expert_accuracy", "relative_accuracy"}
    for number in range(1, 11):
        hidden.stage.advance(1)
        told = hidden.get(f"files/{number}/score").json
        assert set(told) == measures | {"metrics"}
        assert sorted(told["metrics"]) == METRICS
        values = [told[name] for name in measures] + list(told["metrics"].values())
        assert all(value is None or value == int(value) for value in values)
        assert hidden.get(f"files/{number}/comparison").code == "comparison_not_allowed"
    judge = hidden.stage.person(Role.JUDGE)
    record = hidden.stage.request("GET", f"/v1/sessions/{hidden.session_id}/files/1/score", token=judge).json
    assert {"pairs", "fingerprint"} <= set(record)


@pytest.mark.clause("R 2.7", "R 6.5.2", "R 6.5.3")
def test_r_6_5_3_a_hidden_sets_report_has_whole_per_cents(
    hidden: Program,
) -> None:
    hidden.stage.advance(1)
    found = hidden.get("report").json
    (table,) = [each for each in found["sections"] if each["key"] == "files"]
    assert len(table["rows"]) == 10
    for row in table["rows"]:
        assert all(value is None or value == int(value) for value in row[2:])
    result = found["result"]
    assert result["by_subject"] == {}, "no subject has ten essays here"
    assert result["essays"] == 10
    accuracies = [result[name] for name in ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")]
    ends = [end for interval in result["interval_95"].values() for end in interval]
    assert all(value == round(value, 1) for value in accuracies + ends)
    for line in hidden.get("report.csv").text.splitlines()[1:]:
        assert all(cell == "" or float(cell) == int(float(cell)) for cell in line.split(",")[-10:])
