"""Properties of the exam's points and results (tracks.md §2)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tracks.exam.exam_items import kind_of, variant
from tracks.exam.aggregate import mark, summarise
from tracks.exam.items import Key
from tracks.exam.tasks import CHOICES, MATCHING, TASKS, TEXT, letters, maximum, score

pytestmark = pytest.mark.property

VALUES = st.lists(st.integers(0, 9).map(str), min_size=1, max_size=6)
LOOSE = st.one_of(VALUES.map(",".join), VALUES.map(" , ".join), st.text(max_size=12), st.text("0123, ", max_size=9))
WORDS = st.lists(st.text("абвёАБВЁ -_1", min_size=1).filter(letters), min_size=1, max_size=4).map(",".join)


@st.composite
def tasks(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a right answer, its task and its type."""
    task = draw(st.sampled_from(TASKS))
    if task == "26":
        return ",".join(draw(st.lists(st.integers(1, 40).map(str), min_size=1, max_size=4))), task, MATCHING
    if task != "16" and draw(st.booleans()):
        return draw(WORDS), task, TEXT
    return ",".join(draw(VALUES)), task, draw(st.sampled_from(CHOICES))


@given(tasks(), st.none() | LOOSE, st.sampled_from(TASKS))
def test_points_are_whole_and_from_zero_to_the_tasks_maximum(
    task: tuple[str, str, str], prediction: str | None, other: str
) -> None:
    gold, own, kind = task
    for number in (own, other):
        points = score(gold, prediction, number, kind)
        assert type(points) is int
        assert 0 <= points <= maximum(number)


@given(tasks())
def test_the_right_answer_brings_everything(task: tuple[str, str, str]) -> None:
    gold, number, kind = task
    # what a word's list says in any of its places; a matching answer brings a point for each value there is
    prediction = gold.split(",")[-1] if kind == TEXT else gold
    assert score(gold, prediction, number, kind) == (gold.count(",") + 1 if kind == MATCHING else maximum(number))


@given(VALUES, VALUES, st.sampled_from(["12", "16"]), st.randoms(use_true_random=False))
def test_multiple_choice_knows_no_order_and_no_blanks(
    right: list[str], given_: list[str], task: str, chance: random.Random
) -> None:
    mixed = chance.sample(given_, len(given_))
    plain = score(",".join(right), ",".join(given_), task, CHOICES[0])
    assert score(" , ".join(right), f" {', '.join(mixed)}\n", task, CHOICES[0]) == plain


def rule_of_16(right: set[str], given_: set[str]) -> int:
    """Compute the points of rule 16 by trying: 1 where one change of one value makes the answer right."""
    if right == given_:
        return 2
    if len(right) == 1:
        return int(right < given_ and len(given_) == 2)
    digits = right | given_
    added = any(given_ | {each} == right for each in digits)
    removed = any(given_ - {each} == right for each in digits)
    changed = any((given_ - {old}) | {new} == right for old in given_ for new in digits)
    return int(added or removed or changed)


@given(VALUES, VALUES)
def test_task_16_is_the_rule_of_one_change(right: list[str], given_: list[str]) -> None:
    assert score(",".join(right), ",".join(given_), "16", CHOICES[1]) == rule_of_16(set(right), set(given_))


@st.composite
def answered(draw: st.DrawFn) -> list[tuple[Key, str | None]]:
    """Items of a few variants, some of them whole, with answers of all sorts."""
    found = []
    for number in draw(st.sets(st.integers(1, 12), max_size=3)):
        whole = draw(st.booleans())
        chosen = TASKS if whole else draw(st.lists(st.sampled_from(TASKS), max_size=8))
        for place, raw in enumerate(variant(number, tuple(chosen))):
            key = Key(f"{number}-{place}", chosen[place], number, kind_of(chosen[place]), raw["outputs"])
            found.append((key, draw(st.sampled_from([None, raw["outputs"], "сверх", "1,3", "4,9"]))))
    return found


@given(answered(), st.randoms(use_true_random=False))
def test_the_order_of_items_never_matters(items: list[tuple[Key, str | None]], chance: random.Random) -> None:
    mixed = chance.sample(items, len(items))
    one, other = (summarise([mark(*each) for each in order]) for order in (items, mixed))
    assert one == other
    assert [*one.variants, *one.by_task, *one.by_type] == [*other.variants, *other.by_task, *other.by_type]


@given(answered())
def test_a_result_is_within_its_bounds_and_its_parts_make_the_whole(items: list[tuple[Key, str | None]]) -> None:
    found = summarise([mark(*each) for each in items])
    total = sum(found.variants.values())
    assert found.grade_norm is None or 0 <= found.grade_norm <= 1
    for groups in (found.by_task, found.by_section, found.by_type):
        assert sum(each["points"] for each in groups.values()) == total
        assert sum(each["items"] for each in groups.values()) == len(items)
        assert all(0 <= each["points"] <= each["max"] for each in groups.values())
