"""Files of items and submissions in the published forms, and the prompts (tracks.md §2; U)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.exam.exam_items import item, variant
from tracks.exam import items


def fields_of(raw: Any, *, hidden: bool = False) -> list[Any]:
    return [fault.details["field"] for fault in items.faults(raw, hidden=hidden)]


@pytest.mark.clause("U fields", "U fields empty")
def test_a_published_item_has_no_fault() -> None:
    assert [fields_of(each) for each in variant(1)] == [[]] * 30


@pytest.mark.clause("U fields", "U fields empty")
def test_all_faults_of_an_item_are_told_at_once() -> None:
    broken = item(instruction=None, inputs={"task": 1, "text": "", "choices": ""}, outputs=5)
    broken["meta"] = {"id": "1", "id_task": "6", "variant": 1.0, "score": 3, "type": "word"}
    assert fields_of(broken) == [
        "instruction",
        "inputs.task",
        "inputs.additional_text",
        "meta.id",
        "meta.variant",
        "meta.type",
        "meta.score",
        "outputs",
    ]


@pytest.mark.clause("U tasks")
def test_the_points_of_an_item_must_be_its_tasks() -> None:
    assert fields_of(item("16", meta={**item("16")["meta"], "score": 1})) == ["meta.score"]


@pytest.mark.clause("U types")
def test_a_type_that_the_task_never_has_is_a_fault() -> None:
    assert fields_of(item("16", outputs="слово", meta={**item("16")["meta"], "type": "text"})) == ["meta.type"]


def test_an_instruction_with_a_place_that_no_item_has_is_a_fault() -> None:
    (fault,) = items.faults(item(instruction="{task} {label} {0}"))
    assert "{label}" in fault.message


def test_a_hidden_right_answer_may_be_empty_and_nothing_else() -> None:
    assert fields_of(item(outputs=""), hidden=True) == []
    assert fields_of(item(outputs="")) == ["outputs"]
    assert fields_of(item(outputs="42"), hidden=True) == ["outputs"]


@pytest.mark.parametrize("raw", [None, [], "item", 1])
def test_what_is_no_object_is_no_item(raw: Any) -> None:
    assert fields_of(raw) == [None]
