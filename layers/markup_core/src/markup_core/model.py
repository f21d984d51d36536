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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markup_core import tables
from markup_core.comparable import ERROR, Group, folded

NO_META: Final[Mapping[str, Any]] = MappingProxyType({})
_NO_CRITERIA: Final[Mapping[str, int]] = MappingProxyType({})


class Fragment(NamedTuple):
    """One marked span: an error or a semantic block (R 2.16, 2.24).

    A full-text fragment, an error about the whole essay, has ``start == end == 0``.
    ``code`` keeps the spelling it came with; codes are compared by :func:`~markup_core.comparable.folded`.
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

    # Clause: MS §1 full text
    @property
    def is_full_text(self) -> bool:
        """Return whether the fragment covers the whole essay instead of a place in it."""
        return self.end == 0


fragment_of: Final[Callable[[tuple[Any, ...]], Fragment]] = partial(tuple.__new__, Fragment)
"""Function that creates a fragment from its fields in their order."""


@dataclass(frozen=True, slots=True)
class Markup:
    """An essay's text with the fragments one annotator, human or program, marked in it.

    ``meta`` holds the contest's published fields by their wire names (``id``, ``subject``, ``theme`` …);
    unknown ones are kept. ``criteria`` is what a file claims its grade to be; scoring never reads it (M1).
    """

    text: str
    fragments: tuple[Fragment, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=lambda: NO_META)
    criteria: Mapping[str, int] = field(default_factory=lambda: _NO_CRITERIA)
    _columns: Columns | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of_columns(cls, text: str, columns: Columns, meta: Mapping[str, Any]) -> Markup:
        """Return a markup of fragments that are read by columns; as fragments they are made when first asked for."""
        markup = object.__new__(cls)
        for name, value in (("text", text), ("meta", meta), ("criteria", _NO_CRITERIA), ("_columns", columns)):
            object.__setattr__(markup, name, value)
        return markup

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Make the fragments of a markup of columns."""
            if name != "fragments":
                raise AttributeError(name)
            fragments = tuple(map(fragment_of, zip(*self._columns[: len(Fragment._fields)], strict=True)))
            object.__setattr__(self, "fragments", fragments)
            return fragments

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
    """Refuse a value that is no markup, and name the functions to call; usually it is a dict of decoded JSON."""
    for value in values:
        if not isinstance(value, Markup):
            raise TypeError(
                f"a Markup is expected, not {type(value).__name__}: markup_core.load(path) reads a file,"
                " markup_core.loads(text) a string, markup_core.validate(value).markup decoded JSON;"
                " markup_core.score(path, path) scores files"
            )


def check_string(value: object) -> None:
    """Refuse a value that is no string, and name the functions to call."""
    if not isinstance(value, str | bytes):
        raise TypeError(
            f"a string is expected, not {type(value).__name__}: markup_core.load(path) reads a file,"
            " markup_core.validate(value).markup decoded JSON"
        )


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
        return cls.completed(list(zip(*fragments, strict=True))) if fragments else cls()

    @classmethod
    def completed(cls, fields: Sequence[tuple[Any, ...]]) -> Columns:
        """Return the columns of one fragment or more: a column each field, and the keys of the codes."""
        return cls._make((*fields, tuple(map(folded, fields[2]))))


# The start of a run, its characters before the first letter or digit (never given back), the rest of the run.
# The look-behind keeps a long run without a letter linear: it can only fail once, at its start.
_WORD: Final = re.compile(r"(?<!\S)(?:[^\w\s]|_)*+[^\W_]\S*")
Span = tuple[int, int]


# Clause: MS §3 words
@lru_cache(maxsize=64)
def word_spans(text: str) -> tuple[Span, ...]:
    """Return the spans ``(start, end)`` of the words in text order, in code points, half-open.

    Time is linear in the length of the text. The last 64 texts are remembered, because the two sides of a pair
    share their text.
    """
    return tuple([match.span() for match in _WORD.finditer(text)])


_WHITE: Final = re.compile(r"\s")
_BLANK_RUN: Final = re.compile(r" [^\w ]*+(?= )")
"""A run without a letter or digit, with the space before it; between two spaces lies an empty one."""


class Words(NamedTuple):
    """The words of a text, prepared so that those that touch a span are counted and not looked at one by one.

    ``outline`` is the text between two spaces, where a space stands before each word and nowhere else, but for the last
    one: other white space, and runs that are no words, are line ends. ``total`` counts the words.
    """

    outline: str
    total: int

    # Clause: MS §3 words
    def touching(self, start: int, end: int) -> int:
        """Count the words that share a character with a span of the text, which is not empty."""
        outline = self.outline
        # In the outline the span begins a place later. The word at its start has its space further in front.
        return outline.count(" ", start + 1, end) + (outline[start + 1] not in " \n")


@lru_cache(maxsize=64)
def words_of(text: str) -> Words:
    """Find the words of a text. Linear; the last 64 texts are remembered, because the sides of a pair share theirs."""
    # An underscore is no letter, though expressions take it for one. Printable text has no white space but the space.
    spaced = f" {text} ".replace("\n", " ").replace("_", "-")
    if not spaced.isprintable():
        spaced = _WHITE.sub(" ", spaced)
    usual = spaced.replace(" — ", "\n\n ")  # most runs that are no words are dashes
    outline = _BLANK_RUN.sub(lambda run: "\n" * len(run[0]), usual)
    return Words(outline, outline.count(" ") - 1)
