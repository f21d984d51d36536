"""spaCy's DocBin, its and Prodigy's JSON; the files were written by spaCy itself (``export_words.py``)."""

from __future__ import annotations

import contextlib
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats import spacy
from markup_core.formats.corpus import Document
from markup_core.formats.foreign import FormatError
from markup_core.texts import RU, in_language
from tests.markup_core.formats.reading import counts, recognized_documents, source, words_of

FILES = Path(__file__).resolve().parents[2] / "annotation_exports" / "words"
ASTRAL = "Ёж 😀 и кот."
LINES = 'Кафе\u0301 "Зебра"\r\nвторая строка'


def read(*lines: Any) -> list[Document]:
    content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return recognized_documents("spacy", "x.jsonl", content)


@pytest.mark.parametrize(("form", "name"), [("docbin", "corpus.spacy"), ("spacy", "docs.jsonl")])
def test_a_docbin_and_the_lines_of_its_documents_hold_the_same(form: str, name: str) -> None:
    first, second, empty = recognized_documents(form, name, (FILES / name).read_bytes())
    assert first.text == ASTRAL
    assert set(words_of(first)) == {(ASTRAL, "PER"), ("Ёж", "PER"), ("кот.", "LOC"), ("😀", "LOC")}
    assert (second.text, words_of(second)) == (LINES, [("Зебра", "LOC")])
    assert (empty.text, words_of(empty)) == ("", [])
    lost = counts(second.losses)
    assert lost.pop("columns", 1) == 1  # other attributes of words are a DocBin's alone
    assert lost == {"categories": 1}
    assert "offsets" not in counts(first.losses)  # spaCy counts code points: nothing is assumed


def test_words_with_unknown_blanks_have_one_between() -> None:
    (document,) = spacy.read_docbin(source("older.spacy", (FILES / "older.spacy").read_bytes()))
    assert (document.text, words_of(document), document.losses) == ("Ёж и кот", [("Ёж", "PER"), ("кот", "LOC")], ())


def test_names_of_symbols_have_their_places_for_numbers() -> None:
    assert [spacy.number_of(name) for name in ("", "IS_ALPHA", "LOC", "PERSON", "_")] == [0, 1, 385, 380, 456]
    assert spacy.number_of("PER") == 4317129024397789502
    assert spacy.number_of("Кафе\u0301") != spacy.number_of("Кафе")


def test_a_string_that_the_file_lacks_is_told() -> None:
    message = spacy.unpack(zlib.decompress((FILES / "older.spacy").read_bytes()))
    broken = zlib.compress(packed({**message, "strings": ["PER"]}))
    with pytest.raises(
        FormatError, match=r"the file does not hold the string with the number [0-9]+; write it again by"
    ):
        list(spacy.read_docbin(source("x.spacy", broken)))


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"lengths": b"\x04\x00\x00\x00"}, "the DocBin's tables differ in length"),
        ({"lengths": b"\xff\xff\xff\xff"}, "the DocBin's tables differ in length"),
        ({"lengths": b"\x03"}, "the DocBin's tables are cut off"),
        ({"tokens": b"12345678"}, "the DocBin's tables are cut off"),
        ({"attrs": [77]}, "the DocBin has no words"),
        ({"span_groups": [b"\x91\xc4\x01\x90"]}, "a group of spans cannot be read"),
        ({"strings": None}, "this is no DocBin"),
    ],
)
def test_broken_tables_are_refused(change: dict[str, Any], refusal: str) -> None:
    message = spacy.unpack(zlib.decompress((FILES / "older.spacy").read_bytes()))
    with pytest.raises(FormatError, match=refusal):
        list(spacy.read_docbin(source("x.spacy", zlib.compress(packed({**message, **change})))))


@given(
    st.binary(max_size=60)
    | st.integers(0, 400).map(lambda size: zlib.decompress((FILES / "corpus.spacy").read_bytes())[:size])
)
def test_any_message_is_read_or_refused(message: bytes) -> None:
    with contextlib.suppress(FormatError):
        for document in spacy.read_docbin(source("x.spacy", zlib.compress(message))):
            assert all(0 <= span.start < span.end <= len(document.text) for span in document.layers[0].spans)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=300),
        lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=3), inner, max_size=20),
        max_leaves=30,
    )
)
def test_messages_are_unpacked_as_they_were_packed(value: Any) -> None:
    assert spacy.unpack(packed(value)) == value


def packed(value: Any) -> bytes:
    """Return the MessagePack message of a value, in the longest form of each kind."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        if -32 <= value < 128:
            return (value % 256).to_bytes(1, "big")
        return b"\xd3" + value.to_bytes(8, "big", signed=True) if value < 0 else b"\xcf" + value.to_bytes(8, "big")
    if isinstance(value, str | bytes):
        content = value.encode() if isinstance(value, str) else value
        return (b"\xdb" if isinstance(value, str) else b"\xc6") + len(content).to_bytes(4, "big") + content
    if isinstance(value, dict):
        return (
            b"\xdf" + len(value).to_bytes(4, "big") + b"".join(packed(key) + packed(one) for key, one in value.items())
        )
    return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(packed, value))


def task(text: str, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    """Return a task of Prodigy."""
    listed = [{"start": start, "end": end, "label": label, "token_start": 0} for start, end, label in spans]
    return {"text": text, "_input_hash": hash_of(text), "_task_hash": 1, "spans": listed, "answer": "accept", **more}


def hash_of(text: str) -> int:
    return -zlib.crc32(text.encode())


def test_the_tasks_of_one_text_are_one_document_with_its_annotators() -> None:
    documents = read(
        task(ASTRAL, (0, 2, "PER"), _annotator_id="ner-anna", meta={"id": 7, "source": "x"}),
        task(ASTRAL, (7, 10, "LOC"), _annotator_id="ner-anna", relations=[{"head": 0, "child": 1, "label": "r"}]),
        task(ASTRAL, (7, 10, "LOC"), _session_id="ner-boris"),
        task(ASTRAL, (0, 2, "ORG"), _annotator_id="ner-boris", answer="reject"),
        task(ASTRAL, (0, 2, "PER"), _annotator_id="ner-eva", versions=[{}, {}], _view_id="review"),
        task("Кот", answer="ignore", _annotator_id="ner-anna"),
        task("Ёж", accept=["GOOD"], options=[{"id": "GOOD"}]),
    )
    assert [(one.name, one.text) for one in documents] == [("7", ASTRAL), ("x-0002", "Ёж")]
    first, second = documents
    assert [
        (one.annotator, one.is_curated, [first.text[s.start : s.end] for s in one.spans]) for one in first.layers
    ] == [
        ("ner-anna", False, ["Ёж", "кот"]),
        ("ner-boris", False, ["кот"]),
        ("ner-eva", True, ["Ёж"]),
    ]
    assert counts(first.losses) == {"fields": 1, "relations": 1}
    assert counts(second.losses) == {"rejected": 2, "categories": 1}


def test_lines_pairs_and_lists_are_read() -> None:
    pair = [ASTRAL, {"entities": [[7, 10, "LOC"]]}]
    listed = [{"text": ASTRAL, "spans": [{"start": 7, "end": 10, "label": "LOC", "comment": "к"}]}]
    for content in (
        json.dumps(pair),
        json.dumps([pair]),
        json.dumps(listed),
        "\ufeff" + json.dumps(listed[0]) + "\r\n",
    ):
        (document,) = recognized_documents("spacy", "x.json", content)
        assert words_of(document) == [("кот", "LOC")]
        assert counts(document.losses) == {"offsets": 1}


def test_words_decide_what_places_count_and_wrong_ones_are_told_with_both() -> None:
    line = {"text": ASTRAL, "entities": [{"start": 8, "end": 11, "label": "X", "text": "кот"}]}
    (document,) = read(line)
    assert (words_of(document), document.losses) == ([("кот", "X")], ())
    (in_bytes,) = read({"text": ASTRAL, "entities": [{"start": 13, "end": 19, "label": "X", "text": "кот"}]})
    assert words_of(in_bytes) == [("кот", "X")]
    with pytest.raises(FormatError) as error:
        read({"text": ASTRAL, "entities": [{"start": 5, "end": 8, "label": "X", "text": "кот"}]})
    assert str(error.value).startswith('line 1: $.entities[0]: the words are "кот", but the text has "и к" there')
    assert in_language(error.value.text, RU).startswith(
        'строка 1: $.entities[0]: слова — "кот", но в тексте на этом месте "и к"'
    )


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (
            {"text": "Кот", "spans": [{"start": 0, "end": 9, "label": "X"}]},
            r"line 1: \$.spans\[0\]: the span 0, 9 does not",
        ),
        (
            {"text": "Кот", "spans": [{"start": 0, "end": 1}]},
            r"line 1: \$.spans\[0\].label: a string is expected, not null",
        ),
        ({"text": "Кот", "spans": [], "answer": "reject"}, "the file holds no accepted annotation"),
    ],
)
def test_what_cannot_be_read_is_told(line: Any, refusal: str) -> None:
    with pytest.raises(FormatError, match=refusal):
        read(line)
