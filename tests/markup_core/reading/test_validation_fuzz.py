"""Nothing a JSON reader produces may break the validation, and what it accepts is canonical."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.reading import validation
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import Limits, MalformedInput, decode, dump, load, validate
from markup_core.reading.wire import depth

pytestmark = pytest.mark.property

SUBTYPES = sorted({subtype for code in Classifier.default().codes("rus") for subtype in code.subtypes})
NAMES = st.sampled_from(
    [
        *("meta", "criteria", "criterias", "selections", "text", "subject", "class", "year", "theme", "third", "id"),
        *("startSelection", "endSelection", "type", "subtype", "comment", "explanation", "correction", "group", "tag"),
        *("K1", "К2", "other"),
    ]
)
NUMBERS = [float("nan"), float("inf"), 10**400, -(10**30), 2**63, 0, -1, 1.5]
STRINGS = ["\ud800", "\ud800\udc00", "", " ", "rus", "eng", "Г.слов", "Г.СЛОВ", "С.тема", "meaning", "\x00", "a" * 100]
ODD: st.SearchStrategy[Any] = st.sampled_from([True, False, None, *NUMBERS, *STRINGS])
VALUES: st.SearchStrategy[Any] = st.recursive(
    ODD | st.text(max_size=5) | st.integers(-3, 30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=6),
    max_leaves=20,
)
FRAGMENTS = st.lists(
    st.dictionaries(NAMES, ODD | st.integers(-3, 12) | VALUES, max_size=12)
    | st.fixed_dictionaries(
        {
            "id": st.integers(0, 3) | ODD,
            "startSelection": st.integers(-1, 12) | ODD,
            "endSelection": st.integers(-1, 12) | ODD,
            "type": st.sampled_from(["Г.слов", "г.СЛОВ", "ПРИМЕР", "С.тема"]) | ODD,
        },
        optional={name: ODD | st.text(max_size=4) for name in ("subtype", "comment", "correction", "tag", "group")},
    ),
    max_size=5,
)
MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.dictionaries(NAMES, VALUES, max_size=5) | VALUES,
        "selections": FRAGMENTS | VALUES,
        "text": ODD | st.text(),
    },
    optional={"criteria": VALUES, "criterias": VALUES, "other": VALUES},
)
GOOD_FRAGMENT = st.builds(
    lambda span, code, **strings: {"startSelection": min(span), "endSelection": max(span), "type": code, **strings},
    span=st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda span: span[0] != span[1]),
    code=st.sampled_from([code.code for code in Classifier.default().codes("lit")]),
    id=st.integers(0, 5) | st.text(st.characters(codec="utf-8"), max_size=3),
    **{
        name: st.none() | st.text(st.characters(codec="utf-8"), max_size=4)
        for name in ("subtype", "comment", "explanation", "correction", "tag", "group")
    },
)
GOOD_MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"))).map(
            lambda meta: {**meta, "subject": "lit", "year": 2020}
        ),
        "selections": st.lists(GOOD_FRAGMENT, max_size=8),
        "text": st.text(st.characters(codec="utf-8"), min_size=9, max_size=20),
    },
    optional={"criterias": st.dictionaries(st.sampled_from(["K1", "К2"]), st.integers(0, 5))},
)

WHOLE_MARKUPS = st.fixed_dictionaries(
    {
        "meta": st.just({"subject": "rus"}),
        "text": st.just("Один, два."),
        "selections": st.lists(
            st.fixed_dictionaries(
                {
                    **{name: st.integers(0, 10) for name in ("startSelection", "endSelection", "id")},
                    "type": st.sampled_from(["Г.слов", "г.СЛОВ", "Г.слов ", "П.опора", "ПРИМЕР", "С.тема"]),
                    "subtype": st.sampled_from(["", *SUBTYPES, "Собств"]),
                    "correction": st.sampled_from(["", " ", "два"]),
                    "group": st.sampled_from(["error", "meaning"]),
                    **dict.fromkeys(("comment", "explanation", "tag"), st.sampled_from(["", "a"])),
                }
            ),
            max_size=3,
        ),
    }
)
"""Markups with every field of every fragment, most values right."""


@given(VALUES | MARKUPS)
def test_no_value_breaks_the_validation(raw: Any) -> None:
    result = validate(raw, essay_text="abc")
    assert (result.markup is None) == bool(result.errors)
    for fault in (*result.errors, *result.warnings):
        json.dumps(fault.to_dict(), ensure_ascii=False).encode()  # always writable
        assert fault.code.replace("_", "").islower()
        assert len(fault.message) < 1000


@given(GOOD_MARKUPS)
def test_a_valid_markup_survives_its_canonical_form(raw: dict[str, Any]) -> None:
    markup = load(raw)
    form = dump(markup)
    assert load(form) == markup
    assert dump(load(form)) == form
    assert not validate(form, essay_text=raw["text"]).errors
    assert form["meta"] == raw["meta"]
    decoded = decode(json.dumps(form, ensure_ascii=False).encode())
    assert decoded == form


@given(MARKUPS | GOOD_MARKUPS | WHOLE_MARKUPS)
def test_what_is_plainly_right_is_so_field_by_field(raw: dict[str, Any]) -> None:
    at_once = validate(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "are_plain", lambda *_: False)
        assert validate(raw) == at_once


@given(MARKUPS)
def test_what_is_accepted_can_be_written_as_utf8(raw: dict[str, Any]) -> None:
    markup = validate(raw).markup
    form = None if markup is None else dump(markup)
    assert json.loads(json.dumps(form, ensure_ascii=False, allow_nan=False).encode()) == form


@given(st.binary(max_size=40) | st.text(st.sampled_from('{}[]",:\\ue0+-.1NaIinfty \n\ud800'), max_size=40))
def test_any_input_is_refused_or_read_as_json(data: bytes | str) -> None:
    try:
        value = decode(data, Limits(max_bytes=39))
    except MalformedInput:
        return
    assert json.loads(data) == value


@given(VALUES)
def test_the_depth_counts_the_levels(value: Any) -> None:
    def by_recursion(part: Any) -> int:
        if isinstance(part, dict):
            part = list(part.values())
        return 1 + max(map(by_recursion, part), default=0) if isinstance(part, list) else 0

    assert depth(value, 1000) == by_recursion(value)
