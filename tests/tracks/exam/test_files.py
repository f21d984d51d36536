"""Files of items and submissions in all their published forms (tracks.md §2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.folder import UnreadableError
from tests.tracks.exam.exam_items import item, variant
from tracks.exam import items


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
