"""R 6.5 on essays: accuracies overall, by type and by metric; every file with its metrics; the experts beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.commands.main import Folder
from contest.domain.results import leaderboard
from contest.services.cycle.loading import load_cycle
from tests.stage import Program, staged

DEMONSTRATION = Path(__file__).resolve().parents[2] / "local" / "demonstration"
METRICS = ["M1", "M2", "M3", "M4", "M5", "M6", "M7"]


@pytest.fixture(scope="module")
def essays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A finished and scored training session over demonstration essays, answered with the empty markup."""
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


@pytest.mark.clause("R 6.5.1", "R 6.5.1.1", "platform §4 intervals")
def test_r_6_5_1_1_the_report_shows_star_and_otar_overall_with_intervals(report: Any) -> None:
    result = report["result"]
    assert {"algorithm_accuracy", "expert_accuracy", "relative_accuracy"} <= set(result)
    ratio = 100 * result["algorithm_accuracy"] / result["expert_accuracy"]
    assert result["relative_accuracy"] == pytest.approx(ratio)
    low, high = result["interval_95"]["relative_accuracy"]
    assert low <= result["relative_accuracy"] <= high


def test_r_6_5_1_2_the_report_breaks_down_by_type_of_essay(report: Any) -> None:
    groups = {each["group"] for each in report["files"]}
    assert set(report["result"]["by_subject"]) == groups
    assert set(report["result"]["by_language"]) == {each["language"] for each in report["files"]}


def test_r_6_5_1_3_the_report_breaks_down_by_metric(report: Any) -> None:
    assert sorted(report["result"]["by_metric"]) == METRICS


def test_r_6_5_2_every_file_is_listed_with_every_metric_to_sort_by(report: Any) -> None:
    table = next(each for each in report["sections"] if each["key"] == "files")
    titles = [column["en"] for column in table["columns"]]
    assert [title.split(" ")[0] for title in titles if title.startswith("M")] == METRICS
    assert sorted(row[0] for row in table["rows"]) == sorted(each["file_id"] for each in report["files"])
    assert all(len(row) == len(titles) for row in table["rows"])


def test_r_6_5_3_the_own_markup_is_shown_beside_the_experts_on_the_training_set(essays: Program) -> None:
    essays.stage.advance(1)
    body = essays.get("files/1/comparison").json
    assert body["answer"]["selections"] == []
    assert len(body["experts"]) == 2
    assert all(expert["text"] == body["answer"]["text"] for expert in body["experts"])
    assert body["score"] == essays.get("files/1/score").json


def test_r_6_5_4_the_report_concludes_on_readiness_with_reasons(report: Any) -> None:
    assert (report["readiness"]["ready"], report["readiness"]["reasons"]) == (True, [])


@pytest.mark.clause("platform §4 abstention")
def test_platform_4_an_essay_result_says_what_the_abstention_audit_needs(report: Any) -> None:
    found = leaderboard.abstention(report["result"])
    assert found == {"relative_accuracy": report["result"]["relative_accuracy"], "difference": 0.0, "flagged": False}
    assert report["barrier"] == {"value": 100.0, "overcome": False}
