"""Paragraphs and sentences of an essay as spans of code points (markup-scoring §1 counts positions in code points)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_PARAGRAPH: Final = re.compile(r"[^\r\n]+")
_END: Final = re.compile(r"[.!?…]+[»”\"')\]]*(?=\s+(\S))")
_LAST_WORD: Final = re.compile(r"([^\W\d_]+)\.$")
_ABBREVIATIONS: Final = frozenset(
    {
        *("г", "гг", "в", "вв", "т", "д", "п", "др", "пр", "см", "ср", "им", "св", "стр", "рис", "тыс", "млн", "млрд"),
        *("н", "э", "ул", "mr", "mrs", "ms", "dr", "st", "vs"),
    }
)


class Sentence(NamedTuple):
    """A sentence ``[start, end)`` without outer blanks.

    ``paragraph`` and ``number`` count from 0: the paragraph in the essay, the sentence in the paragraph;
    ``paragraphs`` is how many paragraphs the essay has.
    """

    start: int
    end: int
    paragraph: int
    number: int
    paragraphs: int


def sentences(text: str) -> tuple[Sentence, ...]:
    """All sentences in text order, in linear time. Lines of blanks are no paragraphs; a text without words has none.

    A full stop after an initial (П. Лугавин) or a usual abbreviation ends no sentence, nor does any mark before a
    small letter. A sentence never goes over a line end.
    """
    paragraphs = [found.span() for found in _PARAGRAPH.finditer(text) if found[0].strip()]
    return tuple(
        Sentence(*_trimmed(text, start, end), paragraph, number, len(paragraphs))
        for paragraph, span in enumerate(paragraphs)
        for number, (start, end) in enumerate(_pieces(text, *span))
    )


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for mark in _END.finditer(text, start, end):
        if _ends(mark, text, start):
            yield start, mark.end()
            start = mark.end()
    if text[start:end].strip():
        yield start, end


def _ends(mark: re.Match[str], text: str, start: int) -> bool:
    if mark[1].islower():
        return False
    word = _LAST_WORD.search(text, max(start, mark.start() - 8), mark.start() + 1)
    if word is None or mark[0] != ".":
        return True
    return not (_is_initial(word[1]) or word[1].lower() in _ABBREVIATIONS)


def _is_initial(word: str) -> bool:
    # "I" is the pronoun or a ruler's number far more often than a name.
    return len(word) == 1 and word.isupper() and word != "I"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
