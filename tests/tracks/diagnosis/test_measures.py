"""Shares, Wilson's lower bound, Sk and rounding (D-App1а, D-App1б)."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from markup_core.rounding import half_up
from tracks.diagnosis.measures import (
    Matrix,
    exact_sum,
    generalised_quality,
    geometric_mean,
    lower_bound,
    sensitivity,
    specificity,
)

FIGURE_1 = Matrix(tp=68, fn=7, fp=4, tn=41)


@pytest.mark.clause("D-App1а (2)", "D-App1а (3)", "D 8.5.1")
def test_the_matrix_of_figure_1() -> None:
    assert (FIGURE_1.ill, FIGURE_1.healthy) == (75, 45)
    assert sensitivity(FIGURE_1) == pytest.approx(68 / 75)
    assert specificity(FIGURE_1) == pytest.approx(41 / 45)
    assert half_up(68 / 75, 3) == 0.907  # 0.90667
    assert half_up(41 / 45, 3) == 0.911


@pytest.mark.clause("TS D-11", "D-App1а (8)", "D-App1б 3")
@pytest.mark.parametrize("z", [1.0, 1.64, 1.94, 1.959964, 2.5])
@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 45), (45, 45), (40, 45), (69, 75), (1, 1000), (7, 9)])
def test_the_bound_is_statsmodels_wilson_bound_of_the_matching_level(successes: int, n: int, z: float) -> None:
    from statsmodels.stats.proportion import proportion_confint  # only here: it takes seconds to load

    low, _ = proportion_confint(successes, n, alpha=2 * NormalDist().cdf(-z), method="wilson")
    assert lower_bound(successes, n, z) == pytest.approx(low, abs=1e-12)


@pytest.mark.clause("TS D-11", "D-App1а (8)")
def test_z_is_164_by_default_the_one_sided_quantile_of_95_per_cent() -> None:
    assert lower_bound(69, 75) == lower_bound(69, 75, 1.64)
    assert half_up(NormalDist().inv_cdf(0.95), 2) == 1.64


@pytest.mark.parametrize(
    ("successes", "n", "z"), [(-1, 5, 1.64), (6, 5, 1.64), (1, 5, -0.1), (1, 5, math.nan), (1, 5, math.inf)]
)
def test_an_impossible_share_or_quantile_has_no_bound(successes: int, n: int, z: float) -> None:
    with pytest.raises(ValueError, match=r"no share|z must"):
        lower_bound(successes, n, z)


@pytest.mark.clause("D-App1б (14)", "D-App1б (15)", "D-App1в (17)", "D-App1в (18)", "D 6.6")
def test_sk_is_the_root_of_the_product_of_both_geometric_means() -> None:
    matrices = [Matrix(9, 1, 2, 8), Matrix(8, 2, 1, 9), Matrix(7, 3, 0, 10)]
    by_hand = math.sqrt((0.9 * 0.8 * 0.7) ** (1 / 3) * (0.8 * 0.9 * 1.0) ** (1 / 3))
    assert generalised_quality(matrices) == pytest.approx(by_hand, rel=1e-15)


@pytest.mark.parametrize(
    ("successes", "n", "z", "bound"),
    [
        # Table 1 of D-App1б: 92.00 % with 83.73 %, 88.89 % with 76.66 %; these are 69 of 75 and 40 of 45, z ≈ 1.94.
        (69, 75, 1.94, 0.8373),
        (40, 45, 1.94, 0.7666),
        (69, 75, 1.64, 0.8529),  # the regulation's own z gives more
        (40, 45, 1.64, 0.7892),
    ],
)
def test_the_regulations_worked_example_was_computed_with_another_z(
    successes: int, n: int, z: float, bound: float
) -> None:
    assert lower_bound(successes, n, z) == pytest.approx(bound, abs=5e-5)


def test_the_bound_is_undefined_of_nothing_0_of_no_success_and_with_z_0_the_share() -> None:
    assert (lower_bound(0, 0), lower_bound(0, 50), lower_bound(83, 100, 0.0)) == (None, 0.0, 0.83)


@pytest.mark.parametrize(
    ("matrices", "sk"),
    [
        ([Matrix(81, 19, 36, 64)], 0.72),  # √(0.81 · 0.64), exactly
        ([Matrix(181, 19, 19, 181)] * 6, 0.905),  # a short decimal is that decimal
        ([FIGURE_1, Matrix(0, 5, 0, 5)], 0.0),
        *(([FIGURE_1, undefined], None) for undefined in (Matrix(1, 1, 0, 0), Matrix(0, 0, 1, 1), Matrix())),
        ([], None),
    ],
)
def test_sk_is_exact_0_or_undefined_as_the_shares_are(matrices: list[Matrix], sk: float | None) -> None:
    assert generalised_quality(matrices) == sk


def test_geometric_means_of_nothing_and_of_the_undefined_are_undefined() -> None:
    assert geometric_mean([]) is None
    assert geometric_mean([0.5, None]) is None
    assert geometric_mean([0.5, 0.125]) == 0.25


@pytest.mark.clause("TS D-6", "D-App1а 1 rounding")
@pytest.mark.parametrize(
    ("value", "places", "expected"),
    [
        (0.905, 2, 0.91),  # as a float it lies below the half
        (0.9049999, 2, 0.90),
        (0.8885, 3, 0.889),  # "from 0.0005 upwards"
        (0.5, 0, 1.0),
        (2.675, 2, 2.68),  # round() gives 2.67
        (1e300, 2, 1e300),
    ],
)
def test_halves_go_up_on_the_decimal_value(value: float, places: int, expected: float) -> None:
    assert half_up(value, places) == expected


def test_sums_are_those_of_the_numbers_as_they_are_written() -> None:
    assert exact_sum([0.1, 0.2]) == 0.3
    assert exact_sum([]) == 0.0
