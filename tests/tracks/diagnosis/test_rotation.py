"""Stage 2: the rounds and the lot (D 9.10.8)."""

from __future__ import annotations

import json

import pytest

from tracks.command.batch import reply_to
from tracks.diagnosis.replay import draw, rotation


@pytest.mark.clause("D 9.10.8.5", "D 9.10.8.4")
def test_the_first_four_rounds_are_those_of_the_regulations_table() -> None:
    printed = [
        [(1, 5), (2, 6), (3, 7), (4, 8)],
        [(2, 6), (3, 7), (4, 8), (1, 5)],
        [(3, 7), (4, 8), (1, 5), (2, 6)],
        [(4, 8), (1, 5), (2, 6), (3, 7)],
    ]
    assert [list(pairs) for pairs in rotation(16)[:4]] == printed


@pytest.mark.parametrize("rounds", [16, 32])
def test_the_operation_gives_as_many_rounds(rounds: int) -> None:
    reply = reply_to(json.dumps({"op": "diagnosis.rotation", "rounds": rounds}).encode())
    assert len(reply["result"]["pairs"]) == rounds
    assert reply["result"]["pairs"][4] == [[1, 5], [2, 6], [3, 7], [4, 8]]


@pytest.mark.clause("D 9.10.8.6")
@pytest.mark.parametrize("rounds", [15, 33, 16.0, "16", None, True])
def test_other_numbers_of_rounds_are_refused(rounds: object) -> None:
    reply = reply_to(json.dumps({"op": "diagnosis.rotation", "rounds": rounds}).encode())
    assert reply["error"]["details"]["field"] == "rounds"
    if isinstance(rounds, int) and not isinstance(rounds, bool):
        with pytest.raises(ValueError, match="16 to 32"):
            rotation(rounds)


PEOPLE = [f"clinician {number}" for number in range(8)]


@pytest.mark.clause("D 9.10.8.5")
def test_the_lot_gives_every_name_once_and_the_same_for_the_same_seed() -> None:
    lot = draw(["red", "green", "blue", "white"], PEOPLE, seed=2024)
    assert sorted(lot.systems.values()) == ["С1", "С2", "С3", "С4"]
    assert sorted(lot.clinicians.values()) == [f"КС{number}" for number in range(1, 9)]
    assert lot == draw(["white", "blue", "green", "red"], PEOPLE[::-1], seed=2024)


def test_another_seed_draws_otherwise() -> None:
    lots = {tuple(sorted(draw(["red", "blue"], PEOPLE, seed).clinicians.items())) for seed in range(5)}
    assert len(lots) == 5


@pytest.mark.parametrize(
    ("teams", "people"),
    [(["a"], PEOPLE), (list("abcde"), PEOPLE), (["a", "a"], PEOPLE), (["a", "b"], PEOPLE[:7]), (["a", "b"], ["x"] * 8)],
)
def test_a_lot_of_other_numbers_or_of_doubles_is_refused(teams: list[str], people: list[str]) -> None:
    with pytest.raises(ValueError, match="the lot needs"):
        draw(teams, people, seed=1)
