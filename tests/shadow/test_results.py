"""Aggregates and places by the regulation's words; each place of two values that differs, in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from shadow import evidence, results
from shadow.evidence import Cell, compared
from tests.toys import ToyTrack


def essay(above: float | None, below: float | None, experts: int = 2) -> dict[str, Any]:
    return {"algorithm_accuracy": above, "expert_accuracy": below, "experts": experts}


RIGHT = {"algorithm_accuracy": 60.0, "expert_accuracy": 80.0, "relative_accuracy": 75.0, "essays": 2}
SCORES = [essay(90.0, 60.0), essay(30.0, 100.0)]


def test_accuracies_are_plain_means_and_their_ratio_and_an_aggregate_that_is_not_is_found() -> None:
    assert results.plain(SCORES) == RIGHT
    assert list(results.unlike_plain(RIGHT, SCORES)) == []
    (cell,) = results.unlike_plain({**RIGHT, "relative_accuracy": 75.001}, SCORES)
    assert (cell.quantity, cell.platform, cell.shadow) == ("result.relative_accuracy", 75.001, 75.0)
    assert len(list(results.unlike_plain(None, SCORES))) == 4
    undefined: list[list[Any]] = [[], [essay(90.0, None)], [essay(None, 60.0)], [essay(90.0, 60.0, experts=1)]]
    for scores in (*undefined, [essay(1.0, 0.0)], ["points"]):  # left to the library
        assert results.plain(scores) is None
        assert list(results.unlike_plain({"relative_accuracy": 1.0}, scores)) == []


def test_equal_results_share_a_place_and_undefined_ones_are_the_tracks_to_rank() -> None:
    def entries(**values: float | None) -> list[Any]:
        return [{"team_id": team, "result": {"relative_accuracy": value}} for team, value in values.items()]

    found = results.places(ToyTrack(), entries(red=90.0, blue=95.0, grey=90.0, pink=10.0))
    assert found == {"blue": 1, "red": 2, "grey": 2, "pink": 4}
    assert results.places(ToyTrack(), entries(red=None, blue=5.0)) == {"blue": 1, "red": 2}
    assert results.places(ToyTrack(), []) == {}


def test_every_place_that_differs_is_a_cell_which_says_where_and_what_in_both_languages() -> None:
    platform = {"a": 1, "b": [1, {"c": None}], "d": 100, "only": 1}
    shadow = {"a": 2, "b": [1, {"c": 3}], "d": 100.0, "other": True}
    assert [(each.quantity, each.platform, each.shadow) for each in compared("result", platform, shadow)] == [
        ("result.a", 1, 2),
        ("result.b[1].c", None, 3),
        ("result.only", 1, None),
        ("result.other", None, True),
    ]
    assert compared("score", [1, 2], [1]) == [Cell("score", [1, 2], [1])]
    assert compared("state", True, 1) == [Cell("state", True, 1)]
    assert compared("cause", None, None) == []
    told = Cell("cause", "team_late", None, 7, "red", "1").to_dict()
    assert told["message"] == "red, file 7: the cause of the annulment: the platform has team_late, the recomputation —"
    assert told["message_ru"] == "red, файл 7: причина аннулирования: у платформы team_late, при пересчёте —"
    assert Cell("place", 1, 2, 0, "red").to_dict()["message"].startswith("red: the place on the board: ")
    assert Cell("board", 1, 2).to_dict()["message"].startswith("who is on the board: ")
    assert len(Cell("receipt", "x" * 500, None).to_dict()["message"]) < 200


def test_every_quantity_that_is_compared_has_its_words() -> None:
    text = "".join(path.read_text("utf-8") for path in Path(evidence.__file__).parent.glob("*.py"))
    used = {each.partition(".")[0] for each in re.findall(r'(?:Cell|compared|_bytes)\(f?"([a-z_.]+)', text)}
    assert used == set(evidence.QUANTITIES)
