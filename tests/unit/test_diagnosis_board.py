"""Places on the board, the four finalists, and the partial barrier with its special cases (D 8.16, D-App1в)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracks.batch import reply_to
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


def team(name: str, **changes: Any) -> dict[str, Any]:
    return {"team": name, **EQUAL, **changes}


def placed(*teams: dict[str, Any]) -> Any:
    reply = reply_to(json.dumps({"op": "diagnosis.board", "teams": teams}).encode())
    return reply["result"]["places"] if reply["ok"] else reply["error"]


@pytest.mark.parametrize(("name", "more_is_better"), CRITERIA)
def test_every_criterion_decides_when_all_before_it_are_equal(name: str, more_is_better: bool) -> None:
    step = 0.05 if more_is_better else -0.05
    assert placed(team("a"), team("b", **{name: EQUAL[name] + step})) == {"a": 2, "b": 1}


@pytest.mark.parametrize("number", range(6))
def test_an_earlier_criterion_outweighs_every_later_one(number: int) -> None:
    better = {name: EQUAL[name] + (0.05 if more else -0.05) for name, more in CRITERIA[number + 1 :]}
    name, more = CRITERIA[number]
    decisive = {name: EQUAL[name] + (0.01 if more else -0.01)}
    assert placed(team("a", **better), team("b", **decisive)) == {"a": 2, "b": 1}


def test_teams_equal_in_all_share_a_place_and_the_next_one_is_left_out() -> None:
    assert placed(team("c", sk=0.8), team("b"), team("a")) == {"a": 1, "b": 1, "c": 3}


def test_values_are_equal_when_they_round_to_the_same_two_decimals() -> None:
    assert placed(team("a", sk=0.905), team("b", sk=0.9149)) == {"a": 1, "b": 1}  # 0.91 and 0.91
    assert placed(team("a", sk=0.9049), team("b", sk=0.905)) == {"a": 2, "b": 1}  # 0.90 and 0.91


def test_costs_and_times_are_rounded_too() -> None:
    assert placed(team("a", cost=100.004), team("b", cost=100.0)) == {"a": 1, "b": 1}
    assert placed(team("a", mean_time_s=12.505), team("b", mean_time_s=12.5)) == {"a": 2, "b": 1}


@pytest.mark.parametrize("name", [name for name, _ in CRITERIA])
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


# --- the finalists --------------------------------------------------------------------------------------------------


def entries(*qualities: float) -> list[Place]:
    return list(board([Entry(f"t{number}", sk) for number, sk in enumerate(qualities)]))


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


def prizes(**passed: dict[str, float]) -> Any:
    reply = reply_to(json.dumps({"op": "diagnosis.partial_barrier", "passed": passed}).encode())
    return reply["result"]["places"] if reply["ok"] else reply["error"]


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


def test_there_are_three_places_however_many_lead() -> None:
    found = prizes(K1={"copd": 0.9}, K2={"cteph": 0.92}, K3={"lung_cancer": 0.94}, K4={"tuberculosis": 0.96})
    assert found == ["K4", "K3", "K2"]


def test_with_fewer_than_three_nosologies_the_other_places_go_by_sk_alone() -> None:
    """Special case 1: K1 and K4 lead the two nosologies, K2 is the most accurate of the rest."""
    found = prizes(K1={"copd": 0.95}, K2={"copd": 0.93}, K3={"copd": 0.91, "cteph": 0.84}, K4={"cteph": 0.85})
    assert found == ["K1", "K4", "K2"]


def test_with_one_leader_of_many_nosologies_the_other_places_go_by_sk_too() -> None:
    """The regulation speaks of fewer than three nosologies, tracks.md of fewer than three different leaders."""
    four = ("copd", "cteph", "lung_cancer", "tuberculosis")
    found = prizes(K1=dict.fromkeys(four, 0.97), K2={"copd": 0.9}, K3={"cteph": 0.92}, K4={"cteph": 0.84})
    assert found == ["K1", "K3", "K2"]


def test_two_teams_over_the_barrier_take_two_places_by_sk() -> None:
    """Special case 2; a third team passed nothing, and how many nosologies a team passed does not count."""
    found = prizes(K1={"copd": 0.9, "cteph": 0.9, "lung_cancer": 0.9}, K2={"copd": 0.95}, K3={})
    assert found == ["K2", "K1"]


def test_one_team_takes_one_place_and_none_take_none() -> None:
    assert prizes(K1={"copd": 0.9}, K2={}) == ["K1"]
    assert prizes() == []


def test_sk_is_compared_unrounded() -> None:
    assert prizes(K1={"copd": 0.901}, K2={"copd": 0.902}, K3={"cteph": 0.9015}) == ["K2", "K3", "K1"]


def test_equal_teams_lead_together_and_share_a_place() -> None:
    found = partial_barrier({"b": {"copd": 0.9}, "a": {"copd": 0.9}, "c": {"cteph": 0.8}, "d": {"cteph": 0.7}})
    assert found == (Place("a", 1), Place("b", 1), Place("c", 3))


@pytest.mark.parametrize(
    ("passed", "field"),
    [
        ({"K1": {"asthma": 0.9}}, "passed.K1.asthma"),
        ({"K1": {"copd": 1.5}}, "passed.K1.copd"),
        ({"K1": {"copd": None}}, "passed.K1.copd"),
        ({"K1": [0.9]}, "passed.K1"),
        ([], "passed"),
    ],
)
def test_bad_qualities_are_refused_with_their_place(passed: Any, field: str) -> None:
    reply = reply_to(json.dumps({"op": "diagnosis.partial_barrier", "passed": passed}).encode())
    assert (reply["error"]["code"], reply["error"]["details"]["field"]) == ("invalid_request", field)
