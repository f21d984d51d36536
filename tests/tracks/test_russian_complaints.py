"""What the tracks' commands cannot read they say in the language asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.leftovers import english
from tests.tracks.gec.texts import REFERENCE
from tracks.command.cli import main
from tracks.diagnosis.items import UnsafeError, read_epicrisis

M2_FAULTS = """A 0 1|||R|||a|||REQUIRED|||-NONE-|||0
S He go home
A 1 9|||R:VERB|||goes|||REQUIRED|||-NONE-|||0
A x 2|||R|||y|||REQUIRED|||-NONE-|||0
A 2 1|||R|||y|||REQUIRED|||-NONE-|||0
A 0 1|||R
A 0 1||||||y|||REQUIRED|||-NONE-|||0
A 0 1|||R|||y|||REQUIRED|||-NONE-|||x
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||R|||y|||REQUIRED|||-NONE-|||0
A 1 1|||R||||||REQUIRED|||-NONE-|||0
S
B foo
"""
EXAM_FAULTS = [
    {"meta": {"id": 1, "id_task": 99}, "instruction": "x", "inputs": 5},
    {"meta": {"id": [], "variant": 1, "score": "x", "type": 1, "id_task": "1"}, "outputs": 1, "more": 1},
    {"meta": {}},
    1,
]
"""Files with a fault of every kind, so that each sentence about them is printed."""
FAULTY = [
    ("gec check faults.m2", "отрезок 1 9 выходит за предложение, в котором слов 3"),
    ("exam check faults.json", "inputs: ожидается объект, а не 5"),
    ("diagnosis validate faults.json plain.json list.json", "нет"),
    ("fusion archive plain.json", "это не архив ZIP"),
]
PROGRAMS_KNOW = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|\S*\.\S+")
"""Codes, names of fields and of files stay as programs know them."""
FIELDS = set("id inputs outputs meta instruction type score variant image members noop code more text".split())
FIELDS |= {"matching", "diagnosis"}
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
    ("gec concentrated gold.json several.m2", "строка 1: у системы один аннотатор, а здесь их несколько"),
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


@pytest.mark.parametrize(("command", "complaint"), COMPLAINTS, ids=[command for command, _ in COMPLAINTS])
def test_what_cannot_be_read_is_told_in_the_language_asked_for(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    assert main([*command.split(), "--lang", "ru"]) == 2
    assert complaint in capsys.readouterr().err
    assert main(command.split()) == 2
    printed = capsys.readouterr()
    assert (printed.out, re.search("[а-яё]", printed.err, re.IGNORECASE)) == ("", None)


@pytest.mark.parametrize(("command", "complaint"), FAULTY, ids=[command for command, _ in FAULTY])
def test_every_fault_inside_a_file_is_told_in_russian(
    files: Path, capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    (files / "faults.m2").write_text(M2_FAULTS, "utf-8")
    (files / "faults.json").write_text(json.dumps(EXAM_FAULTS), "utf-8")
    assert main([*command.split(), "--lang", "ru"]) == 1
    printed = capsys.readouterr()
    assert complaint in printed.out
    assert english(PROGRAMS_KNOW.sub("", printed.out + printed.err), FIELDS) == []


WRONG_XML = [
    b"no markup",
    b"",
    b"<a>",
    b"<a></b>",
    b"<a/><b/>",
    b"<a x='1' x='2'/>",
    b"<p:a/>",
    b"<a>&b;</a>",
    b" <?xml version='1.0'?><a/>",
    b"<?xml version='1.0' encoding='x-none'?><a/>",
    b"<?xml version='1.0' encoding='utf-16'?><a/>",
    b"<?xml?><a/>",
    b"<a><![CDATA[",
    b"<a>&#0;</a>",
    b"<a><",
    b"<a>\xff</a>",
    b"<a xmlns:p=''/>",
    b"<a xmlns:xmlns='x'/>",
    b"<!DOCTYPE a><a/>",
]


@pytest.mark.parametrize("source", WRONG_XML)
def test_whatever_the_xml_parser_objects_to_is_told_in_russian(source: bytes) -> None:
    with pytest.raises(UnsafeError) as refused:
        read_epicrisis(source)
    assert english(refused.value.placed.ru) == []
    assert re.search("[а-яё]", refused.value.placed.ru)
