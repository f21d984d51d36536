"""Publications, pauses, answers in time, mass failure, rounds and the lot (D 1.7, 6.16, 8.8, 9.10.8)."""

from __future__ import annotations

import json

import pytest

from tracks.batch import reply_to
from tracks.diagnosis.rotation import Rating, counted_rating, draw, rotation
from tracks.diagnosis.timing import Pause, Received, counting, in_time, mass_failure, publications

S = 1000
MINUTE = 60 * S
HOUR = 60 * MINUTE


def test_a_file_is_published_every_thirty_seconds() -> None:
    assert publications(7 * S, 4) == (7 * S, 37 * S, 67 * S, 97 * S)
    assert publications(0, 3, interval_ms=10 * S) == (0, 10 * S, 20 * S)
    assert publications(0, 0) == ()


def test_a_pause_shifts_every_later_publication() -> None:
    assert publications(0, 4, [Pause(40 * S, 100 * S)]) == (0, 30 * S, 120 * S, 150 * S)


def test_a_file_due_when_a_pause_begins_waits_and_one_just_before_does_not() -> None:
    assert publications(0, 3, [Pause(30 * S, 90 * S)]) == (0, 90 * S, 120 * S)
    assert publications(0, 3, [Pause(30 * S + 1, 90 * S + 1)]) == (0, 30 * S, 120 * S)


def test_several_pauses_add_up_also_within_one_interval_and_at_the_start() -> None:
    pauses = [Pause(50 * S, 52 * S), Pause(35 * S, 45 * S), Pause(72 * S, 73 * S), Pause(0, 5 * S)]
    # 0 + 5; 30 + 5 meets the pause at 35; 60 + 15 has passed those at 50 and 72
    assert publications(0, 3, pauses) == (5 * S, 45 * S, 78 * S)


def test_a_pause_after_the_last_file_shifts_nothing() -> None:
    assert publications(0, 2, [Pause(31 * S, HOUR)]) == (0, 30 * S)


def test_two_hours_of_pauses_are_allowed_and_a_millisecond_more_is_not() -> None:
    assert publications(0, 2, [Pause(1, HOUR + 1), Pause(2 * HOUR, 3 * HOUR)])[1] == 30 * S + HOUR
    with pytest.raises(ValueError, match=r"D 6\.16"):
        publications(0, 2, [Pause(1, HOUR + 1), Pause(2 * HOUR, 3 * HOUR + 1)])


@pytest.mark.parametrize(
    ("pauses", "message"),
    [
        ([Pause(10, 5)], "ends before it begins"),
        ([Pause(0, 10), Pause(9, 12)], "overlap"),
        ([Pause(-1, 5)], "before the trials"),
    ],
)
def test_impossible_pauses_are_refused(pauses: list[Pause], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        publications(0, 5, pauses)


def test_an_interval_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="interval"):
        publications(0, 5, interval_ms=0)


def test_thirty_seconds_are_in_time_and_a_millisecond_more_is_not() -> None:
    assert in_time(MINUTE + 30 * S, MINUTE)
    assert not in_time(MINUTE + 30 * S + 1, MINUTE)
    assert not in_time(MINUTE - 1, MINUTE)


def test_the_last_valid_answer_in_time_counts() -> None:
    first, second = Received(5 * S, True, "first"), Received(20 * S, True, "second")
    invalid, late = Received(25 * S, False, "invalid"), Received(31 * S, True, "late")
    assert counting([first, second, invalid, late], 0) is second
    assert counting([second, late, invalid, first], 0) is second
    assert counting([invalid, late], 0) is None
    assert counting([], 0) is None


def test_of_two_answers_in_one_millisecond_the_later_one_counts() -> None:
    pair = [Received(5, True, "first"), Received(5, True, "second")]
    found = counting(pair, 0)
    assert found is not None
    assert found.answer == "second"


def test_three_files_late_for_all_teams_are_a_mass_failure() -> None:
    late = {"a": ["f1", "f2", "f3", "f9"], "b": ["f3", "f2", "f1"], "c": ["f5", "f1", "f2", "f3"]}
    assert mass_failure(late) == (("f1", "f2", "f3"), True)


def test_two_common_files_or_one_punctual_team_are_none() -> None:
    assert mass_failure({"a": ["f1", "f2"], "b": ["f1", "f2"]}) == (("f1", "f2"), False)
    assert mass_failure({"a": ["f1", "f2", "f3"], "b": []}) == ((), False)
    assert mass_failure({}) == ((), False)


# --- stage 2 --------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("rounds", [15, 33, 16.0, "16", None, True])
def test_other_numbers_of_rounds_are_refused(rounds: object) -> None:
    reply = reply_to(json.dumps({"op": "diagnosis.rotation", "rounds": rounds}).encode())
    assert reply["error"]["details"]["field"] == "rounds"
    if isinstance(rounds, int) and not isinstance(rounds, bool):
        with pytest.raises(ValueError, match="16 to 32"):
            rotation(rounds)


PEOPLE = [f"clinician {number}" for number in range(8)]


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


def test_without_a_preliminary_diagnosis_no_rating_counts() -> None:
    given = Rating(completeness=4, clarity=5)
    assert counted_rating(given, preliminary_given=True) == given
    assert counted_rating(given, preliminary_given=False) == Rating(0, 0)
