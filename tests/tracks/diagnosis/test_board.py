"""Places on the board, the four finalists, and the partial barrier with its special cases (D 8.16, D-App1в)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.command.batch import reply_to
from tracks.diagnosis.board import CRITERIA, Entry, board, finalists, partial_barrier
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
    reply = reply_to(json.dumps({"op": "diagnosis.board", "teams": teams, **stage}).encode())
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


@pytest.mark.clause("tracks §1 share")
def test_teams_equal_in_all_share_a_place_and_the_next_one_is_left_out() -> None:
    assert placed(team("c", sk=0.8), team("b"), team("a")) == {"a": 1, "b": 1, "c": 3}


@pytest.mark.clause("TS D-11", "D-App1в criterion")
def test_values_are_equal_when_they_round_to_the_same_two_decimals() -> None:
    assert placed(team("a", sk=0.905), team("b", sk=0.9149)) == {"a": 1, "b": 1}  # 0.91 and 0.91
    assert placed(team("a", sk=0.9049), team("b", sk=0.905)) == {"a": 2, "b": 1}  # 0.90 and 0.91


def test_costs_and_times_are_rounded_too() -> None:
    assert placed(team("a", cost=100.004), team("b", cost=100.0)) == {"a": 1, "b": 1}
    assert placed(team("a", mean_time_s=12.505), team("b", mean_time_s=12.5)) == {"a": 2, "b": 1}


@pytest.mark.parametrize("name", [name for name, _ in ORDER])
def test_an_undefined_value_is_worse_than_any_other(name: str) -> None:
    worst = 0.0 if name not in ("cost", "mean_time_s") else 1e9
    assert placed(team("a", **{name: None}), team("b", **{name: worst})) == {"a": 2, "b": 1}


def test_no_teams_have_no_places() -> None:
    assert placed() == {}


def test_a_team_that_stands_twice_is_refused() -> None:
    assert placed(team("a"), team("b"), team("a"))["details"]["field"] == "teams[2].team"
    with pytest.raises(ValueError, match="twice"):
        board([Entry("a", 0.9), Entry("a", 0.8)])


@pytest.mark.parametrize(
    ("change", "field"),
    [({"sk": 91.2}, "sk"), ({"cost": -1}, "cost"), ({"mean_time_s": "12"}, "mean_time_s"), ({"team": 5}, "team")],
)
def test_a_bad_value_is_refused_with_its_field(change: dict[str, Any], field: str) -> None:
    assert placed({**team("a"), **change})["details"]["field"] == f"teams[0].{field}"


# --- the semifinal --------------------------------------------------------------------------------------------------

FINALS_ALONE = ("se_lower", "sp_lower", "cost", "mean_time_s")


@pytest.mark.clause("D 8.15", "D 8.5.3")
def test_of_a_semifinal_the_higher_sk_stands_first_however_dear() -> None:
    dear, cheap = team("dear", sk=0.953, cost=900.0), team("cheap", sk=0.951, cost=10.0)
    assert placed(dear, cheap, stage="semifinal") == {"dear": 1, "cheap": 2}
    assert placed(dear, cheap) == placed(dear, cheap, stage="final") == {"dear": 2, "cheap": 1}


@pytest.mark.clause("D 8.15", "D-App1а 1 rounding")
@pytest.mark.parametrize(
    ("first", "second", "places"),
    [
        (0.9525, 0.9534, {"a": 1, "b": 1}),  # 0.953 and 0.953, though the float of 0.9525 lies below
        (0.95249, 0.9525, {"a": 2, "b": 1}),
        (0.9535, 0.9534, {"a": 1, "b": 2}),
    ],
)
def test_of_a_semifinal_sk_is_compared_at_three_decimals(first: float, second: float, places: Any) -> None:
    assert placed(team("a", sk=first), team("b", sk=second), stage="semifinal") == places


@pytest.mark.clause("D 8.5.2", "D-App1б 5", "D-App1б 6", "D-App1а 1 comorbidities")
def test_of_a_semifinal_complications_then_comorbidities_decide_between_equal_sk() -> None:
    better = team("a", se_complications=0.501, se_comorbidities=0.1)
    assert placed(better, team("b", se_comorbidities=0.9), stage="semifinal") == {"a": 1, "b": 2}
    assert placed(team("a", se_comorbidities=0.401), team("b"), stage="semifinal") == {"a": 1, "b": 2}
    assert placed(team("a", se_comorbidities=0.4004), team("b"), stage="semifinal") == {"a": 1, "b": 1}


@pytest.mark.clause("D 8.5.3", "D 8.15")
@pytest.mark.parametrize("name", FINALS_ALONE)
def test_of_a_semifinal_neither_bounds_nor_cost_nor_time_decide(name: str) -> None:
    for value in (0.0, 1.0, None):
        assert placed(team("a"), team("b", **{name: value}), stage="semifinal") == {"a": 1, "b": 1}


def test_a_board_of_another_stage_is_refused() -> None:
    assert placed(team("a"), stage="selection")["details"]["field"] == "stage"


# --- the finalists --------------------------------------------------------------------------------------------------


def entries(*qualities: float) -> list[Place]:
    return list(board([Entry(f"t{number}", sk) for number, sk in enumerate(qualities)]))


@pytest.mark.clause("TS D-7", "D 8.16")
def test_the_four_best_go_to_the_final() -> None:
    assert finalists(entries(0.5, 0.9, 0.8, 0.7, 0.6)) == (("t1", "t2", "t3", "t4"), ())


def test_fewer_than_four_teams_all_go() -> None:
    assert finalists(entries(0.5, 0.9)) == (("t1", "t0"), ())
    assert finalists([]) == ((), ())


def test_teams_that_share_the_last_places_are_for_the_organizers_to_choose() -> None:
    assert finalists(entries(0.9, 0.8, 0.7, 0.7, 0.7)) == (("t0", "t1"), ("t2", "t3", "t4"))


def test_a_tie_that_fits_is_no_question() -> None:
    assert finalists(entries(0.9, 0.8, 0.7, 0.7, 0.6)) == (("t0", "t1", "t2", "t3"), ())


# --- the partial barrier --------------------------------------------------------------------------------------------


def prizes(**passed: dict[str, Any]) -> Any:
    reply = reply_to(json.dumps({"op": "diagnosis.partial_barrier", "passed": passed}).encode())
    return reply["result"]["places"] if reply["ok"] else reply["error"]


@pytest.mark.clause("TS D-11", "D 5.6", "D-App1в partial 2", "D-App1в partial 3")
def test_the_best_team_of_each_nosology_counts_and_places_go_by_sk() -> None:
    """K1's 0.94 is the second best number of all, but K2 leads that nosology, and K4 and K3 lead the others."""
    found = prizes(
        K1={"copd": 0.94},
        K2={"copd": 0.96},
        K3={"cteph": 0.88},
        K4={"lung_cancer": 0.91, "cteph": 0.87},
    )
    assert found == ["K2", "K4", "K3"]


def test_a_team_that_leads_several_nosologies_takes_one_place_by_its_best() -> None:
    found = prizes(K1={"copd": 0.85, "cteph": 0.95}, K2={"lung_cancer": 0.9}, K3={"tuberculosis": 0.86})
    assert found == ["K1", "K2", "K3"]


@pytest.mark.clause("TS D-11", "D-App1в partial 3")
def test_there_are_three_places_however_many_lead() -> None:
    found = prizes(K1={"copd": 0.9}, K2={"cteph": 0.92}, K3={"lung_cancer": 0.94}, K4={"tuberculosis": 0.96})
    assert found == ["K4", "K3", "K2"]


@pytest.mark.clause("TS D-11", "D-App1в partial situation 1")
def test_with_fewer_than_three_nosologies_the_other_places_go_by_sk_alone() -> None:
    """Special case 1: K1 and K4 lead the two nosologies, K2 is the most accurate of the rest."""
    found = prizes(K1={"copd": 0.95}, K2={"copd": 0.93}, K3={"copd": 0.91, "cteph": 0.84}, K4={"cteph": 0.85})
    assert found == ["K1", "K4", "K2"]


def test_with_one_leader_of_many_nosologies_the_other_places_go_by_sk_too() -> None:
    """The regulation speaks of fewer than three nosologies, tracks.md of fewer than three different leaders."""
    four = ("copd", "cteph", "lung_cancer", "tuberculosis")
    found = prizes(K1=dict.fromkeys(four, 0.97), K2={"copd": 0.9}, K3={"cteph": 0.92}, K4={"cteph": 0.84})
    assert found == ["K1", "K3", "K2"]


@pytest.mark.clause("TS D-11", "D-App1в partial situation 2")
def test_two_teams_over_the_barrier_take_two_places_by_sk() -> None:
    """Special case 2; a third team passed nothing, and how many nosologies a team passed does not count."""
    found = prizes(K1={"copd": 0.9, "cteph": 0.9, "lung_cancer": 0.9}, K2={"copd": 0.95}, K3={})
    assert found == ["K2", "K1"]


@pytest.mark.clause("TS D-11", "D-App1в partial 1")
def test_one_team_takes_one_place_and_none_take_none() -> None:
    assert prizes(K1={"copd": 0.9}, K2={}) == ["K1"]
    assert prizes() == []


@pytest.mark.clause("TS D-11", "tracks §1 partial rounding", "D-App1в partial 2")
def test_sk_that_is_equal_at_two_decimals_leaves_the_nosology_to_the_next_value() -> None:
    first = {"copd": {"sk": 0.9401, "se_lower": 0.87}}
    second = {"copd": {"sk": 0.9449, "se_lower": 0.86}}
    assert prizes(K1=first, K2=second, K3={"cteph": 0.9}) == ["K1", "K3", "K2"]
    assert prizes(K1=first, K2={"copd": {"sk": 0.945, "se_lower": 0.1}}, K3={"cteph": 0.9}) == ["K2", "K3", "K1"]


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


@pytest.mark.clause("TS D-11", "tracks §1 partial rounding")
def test_an_undefined_value_is_worse_than_any_and_a_number_is_sk_alone() -> None:
    assert prizes(K1={"copd": 0.9}, K2={"copd": {"sk": 0.9, "se_lower": 0}}) == ["K2", "K1"]
    assert prizes(K1={"copd": 0.9}, K2={"copd": {"sk": 0.9, "cost": 1e9}}) == ["K2", "K1"]
    assert prizes(K1={"copd": {"sk": 0.9, "se_lower": None}}, K2={"copd": 0.9}) == ["K1", "K2"]


def test_leaders_with_equal_sk_stand_in_the_order_of_their_other_values() -> None:
    found = prizes(
        K1={"copd": {"sk": 0.901, "cost": 9}}, K2={"cteph": {"sk": 0.899, "cost": 8}}, K3={"lung_cancer": 0.9}
    )
    assert found == ["K2", "K1", "K3"]


def test_teams_equal_in_all_at_two_decimals_lead_together_and_share_a_place() -> None:
    passed = {"b": {"copd": 0.901}, "a": {"copd": 0.899}, "c": {"cteph": 0.8}, "d": {"cteph": 0.7}}
    entries = {team: {name: Entry(team, sk) for name, sk in own.items()} for team, own in passed.items()}
    assert partial_barrier(entries) == (Place("a", 1), Place("b", 1), Place("c", 3))
    assert prizes(**passed) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("passed", "field"),
    [
        ({"K1": {"asthma": 0.9}}, "passed.K1.asthma"),
        ({"K1": {"copd": 1.5}}, "passed.K1.copd"),
        ({"K1": {"copd": None}}, "passed.K1.copd"),
        ({"K1": {"copd": "0.9"}}, "passed.K1.copd"),
        ({"K1": {"copd": {}}}, "passed.K1.copd.sk"),
        ({"K1": {"copd": {"sk": None}}}, "passed.K1.copd.sk"),
        ({"K1": {"copd": {"sk": 0.9, "cost": -1}}}, "passed.K1.copd.cost"),
        ({"K1": {"copd": {"sk": 0.9, "se_lower": 1.1}}}, "passed.K1.copd.se_lower"),
        ({"K1": [0.9]}, "passed.K1"),
        ([], "passed"),
    ],
)
def test_bad_qualities_are_refused_with_their_place(passed: Any, field: str) -> None:
    reply = reply_to(json.dumps({"op": "diagnosis.partial_barrier", "passed": passed}).encode())
    assert (reply["error"]["code"], reply["error"]["details"]["field"]) == ("invalid_request", field)
