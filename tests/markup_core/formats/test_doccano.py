"""doccano's JSON Lines of all versions; the files of 1.8.4 were written by doccano itself (``export_doccano.py``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from markup_core.formats import doccano
from markup_core.formats.corpus import Document, Layer, Span
from markup_core.formats.foreign import FormatError
from markup_core.formats.gathering import read_corpus
from markup_core.formats.registry import recognized
from tests.markup_core.formats.reading import counts, source

ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
FILES = ROOM / "doccano"
PINS = ("doccano==1.8.4", "marshmallow==3.26.1", "numpy==1.26.4", "setuptools==80.10.2")
ASTRAL = "Ёж 😀 и кот."


def marked(document: Document) -> dict[str, list[tuple[str, str]]]:
    return {
        layer.annotator: [(document.text[span.start : span.end], span.label) for span in layer.spans]
        for layer in document.layers
    }


def read(*lines: Any, name: str = "all.jsonl") -> list[Document]:
    file = source(name, "\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    assert recognized(file) is not None
    return list(doccano.read(file))


def test_a_project_whose_annotators_work_apart_has_a_layer_for_each() -> None:
    files = {f"spans/{path.name}": path.read_bytes for path in (FILES / "spans").iterdir()}
    corpus = read_corpus(files)
    assert dict(corpus.formats) == {"doccano": 2}
    assert [(one.name, marked(one)) for one in corpus.documents] == [
        ("1", {"anna": [("Ёж", "PER"), ("Ёж 😀 и кот", "PER")], "boris": [("и", "LOC")]}),
        ("2", {"anna": [("Кафе\u0301", "LOC")], "boris": [("вторая", "PER")]}),
        ("3", {"anna": [], "boris": []}),
        ("4", {"anna": [], "boris": []}),
    ]
    first = corpus.documents[0]
    assert dict(first.meta) == {"subject": "rus", "year": 2026}  # pandas wrote 2026.0, for another text has no year
    assert counts(first.losses) == {"utf16": 1, "comments": 1, "offsets": 1}


def test_relations_and_comments_are_told() -> None:
    (first, *others) = read_corpus({"all.jsonl": (FILES / "relations" / "all.jsonl").read_bytes}).documents
    assert marked(first) == {"": [("Ёж", "PER"), ("и", "LOC"), (ASTRAL, "PER")]}
    assert [span.ident for span in first.layers[0].spans] == [11, 12, 13]
    assert counts(first.losses) == {"relations": 1, "comments": 1, "offsets": 2}
    assert [one.text for one in others] == ['Кафе\u0301 "Зебра"\r\nвторая/строка', "", "без разметки"]


@pytest.mark.parametrize(
    ("line", "spans", "losses"),
    [
        ({"id": 1, "data": "Кот", "label": [[0, 3, "X"]]}, {"": [("Кот", "X")]}, {}),
        (
            {"id": 1, "text": "Кот", "meta": {}, "annotation_approver": None, "labels": [[0, 3, "X"]]},
            {"": [("Кот", "X")]},
            {},
        ),
        (
            {"id": 1, "text": "Кот", "annotations": [{"label": 7, "start_offset": 0, "end_offset": 3, "user": 2}]},
            {"user 2": [("Кот", "7")]},
            {},
        ),
        ({"text": "Кот", "cats": ["GOOD"], "entities": [[0, 3, "X"]]}, {"": [("Кот", "X")]}, {"categories": 1}),
        ({"text": "Кот", "label": ["GOOD", "BAD"]}, {"": []}, {"categories": 2}),
        ({"text": "Кот", "label": [[1, 1, "X"]], "other": 1}, {"": []}, {"empty": 1, "fields": 1}),
        ({"text": "\ufeffКот", "label": [[1, 4, "X"]]}, {"": [("Кот", "X")]}, {}),
    ],
)
def test_lines_of_every_version(line: Any, spans: Any, losses: Any) -> None:
    (document,) = read(line)
    assert (marked(document), counts(document.losses)) == (spans, losses)


def test_units_are_those_in_which_no_word_is_cut() -> None:
    in_points, in_halves = ({"text": ASTRAL, "label": [[start, start + 3, "X"]]} for start in (7, 8))
    assert [marked(one) for one in read(in_points, name="x.jsonl")] == [{"": [("кот", "X")]}]
    assert [marked(one) for one in read(in_halves, name="x.jsonl")] == [{"": [("кот", "X")]}]
    assert [counts(document.losses) for line in (in_points, in_halves) for document in read(line)] == [
        {"offsets": 1},
        {"utf16": 1},
    ]
    # A place inside a surrogate pair can be none in UTF-16.
    (inside,) = read({"text": "😀 кот", "label": [[1, 5, "X"]]})
    assert marked(inside) == {"": [(" кот", "X")]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "Кот", "label": [[0, 4, "X"]]}, "line 1: $.label[0]: the span begins or ends outside the text"),
        ({"text": "Кот", "label": [[0, "X"]]}, "line 1: $.label[0]: a span is a list of start, end and label"),
        ({"text": "Кот", "label": [[0, 1.5, "X"]]}, "line 1: $.label[0][1]: a whole number is expected, not 1.5"),
        ({"text": "Кот", "entities": [{"start_offset": 0, "label": "X"}]}, "line 1: $.entities[0].end_offset: a whole"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(line: Any, message: str) -> None:
    with pytest.raises(FormatError) as error:
        read(line)
    assert str(error.value).startswith(message)


def test_what_is_written_is_read_in_the_units_that_it_names() -> None:
    spans = (Span(0, 0, "A", {"comment": "x"}), Span(4, 5, "B"), Span(0, 11, "C"))
    written = doccano.write([Document("7", ASTRAL, (Layer("", spans),), {"theme": "т", "id": "9"})])
    assert counts(written.losses) == {"meta": 1, "whole": 1, "texts": 1}
    line = {
        "id": "7",
        "theme": "т",
        "text": ASTRAL,
        "label": [[0, 12, "A"], [5, 6, "B"], [0, 12, "C"]],
        "offset_unit": "utf-16",
    }
    assert json.loads(written.content) == line
    (again,) = doccano.read(source("all.jsonl", written.content))
    assert (again.name, marked(again), counts(again.losses)) == (
        "7",
        {"": [(ASTRAL, "A"), (" ", "B"), (ASTRAL, "C")]},
        {},
    )


@pytest.mark.long
def test_doccano_writes_the_same_files_again_and_takes_ours(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", PINS)
    ours = tmp_path / "ours.jsonl"
    written = doccano.write([Document("7", ASTRAL, (Layer("", (Span(7, 10, "PER"),)),), {"theme": "т"})])
    ours.write_bytes(written.content)
    folder = tmp_path / "made"
    folder.mkdir()
    subprocess.run(
        [str(python), "-W", "ignore", str(ROOM / "export_doccano.py"), str(folder), str(ours)], check=True, timeout=600
    )
    back = folder / "ours" / "all.jsonl"
    (again,) = doccano.read(source("all.jsonl", back.read_bytes()))
    assert (again.name, marked(again), dict(again.meta)) == ("7", {"": [("кот", "PER")]}, {"theme": "т"})
    back.unlink()
    back.parent.rmdir()
    assert contents(folder) == contents(FILES)


def environment(folder: Path, pins: tuple[str, ...]) -> Path:
    """Return the Python of a new environment with packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    own = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
    subprocess.run(command, check=True, timeout=1200, env=own, stdout=sys.stderr)
    return python


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
