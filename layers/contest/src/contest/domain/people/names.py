"""Names of teams and people: which characters they may have, and which two names read alike (decision 0030)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from contest.domain.canonical import sha256_hex

_NO_CONTROL: Final = r"\x00-\x1f\x7f-\x9f"
NAME: Final = re.compile(rf"[^{_NO_CONTROL}]*[^\s{_NO_CONTROL}][^{_NO_CONTROL}]*")
"""Of a team or a person: one line in which something can be seen, for it stands in tables, files and messages."""
LONGEST_NAME: Final = 200
MOST_MARKS: Final = 4
"""Marks on one letter, decomposed (UTS 39, 5.4): Vietnamese needs two, Hebrew three; more cover the lines around."""
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What draws nothing though a letter, mark or sign: joiner, fillers of Hangul, empty Braille cell, selectors."""
_MARK_BEFORE_LETTERS: Final = "\u200e"
"""Unicode's file writes this before and after letters of right-to-left scripts, and the library keeps it."""


def spelled(name: str) -> str:
    """Return a name as it is stored: composed (NFC), blanks of any kind as one space, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def unfit_character(name: str) -> tuple[int, str] | None:
    """Return the first character that a name may not have, with its place from 1; None where all are fit.

    Unfit is what nobody sees, what changes the direction of text, what Unicode has not assigned, a mark without a
    letter, a fifth mark on one letter, and a mark right after the same one.
    """
    return next(_unfit(name), None)


def _unfit(name: str) -> Iterator[tuple[int, str]]:
    marks: list[str] = []
    stands_on_letter = False
    for place, character in enumerate(name, 1):
        if unicodedata.category(character) in _UNSEEN_CATEGORIES or _UNSEEN.match(character):
            yield place, character
        for part in unicodedata.normalize("NFD", character):
            if not unicodedata.category(part).startswith("M"):
                marks, stands_on_letter = [], not part.isspace()
                continue
            if not stands_on_letter or len(marks) == MOST_MARKS or part in marks[-1:]:
                yield place, character
            marks.append(part)


def code_point(character: str) -> str:
    """Return a character as ``U+200B ZERO WIDTH SPACE``, since it may not be seen itself."""
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{' ' if name else ''}{name}"


def readings(name: str) -> frozenset[str]:
    """Return the keys of a name; two names read alike where they have one in common.

    A key is the SHA-256 of a skeleton (UTS 39): of the name as written, of its small and of its capital letters. The
    first finds ``paypaI`` beside ``paypal``, the second ``PAYPAL``, the third Latin ``team`` beside Cyrillic ``ТЕАМ``,
    of which the small letters differ; all are kept, for ``I`` and ``l`` look alike and ``i`` and ``l`` do not.
    """
    written = unicodedata.normalize("NFKC", spelled(name))
    return frozenset(sha256_hex(_skeleton(form).encode()) for form in (written, written.casefold(), written.upper()))


def _skeleton(text: str) -> str:
    """Return the text that stands for all that look like it; a dash of any length is a hyphen."""
    prototypes = _prototypes()
    dashed = ("-" if unicodedata.category(character) == "Pd" else character for character in text)
    parts = unicodedata.normalize("NFD", "".join(dashed))
    return " ".join(unicodedata.normalize("NFD", "".join(prototypes.get(part, part) for part in parts)).split())


@cache
def _prototypes() -> Mapping[str, str]:
    """Return for each confusable character the text that stands for all that look like it.

    The library names the pairs of Unicode's table in both directions. In a group of several the common partner stands
    for all; of two alone the longer text, or the smaller character.
    """
    # A function that checks no name does not pay for reading the table: a tenth of a second.
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    partners = {
        character.strip(_MARK_BEFORE_LETTERS): [pair["c"].strip(_MARK_BEFORE_LETTERS) for pair in pairs]
        for character, pairs in confusables_data.items()
    }
    prototypes: dict[str, str] = {}
    for character, (first, *others) in partners.items():
        stands_for_several = bool(others) or len(character) > 1
        first_stands = len(partners[first]) > 1 or len(first) > 1 or first < character
        if not stands_for_several and first_stands:
            prototypes[character] = first
    return prototypes
