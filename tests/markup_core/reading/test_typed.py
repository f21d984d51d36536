"""A pair read with types is answered as one read as JSON, and what types are too lax for is not read by them."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.command import batch
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load
from markup_core.reading.wire import Limits
from markup_core.receipt import canonical_json

typed = pytest.importorskip(
    "markup_core.reading.typed", reason="the optional extra markup-core[fast] is not installed", exc_type=ImportError
)

CODES = Classifier.default().codes("rus")
TEXT = 'Он сказал: "да" — и\nушёл 😀 __ 7\t.'
STRINGS = st.sampled_from(["", "", "a:b", " ", "ДВА", "два", "\\", "\u2028", "\x7f", "😀", "é/"])
PLAIN = st.builds(
    lambda code, span, subtype, corrected, strings, ident: {
        "id": ident,
        "startSelection": span[0],
        "endSelection": span[1],
        "type": code.code,
        "subtype": subtype if subtype in code.subtypes else "",
        "correction": corrected if code.correction else "",
        **dict(zip(("comment", "explanation", "tag"), strings, strict=True)),
        "group": code.group,
    },
    st.sampled_from(CODES),
    st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=2, unique=True).map(sorted),
    st.sampled_from([name for code in CODES for name in code.subtypes]),
    STRINGS,
    st.tuples(STRINGS, STRINGS, STRINGS),
    st.integers(0, 9) | st.sampled_from([2**64, -(10**30)]),
)
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [*(None, True, 1, -1, 0, 1.0, 1.5, 10**30, "", "x", "\ud800", [], {}), *("Г.СЛОВ", "Р.лишн", "meaning", "rus")]
)
MARKUPS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "meta": st.fixed_dictionaries(
            {"subject": st.just("rus")},
            optional={"year": st.just(2020) | ODD, "я:": ODD, "😀": st.just(""), "\uffff": st.just("")},
        ),
        "selections": st.lists(PLAIN, max_size=6),
        "text": st.just(TEXT),
    },
    optional={"criteria": st.dictionaries(st.sampled_from(["K1", "К2", "x", "a:"]), st.integers(0, 3) | ODD)},
)
OTHERS: dict[str, st.SearchStrategy[Any]] = {
    "id": st.integers() | ODD | st.just({"a:": [1.5]}),
    "params": st.sampled_from([{"hardness": 0.5, "weights": [1e-7, 1e22, 0, 0, 1, 0, 0]}, {}]) | ODD,
    "ratings": st.just({"1": [[1, 0, 1, 0, 1]]}) | ODD,
    "x_is_expert": st.booleans() | ODD,
    "other": ODD,
}


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request for a pair with at most two values in its markups exchanged, added or taken away."""
    request: dict[str, Any] = {"op": "pair", "x": draw(MARKUPS), "y": draw(MARKUPS)}
    if draw(st.booleans()):
        request |= draw(st.fixed_dictionaries({}, optional=OTHERS))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        side = draw(st.sampled_from([request["x"], request["y"]]))
        selections = side.get("selections")
        inside = isinstance(selections, list) and selections and draw(st.booleans())
        place = selections[0] if inside else side
        name = draw(st.sampled_from([*place, "other"]))
        if draw(st.booleans()):
            place[name] = draw(ODD)
        else:
            place.pop(name, None)
    return request


LINES = st.builds(
    lambda request, ascii_only, separators: json.dumps(request, ensure_ascii=ascii_only, separators=separators),
    requests(),
    st.booleans(),
    st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", "\r :  ")]),
)
TWICE = [
    *[('"tag"', '"tag":"a:","tag"'), ('"text"', '"text":"","text"'), ('"op"', '"op":"pair","op"')],
    *[('"subject"', '"subject":1,"subject"'), ('"x"', '"x":{},"x"'), ('"K1"', '"K1":":","K1"')],
]
ESCAPED = [
    *[('"tag"', '"t\\u0061g"'), ("a:b", "a\\u003ab"), ("é/", "\\u00e9\\/")],
    *[("да", "\\u0434\\u0430"), ("7", "\\u0037")],
]
REPLACED = st.builds(lambda line, pair: line.replace(*pair, 1), LINES, st.sampled_from(TWICE + ESCAPED))
SPOILT = st.builds(
    lambda line, place, piece: line[: place % (len(line) + 1)] + piece + line[place % (len(line) + 1) + len(piece) :],
    LINES,
    st.integers(0, 5_000),
    st.sampled_from([*'":,{}]\\0 \x01\x0c\ufeff\ud800', ".0", "e5", "null"]),
)


def answered(line: bytes, reading: Any) -> bytes:
    answers = io.BytesIO()
    batch.stream(io.BytesIO(line + b"\n"), answers, batch._scoring(None), reading)
    return answers.getvalue()


@given(LINES | REPLACED | SPOILT)
def test_a_line_has_the_same_answer_with_types_and_without(line: str) -> None:
    data = line.encode("utf-8", "surrogatepass")
    assert answered(data, batch._typed_reading(None)) == answered(data, None)


@given(LINES | REPLACED)
def test_what_is_read_with_types_is_the_markup_that_json_is(line: str) -> None:
    plain = typed.read(line.encode("utf-8", "surrogatepass"), batch._LIMITS, Classifier.default())
    if plain is not None:
        fields, written = plain
        for name, raw in json.loads(line).items():
            if name in ("x", "y"):
                markup, expected = fields[name], load(raw)
                assert (markup.text, markup.meta) == (expected.text, expected.meta)
                assert (markup.fragments, markup.columns) == (expected.fragments, expected.columns)
                assert written[id(markup)] == canonical_json(raw).encode()
            else:
                assert fields[name] == raw


FRAGMENT = {
    "startSelection": 0,
    "endSelection": 2,
    "type": "Г.слов",
    "group": "error",
    "id": 1,
    **dict.fromkeys(("subtype", "comment", "explanation", "correction", "tag"), ""),
}
MARKUP = {"meta": {"subject": "rus"}, "selections": [FRAGMENT], "text": TEXT}
USUAL = json.dumps({"id": 7, "op": "pair", "x": MARKUP, "y": MARKUP})


def is_read(line: str, limits: Limits = batch._LIMITS) -> bool:
    return typed.read(line.encode(), limits, Classifier.default()) is not None


def test_a_usual_pair_is_read_with_types_and_one_with_a_key_twice_is_not() -> None:
    assert is_read(USUAL)
    assert is_read(USUAL.replace("Г.слов", "Г.СЛОВ"))
    assert not is_read(USUAL, Limits(max_bytes=len(USUAL) - 1))
    for key, twice in TWICE[:-1]:
        assert not is_read(USUAL.replace(key, twice, 1)), key


def test_a_markup_of_columns_is_one_of_fragments() -> None:
    fields, _ = typed.read(USUAL.encode(), batch._LIMITS, Classifier.default())
    expected = load(MARKUP)
    assert fields["x"] == expected
    assert copy.copy(fields["y"]).fragments == replace(fields["y"], text="").fragments == expected.fragments
    assert not hasattr(fields["x"], "fragment")


@pytest.mark.parametrize("field", ["max_fragments", "max_code_points", "max_bytes"])
def test_a_markup_over_a_limit_is_not_read_with_types(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"max_fragments": 1, "max_code_points": len(TEXT), "max_bytes": len(canonical_json(MARKUP).encode())}
    assert is_read(USUAL)
    for size, fits in ((sizes[field], True), (sizes[field] - 1, False)):
        monkeypatch.setattr(typed, "DEFAULT_LIMITS", Limits(**{field: size}))
        assert is_read(USUAL) == fits
