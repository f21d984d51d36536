"""Places as all boards give them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracks.base import by_key, by_value
from tracks.protocol import Place

VALUES = st.dictionaries(st.text(max_size=3), st.none() | st.floats(-1, 1), max_size=8)


@pytest.mark.clause("R 2.13", "platform §4 boards")
def test_more_is_better_and_equal_results_share_a_place() -> None:
    assert by_value({"c": 0.5, "a": 0.5, "b": 0.7}) == (Place("b", 1), Place("a", 2), Place("c", 2))


def test_undefined_results_share_the_last_place_behind_zero_and_less() -> None:
    found = by_value({"x": None, "zero": Decimal(0), "a": None, "less": -2.5})
    assert found == (Place("zero", 1), Place("less", 2), Place("a", 3), Place("x", 3))


def test_of_keys_the_smallest_is_the_best_and_later_parts_decide_between_equal_ones() -> None:
    assert by_key({"a": (1, 2), "b": (1, 1), "c": (0, 9)}) == (Place("c", 1), Place("b", 2), Place("a", 3))


def test_nobody_has_no_place() -> None:
    assert by_value({}) == ()


@given(VALUES)
def test_a_place_is_one_more_than_the_number_of_better_results(values: dict[str, float | None]) -> None:
    found = by_value(values)
    assert {each.team for each in found} == values.keys()
    for each in found:
        own = values[each.team]
        better = [other for other in values.values() if other is not None and (own is None or other > own)]
        assert each.place == 1 + len(better)


@given(VALUES)
def test_the_order_of_teams_does_not_matter(values: dict[str, float | None]) -> None:
    assert by_value(dict(reversed(values.items()))) == by_value(values)
