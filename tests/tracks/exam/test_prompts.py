"""Prompts: chosen by a seed, filled in, read from a file (tracks.md §2)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from markup_core.command.folder import UnreadableError
from tracks.exam import tasks
from tracks.exam.tasks import TYPES


def saved(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode())
    return path


def test_an_instruction_is_filled_in_and_other_braces_stay() -> None:
    inputs = {"task": "{text}", "text": "{0}", "choices": "", "additional_text": "а"}
    told = tasks.render("{task}|{text}|{choices}|{additional_text}|{} {x} {task.x}", inputs)
    assert told == "{text}|{0}||а|{} {x} {task.x}"


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


@pytest.mark.clause("tracks §2 seed", "U prompts")
def test_the_choice_is_the_documented_one() -> None:
    # `printf 7/text/740 | sha256sum` begins with a6da5fbe203e…; 16 is 1 modulo 3, so the whole is the sum of
    # its hexadecimal digits modulo 3, which is 2.
    assert tasks.choose(tasks.DEFAULT, "text", "740", 7) == tasks.DEFAULT["text"][2]


def test_the_choice_depends_on_the_seed_and_reaches_every_prompt() -> None:
    chosen = Counter(tasks.choose(tasks.DEFAULT, "matching", str(ident), 1) for ident in range(300))
    assert set(chosen) == set(tasks.DEFAULT["matching"])
    assert min(chosen.values()) > 60  # 100 of each are expected; the counts are fixed by the seed
    others = [tasks.choose(tasks.DEFAULT, "matching", str(ident), 2) for ident in range(300)]
    assert others != [tasks.choose(tasks.DEFAULT, "matching", str(ident), 1) for ident in range(300)]


@pytest.mark.clause("tracks §2 seed")
def test_the_choice_does_not_depend_on_pythons_hash() -> None:
    program = (
        "from tracks.exam.tasks import *; "
        "print([DEFAULT['text'].index(choose(DEFAULT, 'text', str(n), 5)) for n in range(40)])"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(made) == 1


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
