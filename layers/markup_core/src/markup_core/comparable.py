"""When two short texts of an annotator count as the same (markup-scoring §3, M4 and M6), and which codes look alike.

Case folding and NFC come from the Unicode tables of the running Python. Both are stable for every character
that Unicode 14 (Python 3.11) knows, so answers can differ between Python versions only for characters that an
older table does not have; this module and :func:`markup_core.model.fold` are the only places where that can happen.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from markup_core.model import fold
from markup_core.said import Said

LONG: Final = 400
"""Texts longer than this are not remembered, so that what is remembered stays small whatever comes in."""


def text_key(text: str) -> str:
    """Key under which corrections, and comments before any judging, are equal.

    Unicode NFC, case folding, runs of white space as one space, trimmed; blanks give the empty string.
    """
    return _remembered_key(text) if len(text) <= LONG else _text_key(text)


def _text_key(text: str) -> str:
    """Clause: MS §3 M6"""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


_remembered_key: Final = lru_cache(maxsize=8192)(_text_key)

_LATIN: Final = "abekmhopctyxijs"
_CYRILLIC: Final = "авекмнорстухіјѕ"
_IN_LATIN: Final = str.maketrans(_CYRILLIC + _CYRILLIC.upper(), _LATIN + _LATIN.upper())
"""Letters that look alike in the two alphabets, in one case at least."""
_ALPHABETS: Final = {
    **dict.fromkeys(_LATIN, ("Latin", "латинская")),
    **dict.fromkeys(_CYRILLIC, ("Cyrillic", "кириллическая")),
}


def lookalike(written: str, codes: Iterable[str]) -> str | None:
    """Return the code that differs from ``written`` by the alphabet of letters, their case or blanks alone."""
    shape = _shape(written)
    return next((code for code in codes if code != written and _shape(code) == shape), None) if shape else None


def written_otherwise(written: str, code: str, *, case: bool = False) -> Said:
    """Say by which letters and blanks, with ``case`` also by which case, a text differs from a code it looks like."""
    one, other = "".join(written.split()), "".join(code.split())
    pairs = list(dict.fromkeys(zip(one, other, strict=False)))
    english, russian = [], []
    for letter, right in pairs:
        ours, theirs = _ALPHABETS.get(letter.casefold()), _ALPHABETS.get(right.casefold())
        if ours and theirs and ours != theirs:
            english.append(f"{letter} is a {ours[0]} letter, {right} in the code a {theirs[0]} one")
            russian.append(f"буква {letter} — {ours[1]}, а в коде {right} — {theirs[1]}")
    if case and any(letter.isupper() != right.isupper() for letter, right in pairs):
        english.append("the case of letters differs")
        russian.append("отличается регистр букв")
    if one != written and other == code:
        english.append("there are blanks in it")
        russian.append("в коде лишние пробелы")
    return Said("; ".join(english), "; ".join(russian))


def _shape(text: str) -> str:
    """Return what a code looks like: folded, without blanks, in Latin letters where there are such."""
    return in_latin("".join(fold(text).split()))


def in_latin(text: str) -> str:
    """Return a text with Cyrillic letters that look like Latin ones replaced by these."""
    return text.translate(_IN_LATIN)
