"""The sum of the four, its rounding and its minima (tracks.md §4)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.tracks.fusion.four import scores
from tracks.fusion.subtasks import CONTEST, MINIMA, Subtask, below_minimum, contribution, integral


@pytest.mark.clause("F sum")
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


@pytest.mark.clause("F sum")
def test_each_score_is_rounded_before_they_are_added() -> None:
    """Hand count: 0.4 + 0.001 + 0.001 + 0.001; the unrounded sum would be 0.4015, 0.402 after rounding."""
    assert integral(scores(40, 0.0005, 0.0005, 0.0005)) == Decimal("0.403")
    assert integral(scores(100, 1, 1, 1)) == 4
    assert integral(scores(100, 1, None, 1)) is integral({Subtask.C2C: 100.0}) is None


@pytest.mark.clause("F minima")
def test_a_minimum_that_is_met_exactly_is_met_and_the_minima_make_the_least_sum() -> None:
    assert sum(MINIMA.values()) == CONTEST.smin
    assert below_minimum(scores(20, 0.6, 0.15, 0.35)) == ()
    assert below_minimum(scores(19.94, 0.6, None, 0.3495)) == (Subtask.C2C, Subtask.ZSOD)
