"""Label Studio's JSON export, in the shape of https://labelstud.io/guide/task_format.

From there and from HumanSignal/label-studio issues 539 and 6027: ``[{id, data: {text}, annotations: [{id, completed_by,
was_cancelled, result: [{id, from_name, to_name, type: labels, value: {start, end, text, labels}}]}], predictions}]``,
with ``completions`` in exports of 2020. How offsets are counted: in UTF-16 code units before the end of 2021 (issue
1347: «💩This is an annotation.» gives 13, 23), in code points since (pull request 1559 "Store code points instead of js
length", merged as label-studio-frontend 308; ``charsToCodePoints`` in web/libs/editor/src/utils/selection-tools.js).

doccano's JSON Lines of all versions; the files of 1.8.4 were written by doccano itself (``export_doccano.py``).

W3C Web Annotation (https://www.w3.org/TR/annotation-model/): a page, bodies with purposes, both text selectors.

The shapes are those of the recommendation's examples for AnnotationPage, TextualBody with ``purpose``,
TextQuoteSelector (``exact``, ``prefix``, ``suffix``) and TextPositionSelector (``start``, ``end``); that positions are
code points says its section on the Text Quote Selector ("MUST be in terms of unicode code points").
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from markup_core.formats import json_exports
from markup_core.formats.corpus import Document, Imported, Layer, Span
from markup_core.formats.foreign import FormatError, Wanted
from markup_core.formats.gathering import read_corpus
from markup_core.formats.json_exports import write_web_annotation
from markup_core.model import Fragment, Markup
from tests.markup_core.formats import reading
from tests.markup_core.formats.reading import counts, marked, recognized_documents, source

RUS = Wanted(subject="rus", codes={"Annotation": "Г.упр", "Vehicle": "Г.слов"})
ISSUE_1347 = "💩This is an annotation."
ISSUE_4988 = "👨🏻\u200d🚒 firemen drive firetrucks at work"


def read(export: Any, wanted: Wanted) -> list[Imported]:
    return reading.read("label-studio", export, wanted)


def region(start: int, end: int, text: str | None, *labels: str, ident: str = "a1") -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": list(labels)} | ({} if text is None else {"text": text})
    return {"id": ident, "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual", "value": value}


def task(text: str, *results: dict[str, Any], **fields: Any) -> dict[str, Any]:
    annotation = {"id": 9, "completed_by": 1, "was_cancelled": False, "result": list(results), "lead_time": 4.288}
    return {"id": 1, "data": {"text": text}, "annotations": [annotation], "predictions": [], **fields}


def spans(export: Any) -> list[str]:
    (got,) = read(export, RUS)
    return [got.markup.text[each.start : each.end] for each in got.markup.fragments]


@pytest.mark.parametrize(
    ("text", "start", "words", "label"),
    [
        (ISSUE_1347, 13, "annotation", "Annotation"),
        (ISSUE_1347, 12, "annotation", "Annotation"),
        (ISSUE_4988, 19, "firetrucks", "Vehicle"),
        (ISSUE_4988, 22, "firetrucks", "Vehicle"),
        ("e\u0301ж и кот", 6, "кот", "Vehicle"),
    ],
)
def test_offsets_of_old_and_new_versions_are_told_apart_by_the_words(
    text: str, start: int, words: str, label: str
) -> None:
    assert spans([task(text, region(start, start + len(words), words, label))]) == [words]


def test_without_words_code_points_are_assumed_and_that_is_told() -> None:
    (got,) = read([task(ISSUE_1347, region(12, 22, None, "Annotation"))], RUS)
    assert got.markup.fragments[0].start == 12
    assert reading.losses(got) == {"offsets": 1}
    (plain,) = read([task("This is an annotation.", region(11, 21, None, "Annotation"))], RUS)
    assert plain.losses == ()


EXPORT = [
    {
        "id": 12,
        "data": {"text": "Согласно закона, кот\nпришёл.", "subject": "rus", "theme": "Кот", "source_url": "http://x"},
        "annotations": [
            {
                "id": 1,
                "completed_by": 7,
                "was_cancelled": False,
                "result": [
                    region(0, 15, "Согласно закона", "Г.упр", "Г.слов"),
                    {"id": "a1", "from_name": "correction", "to_name": "text", "type": "textarea",
                     "value": {"start": 0, "end": 15, "text": ["Согласно закону"]}},
                    {"id": "a1", "from_name": "subtype", "to_name": "text", "type": "choices",
                     "value": {"start": 0, "end": 15, "choices": ["пфс"]}},
                    region(17, 27, "кот\\nпришёл", "Г.сказ", ident="b2") | {"meta": {"text": ["заметка"]}},
                    {"type": "relation", "from_id": "a1", "to_id": "b2", "direction": "right"},
                    {"id": "c3", "from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": 4}},
                ],
            },
            {"id": 2, "was_cancelled": True, "result": []},
            {"id": 3, "completed_by": {"id": 8, "email": "b@x"}, "was_cancelled": False, "result": []},
        ],
        "predictions": [{"model_version": "1", "result": []}],
    }
]  # fmt: skip


@pytest.mark.parametrize("words", ["", " "])
def test_a_region_without_words_is_refused_with_its_place(words: str) -> None:
    with pytest.raises(FormatError) as refused:
        read([task("This is an annotation.", region(11, 21, words, "Annotation"))], RUS)
    assert "the region's words are" in str(refused.value)
    assert "annotation" in str(refused.value)


def test_each_finished_annotation_is_a_markup() -> None:
    first, second = read(EXPORT, Wanted())
    assert first.markup.fragments == (
        Fragment(0, 15, "Г.упр", subtype="пфс", correction="Согласно закону", id="a1"),
        Fragment(0, 15, "Г.слов", subtype="пфс", correction="Согласно закону", id="a1-2"),
        Fragment(17, 27, "Г.сказ", comment="заметка", id="b2"),
    )
    assert dict(first.markup.meta) == {"id": "12", "theme": "Кот", "subject": "rus"}
    assert (first.stem, second.stem) == ("12_exp01", "12_exp02")
    assert second.markup.fragments == ()
    assert reading.losses(first) == {
        "relations": 1,
        "regions": 1,
        "predictions": 1,
        "cancelled": 1,
        "fields": 1,
    }
    assert second.losses == ()


def test_skipped_annotations_drafts_and_tasks_that_nobody_finished_are_counted() -> None:
    """``skipped`` is what label-studio-sdk looks for beside ``was_cancelled``."""
    finished = task("Кот", region(0, 3, "Кот", "Г.упр"), drafts=[{"id": 5, "result": [region(0, 3, "Кот", "Г.упр")]}])
    finished["annotations"].append({"id": 10, "completed_by": 2, "skipped": True, "result": []})
    waiting = task("Ёж") | {"id": 2, "annotations": [], "drafts": [{"id": 6, "result": []}]}
    cancelled = task("Уж") | {
        "id": 3,
        "annotations": [{"id": 11, "completed_by": 2, "was_cancelled": True, "result": []}],
    }
    (only,) = read([waiting, finished, cancelled], RUS)
    assert (only.name, reading.losses(only)) == ("1", {"cancelled": 2, "drafts": 2, "unannotated": 2})


def test_json_min_has_a_row_of_nulls_for_a_task_that_nobody_annotated() -> None:
    """So label-studio-sdk 2.1.2 writes it (JSON_MIN of a task with empty ``annotations``)."""
    row = {"text": "Кот", "id": 7, "label": [{"start": 0, "end": 3, "text": "Кот", "labels": ["Г.упр"]}]}
    own = {"created_at": "2026-01-01", "updated_at": "2026-01-01", "lead_time": 1.5}
    nobody = {"text": "Ёж", "id": 8, "annotator": None, "annotation_id": None} | dict.fromkeys(own)
    (only,) = read([nobody, row | {"annotator": 10, "annotation_id": 3} | own], RUS)
    assert (only.name, only.annotator, reading.losses(only)) == ("7", "10", {"unannotated": 1})
    with pytest.raises(FormatError, match="no finished annotation"):
        read([nobody], RUS)


def test_an_annotator_is_a_number_an_address_or_an_object_and_two_labels_tags_are_one_annotation() -> None:
    whose = [10, 2, {"id": 3, "email": "", "username": "vera"}, {"id": 4}, {"email": "a@x.org", "id": 5}, None]
    both = [region(0, 3, "Кот", "Г.упр"), region(4, 7, "спи", "Г.слов", ident="b") | {"from_name": "other"}]
    annotations = [{"id": number, "completed_by": who, "result": both} for number, who in enumerate(whose)]
    imported = read([task("Кот спи") | {"annotations": annotations}], RUS)
    assert {one.annotator: one.expert for one in imported} == {"2": 1, "4": 2, "10": 3, "a@x.org": 4, "vera": 5, "": 0}
    assert {len(one.markup.fragments) for one in imported} == {2}


def test_two_annotations_of_one_annotator_that_differ_are_two_annotators() -> None:
    annotations = [
        {"id": number, "completed_by": 1, "result": [region(0, end, "Кот"[:end], "Г.упр")]}
        for number, end in ((1, 3), (2, 2))
    ]
    assert [one.annotator for one in read([task("Кот") | {"annotations": annotations}], RUS)] == ["1", "1 (2)"]


def test_an_export_of_2020_has_completions() -> None:
    (old,) = deepcopy(EXPORT)
    old["completions"] = old.pop("annotations")
    assert read([old], Wanted()) == read(EXPORT, Wanted())
    assert read(old, Wanted()) == read(EXPORT, Wanted())  # one task alone


@pytest.mark.parametrize(
    ("export", "told"),
    [
        ([], "no finished annotation"),
        (
            [{"id": 1, "text": "x", "label": [{"start": 0, "end": 1, "labels": ["A"]}]}],
            r"\$\[0\]: .*or a row of JSON-MIN",
        ),
        ([{"id": 1, "data": {"a": "x", "b": "y"}, "annotations": []}], r"\$\[0\]\.data: which field is the text"),
        ([task("Кот", region(0, 3, "Кит", "Г.упр"))], r"\$\[0\]\.annotations\[0\]\.result\[0\]\.value: the region's"),
        ([task("Кот", region(0, 9, None, "Г.упр"))], "does not lie in the text"),
        ([task("Кот", region(0, 3, "Кот", "Person"))], r"value\.labels\[0\]: the label \"Person\" is no code"),
        ([task("Кот", region("0", 3, "Кот", "Г.упр"))], r"value\.start: a whole number"),
        ([task("Кот", id=[1])], r"\$\[0\]\.id: a whole number"),
        (["x"], r"\$\[0\]: "),
    ],
)
def test_what_is_broken_is_told_with_its_path(export: Any, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read(export, RUS)


REPORTED = "Согласно закона, каждый ученик должен читать.\nИ так далее."


@pytest.mark.parametrize(
    ("start", "end", "words", "got", "loss"),
    [
        (52, 59, "далее.", "далее.", "behind"),  # HumanSignal/label-studio issue 2007: an end one behind the text
        (9, 15, "акон", "закона", "granularity"),  # issue 2878: the place is a word, the words what was dragged over
        (0, 15, "ласно зако", "Согласно закона", "granularity"),
    ],
)
def test_places_that_are_right_though_the_words_differ_are_taken_and_told(
    start: int, end: int, words: str, got: str, loss: str
) -> None:
    (result,) = read([task(REPORTED, region(start, end, words, "Г.упр"))], RUS)
    (fragment,) = result.markup.fragments
    assert REPORTED[fragment.start : fragment.end].strip() == got
    assert reading.losses(result) == {loss: 1}


@pytest.mark.parametrize(
    ("start", "end", "words", "told"),
    [
        (52, 60, "далее.", "the region ends at 60, behind the text, which has 58 characters"),
        (9, 14, "акон", "nothing else fits"),  # the place is no whole word
        (0, 22, "каждый", "nothing else fits"),  # there is more than the words around them
    ],
)
def test_other_places_than_those_of_the_words_are_still_refused(start: int, end: int, words: str, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read([task(REPORTED, region(start, end, words, "Г.упр"))], RUS)


def test_a_region_without_a_place_is_lost_as_such() -> None:
    """Issue 178: start null."""
    lost = region(0, 0, "", "Г.упр")
    lost["value"]["start"] = None
    (result,) = read([task(REPORTED, lost)], RUS)
    assert result.markup.fragments == ()
    assert reading.losses(result) == {"places": 1}


ROOM = Path(__file__).resolve().parents[2] / "annotation_exports"
FILES = ROOM / "doccano"
PINS = ("doccano==1.8.4", "marshmallow==3.26.1", "numpy==1.26.4", "setuptools==80.10.2")
ASTRAL = "Ёж 😀 и кот."


def read_doccano(*lines: Any, name: str = "all.jsonl") -> list[Document]:
    return recognized_documents("doccano", name, "\n".join(json.dumps(line, ensure_ascii=False) for line in lines))


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
    (document,) = read_doccano(line)
    assert (marked(document), counts(document.losses)) == (spans, losses)


def test_units_are_those_in_which_no_word_is_cut() -> None:
    in_points, in_halves = ({"text": ASTRAL, "label": [[start, start + 3, "X"]]} for start in (7, 8))
    assert [marked(one) for one in read_doccano(in_points, name="x.jsonl")] == [{"": [("кот", "X")]}]
    assert [marked(one) for one in read_doccano(in_halves, name="x.jsonl")] == [{"": [("кот", "X")]}]
    assert [counts(document.losses) for line in (in_points, in_halves) for document in read_doccano(line)] == [
        {"offsets": 1},
        {"utf16": 1},
    ]
    # A place inside a surrogate pair can be none in UTF-16.
    (inside,) = read_doccano({"text": "😀 кот", "label": [[1, 5, "X"]]})
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
        read_doccano(line)
    assert str(error.value).startswith(message)


def test_what_is_written_is_read_in_the_units_that_it_names() -> None:
    spans = (Span(0, 0, "A", {"comment": "x"}), Span(4, 5, "B"), Span(0, 11, "C"))
    output = json_exports.write_doccano([Document("7", ASTRAL, (Layer("", spans),), {"theme": "т", "id": "9"})])
    assert counts(output.losses) == {"meta": 1, "whole": 1, "texts": 1}
    line = {
        "id": "7",
        "theme": "т",
        "text": ASTRAL,
        "label": [[0, 12, "A"], [5, 6, "B"], [0, 12, "C"]],
        "offset_unit": "utf-16",
    }
    assert json.loads(output.content) == line
    (again,) = json_exports.read_doccano(source("all.jsonl", output.content))
    assert (again.name, marked(again), counts(again.losses)) == (
        "7",
        {"": [(ASTRAL, "A"), (" ", "B"), (ASTRAL, "C")]},
        {},
    )


@pytest.mark.long
def test_doccano_writes_the_same_files_again_and_takes_ours(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", PINS)
    ours = tmp_path / "ours.jsonl"
    output = json_exports.write_doccano([Document("7", ASTRAL, (Layer("", (Span(7, 10, "PER"),)),), {"theme": "т"})])
    ours.write_bytes(output.content)
    folder = tmp_path / "made"
    folder.mkdir()
    subprocess.run(
        [str(python), "-W", "ignore", str(ROOM / "export_doccano.py"), str(folder), str(ours)], check=True, timeout=600
    )
    back = folder / "ours" / "all.jsonl"
    (again,) = json_exports.read_doccano(source("all.jsonl", back.read_bytes()))
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


TEXT = "😀 Согласно закона, e\u0301ж пришёл."
MARKUP = Markup(
    TEXT,
    (
        Fragment(2, 17, "Г.упр", "пфс", "падеж", "потому", "Согласно закону", "1", id=5),
        Fragment(0, 0, "Г.слов", comment="везде", id="b"),
    ),
    {"subject": "rus", "year": 2026, "third": False},
    {"K1": 2},
)
PAGE: dict[str, Any] = write_web_annotation(MARKUP)


def read_page(page: Any, wanted: Wanted) -> Imported:
    (imported,) = reading.read("web-annotation", page, wanted)
    return imported


def test_a_fragment_is_an_annotation_of_the_text() -> None:
    first, whole = PAGE["items"]
    assert first["type"] == "Annotation"
    assert first["body"][0] == {"type": "TextualBody", "purpose": "classifying", "value": "Г.упр"}
    assert [body["purpose"] for body in first["body"][1:]] == [
        "tagging",
        "commenting",
        "describing",
        "editing",
        "identifying",
    ]
    assert first["target"]["selector"] == [
        {"type": "TextPositionSelector", "start": 2, "end": 17},
        {"type": "TextQuoteSelector", "exact": "Согласно закона", "prefix": "😀 ", "suffix": ", e\u0301ж пришёл."},
    ]
    assert "selector" not in whole["target"]
    assert PAGE["@context"][0] == "http://www.w3.org/ns/anno.jsonld"


def test_what_other_tools_add_is_counted() -> None:
    page = deepcopy(PAGE)
    page["items"][0]["body"] += [{"type": "TextualBody", "purpose": "replying", "value": "x"}, {"type": "Image"}]
    got = read_page(page, Wanted())
    assert got.markup == read_page(PAGE, Wanted()).markup == MARKUP
    assert [loss.to_dict() for loss in got.losses] == [{"kind": "bodies", "count": 2}]


def test_one_body_and_one_selector_need_no_list() -> None:
    page = deepcopy(PAGE)
    item = page["items"][0]
    item["body"], item["target"]["selector"] = item["body"][0], item["target"]["selector"][0]
    assert read_page(page, Wanted()).markup.fragments[0] == Fragment(2, 17, "Г.упр", id=5)


def with_first(**fields: Any) -> dict[str, Any]:
    page = deepcopy(PAGE)
    page["items"][0] |= fields
    return page


def target(*selectors: dict[str, Any]) -> dict[str, Any]:
    return {"source": "x", "selector": list(selectors)}


POSITION = {"type": "TextPositionSelector", "start": 4, "end": 19}
QUOTE = {"type": "TextQuoteSelector", "exact": "Согласно закона"}


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ({"items": []}, r"\$: the page does not carry its text"),
        ([], r"\$: the page does not carry"),
        ({**PAGE, "items": 5}, r"\$\.items: a list is expected"),
        (with_first(body=[]), r"\$\.items\[0\]: no body has the purpose \"classifying\""),
        (with_first(target=None), r"\$\.items\[0\]: an annotation has one target here, not 0"),
        (with_first(target=target(QUOTE)), r"selector: a TextPositionSelector is expected"),
        (with_first(target=target(POSITION, QUOTE)), r"selector\[1\]: the quotation is .* positions are Unicode"),
        (with_first(target=target({**POSITION, "end": 99})), r"selector\[0\]: the span 4, 99 does not lie"),
        (with_first(target=target({**POSITION, "type": []})), r"selector\[0\]\.type: a string"),
        (with_first(**{"mc:id": [1]}), r"mc:id: a number or a string"),
    ],
)
def test_a_broken_page_is_refused_with_the_path(page: Any, told: str) -> None:
    with pytest.raises(FormatError, match=told):
        read_page(page, Wanted())
