"""``contest marking suggest``: what is read of files, and what is asked of the platform."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from contest.experts import commands
from contest.route import Route


class FakePlatform:
    """A platform that keeps what it is asked, and changes one assignment each time."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []

    def put(self, route: Route, body: Any, **names: str) -> Any:
        assert route.path.format(**names) == "/v1/markings/train-1/suggestions"
        self.bodies.append(body)
        return {"assignments": 1, "fragments": 3}


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> FakePlatform:
    fake = FakePlatform()
    monkeypatch.setattr(commands, "desk", lambda: fake)
    return fake


def typed(*words: str) -> Result:
    return CliRunner().invoke(commands.marking, ["suggest", "train-1", *words])


def test_a_dictionary_is_read_line_by_line(platform: FakePlatform, tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("﻿в связи с\tЛ.штамп\n\n 😀 так \tР.повтор\nв связи с\tД.другой\n", "utf-8")
    result = typed("--dictionary", str(file), "--assignment", "a" * 20)
    assert (result.exit_code, result.output) == (0, "suggestions switched on; assignments: 1, fragments: 3\n")
    assert platform.bodies == [{"phrases": {"в связи с": "Л.штамп", "😀 так": "Р.повтор"}, "assignments": ["a" * 20]}]
    file.write_text("в связи с\tЛ.штамп\nбез кода\n", "utf-8")
    assert f"{file}, line 2: no phrase, tab and code" in typed("--dictionary", str(file)).output
    file.write_bytes(b"\xff\xfe")
    assert "is no UTF-8" in typed("--dictionary", str(file)).output


def test_markups_go_in_portions(platform: FakePlatform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no ITEM.json" in typed("--markups", str(tmp_path)).output
    monkeypatch.setattr(commands, "_PORTION", 40)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"text": name * 10}), "utf-8")
    result = typed("--markups", str(tmp_path))
    assert (result.exit_code, result.output) == (0, "suggestions switched on; assignments: 3, fragments: 9\n")
    assert [list(body["markups"]) for body in platform.bodies] == [["a"], ["b"], ["c"]]
    (tmp_path / "b.json").write_text("{", "utf-8")
    assert "is no JSON" in typed("--markups", str(tmp_path)).output


def test_exactly_one_source_is_named(platform: FakePlatform, tmp_path: Path) -> None:
    assert typed("--off").output == "suggestions switched off; assignments: 1\n"
    assert typed("--session", "294017735586120").exit_code == 0
    assert [body.get("session") for body in platform.bodies] == [None, "294017735586120"]
    for wrong in ([], ["--off", "--session", "294017735586120"]):
        assert typed(*wrong).exit_code == 2
    assert len(platform.bodies) == 2
