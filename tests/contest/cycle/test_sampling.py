"""Which files a session gets: of its language, without repetition, by its own name alone."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.cycle.rules import sets
from contest.cycle.rules.cycle import Item

ITEMS = tuple(Item(f"item-{number:02d}", "rus" if number % 3 else "eng", "essay", "", ()) for number in range(12))


def test_a_language_takes_its_own_items_and_all_takes_all_in_their_order() -> None:
    assert sets.eligible(ITEMS, "eng") == ITEMS[::3]
    assert sets.eligible(ITEMS, "all") == ITEMS
    assert sets.eligible(ITEMS, "deu") == ()


@given(st.permutations(ITEMS), st.integers(0, 15))
def test_the_draw_is_the_published_one_whatever_the_order_of_the_items(items: list[Item], count: int) -> None:
    def lot(item: Item) -> str:
        return hashlib.sha256(f"{'1' * 15}\n{item.item_id}".encode()).hexdigest()

    assert sets.choose(items, "1" * 15, count) == tuple(sorted(ITEMS, key=lot)[:count])


@pytest.mark.clause("TS T6")
def test_of_a_drawn_group_as_many_items_as_the_kind_of_session_takes() -> None:
    items = [Item(f"{group}{number}", "rus", group, "", ()) for group in "abc" for number in range(9)]
    drawn = sets.choose_groups(items, "100000000000001", 2, per_group=4)
    counts = Counter(each.group for each in drawn)
    assert (len(counts), set(counts.values())) == (2, {4})
    whole = sets.choose_groups(items, "100000000000001", 2)
    assert {each.group for each in whole} == set(counts)
    assert len(whole) == 18
    assert drawn != sets.choose_groups(items, "100000000000002", 2, per_group=4)
    assert len(sets.choose_groups(items, "100000000000001", 3, per_group=70)) == len(items)
