"""Markup → format → markup is the same markup, up to exactly the declared losses; and no input breaks a reader.

Files that the tools' own libraries wrote (``tests/annotation_exports``): read, and written anew the same.

The libraries are dkpro-cassis, label-studio-sdk, @recogito/text-annotator and @apache-annotator/dom.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markup_core.comparable import fold
from markup_core.formats import json_exports, standoff
from markup_core.formats.corpus import Document, Imported
from markup_core.formats.foreign import TEXTS as LABELLED
from markup_core.formats.foreign import FormatError, Loss, Wanted
from markup_core.formats.gathering import imported, read_corpus, summary
from markup_core.formats.json_exports import write_web_annotation
from markup_core.model import Fragment, Markup
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import dump, load
from tests.examples import examples
from tests.json_mutations import NESTED, mutated
from tests.markup_core.formats.reading import counts, read
from tests.markup_core.formats.test_json import EXPORT, PAGE
from tests.markup_core.formats.test_standoff import CAS

# What formats of lines and of other ways of counting like to lose.
NASTY = [*"\n\r\t \u2028\x85\x1c\ufeff😀;", *("\r\n", "👨🏻‍🚒", "e\u0301", "T1\t", "#1\t", "\\n")]
TEXTS = st.lists(st.sampled_from(NASTY) | st.characters(codec="utf-8"), max_size=12).map("".join)
CODES = {listed.code: listed for listed in Classifier.default().codes("lit")}
IDENTS = st.integers(-2, 20) | st.sampled_from(["a", "T1", "7", "", "é\n"])


@st.composite
def fragments(draw: st.DrawFn, length: int) -> Fragment:
    start, end = sorted((draw(st.integers(0, length)), draw(st.integers(0, length))))
    if start == end:
        start = end = 0
    code = draw(st.sampled_from(sorted(CODES)))
    texts = [draw(TEXTS) if draw(st.booleans()) else "" for _ in range(5)]
    name = draw(st.sampled_from([code, code.lower()]))
    return Fragment(start, end, name, *texts, group=CODES[code].group, id=draw(IDENTS))


@st.composite
def markups(draw: st.DrawFn) -> Markup:
    text = draw(TEXTS)
    listed = draw(st.lists(fragments(len(text)), max_size=5))
    meta = {"subject": "lit", **draw(st.dictionaries(st.sampled_from(["theme", "year", "x"]), TEXTS, max_size=3))}
    criteria = draw(st.dictionaries(st.sampled_from(["K1", "K2"]), st.integers(0, 3), max_size=2))
    markup = load(dump(Markup(text, tuple(listed), meta, criteria)))
    assert markup.fragments == tuple(listed)
    return markup


@pytest.mark.property
@given(markups())
def test_web_annotation_loses_nothing(markup: Markup) -> None:
    (got,) = read("web-annotation", json_exports.write_web_annotation(markup), Wanted())
    assert got.markup == markup
    assert got.losses == ()


def blanked(value: str) -> str:
    return re.sub("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]", " ", value)


def trimmed(fragment: Fragment, text: str) -> Fragment:
    """Return the fragment under the classifier's spelling, without line ends and tabs at its borders."""
    start, end = fragment.start, fragment.end
    while end > start and blanked(text[end - 1]) != text[end - 1]:
        end -= 1
    while end > start and blanked(text[start]) != text[start]:
        start += 1
    span = (start, end) if start < end else (fragment.start, fragment.end)
    code = next(listed.code for listed in CODES.values() if fold(listed.code) == fold(fragment.code))
    return fragment._replace(start=span[0], end=span[1], code=code)


@pytest.mark.property
@given(markups())
def test_brat_loses_what_it_declares_and_no_more(markup: Markup) -> None:
    output = standoff.write_brat(markup)
    (got,) = read("brat", output.annotations, Wanted(subject="lit"), {"one.txt": output.text})

    kept = markup.fragments if markup.text else ()
    idents = [each.id for each in kept]
    held = len(set(idents)) == len(idents) and all(isinstance(each, int) and each > 0 for each in idents)
    numbers = idents if held else list(range(1, len(kept) + 1))
    texts = ("subtype", "comment", "explanation", "correction", "tag")
    expected = [
        trimmed(each, markup.text)._replace(id=number, **{name: blanked(getattr(each, name)) for name in texts})
        for each, number in zip(kept, numbers, strict=True)
    ]
    assert got.markup == Markup(markup.text, tuple(expected), {"subject": "lit"})
    assert got.losses == ()  # what was written is read whole

    declared = {
        "meta": len(markup.meta),
        "criteria": len(markup.criteria),
        "ids": sum(one != other for one, other in zip(idents, numbers, strict=True)),
        "line_ends": sum(blanked(getattr(each, name)) != getattr(each, name) for each in kept for name in texts),
        "full_text": len(markup.fragments) - len(kept),
        "borders": sum(trimmed(each, markup.text)[:2] != each[:2] for each in kept),
        "carriage_returns": markup.text.count("\r"),
    }
    assert set(output.losses) == {Loss(kind, count) for kind, count in declared.items() if count}


RUS = Wanted(subject="rus", codes={"PER": "Г.упр", "Л.логика": "Г.упр"})
DOCCANO = [
    {"id": 1, "text": "Кот 😀", "label": [[0, 3, "PER"]], "Comments": ["к"], "year": 2026.0},
    {"text": "Кот", "entities": [{"id": 2, "label": "PER", "start_offset": 0, "end_offset": 3}], "relations": [{}]},
]
PRODIGY = [
    {
        "text": "Кот 😀",
        "_input_hash": 1,
        "answer": "accept",
        "spans": [{"start": 0, "end": 3, "label": "PER", "text": "Кот"}],
    },
    {
        "text": "Кот",
        "ents": [[0, 3, "PER"]],
        "spans": {"sc": [{"start": 0, "end": 3, "label": "PER"}]},
        "meta": {"id": 7},
    },
]
EXAMPLES = [
    pytest.param(DOCCANO, "doccano", id="doccano"),
    pytest.param(PRODIGY, "spacy", id="spacy"),
    pytest.param(CAS, "cas-json", id="cas-json"),
    pytest.param(EXPORT, "label-studio", id="label-studio"),
    pytest.param(PAGE, "web-annotation", id="web-annotation"),
]


def is_sound(imported: Imported) -> bool:
    """Return whether the fragments lie in the text and have codes that the classifier knows."""
    return all(
        (fragment.is_full_text or 0 <= fragment.start < fragment.end <= len(imported.markup.text))
        and Classifier.default().lookup("rus", fragment.code) is not None
        and all(isinstance(getattr(fragment, name), str) for name in LABELLED)
        for fragment in imported.markup.fragments
    )


def read_or_refused(form: str, content: Any) -> list[Imported] | FormatError:
    """Return the markups of a file, or its refusal."""
    try:
        return read(form, content, RUS, {"one.txt": "Кот"})
    except FormatError as error:
        return error


@pytest.mark.property
@pytest.mark.parametrize(("example", "form"), EXAMPLES)
@settings(max_examples=examples(3))  # each replaces every part
@given(change=NESTED)
def test_any_part_may_be_missing_or_something_else(example: Any, form: str, change: Any) -> None:
    assert read(form, example, RUS)
    for value in mutated(example, change):
        outcome = read_or_refused(form, value)
        if isinstance(outcome, FormatError):
            assert outcome.text.en
            assert outcome.text.ru
        else:
            assert all(map(is_sound, outcome))


@pytest.mark.property
@given(st.lists(st.sampled_from([*NASTY, "T1", "\t", "Г.упр 0 3", "\tКот", "A1\t", "FullText T1", "R1"])).map("".join))
def test_any_lines_are_read_or_refused(lines: str) -> None:
    (whole,) = read("brat", "T1\tГ.упр 0 3\tКот", RUS, {"one.txt": "Кот"})
    assert whole.markup.fragments
    outcome = read_or_refused("brat", lines)
    if isinstance(outcome, FormatError):
        assert outcome.text.en
        assert outcome.text.ru
    else:
        assert all(map(is_sound, outcome))


ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
FILES = ROOM / "files"
PYTHON = ROOM.parents[1] / "build" / "annotation_exports" / "bin" / "python"
TEXT = "\ufeffКот 😀 пошёл в е\u0301ж.\r\nОн купил рыбу."
WANTED = Wanted(subject="rus", codes={"PER": None})
PAGE_TEXT = "😀 Согласно закона, e\u0301ж\nпришёл. Ёж и ёж."
OWN_PAGE = Markup(
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
    assert (anna.annotator, anna.markup) == ("Anna", OWN_PAGE)
    (own,) = boris.markup.fragments
    assert (boris.annotator, own.code, PAGE_TEXT[own.start : own.end]) == ("boris", "Г.слов", " ёж")


def test_apache_annotator_finds_our_places_and_describes_the_same() -> None:
    (imported,) = read("web-annotation", (FILES / "apache-annotator.json").read_bytes(), Wanted(subject="rus"))
    assert imported.markup.fragments == OWN_PAGE.fragments


@pytest.mark.long
@pytest.mark.skipif(not PYTHON.exists(), reason="needs build/annotation_exports (make long installs it)")
def test_the_libraries_write_the_same_files_again(tmp_path: Path) -> None:
    subprocess.run([PYTHON, "-I", "-W", "ignore", ROOM / "export.py", tmp_path], check=True, timeout=300)
    page = tmp_path / "page.json"
    page.write_text(json.dumps(write_web_annotation(OWN_PAGE)), "utf-8")
    node = shutil.which("node")
    assert node is not None
    subprocess.run([node, ROOM / "export.mjs", page, tmp_path], check=True, timeout=300)
    page.unlink()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in FILES.iterdir()
    }
