"""One rounding: halves up on the written number, figures at a limit on their side; the site has the same cases."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.rounding import MOST_PLACES, fixed, half_up, percent, places_apart

CASES = json.loads((Path(__file__).parents[1] / "rounding.json").read_text(encoding="utf-8"))
NUMBERS = st.floats(-1e6, 1e6).filter(math.isfinite)


@pytest.mark.parametrize(("value", "places", "shown"), CASES["fixed"])
def test_a_half_goes_up_on_the_number_as_it_is_written(value: float, places: int, shown: str) -> None:
    assert fixed(value, places) == shown
    assert half_up(value, places) == float(shown)


@pytest.mark.parametrize(("values", "limits", "least", "places"), CASES["apart"])
def test_as_many_decimals_as_tell_figures_apart_and_from_their_limits(
    values: list[Any], limits: list[Any], least: int, places: int
) -> None:
    assert places_apart(values, limits, least) == places


@given(NUMBERS, st.integers(0, 6))
def test_what_is_shown_is_within_half_a_unit_of_the_number(value: float, places: int) -> None:
    shown, exact = Fraction(fixed(value, places)), Fraction(Decimal(repr(value)))
    assert abs(shown - exact) <= Fraction(1, 2 * 10**places)
    assert len(fixed(value, places).partition(".")[2]) == places


@given(NUMBERS, NUMBERS, st.integers(0, 3))
def test_a_figure_beside_a_limit_lies_on_its_side(value: float, limit: float, least: int) -> None:
    places = places_apart([value], [limit], least)
    shown = half_up(value, places)
    if places < MOST_PLACES:
        assert (shown < limit, shown == limit) == (value < limit, value == limit)


def test_what_has_no_decimals_or_no_end_is_written_as_it_is() -> None:
    assert fixed(2.0**60, 2) == "1152921504606846976.00"
    assert [fixed(each, 2) for each in (math.inf, math.nan)] == ["inf", "nan"]


@pytest.mark.clause("R 6.5.4", "R 7.7")
@pytest.mark.parametrize(
    ("share", "limits", "least", "shown"),
    [
        (189 / 199, (0.95,), 0, "94.97"),
        (0.0504, (0.05,), 1, "5.04"),
        (0.05, (0.05,), 1, "5.0"),
        (0.125, (0.125,), 0, "12.5"),
        (0.955, (0.955,), 0, "95.5"),
        (0.07, (0.07,), 0, "7"),
        (0.125, (), 0, "13"),
        (0.9999, (1.0,), 0, "99.99"),
        (0.0004, (0.0, 1.0), 1, "0.04"),
        (1.0, (0.95, 1.0), 0, "100"),
    ],
)
def test_a_share_lies_on_its_side_of_each_limit_and_a_limit_has_all_its_decimals(
    share: float, limits: tuple[float, ...], least: int, shown: str
) -> None:
    assert percent(share, *limits, least=least) == shown
