"""Data model: a text and its words, the fragments marked in it, and the markup that holds both.

Positions count Unicode code points from 0; spans are half-open ``[start, end)`` (markup-scoring §1).
All values are immutable. Nothing here judges: :mod:`markup_core.reading.validation` reads untrusted JSON into
these values and reports every fault; scoring takes them as they are.

The volumes of the grading and the word measures of M5 share one definition of a word: a maximal run of non-white-space
characters that holds at least one letter or digit (markup-scoring §3): ``кто-то,`` is one word, ``—`` is none. White
space, letters and digits are Unicode's, as ``str.isspace`` and ``str.isalnum`` know them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import filterfalse
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple
from unicodedata import normalize

from markup_core import tables

Group = Literal["meaning", "error"]

MEANING: Final[Group] = "meaning"
ERROR: Final[Group] = "error"

NO_META: Final[Mapping[str, Any]] = MappingProxyType({})


class Fragment(NamedTuple):
    """One marked span: an error or a semantic block (R 2.16, 2.24).

    A full-text fragment, an error about the whole essay, has ``start == end == 0``.
    ``code`` keeps the spelling it came with; codes are compared by :func:`fold`.
    A named tuple, not a dataclass: an essay holds up to 2 000 of them, and reading is part of the scoring time.
    """

    start: int
    end: int
    code: str
    subtype: str = ""
    comment: str = ""
    explanation: str = ""
    correction: str = ""
    tag: str = ""
    group: Group = ERROR
    id: int | str = 0

    @property
    def is_full_text(self) -> bool:
        """Return whether the fragment covers the whole essay instead of a place in it.

        Clause: MS §1 full text
        """
        return self.end == 0


@dataclass(frozen=True, slots=True)
class Markup:
    """An essay's text with the fragments one annotator, human or program, marked in it.

    ``meta`` holds the contest's published fields by their wire names (``id``, ``subject``, ``theme`` …);
    unknown ones are kept. ``criteria`` is what a file claims its grade to be; scoring never reads it (M1).
    """

    text: str
    fragments: tuple[Fragment, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=lambda: NO_META)
    criteria: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    _columns: Columns | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def subject(self) -> str:
        """Return the subject's code (``rus``, ``eng-free`` …), which chooses the codes and the grading formula."""
        return str(self.meta.get("subject", ""))

    @property
    def columns(self) -> Columns:
        """Return the fragments by columns, made once: a markup stands in several pairs."""
        if self._columns is None:
            object.__setattr__(self, "_columns", Columns.of(self.fragments))
        return self._columns  # type: ignore[return-value]

    def _repr_html_(self) -> str:
        rows = [
            (
                fragment.code,
                fragment.subtype,
                f"{fragment.start}…{fragment.end}",
                self.text[fragment.start : fragment.end],
                fragment.correction,
            )
            for fragment in self.fragments
        ]
        title = f"{self.subject}; characters: {len(self.text)}, fragments: {len(self.fragments)}"
        return tables.table(title, ("code", "subtype", "span", "text", "correction"), rows)


def check_markups(*values: object) -> None:
    """Refuse what is no markup with what to call; a dict of decoded JSON is the usual one."""
    for value in values:
        if not isinstance(value, Markup):
            raise TypeError(
                f"a Markup is expected, not {type(value).__name__}: markup_core.load(path) reads a file,"
                " markup_core.loads(text) a string, markup_core.validate(value).markup decoded JSON;"
                " markup_core.score(path, path) scores files"
            )


def check_string(value: object) -> None:
    """Refuse what is no string with what to call."""
    if not isinstance(value, str | bytes):
        raise TypeError(
            f"a string is expected, not {type(value).__name__}: markup_core.load(path) reads a file,"
            " markup_core.validate(value).markup decoded JSON"
        )


def fold(value: str) -> str:
    """Return the key under which codes and subtypes are equal: ``Г.СЛОВ`` and ``Г.слов`` are one code.

    Canonically equal texts (й as one code point or as letter and mark) are one.

    Clause: MS §1 codes
    """
    return normalize("NFC", value).strip().casefold()


folded: Final = lru_cache(maxsize=4096)(fold)
"""Key of a code; codes come from a classifier of some fifty, so the same few are asked for again and again."""


class Columns(NamedTuple):
    """Fields of a markup's fragments, a column each, and the keys of the codes."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    codes: tuple[str, ...] = ()
    subtypes: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    explanations: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    ids: tuple[int | str, ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def of(cls, fragments: Sequence[Fragment]) -> Columns:
        """Return the columns of fragments."""
        fields = list(zip(*fragments, strict=True))
        return cls._make((*fields, tuple(map(folded, fields[2])))) if fields else cls()


# The start of a run, its characters before the first letter or digit (never given back), the rest of the run.
# The look-behind keeps a long run without a letter linear: it can only fail once, at its start.
_WORD: Final = re.compile(r"(?<!\S)(?:[^\w\s]|_)*+[^\W_]\S*")
Span = tuple[int, int]


@lru_cache(maxsize=64)
def word_spans(text: str) -> tuple[Span, ...]:
    """Return the spans ``(start, end)`` of the words in text order, in code points, half-open.

    Time is linear in the length of the text. The last 64 texts are remembered, because the two sides of a pair
    share their text.

    Clause: MS §3 words
    """
    return tuple([match.span() for match in _WORD.finditer(text)])


@lru_cache(maxsize=64)
def has_words(text: str, least: int) -> bool:
    """Return whether the text has at least so many words, one or more; reads no further than the last of them."""
    return _so_many(least).match(text) is not None


@lru_cache(maxsize=8)
def _so_many(words: int) -> re.Pattern[str]:
    return re.compile(rf"(?:[\W_]*+[^\W_]\S*+){{{words}}}+")


def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(word_spans(text))


def touched(text: str, span: Span, within: Span) -> tuple[int, int]:
    """Count the words that share a character with a span, and with the span within which it lies.

    Neither span is empty. Reads the outer span once: a word that goes on across a border of the inner one is counted
    there. Only where a part of a run is cut off that has no letter or digit, the words of the text are looked up.
    """
    (start, end), (first, last) = span, within
    counts = [_count_runs(text, start, end)]
    if first < start:
        counts.append(_count_runs(text, first, start, drop_last=True))
    if end < last:
        counts.append(_count_runs(text, end, last, drop_first=True))
    if -1 not in counts:
        return counts[0], sum(counts)
    words = word_spans(text)
    return touched_among(words, start, end), touched_among(words, first, last)


def _count_runs(text: str, start: int, end: int, *, drop_first: bool = False, drop_last: bool = False) -> int:
    """Count the words of a slice, without a first or last one that goes on beyond it; -1 where it does not say."""
    runs = text[start:end].split()
    if drop_first and runs and _is_inside_run(text, start):
        del runs[0]
    if drop_last and runs and _is_inside_run(text, end):
        del runs[-1]
    blank = [run for run in filterfalse(str.isalnum, runs) if not (run[0].isalnum() or any(map(str.isalnum, run)))]
    if blank and (
        (blank[0] is runs[0] and not drop_first and _is_inside_run(text, start))
        or (blank[-1] is runs[-1] and not drop_last and _is_inside_run(text, end))
    ):
        return -1
    return len(runs) - len(blank)


def _is_inside_run(text: str, border: int) -> bool:
    """Return whether a run of characters that are no white space goes on across a border."""
    return 0 < border < len(text) and not (text[border - 1].isspace() or text[border].isspace())


def touched_among(words: Sequence[Span], start: int, end: int) -> int:
    """Count the words that share a character with the span: those that start before its end, less those that end by its
    start.
    """
    before = bisect_left(words, (start,))
    if before and words[before - 1][1] > start:
        before -= 1
    return bisect_left(words, (end,)) - before
