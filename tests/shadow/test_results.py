"""Aggregates and places by the regulation's own words."""

from __future__ import annotations

from typing import Any

import pytest

from shadow import results
from tests.toys import ToyTrack


def essay(above: float | None, below: float | None, experts: int = 2) -> dict[str, Any]:
    return {"algorithm_accuracy": above, "expert_accuracy": below, "experts": experts}


RIGHT = {"algorithm_accuracy": 60.0, "expert_accuracy": 80.0, "relative_accuracy": 75.0, "essays": 2}
SCORES = [essay(90.0, 60.0), essay(30.0, 100.0)]


def test_accuracies_are_plain_means_and_their_ratio() -> None:
    assert results.plain(SCORES) == RIGHT


@pytest.mark.parametrize(
    "scores",
    [[], [essay(90.0, None)], [essay(None, 60.0)], [essay(90.0, 60.0, experts=1)], [essay(1.0, 0.0)], ["points"]],
)
def test_what_is_not_defined_by_plain_means_is_left_to_the_library(scores: list[Any]) -> None:
    assert results.plain(scores) is None
    assert list(results.unlike_plain({"relative_accuracy": 1.0}, scores)) == []


def test_an_aggregate_that_is_not_the_mean_of_its_scores_is_found() -> None:
    assert list(results.unlike_plain(RIGHT, SCORES)) == []
    (cell,) = results.unlike_plain({**RIGHT, "relative_accuracy": 75.001}, SCORES)
    assert (cell.quantity, cell.platform, cell.shadow) == ("result.relative_accuracy", 75.001, 75.0)
    assert len(list(results.unlike_plain(None, SCORES))) == 4


def test_equal_results_share_a_place_and_undefined_ones_are_the_tracks_to_rank() -> None:
    def entries(**values: float | None) -> list[Any]:
        return [{"team_id": team, "result": {"relative_accuracy": value}} for team, value in values.items()]

    found = results.places(ToyTrack(), entries(red=90.0, blue=95.0, grey=90.0, pink=10.0))
    assert found == {"blue": 1, "red": 2, "grey": 2, "pink": 4}
    assert results.places(ToyTrack(), entries(red=None, blue=5.0)) == {"blue": 1, "red": 2}
    assert results.places(ToyTrack(), []) == {}
