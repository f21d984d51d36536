"""Couples of annotators between which ``errant_compare`` decides by its tie-breakers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from markup_core.formats.m2 import Edit, Unit
from tracks.gec.comparison import Mode, Rules, compare
from tracks.gec.counts import Counts


def unit(*annotators: Sequence[int]) -> Unit:
    edits = {number: tuple(Edit(at, at + 1, "R:X", "z") for at in places) for number, places in enumerate(annotators)}
    return Unit("a b c d e f g h", edits)


@pytest.mark.parametrize("turned", [False, True])
def test_of_equal_f_and_equal_hits_the_fewer_false_ones_win_wherever_they_stand(turned: bool) -> None:
    # TP 1, FP 1, FN 0 and TP 1, FP 0, FN 4: F0.5 is 1.25/2.25 of both; the crossed couples hit nothing.
    found, given = [(0,), (1, 2, 3, 4, 5)], [(0, 7), (1,)]
    if turned:
        found, given = found[::-1], given[::-1]
    made = compare([unit(*found)], [unit(*given)], Rules(Mode.ERRANT))
    assert made.counts == Counts(1, 0, 4)
