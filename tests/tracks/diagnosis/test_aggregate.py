"""From answers to matrices, bounds, Sk and the barrier, through the operation of tracks.md §5."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.command.batch import reply_to
from tracks.diagnosis.aggregate import (
    Tally,
    accuracy,
    assess,
    besides,
    board_values,
    passed_qualities,
    tallies,
)
from tracks.diagnosis.classifier import NAMES, THRESHOLDS, Thresholds
from tracks.diagnosis.measures import Matrix, lower_bound
from tracks.diagnosis.score import Cell, Judged, Named, named

CODES = dict(zip(NAMES, ("A15", "C34", "J13", "J10", "J44", "I27"), strict=True))


def diagnosed(code: str) -> list[dict[str, str]]:
    return [{"decorCode": "diagnosisMain", "code": code}]


def epicrisis(nosology: str, *, ill: bool, v3: Any = None, v2: Any = None) -> dict[str, Any]:
    return {"nosology": nosology, "ill": ill, "v3": v3, "v2": v2, "cost_min": 1.1, "cost_max": 2.2}


def asked(**fields: Any) -> Any:
    reply = reply_to(json.dumps({"op": "diagnosis.session", **fields}).encode())
    return reply["result"] if reply["ok"] else reply["error"]


def session_of(matrix: Matrix) -> list[dict[str, Any]]:
    """Epicrises of all six nosologies that fill each one's matrix so."""
    made = []
    for nosology, code in CODES.items():
        for cell, ill, answer in (("tp", True, code), ("fn", True, ""), ("fp", False, code), ("tn", False, "another")):
            each = epicrisis(nosology, ill=ill, v3=diagnosed(answer), v2=diagnosed(answer))
            made += [each] * getattr(matrix, cell)
    return made


@pytest.mark.clause("D-App1а (1)", "D-App1а (11)", "D-App1б (12)", "D-App1б (13)", "D 8.5.1")
def test_a_session_of_one_nosology() -> None:
    right, wrong, healthy = diagnosed("J44.1"), diagnosed("C34"), diagnosed("another")
    found = asked(
        epicrises=[
            epicrisis("copd", ill=True, v3=right, v2=right),  # TP, minimal
            epicrisis("copd", ill=True, v3=right, v2=wrong),  # FN, maximal
            epicrisis("copd", ill=True, v3=wrong, v2=right),  # TP, maximal
            epicrisis("copd", ill=False, v3=healthy, v2=healthy),  # TN, minimal
            epicrisis("copd", ill=False),  # FP, maximal
        ]
    )
    copd = found["nosologies"].pop("copd")
    assert found == {"nosologies": {}, "sk": None, "barrier": False}
    assert {name: copd.pop(name) for name in ("tp", "fn", "fp", "tn")} == {"tp": 2, "fn": 1, "fp": 1, "tn": 1}
    assert copd == {
        "se": 2 / 3,
        "sp": 1 / 2,
        "se_lower": lower_bound(2, 3),
        "sp_lower": lower_bound(1, 2),
        "cost": 8.8,  # 1.1 + 2.2 + 2.2 + 1.1 + 2.2
        "passed": False,
        "se_barrier": 0.83,
        "sp_barrier": 0.84,
    }


def test_all_six_with_many_right_answers_overcome_the_barrier() -> None:
    found = asked(epicrises=session_of(Matrix(tp=95, fn=5, fp=5, tn=95)))
    assert list(found["nosologies"]) == list(NAMES)
    assert found["sk"] == 0.95
    assert found["barrier"] is True


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D 5.4")
def test_one_nosology_below_its_threshold_costs_the_barrier() -> None:
    epicrises = session_of(Matrix(tp=95, fn=5, fp=5, tn=95))
    spoiled = [epicrisis("cteph", ill=False)] * 20
    found = asked(epicrises=epicrises + spoiled)
    assert found["barrier"] is False
    assert [name for name, each in found["nosologies"].items() if not each["passed"]] == ["cteph"]


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D 5.4")
def test_five_of_the_six_have_neither_sk_nor_the_barrier() -> None:
    epicrises = [each for each in session_of(Matrix(95, 5, 5, 95)) if each["nosology"] != "cteph"]
    found = asked(epicrises=epicrises)
    assert len(found["nosologies"]) == 5
    assert (found["sk"], found["barrier"]) == (None, False)


def test_without_healthy_patients_specificity_is_null_and_nothing_is_passed() -> None:
    found = asked(epicrises=[epicrisis("copd", ill=True, v2=diagnosed("J44"))])["nosologies"]["copd"]
    assert (found["sp"], found["sp_lower"], found["passed"]) == (None, None, False)


@pytest.mark.parametrize("answer", [[], "J44", diagnosed("J44") * 2, diagnosed("J44.12345678"), {"study": "A06.09"}])
def test_an_answer_that_is_not_valid_is_none(answer: Any) -> None:
    found = asked(epicrises=[epicrisis("copd", ill=True, v3=diagnosed("J44"), v2=answer)])["nosologies"]["copd"]
    assert (found["tp"], found["fn"], found["cost"]) == (0, 1, 2.2)


@pytest.mark.clause("D-App1в (16)", "D 1.4", "D 9.12")
def test_stage_1_adds_to_the_semifinals_matrices_and_cost() -> None:
    stage_1 = {"nosology": "copd", "ill": True, "final": diagnosed("J44"), "cost": 0.5}
    refused = {"nosology": "copd", "ill": False, "final": None, "cost": 7}
    preliminary = {
        "nosology": "copd",
        "ill": False,
        "final": [{"decorCode": "diagnosisPreliminary", "code": "another"}],
        "cost": 0,
    }
    found = asked(epicrises=[epicrisis("copd", ill=True), stage_1, refused, preliminary])["nosologies"]["copd"]
    assert (found["tp"], found["fn"], found["fp"], found["tn"]) == (1, 1, 2, 0)
    assert found["cost"] == 9.7  # 2.2 + 0.5 + 7


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D-App1а (5)", "D 5.4")
def test_a_bound_on_the_threshold_does_not_pass_and_one_above_it_does() -> None:
    """With z = 0 the bounds are the shares themselves, 0.83 and 0.84."""
    tally = Tally(Matrix(tp=83, fn=17, fp=16, tn=84))
    thresholds = ((0.83, 0.84), (0.82, 0.84), (0.83, 0.83), (0.82, 0.83))
    assert [accuracy(tally, Thresholds(*each), z=0).passed for each in thresholds] == [False, False, False, True]


@pytest.mark.clause("TS D-11", "D-App1в partial 1", "D 5.6")
def test_a_nosology_is_passed_on_its_own_with_values_of_its_own() -> None:
    cells = [Cell.TP] * 95 + [Cell.FN] * 5 + [Cell.FP] * 5 + [Cell.TN] * 95
    copd = [Judged("copd", cell, 0.5, Named(1, 2), Named(0, 0), 20.0) for cell in cells]
    result = assess(tallies([*copd, Judged("cteph", Cell.FN, 3, Named(0, 7), Named(0, 7), 50.0)]))
    assert passed_qualities(result, besides(copd)) == {
        "copd": {
            "sk": 0.95,
            "se_lower": lower_bound(95, 100),
            "sp_lower": lower_bound(95, 100),
            "cost": 100.0,
            "se_complications": 0.5,
            "se_comorbidities": None,
            "mean_time_s": 20.0,
        }
    }
    assert THRESHOLDS["copd"].se < 0.9


@pytest.mark.clause("TS D-12", "D 8.5.2")
def test_secondary_diagnoses_count_by_base_parts_without_specificity() -> None:
    answer = [
        {"decorCode": "attendDisease", "code": "J96.0"},
        {"decorCode": "attendDisease", "code": "I10"},
        {"decorCode": "diagnosisSup", "code": "E11"},
        {"decorCode": "attendDisease", "code": ""},
    ]
    assert named(answer, "attendDisease", ["J96", "K25"]) == Named(hits=1, total=2)
    assert named(None, "attendDisease", ["J96"]) == Named(hits=0, total=1)


def test_the_boards_values_of_a_session() -> None:
    judged = [
        Judged("copd", Cell.TP, 2.0, Named(1, 2), Named(0, 0), 10.0),
        Judged("copd", Cell.TN, 3.0, Named(2, 2), Named(0, 0), 20.0),
        Judged("copd", Cell.FN, 0.0),
    ]
    values = board_values(assess(tallies(judged)), besides(judged))
    assert values == {
        "sk": None,
        "se_lower": None,
        "sp_lower": None,
        "cost": 5.0,
        "se_complications": 0.75,
        "se_comorbidities": None,
        "mean_time_s": 15.0,
    }


def test_a_teams_bounds_on_the_board_are_the_geometric_means_over_the_six() -> None:
    counted = {name: Tally(Matrix(95, 5, 5, 95)) for name in NAMES}
    values = board_values(assess(counted), {})
    assert values["se_lower"] == values["sp_lower"] == pytest.approx(lower_bound(95, 100))
    assert values["sk"] == 0.95


def changed(**change: Any) -> dict[str, Any]:
    """Return the fields of a session of one epicrisis with a change; ``...`` leaves a field out."""
    whole = {**epicrisis("copd", ill=True), **change}
    return {"epicrises": [{name: value for name, value in whole.items() if value is not ...}]}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        (changed(nosology="asthma"), "epicrises[0].nosology"),
        (changed(nosology=None), "epicrises[0].nosology"),
        (changed(ill=1), "epicrises[0].ill"),
        (changed(cost_min=-1), "epicrises[0].cost_min"),
        (changed(cost_max="2"), "epicrises[0].cost_max"),
        (changed(cost_max=None), "epicrises[0].cost_max"),
        *((changed(**{name: ...}), f"epicrises[0].{name}") for name in epicrisis("copd", ill=True)),
        *(({"epicrises": [], "z": z}, "z") for z in (-1, 11, "1.64", True)),
        *(({"epicrises": other}, "epicrises") for other in (None, {}, "all")),
        ({"epicrises": [5]}, "epicrises[0]"),
    ],
)
def test_what_is_no_session_is_refused_with_its_field(fields: dict[str, Any], field: str) -> None:
    error = asked(**fields)
    assert (error["code"], error["details"]["field"]) == ("invalid_request", field)


def test_nan_is_no_json_and_an_empty_session_has_no_nosologies() -> None:
    line = b'{"op": "diagnosis.session", "epicrises": [], "z": NaN}'
    assert reply_to(line)["error"]["code"] == "invalid_json"
    assert asked(epicrises=[]) == {"nosologies": {}, "sk": None, "barrier": False}
