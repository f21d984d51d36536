"""Differences: each place of two values that differ, told in both languages."""

from __future__ import annotations

import re
from pathlib import Path

from shadow import cells
from shadow.cells import Cell, compared

SOURCES = Path(cells.__file__).parent


def test_every_place_that_differs_is_a_cell_and_no_other() -> None:
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


def test_a_cell_says_where_and_what_in_both_languages() -> None:
    told = Cell("cause", "team_late", None, 7, "red", "1").to_dict()
    assert told["message"] == "red, file 7: the cause of the annulment: the platform has team_late, the recomputation —"
    assert told["message_ru"] == "red, файл 7: причина аннулирования: у платформы team_late, при пересчёте —"
    assert Cell("place", 1, 2, 0, "red").to_dict()["message"].startswith("red: the place on the board: ")
    assert Cell("board", 1, 2).to_dict()["message"].startswith("who is on the board: ")
    assert len(Cell("receipt", "x" * 500, None).to_dict()["message"]) < 200


def test_every_quantity_that_is_compared_has_its_words() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES.glob("*.py"))
    used = {each.partition(".")[0] for each in re.findall(r'(?:Cell|compared|_bytes)\(f?"([a-z_.]+)', text)}
    assert used == set(cells.QUANTITIES)
