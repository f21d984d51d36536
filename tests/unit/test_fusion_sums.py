"""S, minima, prizes and boards of the fusion track (tracks.md §4; F)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tracks.fusion.board import boards
from tracks.fusion.integral import MINIMA, below_minimum, contribution, integral
from tracks.fusion.prize import CONTEST, roubles
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Place


def scores(c2c: float | None, htr: float | None, zsod: float | None, vqa: float | None) -> dict[Subtask, float | None]:
    return dict(zip(Subtask, (c2c, htr, zsod, vqa), strict=True))


@pytest.mark.parametrize(
    ("subtask", "score", "expected"),
    [
        (Subtask.HTR, 0.1245, "0.125"),  # the float is below: 0.12449999…
        (Subtask.HTR, 0.1235, "0.124"),
        (Subtask.HTR, 0.0005, "0.001"),
        (Subtask.HTR, 0.00049999, "0.000"),
        (Subtask.HTR, 1.0, "1.000"),
        (Subtask.C2C, 12.45, "0.125"),
        (Subtask.C2C, 100, "1.000"),
        (Subtask.C2C, 28.05, "0.281"),
    ],
)
def test_contributions_are_rounded_as_decimals_halves_up(subtask: Subtask, score: float, expected: str) -> None:
    assert str(contribution(subtask, score)) == expected


def test_each_score_is_rounded_before_they_are_added() -> None:
    """Hand count: 0.4 + 0.001 + 0.001 + 0.001; the unrounded sum would be 0.4015, 0.402 after rounding."""
    assert integral(scores(40, 0.0005, 0.0005, 0.0005)) == Decimal("0.403")


def test_a_perfect_sum_is_four() -> None:
    assert integral(scores(100, 1, 1, 1)) == 4


def test_the_sum_is_undefined_while_a_score_is() -> None:
    assert integral(scores(100, 1, None, 1)) is None
    assert integral({Subtask.C2C: 100.0}) is None


def test_the_minima_add_up_to_the_least_sum() -> None:
    assert sum(MINIMA.values()) == CONTEST.smin


def test_a_minimum_that_is_met_exactly_is_met() -> None:
    assert below_minimum(scores(20, 0.6, 0.15, 0.35)) == ()
    assert below_minimum(scores(19.94, 0.6, None, 0.3495)) == (Subtask.C2C, Subtask.ZSOD)


@pytest.mark.parametrize(
    ("s", "place", "expected"),
    [
        ("1.299", 1, 0),
        ("1.3", 1, 1_000_000),
        ("1.3", 2, 500_000),
        ("1.3", 3, 200_000),
        ("1.8", 1, 2_000_000),  # 1 + 2 · 0.5
        ("1.8", 2, 1_000_000),  # 0.5 + 1 · 0.5
        ("1.8", 3, 500_000),  # 0.2 + 0.6 · 0.5
        ("2.299", 1, 2_998_000),
        ("2.299", 3, 799_400),
        ("2.3", 1, 3_000_000),
        ("2.3", 2, 1_500_000),
        ("4", 3, 800_000),
        ("4", 4, 0),
    ],
)
def test_prizes(s: str, place: int, expected: int) -> None:
    assert roubles(Decimal(s), place) == expected


def test_below_one_minimum_there_is_no_prize_whatever_the_sum() -> None:
    high = scores(100, 1, 0.149, 1)
    assert integral(high) > CONTEST.full
    assert roubles(Decimal("3.149"), 1, scores=high) == 0
    assert roubles(Decimal("3.15"), 1, scores=scores(100, 1, 0.15, 1)) == 3_000_000


def test_a_prize_never_passes_its_maximum() -> None:
    steep = replace(CONTEST, alpha=(Decimal(9), Decimal(1), Decimal(1)))
    assert roubles(Decimal("2.2"), 1, steep) == 3_000_000


def test_boards_share_places_by_what_is_equal_after_rounding() -> None:
    made = boards(
        {
            "a": scores(40, 0.8, 0.2, 0.4),
            "b": scores(40.04, 0.8, 0.2, 0.4),
            "c": scores(30, 0.8, 0.2, 0.4),
            "d": scores(90, None, 0.2, 0.4),
        }
    )
    assert made.by_sum == (Place("a", 1), Place("b", 1), Place("c", 3), Place("d", 4))
    assert made.by_subtask[Subtask.C2C] == (Place("d", 1), Place("a", 2), Place("b", 2), Place("c", 4))
    assert made.by_subtask[Subtask.HTR][-1] == Place("d", 4)
    assert {each.place for each in made.by_subtask[Subtask.VQA]} == {1}


def test_a_board_without_teams_is_empty() -> None:
    assert boards({}).by_sum == ()
