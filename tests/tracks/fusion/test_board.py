"""Boards by the sum and by subtask (tracks.md §4)."""

from __future__ import annotations

import pytest

from tests.tracks.fusion.four import scores
from tracks.fusion.aggregate import boards
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Place


@pytest.mark.clause("F nominations", "F board")
def test_boards_share_places_by_what_is_equal_after_rounding() -> None:
    made = boards(
        {
            "a": scores(40, 0.8, 0.2, 0.4),
            "b": scores(40.04, 0.8, 0.2, 0.4),
            "c": scores(30, 0.8, 0.2, 0.4),
            "d": scores(90, None, 0.2, 0.4),
        }
    )
    assert made.by_sum == (Place("a", 1), Place("b", 1), Place("c", 3), Place("d", 4))
    assert made.by_subtask[Subtask.C2C] == (Place("d", 1), Place("a", 2), Place("b", 2), Place("c", 4))
    assert made.by_subtask[Subtask.HTR][-1] == Place("d", 4)
    assert {each.place for each in made.by_subtask[Subtask.VQA]} == {1}


def test_a_board_without_teams_is_empty() -> None:
    assert boards({}).by_sum == ()
