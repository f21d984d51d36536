"""The smallest blocks of sentences (tracks.md §3, §5)."""

from __future__ import annotations

from typing import Any

import pytest

from markup_core.command.complaints import RefusedError
from markup_core.formats.m2 import Edit, Unit
from tracks.fields import Fields
from tracks.gec.comparison import compare
from tracks.gec.counts import Counts
from tracks.gec.gold import Tie, blocks, joined
from tracks.gec.operations import OPERATIONS


def request(**fields: Any) -> Any:
    return OPERATIONS["gec.blocks"](Fields(fields))


@pytest.mark.clause("G concentrated 1")
@pytest.mark.parametrize(
    ("sentences", "ties", "expected"),
    [
        (0, [], []),
        (3, [], [[0], [1], [2]]),
        (3, [Tie(1, 1)], [[0], [1], [2]]),
        (3, [Tie(1, 2)], [[0], [1, 2]]),
        (4, [Tie(0, 2)], [[0, 1, 2], [3]]),
        (4, [Tie(0, 1), Tie(1, 2)], [[0, 1, 2], [3]]),
        (4, [Tie(0, 1), Tie(2, 3)], [[0, 1], [2, 3]]),
        (2, [Tie(0, 0, "a"), Tie(1, 1, "a")], [[0, 1]]),
        (2, [Tie(0, 0, "a"), Tie(1, 1, "b")], [[0], [1]]),
        (2, [Tie(0, 0, 1), Tie(1, 1, "1")], [[0], [1]]),
        (4, [Tie(2, 3, "a"), Tie(0, 0, "a")], [[0, 2, 3], [1]]),
        (5, [Tie(0, 0, "a"), Tie(2, 2, "a"), Tie(2, 2, "b"), Tie(4, 4, "b")], [[0, 2, 4], [1], [3]]),
    ],
)
def test_what_must_not_be_parted_and_nothing_else_is_a_block(
    sentences: int, ties: list[Tie], expected: list[list[int]]
) -> None:
    assert blocks(sentences, ties) == expected
    assert blocks(sentences, ties[::-1]) == expected


def test_many_long_edits_take_no_time_each() -> None:
    assert len(blocks(20_000, [Tie(0, 19_999)] * 20_000)) == 1


def test_an_edit_outside_the_sentences_is_an_error() -> None:
    with pytest.raises(ValueError, match="sentences 1 to 3"):
        blocks(3, [Tie(1, 3)])


def test_the_operation_reads_edits_with_and_without_a_group() -> None:
    edits = [{"first": 1, "last": 2}, {"first": 0, "last": 0, "group": None}, {"first": 3, "last": 3, "group": 7}]
    assert request(n_sentences=4, edits=edits) == {"blocks": [[0], [1, 2], [3]]}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"n_sentences": -1, "edits": []}, "n_sentences"),
        ({"n_sentences": True, "edits": []}, "n_sentences"),
        ({"n_sentences": 10**9, "edits": []}, "n_sentences"),
        ({"n_sentences": 2, "edits": [{"first": 0, "last": 2}]}, "edits[0].last"),
        ({"n_sentences": 0, "edits": [{"first": 0, "last": 0}]}, "edits[0].first"),
        ({"n_sentences": 2, "edits": [{"first": 1, "last": 0}]}, "edits[0].last"),
        ({"n_sentences": 2, "edits": [{"first": 0, "last": 0, "group": 1.5}]}, "edits[0].group"),
        ({"n_sentences": 2, "edits": [3]}, "edits[0]"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as caught:
        request(**fields)
    assert caught.value.details == {"field": field}


def test_the_edits_of_a_block_move_with_their_sentences() -> None:
    units = [
        Unit("a b", {0: (Edit(0, 1, "T", "x"),), 1: ()}),
        Unit("c", {}),
        Unit("d e f", {1: (Edit(1, 3, "T", "y"),)}),
    ]
    block, alone = joined(units, [[0, 2], [1]])
    assert block.source == "a b d e f"
    assert block.annotators == {0: (Edit(0, 1, "T", "x"),), 1: (Edit(3, 5, "T", "y"),)}
    assert alone == units[1]


def test_longer_units_leave_less_choice_between_annotators() -> None:
    # G, "Взаимосвязь длины текста и F0,5-меры": sentence by sentence either annotator may be the nearest.
    gold = [Unit("a b", {0: (Edit(0, 1, "T", "x"),), 1: ()}), Unit("c d", {0: (), 1: (Edit(1, 2, "T", "y"),)})]
    system = [Unit("a b", {0: (Edit(0, 1, "T", "x"),)}), Unit("c d", {0: (Edit(1, 2, "T", "y"),)})]
    assert compare(gold, system).counts == Counts(2, 0, 0)
    assert compare(joined(gold, [[0, 1]]), joined(system, [[0, 1]])).counts == Counts(1, 1, 0)
