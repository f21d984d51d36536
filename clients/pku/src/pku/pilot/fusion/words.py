"""Read a word's picture as the commonest word of about its length: no letter is looked at."""

from __future__ import annotations

import struct
from typing import Final

_LETTER: Final = 0.55
"""Widths of a letter in heights of the picture."""
_COMMON: Final = ("и", "не", "что", "было", "очень", "только", "сегодня", "человека", "несколько")
"""Words of one to nine letters."""


def word_of(image: bytes) -> str:
    """Guess the word by the picture's size, which a PNG has in its header."""
    width, height = struct.unpack(">II", image[16:24])
    letters = round(width / (height * _LETTER))
    return _COMMON[min(max(letters, 1), len(_COMMON)) - 1]
