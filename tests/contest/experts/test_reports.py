"""The report of the coordinator of experts, agreement and speed over HTTP: JSON, page, tables (R 7.10, 8.3.2)."""

from __future__ import annotations

import csv
import io
import json

import openpyxl
import pytest

from contest.people.rules import Role
from tests.experts_stage import Desk, Person, shipped
from tests.pages_read import page
from tests.stage import Stage
from tracks.capabilities import Agreed
from tracks.essay import experts
from tracks.essay.items import complete, use
from tracks.protocol import ItemFacts

ITEMS = ("hist-01", "hist-02", "hist-04")
"""Essays; for the second one the rule calls a third expert."""


@pytest.fixture
def at_work(stage: Stage) -> Desk:
    """Two essays are marked up, each within its expert's own time; the third one is still to be opened."""
    desk = Desk(stage, ITEMS, "anna boris clara")
    took = {"anna": 100, "boris": 200, "clara": 400}
    for item in ITEMS[:2]:
        for number, (expert, assignment_id) in enumerate(desk.given(item)[:2], start=1):
            expert.draft(assignment_id, shipped(item, number))
            stage.advance(took[expert.name])
            expert.hand_in(assignment_id, 1)
    return desk


@pytest.mark.clause("R 7.10", "R 8.3.2", "platform §5 progress")
def test_r_7_10_the_coordinator_reports_progress_speed_agreement_drift_and_third_experts(at_work: Desk) -> None:
    olga = at_work.olga
    marking_id = olga.progress()["marking"]["marking_id"]
    report = olga.ask("GET", f"/v1/markings/{marking_id}/report").json
    assert (report["essays"], report["done"], report["lacking"], report["thirds"]) == (3, 1, 0, 1)
    assert report["third_reasons"] == {"count": 1}
    agreement = olga.ask("GET", f"/v1/markings/{marking_id}/agreement").json
    assert report["agreement"] == agreement["agreement"]
    assert report["agreement"]["all"]["essays"] == 2
    speeds = {each["expert_id"]: each["speed"]["mean_s"] for each in report["experts"] if each["speed"]}
    assert speeds == {each["expert_id"]: each["mean_s"] for each in agreement["speeds"]}
    assert set(speeds.values()) <= {100.0, 200.0, 400.0}
    names = {each["expert_id"]: each["pseudonym"] for each in olga.ask("GET", "/v1/experts").json["experts"]}
    assert {each["expert_id"]: each["pseudonym"] for each in report["experts"]} == names
    assert olga.ask("GET", "/v1/markings/nothing/report").code == "unknown_marking"


@pytest.mark.clause("R 7.10", "platform §7 exports")
def test_r_7_10_page_and_tables_show_what_the_report_says(at_work: Desk) -> None:
    commission = Person(at_work.stage, Role.COMMISSION, "carl")
    path = f"/v1/markings/{at_work.olga.progress()['marking']['marking_id']}/report"
    report = commission.ask("GET", path).json
    shown = commission.ask("GET", f"{path}.csv")
    rows = list(csv.DictReader(io.StringIO(shown.content.decode("utf-8-sig"), newline=""), strict=True))
    assert [row["expert_id"] for row in rows] == ["anna", "boris", "clara"]
    drift = {each["expert"]: each for each in report["agreement"]["by_expert"]}
    for row, each in zip(rows, report["experts"], strict=True):
        assert int(row["handed_in"]) == each["states"].get("handed_in", 0)
        assert float(row["mean_s"]) == each["speed"]["mean_s"]
        assert float(row["accuracy"]) == drift[each["expert_id"]]["accuracy"]
        assert float(row["points"]) == drift[each["expert_id"]]["points"]
    found = page(commission.ask("GET", f"{path}.html", headers={"Accept-Language": "ru, en;q=0.1"}), "ru")
    assert [row[0] for row in found.tables["Эксперты"][1:]] == ["anna", "boris", "clara"]
    assert found.tables["Причины третьей проверки"][1:] == [["расходятся баллы по нескольким критериям", "1"]]
    assert len(found.tables["Эссе"]) == 1 + len(ITEMS)
    assert len(found.attributes("svg")) == 6
    book = openpyxl.load_workbook(io.BytesIO(commission.ask("GET", f"{path}.xlsx?lang=en").content))
    assert book.sheetnames[0] == "Experts"
    assert [each.value for each in book["Experts"]["A"]][1:] == ["anna", "boris", "clara"]
    assert book["Progress"]["C2"].value == 3


def test_before_anything_is_handed_in_the_report_is_there_and_empty(desk: Desk) -> None:
    path = f"/v1/markings/{desk.olga.progress()['marking']['marking_id']}/report"
    found = page(desk.olga.ask("GET", f"{path}.html?lang=en"), "en")
    assert found.texts["p"].count("Nothing.") == 3
    assert len(found.tables["Experts"]) == 3


HISTORY = ("hist-01", "hist-02", "hist-03", "hist-04")


@pytest.mark.clause("platform §5 progress", "R 8.3.2", "platform §1 commission")
def test_platform_5_agreement_speed_and_drift_are_shown_of_what_the_two_have_handed_in(stage: Stage) -> None:
    desk = Desk(stage, HISTORY, "anna boris")
    rows, took = [], {"anna": 300, "boris": 500}
    for item in HISTORY:
        names = []
        for number, (expert, assignment_id) in enumerate(desk.given(item), start=1):
            names.append(expert.name)
            expert.draft(assignment_id, shipped(item, number))
            stage.advance(took[expert.name])
            expert.hand_in(assignment_id, 1)
        pair = experts.pair(shipped(item, 1), shipped(item, 2), use(complete({})[0]))
        rows.append(Agreed(ItemFacts(item, "rus", "hist"), (names[0], names[1]), pair))
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    for who in (desk.olga, Person(stage, Role.COMMISSION, "carl")):
        answered = who.ask("GET", f"/v1/markings/{marking_id}/agreement")
        assert answered.status == 200, answered.text
        answer = answered.json
        seed = stage.platform.catalogue.parameters(1).bootstrap_seed
        assert answer["agreement"] == json.loads(json.dumps(experts.agreement(rows, seed)))
        assert [
            (speed["expert_id"], speed["essays"], speed["median_s"], speed["mean_s"]) for speed in answer["speeds"]
        ] == [
            ("anna", 4, 300.0, 300.0),
            ("boris", 4, 500.0, 500.0),
        ]
        assert answer["speeds"][0]["mean_95"] == [300.0, 300.0]


def test_one_markup_tells_no_agreement_and_what_ran_out_nothing_of_an_experts_speed(desk: Desk) -> None:
    (expert, assignment_id), _ = desk.given("hist-01")
    expert.mark_up(assignment_id, shipped("hist-01", 1))
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    answer = desk.olga.ask("GET", f"/v1/markings/{marking_id}/agreement").json
    assert answer["agreement"]["all"]["essays"] == 0
    assert [speed["expert_id"] for speed in answer["speeds"]] == [expert.name]
    other, late = desk.given("hist-01")[1]
    other.draft(late, shipped("hist-01", 1))
    desk.stage.advance(4000)
    desk.stage.tick()
    assert desk.olga.ask("GET", f"/v1/markings/{marking_id}/agreement").json["speeds"] == answer["speeds"]
    assert desk.olga.ask("GET", "/v1/markings/nothing/agreement").code == "unknown_marking"


def test_a_third_experts_markup_is_not_counted_as_agreement(stage: Stage) -> None:
    """The third expert has seen the two other markups."""
    desk = Desk(stage, ("hist-02",), "anna boris clara")
    desk.mark_up("hist-02")
    marking_id = desk.olga.progress()["marking"]["marking_id"]
    path = f"/v1/markings/{marking_id}/agreement"
    before = desk.olga.ask("GET", path).json["agreement"]
    third, assignment_id = desk.given("hist-02")[2]
    third.mark_up(assignment_id, shipped("hist-02", 1))
    after = desk.olga.ask("GET", path).json
    assert after["agreement"] == before
    assert third.name in {each["expert_id"] for each in after["speeds"]}
