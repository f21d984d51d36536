"""UTF-16 code units become code points; combining characters are code points of their own in both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats.foreign import Utf16

PIECES = st.sampled_from(["a", "я", "😀", "👨🏻‍🚒", "e\u0301", "й", "\r\n", "𝔸", "\uffff", "\U00010000"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_every_border_is_found_and_no_half_of_a_pair(text: str) -> None:
    # The number of code units is counted by another way: the encoder's.
    borders = {len(text[:point].encode("utf-16-le")) // 2: point for point in range(len(text) + 1)}
    units = Utf16(text)
    assert [units.code_point(unit) for unit in range(-1, max(borders) + 2)] == [
        borders.get(unit) for unit in range(-1, max(borders) + 2)
    ]


@pytest.mark.parametrize(
    ("text", "words", "unit"),
    [("👨🏻‍🚒 тушит", "тушит", 8), ("е\u0301ж и 😀 кот", "кот", 9), ("кот", "кот", 0)],
)
def test_words_after_emoji_and_combining_characters(text: str, words: str, unit: int) -> None:
    point = Utf16(text).code_point(unit)
    assert point is not None
    assert text[point:] == words
