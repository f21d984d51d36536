"""Files that the tools' own libraries wrote (``tests/annotation_exports``): read, and written anew the same.

The libraries are dkpro-cassis, label-studio-sdk, @recogito/text-annotator and @apache-annotator/dom.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from markup_core.formats.corpus import Document
from markup_core.formats.foreign import FormatError
from markup_core.formats.gathering import read_corpus
from markup_core.formats.importing import imported, summary
from markup_core.formats.labels import Wanted
from markup_core.formats.web_annotation import write
from markup_core.model import Fragment, Markup
from tests.markup_core.formats.reading import counts, read

ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
FILES = ROOM / "files"
PYTHON = ROOM.parents[1] / "build" / "annotation_exports" / "bin" / "python"
TEXT = "\ufeffКот 😀 пошёл в е\u0301ж.\r\nОн купил рыбу."
WANTED = Wanted(subject="rus", codes={"PER": None})
PAGE_TEXT = "😀 Согласно закона, e\u0301ж\nпришёл. Ёж и ёж."
PAGE = Markup(
    PAGE_TEXT,
    (
        Fragment(0, 1, "Г.слов", id=1),
        Fragment(2, 17, "Г.упр", "пфс", "падеж", correction="Согласно закону", id=2),
        Fragment(19, 22, "Г.сказ", id=3),
    ),
    {"subject": "rus"},
)


def marked(document: Document) -> dict[tuple[str, bool], list[tuple[str, str]]]:
    """Return the words and labels of each annotator."""
    return {
        (layer.annotator, layer.is_curated): [
            (document.text[span.start : span.end], span.label) for span in layer.spans
        ]
        for layer in document.layers
    }


def test_a_project_of_inception_has_its_annotators_and_its_curation() -> None:
    corpus = read_corpus({"inception.zip": (FILES / "inception.zip").read_bytes})
    one, two = corpus.documents
    assert (one.name, two.name, one.text) == ("one", "two", TEXT)
    assert marked(one) == {
        ("anna", False): [("пошёл в е\u0301ж", "Г.упр"), ("купил", "PER")],
        ("boris", False): [("рыбу", "Г.слов")],
        ("", True): [("купил рыбу", "Г.упр")],
    }
    assert marked(two) == {("anna", False): [("дома", "Г.слов")]}
    sums = summary(corpus)
    assert (sums.formats, sums.documents, sums.unread) == ({"uima-xmi": 5}, 2, ("inception/source/one.txt",))
    assert sums.experts == {("anna", False): 1, ("boris", False): 2, ("", True): 3}
    assert sums.labels == {"Г.слов": 2, "Г.упр": 2, "PER": 1}
    assert counts(sums.losses) == {"relations": 1, "empty": 1, "layers": 4, "features": 1}
    names = [one.stem for one in imported(corpus, WANTED)]
    assert names == ["one_exp01", "one_exp02", "one_exp03", "two_exp01"]


def test_without_the_package_for_xml_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "defusedxml.common", None)
    with pytest.raises(FormatError, match=r"defusedxml is not installed: pip install 'markup-core\[formats\]'"):
        read_corpus({"inception.zip": (FILES / "inception.zip").read_bytes})


def test_cas_json_of_cassis_is_read() -> None:
    (imported,) = read("cas-json", (FILES / "cas.json").read_bytes(), WANTED)
    assert [TEXT[fragment.start : fragment.end] for fragment in imported.markup.fragments] == ["пошёл в е\u0301ж"]
    assert (imported.markup.text, counts(imported.losses)) == (
        TEXT,
        {"relations": 1, "empty": 1, "layers": 1, "labels": 1},
    )


def test_both_exports_of_label_studio_have_the_same_annotators_and_places() -> None:
    whole = read("label-studio", (FILES / "label-studio.json").read_bytes(), WANTED)
    rows = read("label-studio", (FILES / "label-studio-min.json").read_bytes(), WANTED)
    for listed in (whole, rows):
        assert [(one.stem, one.annotator) for one in listed] == [("12_exp02", "anna@x.org"), ("12_exp01", "4")]
        placed = [
            (TEXT[fragment.start : fragment.end], fragment.code) for one in listed for fragment in one.markup.fragments
        ]
        assert placed == [("пошёл в е\u0301ж", "Г.упр"), ("рыбу", "Г.слов")]
    assert [one.markup.fragments[0].comment for one in (whole[0], rows[0])] == ["не туда", ""]
    assert (counts(whole[0].losses), counts(rows[0].losses)) == (
        {"relations": 1, "cancelled": 1, "labels": 1},
        {"fields": 1, "labels": 1},
    )


def test_recogito_writes_our_annotations_back_and_its_own_places_in_utf_16_are_found() -> None:
    content = (FILES / "recogito.json").read_bytes()
    anna, boris = read("web-annotation", content, Wanted(subject="rus"), {"one.txt": PAGE_TEXT})
    assert (anna.annotator, anna.markup) == ("Anna", PAGE)
    (own,) = boris.markup.fragments
    assert (boris.annotator, own.code, PAGE_TEXT[own.start : own.end]) == ("boris", "Г.слов", " ёж")


def test_apache_annotator_finds_our_places_and_describes_the_same() -> None:
    (imported,) = read("web-annotation", (FILES / "apache-annotator.json").read_bytes(), Wanted(subject="rus"))
    assert imported.markup.fragments == PAGE.fragments


@pytest.mark.long
@pytest.mark.skipif(not PYTHON.exists(), reason="needs build/annotation_exports (make long installs it)")
def test_the_libraries_write_the_same_files_again(tmp_path: Path) -> None:
    subprocess.run([PYTHON, "-I", "-W", "ignore", ROOM / "export.py", tmp_path], check=True, timeout=300)
    page = tmp_path / "page.json"
    page.write_text(json.dumps(write(PAGE)), "utf-8")
    node = shutil.which("node")
    assert node is not None
    subprocess.run([node, ROOM / "export.mjs", page, tmp_path], check=True, timeout=300)
    page.unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in FILES.iterdir()
    }
