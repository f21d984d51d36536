"""Files of items and submissions in the published forms, and the prompts (tracks.md §2; U).

Files of items and submissions in all their published forms (tracks.md §2).

Prompts: chosen by a seed, filled in, read from a file (tracks.md §2).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.inputs import UnreadableError
from tests.tracks.exam.exam_items import item, variant
from tracks.exam import items, tasks
from tracks.exam.tasks import TYPES


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


def saved(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode())
    return path


def lines(entries: list[Any]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in entries)


def test_items_are_read_in_all_three_forms(tmp_path: Path) -> None:
    whole = variant(1)[:3]
    assert items.read_items(saved(tmp_path, "a.json", whole)) == whole
    assert items.read_items(saved(tmp_path, "b.json", {"data": {"dev": whole}})) == whole
    assert items.read_items(saved(tmp_path, "c.jsonl", lines(whole) + b"\n")) == whole


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_items_are_written_and_read_back_with_their_fields_in_order(tmp_path: Path, name: str) -> None:
    whole = [*variant(1)[:3], item(instruction="ё \ud83d {task}")]
    path = saved(tmp_path, name, items.encode_items(whole, lines=name.endswith("l")))
    assert items.read_items(path) == whole
    assert list(items.read_items(path)[0]) == ["instruction", "inputs", "outputs", "meta"]
    assert items.encode_items(items.read_items(path), lines=name.endswith("l")) == path.read_bytes()


def test_of_several_splits_one_is_chosen(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.json", {"data": {"dev": [1], "test": [2]}})
    assert items.read_items(path, "test") == [2]
    with pytest.raises(UnreadableError, match="dev, test; choose one"):
        items.read_items(path)
    with pytest.raises(UnreadableError, match="no split train"):
        items.read_items(path, "train")


def test_a_broken_line_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="line 2, column 1: "):
        items.read_items(saved(tmp_path, "a.jsonl", b'{"a": 1}\nnothing\n'))
    with pytest.raises(UnreadableError, match="line 1, column 7: NaN"):
        items.read_items(saved(tmp_path, "a.jsonl", b'{"a": NaN}\n'))


@pytest.mark.parametrize("content", [{}, {"data": []}, "items", {"data": {"dev": {}}}])
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(UnreadableError, match="a list or"):
        items.read_items(saved(tmp_path, "a.json", content))


def test_a_submission_is_read_in_all_its_forms(tmp_path: Path) -> None:
    entries = [{"outputs": "да", "meta": {"id": 1}}, {"outputs": None, "meta": {"id": "2"}}]
    expected = {"1": "да", "2": None}
    assert items.read_submission_file(saved(tmp_path, "a.json", expected)) == expected
    assert items.read_submission_file(saved(tmp_path, "b.json", {"data": {"test": entries}})) == expected
    assert items.read_submission_file(saved(tmp_path, "c.json", entries)) == expected
    assert items.read_submission_file(saved(tmp_path, "d.jsonl", lines(entries))) == expected


@pytest.mark.parametrize(
    "entry", [7, {}, {"outputs": "да"}, {"outputs": "да", "meta": {"id": 1.5}}, {"meta": {"id": 1}}]
)
def test_an_entry_of_a_submission_needs_an_id_and_outputs(tmp_path: Path, entry: Any) -> None:
    with pytest.raises(UnreadableError, match=r"answer 0 must have outputs and meta\.id"):
        items.read_submission_file(saved(tmp_path, "a.json", [entry]))


def test_two_answers_to_one_item_are_refused(tmp_path: Path) -> None:
    twice = [{"outputs": "да", "meta": {"id": 1}}, {"outputs": "нет", "meta": {"id": "1"}}]
    with pytest.raises(UnreadableError, match="answer 1 is for 1 a second time"):
        items.read_submission_file(saved(tmp_path, "a.json", twice))


def test_an_instruction_is_filled_in_and_other_braces_stay() -> None:
    inputs = {"task": "{text}", "text": "{0}", "choices": "", "additional_text": "а"}
    result = tasks.render("{task}|{text}|{choices}|{additional_text}|{} {x} {task.x}", inputs)
    assert result == "{text}|{0}||а|{} {x} {task.x}"


@pytest.mark.clause("U prompts")
def test_every_published_type_has_several_prompts_with_the_places_it_needs() -> None:
    assert set(tasks.DEFAULT) == set(TYPES) - {"multiple_choice"}
    for kind, texts in tasks.DEFAULT.items():
        assert len(texts) == len(set(texts)) == 3
        for text in texts:
            assert "{task}" in text
            assert tasks.unknown_places(text) == []
            assert ("{choices}" in text) == (kind not in ("text", "multiple_choice_options_within_text"))
            assert ("{additional_text}" in text) == (kind == "matching")
            assert ("{text}" in text) == (kind != "multiple_choice_independent_options")


def test_a_type_without_prompts_has_none_to_choose() -> None:
    assert tasks.choose(tasks.DEFAULT, "multiple_choice", "1", 1) is None


def test_prompts_are_read_in_the_published_form_with_its_line_ends(tmp_path: Path) -> None:
    published = {
        "multiple_choice": {"based_on_text": ["Текст: {text}\\\\nВопрос: {task}\\n{choices}\nОтвет:"]},
        "text": ["{task}"],
    }
    assert tasks.read(saved(tmp_path, "p.json", published)) == {
        "multiple_choice_based_on_text": ("Текст: {text}\nВопрос: {task}\n{choices}\nОтвет:",),
        "text": ("{task}",),
    }


@pytest.mark.parametrize(
    "content",
    [[], {"essay": ["{task}"]}, {"text": []}, {"text": "{task}"}, {"text": [1]}, {"multiple_choice": ["{task}"]}],
)
def test_prompts_of_another_form_are_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(UnreadableError, match="a list of prompts"):
        tasks.read(saved(tmp_path, "p.json", content))


def test_a_prompt_with_a_place_that_no_item_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"\{label\}"):
        tasks.read(saved(tmp_path, "p.json", {"text": ["{task} {label}"]}))
