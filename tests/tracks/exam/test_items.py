"""Files of items and submissions in the published forms, and the prompts (tracks.md §2; U)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.exam.exam_items import item, variant
from tracks.exam import items


def fields_of(raw: Any, *, hidden: bool = False) -> list[Any]:
    return [fault.details["field"] for fault in items.faults(raw, hidden=hidden)]


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


@pytest.mark.clause("U fields", "U fields empty", "U tasks", "U types")
@pytest.mark.parametrize(
    ("raw", "hidden", "fields"),
    [
        *((published, False, []) for published in variant(1)),
        (item("16", meta={**item("16")["meta"], "score": 1}), False, ["meta.score"]),
        (item("16", outputs="слово", meta={**item("16")["meta"], "type": "text"}), False, ["meta.type"]),
        (item(outputs=""), True, []),  # a hidden right answer may be empty, and nothing else
        (item(outputs=""), False, ["outputs"]),
        (item(outputs="42"), True, ["outputs"]),
        *((no_object, False, [None]) for no_object in (None, [], "item", 1)),
    ],
)
def test_an_item_has_the_published_form(raw: Any, hidden: bool, fields: list[str | None]) -> None:
    assert fields_of(raw, hidden=hidden) == fields


def test_an_instruction_with_a_place_that_no_item_has_is_a_fault() -> None:
    (fault,) = items.faults(item(instruction="{task} {label} {0}"))
    assert "{label}" in fault.message
