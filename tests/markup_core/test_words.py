"""The definition of a word (markup-scoring §3)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from markup_core.model import Span, word_spans, words_of


def by_definition(text: str) -> tuple[tuple[int, int], ...]:
    """Follow the definition literally: split at white space, keep the runs with a letter or digit."""
    spans, start = [], 0
    for position, char in enumerate(text + " "):
        if char.isspace():
            if any(c.isalnum() for c in text[start:position]):
                spans.append((start, position))
            start = position + 1
    return tuple(spans)


@pytest.mark.clause("MS §3 words")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("   \n\t", []),
        ("кто-то,", ["кто-то,"]),
        ("я — он", ["я", "он"]),
        ("... «Мцыри» (1839) !", ["«Мцыри»", "(1839)"]),
        ("don't stop", ["don't", "stop"]),
        ("a\u00a0b\u2028c\u3000d", ["a", "b", "c", "d"]),  # no-break space, line separator, ideographic space
        ("a\u200bb", ["a\u200bb"]),  # a zero-width space is no white space
        ("_ __ _x_", ["_x_"]),  # an underscore is neither letter nor digit
        ("😀 😀2", ["😀2"]),
        ("a\r\nb", ["a", "b"]),
    ],
)
def test_a_word_is_a_run_with_a_letter_or_a_digit(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words
    assert words_of(text).total == len(words)


@given(st.text(st.sampled_from("aЯ1_-—«» \n\u2028\x1f😀½²"), max_size=40))
def test_word_spans_follow_the_definition(text: str) -> None:
    assert word_spans(text) == by_definition(text)


TEXTS = st.text(st.sampled_from("aЯ1_-—«» \n\t\u00a0\u200b\u2028\x1f😀½²"), max_size=40)
LONG = st.lists(st.sampled_from(["a", "-" * 99, "—" * 100, "-" * 300, " ", "-\n"]), max_size=6).map("".join)


@given(TEXTS | LONG, st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_words_that_touch_a_span_share_a_character_with_it(text: str, places: list[float]) -> None:
    words = by_definition(text)
    assert words_of(text).total == len(words)
    start, end = sorted(round(place * len(text)) for place in places)
    assume(start < end)
    assert words_of(text).touching(start, end) == sharing(words, (start, end))


@pytest.mark.parametrize("text", ["a" + "-" * 300, "-" * 300 + "a", "-" * 300, "a" + "-" * 149 + " b" + "-" * 100])
def test_a_letter_at_the_far_end_of_a_long_run_makes_it_a_word(text: str) -> None:
    words = by_definition(text)
    for span in [(50, 51), (99, 100), (100, 101), (99, 102), (145, 160), (0, 200)]:
        assert words_of(text).touching(*span) == sharing(words, span)


def sharing(words: tuple[Span, ...], span: Span) -> int:
    return sum(bool({*range(*word)} & {*range(*span)}) for word in words)


def test_a_long_run_without_a_letter_is_passed_over_in_linear_time() -> None:
    assert word_spans("-" * 200_000) == ()
    assert words_of("-" * 200_000).total == 0
    assert word_spans("-" * 200_000 + "a") == ((0, 200_001),)
