"""UTF-16 code units and bytes become code points; combining characters are code points of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup_core.formats.corpus import Offsets, Units, quoted_span

PIECES = st.sampled_from(["a", "я", "😀", "👨🏻‍🚒", "e\u0301", "й", "\r\n", "𝔸", "\uffff", "\U00010000", "\ufeff"])


@pytest.mark.parametrize(("units", "encoding", "width"), [("utf16", "utf-16-le", 2), ("bytes", "utf-8", 1)])
@given(st.lists(PIECES, max_size=12).map("".join))
def test_every_border_is_found_and_no_half_of_a_character(units: Units, encoding: str, width: int, text: str) -> None:
    # The number of units is counted by another way: the encoder's.
    borders = {len(text[:point].encode(encoding)) // width: point for point in range(len(text) + 1)}
    offsets = Offsets(text, units)
    assert [offsets.code_point(unit) for unit in range(-1, max(borders) + 2)] == [
        borders.get(unit) for unit in range(-1, max(borders) + 2)
    ]


@pytest.mark.parametrize(
    ("text", "words", "unit"),
    [("👨🏻‍🚒 тушит", "тушит", 8), ("е\u0301ж и 😀 кот", "кот", 9), ("кот", "кот", 0)],
)
def test_words_after_emoji_and_combining_characters(text: str, words: str, unit: int) -> None:
    point = Offsets(text, "utf16").code_point(unit)
    assert point is not None
    assert text[point:] == words


@pytest.mark.parametrize(("start", "place"), [(2, (2, 5)), (3, (2, 5)), (4, None), (-4, None)])
def test_the_words_decide_between_two_ways_of_counting(start: int, place: tuple[int, int] | None) -> None:
    text = "😀 кот"
    assert quoted_span(start, start + 3, "кот", text, Offsets(text, "utf16")) == place
