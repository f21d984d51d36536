"""Places on the board, the four finalists, and the partial barrier with its special cases (D 8.16, D-App1в).

From answers to matrices, bounds, Sk and the barrier, through the operation of tracks.md §5.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.samples import reply_to
from tracks.diagnosis.aggregate import (
    Matrix,
    Tally,
    accuracy,
    assess,
    besides,
    board_values,
    lower_bound,
    passed_qualities,
    tallies,
)
from tracks.diagnosis.board import CRITERIA, Entry, board, finalists, partial_barrier
from tracks.diagnosis.score import Cell, Judged, Named, named
from tracks.diagnosis.stages import NAMES, THRESHOLDS, Thresholds
from tracks.protocol import Place

EQUAL = {
    "sk": 0.9,
    "se_lower": 0.85,
    "sp_lower": 0.86,
    "cost": 100.0,
    "se_complications": 0.5,
    "se_comorbidities": 0.4,
    "mean_time_s": 12.5,
}
ORDER = (  # the seven of D-App1в, and whether more is better
    ("sk", True),
    ("se_lower", True),
    ("sp_lower", True),
    ("cost", False),
    ("se_complications", True),
    ("se_comorbidities", True),
    ("mean_time_s", False),
)


def team(name: str, **changes: Any) -> dict[str, Any]:
    return {"team": name, **EQUAL, **changes}


def placed(*teams: dict[str, Any], **stage: str) -> Any:
    reply = reply_to({"op": "diagnosis.board", "teams": teams, **stage})
    return reply["result"]["places"] if reply["ok"] else reply["error"]


@pytest.mark.clause("TS D-11", "D-App1в criterion", "D 5.7")
@pytest.mark.parametrize(("name", "more_is_better"), ORDER)
def test_every_criterion_decides_when_all_before_it_are_equal(name: str, more_is_better: bool) -> None:
    step = 0.05 if more_is_better else -0.05
    assert placed(team("a"), team("b", **{name: EQUAL[name] + step})) == {"a": 2, "b": 1}


@pytest.mark.clause("TS D-11", "D 9.8", "D 5.7", "D-App1в criterion")
@pytest.mark.parametrize("number", range(6))
def test_an_earlier_criterion_outweighs_every_later_one(number: int) -> None:
    better = {name: EQUAL[name] + (0.05 if more else -0.05) for name, more in ORDER[number + 1 :]}
    name, more = ORDER[number]
    decisive = {name: EQUAL[name] + (0.01 if more else -0.01)}
    assert placed(team("a", **better), team("b", **decisive)) == {"a": 2, "b": 1}


@pytest.mark.clause("TS D-11", "D-App1в criterion", "tracks §1 share")
@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        ({}, {}, {"a": 1, "b": 1}),
        # Values are equal when they round to the same two decimals: 0.91 and 0.91; 0.90 and 0.91.
        ({"sk": 0.905}, {"sk": 0.9149}, {"a": 1, "b": 1}),
        ({"sk": 0.9049}, {"sk": 0.905}, {"a": 2, "b": 1}),
        ({"cost": 100.004}, {"cost": 100.0}, {"a": 1, "b": 1}),
        ({"mean_time_s": 12.505}, {"mean_time_s": 12.5}, {"a": 2, "b": 1}),
        # An undefined value is worse than any other.
        *(({name: None}, {name: 0.0 if more_is_better else 1e9}, {"a": 2, "b": 1}) for name, more_is_better in ORDER),
    ],
)
def test_values_decide_as_they_are_rounded(first: dict[str, Any], second: dict[str, Any], places: Any) -> None:
    assert placed(team("a", **first), team("b", **second)) == places


@pytest.mark.clause("D 8.15", "D 8.5.2", "D 8.5.3", "D-App1а 1 rounding", "D-App1а 1 comorbidities")
@pytest.mark.clause("D-App1б 5", "D-App1б 6")
@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        ({"sk": 0.9525}, {"sk": 0.9534}, (1, 1)),  # 0.953 and 0.953, though the float of 0.9525 lies below
        ({"sk": 0.95249}, {"sk": 0.9525}, (2, 1)),
        ({"sk": 0.9535}, {"sk": 0.9534}, (1, 2)),
        # Complications, then comorbidities decide between equal Sk.
        ({"se_complications": 0.501, "se_comorbidities": 0.1}, {"se_comorbidities": 0.9}, (1, 2)),
        ({"se_comorbidities": 0.401}, {}, (1, 2)),
        ({"se_comorbidities": 0.4004}, {}, (1, 1)),
        # Neither bounds nor cost nor time decide.
        *(
            ({}, {name: value}, (1, 1))
            for name in ("se_lower", "sp_lower", "cost", "mean_time_s")
            for value in (0.0, 1.0, None)
        ),
        ({"sk": 0.953, "cost": 900.0}, {"sk": 0.951, "cost": 10.0}, (1, 2)),
    ],
)
def test_of_a_semifinal_sk_at_three_decimals_decides_and_neither_bounds_nor_cost_nor_time(
    first: dict[str, Any], second: dict[str, Any], places: tuple[int, int]
) -> None:
    expected = dict(zip("ab", places, strict=True))
    assert placed(team("a", **first), team("b", **second), stage="semifinal") == expected


def test_after_a_shared_place_the_next_one_is_left_out() -> None:
    assert placed(team("c", sk=0.8), team("b"), team("a")) == {"a": 1, "b": 1, "c": 3}
    assert placed() == {}


def test_a_final_goes_by_cost_and_another_stage_or_a_team_twice_is_refused() -> None:
    dear, cheap = team("dear", sk=0.953, cost=900.0), team("cheap", sk=0.951, cost=10.0)
    assert placed(dear, cheap) == placed(dear, cheap, stage="final") == {"dear": 2, "cheap": 1}
    assert placed(team("a"), stage="selection")["details"]["field"] == "stage"
    assert placed(team("a"), team("b"), team("a"))["details"]["field"] == "teams[2].team"


# --- the finalists --------------------------------------------------------------------------------------------------


@pytest.mark.clause("TS D-7", "D 8.16")
@pytest.mark.parametrize(
    ("qualities", "chosen", "open_to_choice"),
    [
        ((0.5, 0.9, 0.8, 0.7, 0.6), ("t1", "t2", "t3", "t4"), ()),
        ((0.5, 0.9), ("t1", "t0"), ()),
        ((), (), ()),
        ((0.9, 0.8, 0.7, 0.7, 0.7), ("t0", "t1"), ("t2", "t3", "t4")),  # they share the last places
        ((0.9, 0.8, 0.7, 0.7, 0.6), ("t0", "t1", "t2", "t3"), ()),  # a tie that fits is no question
    ],
)
def test_the_four_best_go_to_the_final(qualities: Any, chosen: tuple[str, ...], open_to_choice: Any) -> None:
    places = list(board([Entry(f"t{number}", sk) for number, sk in enumerate(qualities)]))
    assert finalists(places) == (chosen, open_to_choice)


# --- the partial barrier --------------------------------------------------------------------------------------------


def prizes(**passed: dict[str, Any]) -> Any:
    reply = reply_to({"op": "diagnosis.partial_barrier", "passed": passed})
    return reply["result"]["places"] if reply["ok"] else reply["error"]


FOUR = ("copd", "cteph", "lung_cancer", "tuberculosis")


@pytest.mark.clause("TS D-11", "D 5.6", "D-App1в partial 1", "D-App1в partial 2", "D-App1в partial 3")
@pytest.mark.clause("D-App1в partial situation 1", "D-App1в partial situation 2", "tracks §1 partial rounding")
@pytest.mark.parametrize(
    ("passed", "places"),
    [
        # K1's 0.94 is the second best number of all, but K2 leads that nosology, and K4 and K3 lead the others.
        (
            {
                "K1": {"copd": 0.94},
                "K2": {"copd": 0.96},
                "K3": {"cteph": 0.88},
                "K4": {"lung_cancer": 0.91, "cteph": 0.87},
            },
            "K2 K4 K3",
        ),
        # A team that leads several nosologies takes one place by its best.
        (
            {"K1": {"copd": 0.85, "cteph": 0.95}, "K2": {"lung_cancer": 0.9}, "K3": {"tuberculosis": 0.86}},
            "K1 K2 K3",
        ),
        # There are three places, however many lead.
        ({f"K{n}": {name: 0.88 + n / 50} for n, name in enumerate(FOUR, start=1)}, "K4 K3 K2"),
        # Special case 1: K1 and K4 lead the two nosologies, K2 is the most accurate of the rest.
        (
            {"K1": {"copd": 0.95}, "K2": {"copd": 0.93}, "K3": {"copd": 0.91, "cteph": 0.84}, "K4": {"cteph": 0.85}},
            "K1 K4 K2",
        ),
        # The regulation speaks of fewer than three nosologies, tracks.md of fewer than three different leaders.
        (
            {"K1": dict.fromkeys(FOUR, 0.97), "K2": {"copd": 0.9}, "K3": {"cteph": 0.92}, "K4": {"cteph": 0.84}},
            "K1 K3 K2",
        ),
        # Special case 2; a third team passed nothing, and how many nosologies a team passed does not count.
        ({"K1": dict.fromkeys(FOUR[:3], 0.9), "K2": {"copd": 0.95}, "K3": {}}, "K2 K1"),
        ({"K1": {"copd": 0.9}, "K2": {}}, "K1"),
        ({}, ""),
        # Sk that is equal at two decimals leaves the nosology to the next value.
        *(
            (
                {
                    "K1": {"copd": {"sk": 0.9401, "se_lower": 0.87}},
                    "K2": {"copd": {"sk": sk, "se_lower": lower}},
                    "K3": {"cteph": 0.9},
                },
                places,
            )
            for sk, lower, places in ((0.9449, 0.86, "K1 K3 K2"), (0.945, 0.1, "K2 K3 K1"))
        ),
        # An undefined value is worse than any, and a number is Sk alone.
        ({"K1": {"copd": 0.9}, "K2": {"copd": {"sk": 0.9, "se_lower": 0}}}, "K2 K1"),
        ({"K1": {"copd": 0.9}, "K2": {"copd": {"sk": 0.9, "cost": 1e9}}}, "K2 K1"),
        ({"K1": {"copd": {"sk": 0.9, "se_lower": None}}, "K2": {"copd": 0.9}}, "K1 K2"),
        # Leaders with equal Sk stand in the order of their other values.
        (
            {
                "K1": {"copd": {"sk": 0.901, "cost": 9}},
                "K2": {"cteph": {"sk": 0.899, "cost": 8}},
                "K3": {"lung_cancer": 0.9},
            },
            "K2 K1 K3",
        ),
    ],
)
def test_leaders_of_nosologies_take_the_places_of_the_partial_barrier(passed: dict[str, Any], places: str) -> None:
    assert prizes(**passed) == places.split()


@pytest.mark.clause("TS D-11", "tracks §1 partial rounding")
@pytest.mark.parametrize("number", range(len(CRITERIA)))
def test_every_value_decides_in_its_turn(number: int) -> None:
    name, more_is_better = CRITERIA[number]
    equal = {each: 0.5 for each, _ in CRITERIA}
    worse_later = {each: 0.4 if more else 0.6 for each, more in CRITERIA[number + 1 :]}
    better, nearly = (0.51, 0.5049) if more_is_better else (0.49, 0.4951)
    other = {"cteph": 0.1}
    assert prizes(K1={"copd": equal}, K2={"copd": {**equal, **worse_later, name: better}}, K3=other)[0] == "K2"
    assert prizes(K1={"copd": equal}, K2={"copd": {**equal, **worse_later, name: nearly}}, K3=other)[0] == "K1"


def test_teams_equal_in_all_at_two_decimals_lead_together_and_share_a_place() -> None:
    passed = {"b": {"copd": 0.901}, "a": {"copd": 0.899}, "c": {"cteph": 0.8}, "d": {"cteph": 0.7}}
    entries = {team: {name: Entry(team, sk) for name, sk in own.items()} for team, own in passed.items()}
    assert partial_barrier(entries) == (Place("a", 1), Place("b", 1), Place("c", 3))
    assert prizes(**passed) == ["a", "b", "c"]


CODES = dict(zip(NAMES, ("A15", "C34", "J13", "J10", "J44", "I27"), strict=True))


def diagnosed(code: str) -> list[dict[str, str]]:
    return [{"decorCode": "diagnosisMain", "code": code}]


def epicrisis(nosology: str, *, ill: bool, v3: Any = None, v2: Any = None) -> dict[str, Any]:
    return {"nosology": nosology, "ill": ill, "v3": v3, "v2": v2, "cost_min": 1.1, "cost_max": 2.2}


def asked(**fields: Any) -> Any:
    reply = reply_to({"op": "diagnosis.session", **fields})
    return reply["result"] if reply["ok"] else reply["error"]


def session_of(matrix: Matrix) -> list[dict[str, Any]]:
    """Return epicrises of all six nosologies that give each nosology this matrix."""
    actual = []
    for nosology, code in CODES.items():
        for cell, ill, answer in (("tp", True, code), ("fn", True, ""), ("fp", False, code), ("tn", False, "another")):
            outcome = epicrisis(nosology, ill=ill, v3=diagnosed(answer), v2=diagnosed(answer))
            actual += [outcome] * getattr(matrix, cell)
    return actual


@pytest.mark.clause("D-App1а (1)", "D-App1а (11)", "D-App1б (12)", "D-App1б (13)", "D 8.5.1")
def test_a_session_of_one_nosology() -> None:
    right, wrong, healthy = diagnosed("J44.1"), diagnosed("C34"), diagnosed("another")
    outcome = asked(
        epicrises=[
            epicrisis("copd", ill=True, v3=right, v2=right),  # TP, minimal
            epicrisis("copd", ill=True, v3=right, v2=wrong),  # FN, maximal
            epicrisis("copd", ill=True, v3=wrong, v2=right),  # TP, maximal
            epicrisis("copd", ill=False, v3=healthy, v2=healthy),  # TN, minimal
            epicrisis("copd", ill=False),  # FP, maximal
        ]
    )
    copd = outcome["nosologies"].pop("copd")
    assert outcome == {"nosologies": {}, "sk": None, "barrier": False}
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
    outcome = asked(epicrises=session_of(Matrix(tp=95, fn=5, fp=5, tn=95)))
    assert list(outcome["nosologies"]) == list(NAMES)
    assert outcome["sk"] == 0.95
    assert outcome["barrier"] is True


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D 5.4")
def test_one_nosology_below_its_threshold_costs_the_barrier() -> None:
    epicrises = session_of(Matrix(tp=95, fn=5, fp=5, tn=95))
    spoiled = [epicrisis("cteph", ill=False)] * 20
    outcome = asked(epicrises=epicrises + spoiled)
    assert outcome["barrier"] is False
    assert [name for name, nosology in outcome["nosologies"].items() if not nosology["passed"]] == ["cteph"]


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D 5.4")
def test_five_of_the_six_have_neither_sk_nor_the_barrier() -> None:
    epicrises = [each for each in session_of(Matrix(95, 5, 5, 95)) if each["nosology"] != "cteph"]
    outcome = asked(epicrises=epicrises)
    assert len(outcome["nosologies"]) == 5
    assert (outcome["sk"], outcome["barrier"]) == (None, False)


def test_without_healthy_patients_specificity_is_null_and_nothing_is_passed() -> None:
    outcome = asked(epicrises=[epicrisis("copd", ill=True, v2=diagnosed("J44"))])["nosologies"]["copd"]
    assert (outcome["sp"], outcome["sp_lower"], outcome["passed"]) == (None, None, False)


@pytest.mark.parametrize("answer", [[], "J44", diagnosed("J44") * 2, diagnosed("J44.12345678"), {"study": "A06.09"}])
def test_an_answer_that_is_not_valid_is_none(answer: Any) -> None:
    outcome = asked(epicrises=[epicrisis("copd", ill=True, v3=diagnosed("J44"), v2=answer)])["nosologies"]["copd"]
    assert (outcome["tp"], outcome["fn"], outcome["cost"]) == (0, 1, 2.2)


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
    outcome = asked(epicrises=[epicrisis("copd", ill=True), stage_1, refused, preliminary])["nosologies"]["copd"]
    assert (outcome["tp"], outcome["fn"], outcome["fp"], outcome["tn"]) == (1, 1, 2, 0)
    assert outcome["cost"] == 9.7  # 2.2 + 0.5 + 7


@pytest.mark.clause("TS D-11", "D-App1а (9)", "D-App1а (5)", "D 5.4")
def test_a_bound_on_the_threshold_does_not_pass_and_one_above_it_does() -> None:
    """Check that with z = 0 the bounds are the shares themselves, 0.83 and 0.84."""
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
    ("op", "fields", "field"),
    [
        *(
            ("board", {"teams": [{**team("a"), name: value}]}, f"teams[0].{name}")
            for name, value in (("sk", 91.2), ("cost", -1), ("mean_time_s", "12"), ("team", 5))
        ),
        ("partial_barrier", {"passed": {"K1": {"asthma": 0.9}}}, "passed.K1.asthma"),
        ("partial_barrier", {"passed": {"K1": {"copd": 1.5}}}, "passed.K1.copd"),
        ("partial_barrier", {"passed": {"K1": {"copd": None}}}, "passed.K1.copd"),
        ("partial_barrier", {"passed": {"K1": {"copd": "0.9"}}}, "passed.K1.copd"),
        ("partial_barrier", {"passed": {"K1": {"copd": {}}}}, "passed.K1.copd.sk"),
        ("partial_barrier", {"passed": {"K1": {"copd": {"sk": None}}}}, "passed.K1.copd.sk"),
        ("partial_barrier", {"passed": {"K1": {"copd": {"sk": 0.9, "cost": -1}}}}, "passed.K1.copd.cost"),
        ("partial_barrier", {"passed": {"K1": {"copd": {"sk": 0.9, "se_lower": 1.1}}}}, "passed.K1.copd.se_lower"),
        ("partial_barrier", {"passed": {"K1": [0.9]}}, "passed.K1"),
        ("partial_barrier", {"passed": []}, "passed"),
        ("session", changed(nosology="asthma"), "epicrises[0].nosology"),
        ("session", changed(nosology=None), "epicrises[0].nosology"),
        ("session", changed(ill=1), "epicrises[0].ill"),
        ("session", changed(cost_min=-1), "epicrises[0].cost_min"),
        ("session", changed(cost_max="2"), "epicrises[0].cost_max"),
        ("session", changed(cost_max=None), "epicrises[0].cost_max"),
        *(("session", changed(**{name: ...}), f"epicrises[0].{name}") for name in epicrisis("copd", ill=True)),
        *(("session", {"epicrises": [], "z": z}, "z") for z in (-1, 11, "1.64", True)),
        *(("session", {"epicrises": other}, "epicrises") for other in (None, {}, "all")),
        ("session", {"epicrises": [5]}, "epicrises[0]"),
    ],
)
def test_what_is_wrong_in_a_request_is_refused_with_its_field(op: str, fields: dict[str, Any], field: str) -> None:
    error = reply_to({"op": f"diagnosis.{op}", **fields})["error"]
    assert (error["code"], error["details"]["field"]) == ("invalid_request", field)


def test_an_empty_session_has_no_nosologies() -> None:
    assert asked(epicrises=[]) == {"nosologies": {}, "sk": None, "barrier": False}
