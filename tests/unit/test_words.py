"""The definition of a word (markup-scoring §3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.words import count_words, word_spans


def by_definition(text: str) -> tuple[tuple[int, int], ...]:
    """The definition read aloud: split at white space, keep the runs with a letter or digit."""
    spans, start = [], 0
    for position, char in enumerate(text + " "):
        if char.isspace():
            if any(c.isalnum() for c in text[start:position]):
                spans.append((start, position))
            start = position + 1
    return tuple(spans)


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
    assert count_words(text) == len(words)


@given(st.text(st.sampled_from("aЯ1_-—«» \n\u2028\x1f😀½²"), max_size=40))
def test_word_spans_follow_the_definition(text: str) -> None:
    assert word_spans(text) == by_definition(text)


def test_a_long_run_without_a_letter_is_passed_over_in_linear_time() -> None:
    assert word_spans("-" * 200_000) == ()
    assert word_spans("-" * 200_000 + "a") == ((0, 200_001),)
