"""When two short texts of an annotator count as the same (markup-scoring §3, M4 and M6).

Case folding and NFC come from the Unicode tables of the running Python. Both are stable for every character
that Unicode 14 (Python 3.11) knows, so answers can differ between Python versions only for characters that an
older table does not have; this module is the only place of the scoring where that can happen.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

LONG: Final = 400
"""Texts longer than this are not remembered, so that what is remembered stays small whatever comes in."""


def subtype_key(subtype: str) -> str:
    """Key under which subtypes are equal: trimmed, case folded; blanks are no subtype."""
    return subtype.strip().casefold()


def text_key(text: str) -> str:
    """Key under which corrections, and comments before any judging, are equal.

    Unicode NFC, case folding, runs of white space as one space, trimmed; blanks give the empty string.
    """
    return _remembered_key(text) if len(text) <= LONG else _text_key(text)


def _text_key(text: str) -> str:
    """Clause: MS §3 M6"""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


_remembered_key: Final = lru_cache(maxsize=8192)(_text_key)
