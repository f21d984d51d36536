"""What the checker finds in the archive of a final: essays, markups, board and record are those that there were."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.local.rehearsal.spoiling import ARCHIVE, faults_of, red
from tests.local.rehearsal.story import FILES, Pen

Json = Any
FIRST = FILES[1]


def spoiled(pen: Pen, name: str, change: Callable[[Json], Any]) -> list[str]:
    """What is found when a file of the archive is another one, as the manifest tells it."""
    files = pen.answer("archive")
    content = json.loads(files[name]["text"])
    change(content)
    files[name] = pen.archived(content)
    pen.list_archive()
    return faults_of(pen, ARCHIVE)


def test_a_right_archive_is_right(pen: Pen) -> None:
    assert faults_of(pen, ARCHIVE) == []


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (f"essays/{FIRST}.json", lambda told: told.update(text="another"), "has not the essay of file 1"),
        (f"experts/{FIRST}/1-expert-1.json", lambda told: told["selections"].pop(), "other experts' markups of file 1"),
        (f"markups/ann/{FIRST}.json", lambda told: told["selections"].pop(), "ann, file 1: the archive has another"),
        (
            "markups/bob/files.json",
            lambda told: told["files"][0].update(state="voided"),
            "bob: the archive tells other",
        ),
        ("board.json", lambda told: told["rows"].reverse(), "the archive's board shows"),
        ("record.json", lambda told: told["record"].update(more=1), "the archive's record is another one"),
    ],
)
def test_what_is_archived_otherwise_is_found(pen: Pen, name: str, change: Callable[[Json], Any], said: str) -> None:
    found = spoiled(pen, name, change)
    assert any(said in each for each in found), found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"essays/{FIRST}.json", "has not the essay of file 1"),
        (f"experts/{FIRST}/2-expert-2.json", "other experts' markups of file 1"),
        (f"markups/ann/{FIRST}.json", "ann, file 1: the archive has another answer"),
        ("markups/bob/files.json", "bob: the archive does not tell of the team"),
    ],
)
def test_what_is_missing_is_found(pen: Pen, name: str, said: str) -> None:
    del pen.answer("archive")[name]
    assert any("manifest tells of" in each for each in faults_of(pen, ARCHIVE))
    pen.list_archive()
    assert any(said in each for each in faults_of(pen, ARCHIVE))


def test_an_expert_is_not_named(pen: Pen) -> None:
    (own,) = [each["experts"] for each in pen.all("own", number=1)]
    author = own[0]["meta"]["expert"]
    found = spoiled(pen, f"experts/{FIRST}/1-expert-1.json", lambda told: told["meta"].update(expert=author))
    assert any("tells who has made" in each for each in found), found


def test_there_is_an_archive_and_none_before_the_results_are_out(pen: Pen) -> None:
    pen.answer_line("archive_before")["body"] = 200
    assert faults_of(pen, ARCHIVE) == ["the archive is answered 200 before the publication"]
    pen.forget(pen.find("answer", of="archive"))
    assert "there is no archive of the published results" in faults_of(pen, ARCHIVE)
    assert red(pen) == set()
