"""What the tracks' commands cannot read they say in the language asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tracks.gec.texts import REFERENCE
from tracks.command.cli import main

ITEM = {"outputs": "1", "meta": {"id": 1}}
SEVERAL = "S a\nA 0 1|||R:X|||b|||REQUIRED|||-NONE-|||0\nA 0 1|||R:X|||c|||REQUIRED|||-NONE-|||1\n"
GOLD = {"items": [{"id": "one", "source": "s", "sentences": ["a"], "edits": []}]}
COMPLAINTS = [
    ("exam check nowhere.json", "нет такого файла или папки"),
    ("exam check plain.json", "ожидается список или"),
    ("exam check splits.json", "в файле несколько частей, a, b; выберите одну"),
    ("exam check splits.json --split c", "части c нет; есть a, b"),
    ("exam score items.json broken.json", "у ответа 0 должны быть outputs и meta.id"),
    ("exam score items.json twice.json", "ответ 1 — второй для задания 1"),
    ("gec agreement list.json", "должен быть объект JSON, а не"),
    ("gec compare ref.m2 ref.m2 --blocks plain.json", "blocks — списки, в которых каждое число от 0 до"),
    ("gec concentrated gold.json several.m2", "строка 1: у системы один разметчик, а здесь их несколько"),
    ("fusion archive nowhere.zip", "нет такого файла или папки"),
    ("fusion board plain.json", "ожидается список команд"),
    ("fusion score nowhere nowhere", "такой папки нет"),
    ("fusion score empty empty", "в этой папке нет ни одного файла true_"),
    ("diagnosis rotation 16 --team a --team b", "для жребия нужен --seed"),
    ("diagnosis board plain.json", "нужен список JSON, сам по себе или как"),
    ("diagnosis epicrisis nowhere.xml", "нет такого файла или папки"),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that nothing can be done with, as the current folder."""
    for name, value in {
        "plain": {"a": 1},
        "list": [],
        "splits": {"data": {"a": [], "b": []}},
        "items": [],
        "broken": [{}],
        "twice": [ITEM, ITEM],
        "gold": GOLD,
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    (tmp_path / "ref.m2").write_text(REFERENCE, "utf-8")
    (tmp_path / "several.m2").write_text(SEVERAL, "utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "told"), COMPLAINTS, ids=[command for command, _ in COMPLAINTS])
def test_what_cannot_be_read_is_told_in_the_language_asked_for(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, told: str
) -> None:
    assert main([*command.split(), "--lang", "ru"]) == 2
    assert told in capsys.readouterr().err
    assert main(command.split()) == 2
    assert not re.search("[а-яё]", capsys.readouterr().err, re.IGNORECASE)
