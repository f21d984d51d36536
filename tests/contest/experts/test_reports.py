"""The coordinator's report (R 7.10, 8.3.2) and the forecast of a marking's end, over HTTP, page and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace

import openpyxl
import pytest

from contest.cycle.loading import load_cycle
from contest.experts.rules.assignment import Assignment, AssignmentState, Decision, Draft, EssayWork, Speed
from contest.experts.rules.progress import FAIR, forecast, of_report, progress, rate_interval
from contest.people.rules import Role
from contest.values import Scalar, Table
from tests.contest.experts.test_calibrating import accuracy
from tests.experts_stage import AGREED, CYCLE, DIFFERENT, Coordinator, Desk, Expert, Person, essay_cycle, shipped
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
def test_r_7_10_page_and_tables_hold_the_reports_numbers(at_work: Desk) -> None:
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
def test_platform_5_agreement_and_speeds_are_those_of_the_two_experts_finished_markups(stage: Stage) -> None:
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
        answered = who.ask("GET", f"/v1/markings/{marking_id}/agreement").body()
        answer = answered
        seed = stage.platform.catalogue.parameters(1).bootstrap_seed
        assert answer["agreement"] == json.loads(json.dumps(experts.agreement(rows, seed)))
        assert [
            (speed["expert_id"], speed["essays"], speed["median_s"], speed["mean_s"]) for speed in answer["speeds"]
        ] == [
            ("anna", 4, 300.0, 300.0),
            ("boris", 4, 500.0, 500.0),
        ]
        assert answer["speeds"][0]["mean_95"] == [300.0, 300.0]


def test_one_markup_makes_no_agreement_and_an_expired_assignment_no_speed(desk: Desk) -> None:
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


HOUR = 3_600_000
DONE, LEFT, BACK = AssignmentState.HANDED_IN, AssignmentState.ASSIGNED, AssignmentState.HANDED_BACK
AGREES = Decision(5, (), ("a", "b"))
DIFFERS = Decision(5, ({"code": "x"},), ("a", "b"))


def given(expert: str, item: str, state: AssignmentState, *, is_third: bool = False) -> Assignment:
    place = (f"{expert}-{item}", "m", item, expert, "rus", "hist", is_third, HOUR, int(state is LEFT))
    draft = Draft(1, "a", 1, True) if state is DONE else None
    return Assignment(*place, state=state, latest=draft, latest_valid=draft)


def essay(item: str, third: Decision | None = None) -> EssayWork:
    return EssayWork("m", item, "rus", "hist", "c", third=third)


def two(item: str, *states: AssignmentState) -> Sequence[Assignment]:
    return [given(expert, item, state) for expert, state in zip(("anna", "boris"), states, strict=True)]


@pytest.mark.parametrize("done", [1, 3, 10, 40])
def test_the_interval_of_a_rate_is_the_exact_one(done: int) -> None:
    low, high = rate_interval(done, 2.0)
    from scipy.stats import chi2  # only here: it takes a second to load

    exact = chi2.ppf(0.025, 2 * done) / 4, chi2.ppf(0.975, 2 * done + 2) / 4
    assert (low, high) == pytest.approx(exact)
    assert low < done / 2.0 < high


@pytest.mark.clause("platform §5 progress")
def test_platform_5_the_end_is_the_slowest_experts_by_the_pace_so_far() -> None:
    """Anna has done four in four hours and has four left; boris two, and has six; clara handed back her only one."""
    items = [f"i{number}" for number in range(8)]
    essays = [essay(item, AGREES if number < 2 else None) for number, item in enumerate(items)]
    states = [(DONE if number < 4 else LEFT, DONE if number < 2 else LEFT) for number in range(8)]
    assignments = {item: two(item, *pair) for item, pair in zip(items, states, strict=True)}
    shown = progress(essays, {**assignments, "i0": [*assignments["i0"], given("clara", "i0", BACK)]})
    now = 4 * HOUR
    found = forecast(shown, now)
    assert (found.left, found.handed_in, found.thirds_expected, found.slowest) == (10, 6, 0.0, "boris")
    assert found.ends_at == now + 12 * HOUR, "six at one in two hours"
    low, high = rate_interval(2, 4 * HOUR)
    assert found.earliest is not None
    assert found.latest is not None
    assert found.latest == pytest.approx(now + 6 / low, abs=2)
    assert found.earliest >= now + 6 / high - 2
    assert found.earliest < found.ends_at < found.latest
    assert not found.is_fair


def test_more_handed_in_makes_a_fair_and_narrower_forecast() -> None:
    def of(done: int) -> float:
        items = [f"i{number}" for number in range(2 * done)]
        states = [DONE if number < done else LEFT for number in range(2 * done)]
        given_ = {item: two(item, state, state) for item, state in zip(items, states, strict=True)}
        shown = progress([essay(item, AGREES) for item in items], given_)
        found = forecast(shown, done * HOUR)
        assert found.is_fair is (done >= FAIR)
        assert found.ends_at == 2 * done * HOUR
        assert found.latest is not None
        return (found.latest - done * HOUR) / (done * HOUR)

    widths = [of(done) for done in (3, 10, 40)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 1.5


def test_a_finished_project_has_its_end_and_one_with_an_idle_expert_no_forecast() -> None:
    shown = progress([essay("a", AGREES), essay("b")], {"a": two("a", DONE, LEFT), "b": two("b", LEFT, LEFT)})
    found = forecast(shown, HOUR)
    assert (found.ends_at, found.earliest, found.latest, found.left, found.is_fair) == (None, None, None, 3, False)
    assert forecast(progress([essay("a")], {"a": []}), HOUR).ends_at is None
    both = [replace(each, ended_at=5 + place) for place, each in enumerate(two("a", DONE, DONE))]
    found = forecast(progress([essay("a", AGREES)], {"a": both}), 70)
    assert (found.left, found.ends_at, found.latest) == (0.0, 6, 6)


def test_third_experts_are_expected_as_often_as_so_far() -> None:
    items = ("a", "b", "c", "d")
    thirds = [DIFFERS, AGREES, None, None]
    given_ = {item: two(item, DONE, DONE if rule else LEFT) for item, rule in zip(items, thirds, strict=True)}
    given_["a"] = [*given_["a"], given("clara", "a", DONE, is_third=True)]
    found = forecast(progress([essay(*each) for each in zip(items, thirds, strict=True)], given_), HOUR)
    assert (found.thirds_expected, found.left) == (1.0, 3.0)


@pytest.mark.clause("platform §5 progress")
def test_platform_5_the_coordinator_sees_when_a_marking_will_end(stage: Stage) -> None:
    desk = Desk(stage, (AGREED, DIFFERENT), "anna boris")
    assert desk.olga.progress()["forecast"] == {
        "left": 4.0,
        "thirds_expected": 0.0,
        "handed_in": 0,
        "ends_at": None,
        "earliest": None,
        "latest": None,
        "slowest": None,
        "fair": False,
    }
    stage.advance(3600)
    desk.mark_up(AGREED)
    found = desk.olga.progress()["forecast"]
    assert (found["left"], found["handed_in"], found["fair"]) == (2.0, 2, False)
    assert found["earliest"] < found["ends_at"] < found["latest"]
    assert found["slowest"] in desk.experts
    path = f"/v1/markings/{desk.olga.ask('GET', '/v1/markings').json['markings'][0]['marking_id']}"
    stage.set_clock(stage.now - stage.now % 60_000 + 60_001)
    known = desk.olga.ask("GET", path).headers["etag"]
    stage.advance(30)
    assert desk.olga.ask("GET", path, None, {"If-None-Match": known}).status == 304


@pytest.mark.clause("platform §5 calibration")
def test_platform_5_the_coordinator_sees_how_the_experts_did_in_calibration(stage: Stage) -> None:
    load_cycle(stage.platform, "tests", CYCLE, essay_cycle((AGREED, DIFFERENT)), lambda _: None)
    olga = Coordinator(stage)
    for name in ("anna", "boris"):
        olga.add(name)
    anna = Expert(stage, "anna")
    begun = anna.ask("POST", "/v1/calibrations").json["assignment_id"]
    text = anna.open(begun).json["content"]["text"]
    item = next(each for each in (AGREED, DIFFERENT) if shipped(each)["text"] == text)
    assert anna.save(begun, 0, shipped(item, 1)).status == 200
    assert anna.hand_in(begun, 1).status == 200
    assert olga.assign(set="train").status == 200
    (marking,) = [
        each for each in olga.ask("GET", "/v1/markings").json["markings"] if "calibration" not in each["marking_id"]
    ]
    told = {each["expert_id"]: each for each in olga.progress(marking["marking_id"])["calibrations"]}
    assert told["boris"] == {"expert_id": "boris", "done": 0, "accuracy": None, "experts_accuracy": None}
    own = [accuracy(shipped(item, 1), shipped(item, number)) for number in (1, 2)]
    among = [accuracy(shipped(item, one), shipped(item, other)) for one, other in ((1, 2), (2, 1))]
    assert told["anna"]["done"] == 1
    assert told["anna"]["accuracy"] == pytest.approx(sum(own) / 2)
    assert told["anna"]["experts_accuracy"] == pytest.approx(sum(among) / 2)


MEASURES = {"essays": 3, "accuracy": 70.0, "accuracy_95": [60.0, 80.0], "alpha": 0.5, "alpha_95": [0.4, 0.6]}
DRIFT = {
    "expert": "anna",
    "essays": 3,
    "accuracy": 71.0,
    "accuracy_95": [61.0, 81.0],
    "points": -5.0,
    "points_95": [-9.0, -1.0],
    "fragments": 2.0,
    "fragments_95": None,
}
AGREEMENT = {
    "all": MEASURES,
    "by_subject": {"hist": MEASURES},
    "by_pair": [{"experts": ["anna", "boris"], **MEASURES}],
    "by_code": [{"subject": "hist", "code": "и.факт", "units": 9, "agreed": 4, "alpha": 0.1, "alpha_95": [0.0, 0.2]}],
    "by_expert": [DRIFT],
}
REASONS = ({"code": "total"}, {"code": "criterion"})


def assigned(expert: str, state: AssignmentState) -> Assignment:
    return Assignment(f"{expert}-1", "marking", "essay-1", expert, "rus", "hist", False, 60_000, 0, state=state)


def report_tables() -> dict[str, Table]:
    essay = EssayWork("marking", "essay-1", "rus", "hist", "0" * 64, third=Decision(1_000, REASONS, ()))
    actual = {"essay-1": [assigned("anna", AssignmentState.OPENED), assigned("boris", AssignmentState.HANDED_BACK)]}
    result = of_report(
        progress([essay], actual), AGREEMENT, [Speed("anna", 3, 90.0, 100.0, (80.0, 120.0))], {"anna": "expert-a"}
    )
    return {entry.name: entry for entry in result}


def test_an_experts_row_has_states_speed_agreement_and_drift_with_their_intervals() -> None:
    anna, boris = report_tables()["experts"].records()
    actual: dict[str, Scalar] = {
        "pseudonym": "expert-a",
        "opened": 1,
        "handed_in": 0,
        "median_s": 90.0,
        "mean_s": 100.0,
        "mean_95_from": 80.0,
        "mean_95_to": 120.0,
        "accuracy": 71.0,
        "accuracy_95_from": 61.0,
        "accuracy_95_to": 81.0,
        "points": -5.0,
        "points_95_from": -9.0,
        "points_95_to": -1.0,
        "fragments": 2.0,
        "fragments_95_from": None,
    }
    assert {name: anna[name] for name in actual} == actual
    assert (boris["handed_back"], boris["mean_s"], boris["pseudonym"]) == (1, None, None)


def test_agreement_pairs_codes_and_reasons_have_tables_of_their_own() -> None:
    result = report_tables()
    ends = {"accuracy_95_from": 60.0, "accuracy_95_to": 80.0, "alpha_95_from": 0.4, "alpha_95_to": 0.6}
    for name, count in (("agreement", 2), ("pairs", 1)):
        rows = list(result[name].records())
        assert len(rows) == count
        assert all({end: row[end] for end in ends} == ends for row in rows)
    (code,) = result["codes"].records()
    assert (code["code"], code["units"], code["agreed"], code["alpha"], code["alpha_95_to"]) == (
        "и.факт",
        9,
        4,
        0.1,
        0.2,
    )
    assert [tuple(row) for row in result["thirds"].rows] == [("criterion", 1), ("total", 1)]
    (essay,) = result["essays"].records()
    assert (essay["third"], essay["experts"]) == (True, "anna: opened, boris: handed_back")
