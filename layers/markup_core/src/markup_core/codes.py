"""Groups of codes, and the key under which codes are equal."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal
from unicodedata import normalize

Group = Literal["meaning", "error"]

MEANING: Final[Group] = "meaning"
ERROR: Final[Group] = "error"


# Clause: MS §1 codes
def fold(value: str) -> str:
    """Return the key under which codes and subtypes are equal: ``Г.СЛОВ`` and ``Г.слов`` are one code.

    Canonically equal texts (й as one code point or as letter and mark) are one.
    """
    return normalize("NFC", value).strip().casefold()


folded: Final = lru_cache(maxsize=4096)(fold)
"""Key of a code; codes come from a classifier of some fifty, so the same few are asked for again and again."""
