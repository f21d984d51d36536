"""Files that a session gets, and one folder divided into sets by shares.

A session's are of its language, without repetition, by its own name alone. A division is whole, even in every stratum,
the same for the same seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules import sets
from contest.cycle.rules.cycle import Item
from contest.cycle.rules.sets import split_items

ITEMS = tuple(Item(f"item-{number:02d}", "rus" if number % 3 else "eng", "essay", "", ()) for number in range(12))


def test_a_language_takes_its_own_items_and_all_takes_all_in_their_order() -> None:
    assert sets.eligible_items(ITEMS, "eng") == ITEMS[::3]
    assert sets.eligible_items(ITEMS, "all") == ITEMS
    assert sets.eligible_items(ITEMS, "deu") == ()


@given(st.permutations(ITEMS), st.integers(0, 15))
def test_the_draw_is_the_published_one_whatever_the_order_of_the_items(items: list[Item], count: int) -> None:
    def lot(item: Item) -> str:
        return hashlib.sha256(f"{'1' * 15}\n{item.item_id}".encode()).hexdigest()

    assert sets.choose_items(items, "1" * 15, count) == tuple(sorted(ITEMS, key=lot)[:count])


@pytest.mark.clause("TS T6")
def test_of_a_drawn_group_as_many_items_as_the_kind_of_session_takes() -> None:
    items = [Item(f"{group}{number}", "rus", group, "", ()) for group in "abc" for number in range(9)]
    drawn = sets.choose_groups(items, "100000000000001", 2, per_group=4)
    counts = Counter(item.group for item in drawn)
    assert (len(counts), set(counts.values())) == (2, {4})
    whole = sets.choose_groups(items, "100000000000001", 2)
    assert {item.group for item in whole} == set(counts)
    assert len(whole) == 18
    assert drawn != sets.choose_groups(items, "100000000000002", 2, per_group=4)
    assert len(sets.choose_groups(items, "100000000000001", 3, per_group=70)) == len(items)


SHARES = {"train": Fraction("0.6"), "test": Fraction("0.3"), "reserve": Fraction("0.1")}
DRAWN_ITEMS = st.dictionaries(st.text(min_size=1, max_size=8), st.sampled_from("abc"), max_size=80)


@given(DRAWN_ITEMS, st.integers())
def test_every_item_is_in_one_set_and_every_stratum_is_divided_by_the_shares(items: dict[str, str], seed: int) -> None:
    parts = split_items(items, SHARES, seed)
    assert sorted(item_id for chosen in parts.values() for item_id in chosen) == sorted(items)
    for name, share in SHARES.items():
        assert abs(len(parts[name]) - share * len(items)) < 2
        of_stratum = Counter(items[item_id] for item_id in parts[name])
        for stratum, whole in Counter(items.values()).items():
            assert abs(of_stratum[stratum] - share * whole) < 3


def test_a_seed_divides_in_its_own_way_whatever_the_order() -> None:
    items = {str(index): "a" for index in range(100)}
    first, again = split_items(items, SHARES, 1), split_items(dict(reversed(list(items.items()))), SHARES, 1)
    assert first == again
    assert first["train"] == sorted(first["train"])
    assert split_items(items, SHARES, 2) != first
    assert {name: len(chosen) for name, chosen in first.items()} == {"train": 60, "test": 30, "reserve": 10}
    neighbours = sum(abs(int(a) - int(b)) == 1 for a, b in zip(first["test"], first["test"][1:], strict=False))
    assert neighbours < 29  # a lot, not a piece of the list


@pytest.mark.parametrize(
    "shares", [{"a": "0.5"}, {"a": "0.5", "b": "0.6"}, {"a": "1", "b": "0"}, {"a": "2", "b": "-1"}]
)
def test_shares_that_do_not_make_one_are_refused(shares: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="Fraction"):
        split_items({"x": ""}, {name: Fraction(share) for name, share in shares.items()}, 0)
