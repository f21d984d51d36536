"""Items behind the files of a session, and the files in a row that are one item's in a run (T2, D-4)."""

from __future__ import annotations

import pytest

from contest.run.rules.run import whole_items
from contest.session.rules.session import ItemFiles, Plan, PlannedFile, item_at, items_of


def plan(*files: tuple[str, str]) -> Plan:
    return tuple(PlannedFile(file_id, file_id, "rus", "copd", step=step) for file_id, step in files)


PAIRS = plan(("a", "v3"), ("a", "v2"), ("b", "v3"), ("b", "v2"))
SINGLE = plan(("a", ""), ("b", ""), ("a", ""))
"""Of files without a step each is an item, whatever it is called."""


@pytest.mark.clause("TS T2")
def test_files_of_one_name_and_several_steps_are_an_item() -> None:
    assert [each.numbers for each in items_of(PAIRS)] == [(1, 2), (3, 4)]
    assert [each.number for each in items_of(PAIRS)] == [2, 4]
    assert [each.numbers for each in items_of(SINGLE)] == [(1,), (2,), (3,)]
    assert items_of(()) == ()


@pytest.mark.clause("TS T2")
@pytest.mark.parametrize("files", [PAIRS, SINGLE])
def test_the_item_of_a_file_is_the_one_among_all(files: Plan) -> None:
    for item in items_of(files):
        assert {item_at(files, number) for number in item.numbers} == {ItemFiles(item.numbers)}


@pytest.mark.clause("TS D-4")
@pytest.mark.parametrize(
    ("numbers", "publications", "whole"),
    [([3], 1, [3]), ([3], 2, [3, 4]), ([4, 1, 2], 2, [1, 2, 3, 4]), ([5], 3, [4, 5, 6]), ([], 2, [])],
)
def test_files_are_annulled_with_all_of_their_item(numbers: list[int], publications: int, whole: list[int]) -> None:
    assert whole_items(numbers, publications) == whole
