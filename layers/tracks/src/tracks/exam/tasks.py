"""The exam's tasks, their sections and types, and how many points each can bring (tracks.md §2; U, descriptions)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tracks.protocol import Json, Text

FAMILY: Final = "multiple_choice"
"""The three types of multiple choice are scored alike; the family's own name is a type of an item, too."""
TEXT: Final = "text"
MATCHING: Final = "matching"
CHOICES: Final = (
    FAMILY,
    "multiple_choice_based_on_text",
    "multiple_choice_options_within_text",
    "multiple_choice_independent_options",
)
TYPES: Final = (TEXT, MATCHING, *CHOICES)
"""Clause: U types"""
TYPE_NAMES: Final[Mapping[str, Text]] = {
    TEXT: Text(en="Answer in words", ru="Ответ словами"),
    MATCHING: Text(en="Matching", ru="Соответствие"),
    FAMILY: Text(en="Choice of several", ru="Выбор нескольких"),
    "multiple_choice_based_on_text": Text(en="Choice by a text", ru="Выбор по тексту"),
    "multiple_choice_options_within_text": Text(en="Choice within a text", ru="Выбор в самом тексте"),
    "multiple_choice_independent_options": Text(en="Choice without a text", ru="Выбор без текста"),
}
TWO_POINTS: Final = "16"
FOUR_POINTS: Final = "26"
VARIANT_POINTS: Final = 34
"""Points of a complete variant: 28 tasks of one, task 16 of two and task 26 of four."""
HUMAN_POINTS: Final = 23.835
HUMAN_GRADE_NORM: Final = 0.701
"""The mean of the school leavers of 2019 (U, human level)."""

_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "semantics": ("1", "3", "24"),
    "logic": ("2", "22"),
    "orthoepy": ("4",),
    "grammar": ("5", "6", "7", "8_0", "8_1", "8_2", "8_3", "8_4"),
    "spelling": ("9", "10", "11", "12", "13", "14", "15"),
    "punctuation": ("16", "17", "18", "19", "20", "21"),
    "text analysis": ("23", "25", "26"),
}
"""Clause: U tasks, U task 8"""
SECTION_NAMES: Final[Mapping[str, Text]] = {
    "semantics": Text(en="Semantics", ru="Семантика"),
    "logic": Text(en="Logic", ru="Логика"),
    "orthoepy": Text(en="Orthoepy", ru="Орфоэпия"),
    "grammar": Text(en="Grammar", ru="Грамматика"),
    "spelling": Text(en="Spelling", ru="Орфография"),
    "punctuation": Text(en="Punctuation", ru="Пунктуация"),
    "text analysis": Text(en="Text analysis", ru="Анализ текста"),
}
SECTION_OF: Final[Mapping[str, str]] = {task: section for section, tasks in _SECTIONS.items() for task in tasks}


def _order(task: str) -> tuple[int, ...]:
    return tuple(int(part) for part in task.split("_"))


TASKS: Final = tuple(sorted(SECTION_OF, key=_order))
"""The 30 tasks of a variant in the exam's order; the eighth is five tasks."""


def classifier() -> dict[str, Json]:
    """Tasks, sections and types as everybody may read them."""
    tasks = [{"task": task, "section": SECTION_OF[task], "points": maximum(task)} for task in TASKS]
    sections = {name: {"en": title.en, "ru": title.ru} for name, title in SECTION_NAMES.items()}
    return {"tasks": tasks, "sections": sections, "types": list(TYPES)}


def maximum(task: str) -> int:
    """Most points a task of the exam can bring: 2 for task 16, 4 for task 26, 1 for every other (U, scoring).

    Clause: U tasks
    """
    return {TWO_POINTS: 2, FOUR_POINTS: 4}.get(task, 1)
