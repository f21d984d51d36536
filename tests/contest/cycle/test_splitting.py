"""One folder into sets by shares: whole, even in every stratum, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules.sets import split

SHARES = {"train": Fraction("0.6"), "test": Fraction("0.3"), "reserve": Fraction("0.1")}
ITEMS = st.dictionaries(st.text(min_size=1, max_size=8), st.sampled_from("abc"), max_size=80)


@given(ITEMS, st.integers())
def test_every_item_is_in_one_set_and_every_stratum_is_divided_by_the_shares(items: dict[str, str], seed: int) -> None:
    made = split(items, SHARES, seed)
    assert sorted(each for chosen in made.values() for each in chosen) == sorted(items)
    for name, share in SHARES.items():
        assert abs(len(made[name]) - share * len(items)) < 2
        of_stratum = Counter(items[each] for each in made[name])
        for stratum, whole in Counter(items.values()).items():
            assert abs(of_stratum[stratum] - share * whole) < 3


def test_a_seed_divides_in_its_own_way_whatever_the_order() -> None:
    items = {str(index): "a" for index in range(100)}
    first, again = split(items, SHARES, 1), split(dict(reversed(list(items.items()))), SHARES, 1)
    assert first == again
    assert first["train"] == sorted(first["train"])
    assert split(items, SHARES, 2) != first
    assert {name: len(chosen) for name, chosen in first.items()} == {"train": 60, "test": 30, "reserve": 10}
    neighbours = sum(abs(int(a) - int(b)) == 1 for a, b in zip(first["test"], first["test"][1:], strict=False))
    assert neighbours < 29  # a lot, not a piece of the list


@pytest.mark.parametrize(
    "shares", [{"a": "0.5"}, {"a": "0.5", "b": "0.6"}, {"a": "1", "b": "0"}, {"a": "2", "b": "-1"}]
)
def test_shares_that_do_not_make_one_are_refused(shares: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="Fraction"):
        split({"x": ""}, {name: Fraction(share) for name, share in shares.items()}, 0)
