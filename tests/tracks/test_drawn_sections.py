"""What reports say of their columns to who draws them, and names in both languages (protocol.Section)."""

from __future__ import annotations

import pytest

from contest.results.rules import reports
from tracks.diagnosis.board import accuracies, named
from tracks.diagnosis.classifier import NAMES
from tracks.fusion.aggregate import sum_section
from tracks.fusion.subtasks import Subtask
from tracks.gec.report import DIRECTIONS, with_more
from tracks.protocol import Section, in_both, in_language

NOSOLOGY = {
    "tp": 68,
    "fn": 7,
    "fp": 4,
    "tn": 41,
    "se": 0.9067,
    "se_lower": 0.8192,
    "sp": 0.9111,
    "sp_lower": 0.7927,
    "cost": 3,
    "passed": False,
    "se_barrier": 0.83,
    "sp_barrier": 0.87,
}


def judged_of(section: Section, row: int = 0) -> list[tuple[str, object, object, object]]:
    """Each judged value of a row by its column's title, with its bound and its barrier."""
    cells = section.rows[row]
    return [
        (section.columns[each.value].en, cells[each.value], each.bound and cells[each.bound], cells[each.barrier])
        for each in section.judged
    ]


@pytest.mark.clause("D-App1б 4", "D-App1в table")
def test_a_nosology_is_drawn_by_its_matrix_and_by_both_shares_with_bound_and_barrier() -> None:
    section = accuracies({"nosologies": {"copd": NOSOLOGY}})
    assert section.matrix is not None
    assert [(section.columns[place].en, section.rows[0][place]) for place in section.matrix] == [
        ("TP", 68),
        ("FN", 7),
        ("FP", 4),
        ("TN", 41),
    ]
    assert judged_of(section) == [("Se", 0.907, 0.819, 0.83), ("Sp", 0.911, 0.793, 0.87)]
    assert {section.columns[place].en for place in section.shares} >= {"Se", "Sp", "Se, barrier", "Sp, lower bound"}


def test_the_sum_of_the_four_is_drawn_against_its_minimum_as_each_of_them_is() -> None:
    one = {"score": 0.5, "rounded": 0.5, "minimum": 0.35, "reached": True}
    section = sum_section(
        {"subtasks": {each.key: one for each in Subtask}, "s": 2.0, "smin": 1.3, "reached": True},
    )
    assert judged_of(section) == [("In the sum", 0.5, None, 0.35)]
    assert judged_of(section, len(section.rows) - 1) == [("In the sum", 2.0, None, 1.3)]


def test_what_is_drawn_goes_with_the_table_over_the_wire_and_is_empty_where_nothing_is() -> None:
    told = reports.section(accuracies({"nosologies": {"copd": NOSOLOGY}}))
    assert told["matrix"] == [1, 2, 3, 4]
    assert told["judged"][0] == {"value": 5, "barrier": 11, "bound": 6}
    plain = reports.section(Section("key", accuracies({"nosologies": {}}).title, (), ()))
    assert [plain[each] for each in ("matrix", "judged", "shares")] == [[], [], []]


@pytest.mark.parametrize("more", ["", " 1", " >4+1", ", Σ"])
def test_a_name_in_both_languages_is_read_whole_in_either(more: str) -> None:
    for both in (*DIRECTIONS.values(), *(named(name) for name in NAMES), named(*NAMES)):
        told = with_more(both, more)
        assert in_language(told, "en") == f"{in_language(both, 'en')}{more}"
        assert in_language(told, "ru") == f"{in_language(both, 'ru')}{more}"
        assert in_language(told, "en") != in_language(told, "ru"), both


def test_what_is_the_same_in_both_languages_stands_once() -> None:
    assert in_both("Se", "Se") == "Se"
