"""Words by hand: the same for a seed, within their picture, each its own."""

from __future__ import annotations

import numpy as np
import pytest

from local.drawn.pages import WORDS
from local.drawn.strokes import HEIGHT, known, written

ALL = [word for words in WORDS.values() for word in words.split()]


@pytest.mark.parametrize("word", ALL)
def test_a_word_is_ink_on_paper_and_touches_no_border(word: str) -> None:
    assert known(word)
    pixels = written(word, "a hand")
    assert pixels.shape[0] == HEIGHT
    assert pixels.shape[1] > 12 * len(word)
    assert 0.02 < (pixels < 128).mean() < 0.5
    for border in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (border > 128).all()


def test_a_seed_gives_the_same_picture_and_another_seed_another() -> None:
    assert np.array_equal(written("школа", "a"), written("школа", "a"))
    first, second = written("школа", "a"), written("школа", "b")
    assert first.shape != second.shape or not np.array_equal(first, second)


def test_a_letter_without_strokes_is_refused() -> None:
    assert not known("quiz")
    assert not known("")
    with pytest.raises(KeyError):
        written("quiz", "a")
