"""Prize money (tracks.md §4)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.tracks.fusion.four import scores
from tracks.fusion.subtasks import CONTEST, integral, roubles


@pytest.mark.clause("F prize")
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


@pytest.mark.clause("F prize")
def test_below_one_minimum_there_is_no_prize_whatever_the_sum() -> None:
    high = scores(100, 1, 0.149, 1)
    assert integral(high) > CONTEST.full
    assert roubles(Decimal("3.149"), 1, scores=high) == 0
    assert roubles(Decimal("3.15"), 1, scores=scores(100, 1, 0.15, 1)) == 3_000_000


def test_a_prize_never_passes_its_maximum() -> None:
    steep = replace(CONTEST, alpha=(Decimal(9), Decimal(1), Decimal(1)))
    assert roubles(Decimal("2.2"), 1, steep) == 3_000_000
