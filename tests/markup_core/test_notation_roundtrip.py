"""The property of markup-scoring §1.1: parse(render(m)) is m, whatever characters the essay and the fields hold."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.codes import ERROR, MEANING
from markup_core.model import Fragment, Markup
from markup_core.notation import NotationError, parse, render
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load
from markup_core.texts import in_language

pytestmark = pytest.mark.property

# Pieces that mean something in the notation, and characters that software likes to lose.
MARKS = ["(", ")", "*", "\\", "(*", "*)", "(\\", "\\)", "^", "^^", "^{20}", ":", "::", ">", ">>", "#", "[1]", "\\[1]"]
BLANKS = [" ", "  ", "\t", "\n", "\r", "\r\n", "\u2028", "\u00a0", "\x85", "\x1c", "\x00", "\ufeff"]
NASTY = st.sampled_from([*MARKS, *BLANKS, "\\=", "😀", "é", "a", "я", "1"])
TEXTS = st.lists(NASTY | st.characters(codec="utf-8"), max_size=14).map("".join)
CODES = st.sampled_from(["ПРИМЕР", "Г.слов", "ИСП", "a b", "*)", "(\\", "^", "[1]", "С.тема\u2028", "#"])


@st.composite
def fragments(draw: st.DrawFn, length: int) -> Fragment:
    start, end = sorted((draw(st.integers(0, length)), draw(st.integers(0, length))))
    if start == end:
        start = end = 0
    strings = [draw(TEXTS) if draw(st.booleans()) else "" for _ in range(5)]
    subtype, comment, explanation, correction, tag = strings
    group = draw(st.sampled_from([MEANING, ERROR]))
    return Fragment(start, end, draw(CODES), subtype, comment, explanation, correction, tag, group)


@st.composite
def markups(draw: st.DrawFn) -> Markup:
    text = draw(TEXTS)
    listed = draw(st.lists(fragments(len(text)), max_size=7))
    repeated = listed + draw(st.lists(st.sampled_from(listed), max_size=3)) if listed else []
    return Markup(text, tuple(repeated), draw(METAS), draw(CRITERIA))


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
NUMBER_OR_DIGITS = st.integers() | st.integers().map(str) | st.sampled_from(["", "11", "011", "-0", "2020 ", "١١"])
METAS = st.builds(
    lambda known, extra: {**known, **extra},
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(("theme", "subject", "test", "category", "expert", "timeMarkup", "taskText"), TEXTS),
            **dict.fromkeys(("class", "year", "id"), NUMBER_OR_DIGITS),
            "third": st.booleans(),
        },
    ),
    st.dictionaries(TEXTS | st.sampled_from(["K1", "К1", "Тема", "тема", "a:b", ""]), JSON, max_size=3),
)
CRITERIA = st.dictionaries(st.integers(1, 12).map(lambda number: f"K{number}"), st.integers(), max_size=3)


def without_ids(markup: Markup) -> Counter[Fragment]:
    return Counter(fragment._replace(id=0) for fragment in markup.fragments)


def assert_same(again: Markup, markup: Markup) -> None:
    assert again.text == markup.text
    assert without_ids(again) == without_ids(markup)
    assert dict(again.meta) == dict(markup.meta)
    assert list(map(type, again.meta.values())) == [type(markup.meta[name]) for name in again.meta]
    assert dict(again.criteria) == dict(markup.criteria)


@pytest.mark.clause("MS §1.1 round trip")
@given(markups())
def test_every_markup_survives_the_notation(markup: Markup) -> None:
    assert_same(parse(render(markup)), markup)


@given(markups(), st.randoms())
def test_the_file_does_not_depend_on_order_and_ids(markup: Markup, rng: random.Random) -> None:
    shuffled = [fragment._replace(id=rng.randrange(99)) for fragment in markup.fragments]
    rng.shuffle(shuffled)
    assert render(Markup(markup.text, tuple(shuffled), markup.meta, markup.criteria)) == render(markup)


@given(markups())
def test_ids_count_the_blocks_in_the_order_of_opening(markup: Markup) -> None:
    again = parse(render(markup)).fragments
    assert [fragment.id for fragment in again] == list(range(1, len(again) + 1))
    assert [fragment.start for fragment in again] == sorted(fragment.start for fragment in again)


@given(st.integers(0, 2**32))
def test_many_crossing_fragments_survive(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice("аб (*)\\^[]1\n") for _ in range(60))
    codes = Classifier.default().codes("rus")
    found = []
    for _ in range(40):
        start, end = sorted(rng.sample(range(61), 2))
        code = rng.choice(codes)
        found.append(Fragment(start, end, code.code, comment=rng.choice(["", "x"]), group=code.group))
    markup = Markup(text, tuple(found), {"subject": "rus"})
    assert_same(parse(render(markup)), markup)


@given(st.lists(NASTY, max_size=25).map("".join), st.sampled_from(["", "\n", "Предмет: rus\n\n", "Год: \\="]))
def test_no_text_breaks_the_parser(body: str, header: str) -> None:
    with contextlib.suppress(NotationError):
        assert_same(parse(render(parse(header + body))), parse(header + body))


@given(markups(), st.data())
def test_a_damaged_file_is_an_error_with_a_place_or_reads_otherwise(markup: Markup, data: st.DataObject) -> None:
    written = render(markup)
    cut = data.draw(st.integers(0, len(written)))
    damaged = written[:cut] + data.draw(NASTY) + written[min(len(written), cut + data.draw(st.integers(0, 3))) :]
    try:
        parse(damaged)
    except NotationError as error:
        lines = damaged.split("\n")
        place = (error.line, error.column)
        if in_language(error.message, "ru") == error.message:
            pytest.fail(f"{error.message} is not told in Russian")
        if not (1 <= place[0] <= len(lines) and 1 <= place[1] <= len(lines[place[0] - 1]) + 1):
            pytest.fail(f"{place} is no place of the file")


def test_thousands_of_nested_blocks_need_no_recursion() -> None:
    deep = "\n" + "(* А \\ " * 20_000 + "x" + " *)" * 20_000
    markup = parse(deep)
    assert len(markup.fragments) == 20_000
    assert render(markup) == deep


def test_a_markup_from_json_survives() -> None:
    raw = {
        "meta": {"id": "0000078", "class": "11", "year": 2020, "subject": "hist", "third": False, "expert": None},
        "criterias": {"К1": 2},
        "selections": [{"id": 7, "startSelection": 0, "endSelection": 3, "type": "И.личность", "tag": "пара 1"}],
        "text": "Иван (IV*) \\ Грозный",
    }
    markup = load(raw)
    assert_same(parse(render(markup)), markup)
