"""Data model: a text, the fragments marked in it, and the markup that holds both.

Positions count Unicode code points from 0; spans are half-open ``[start, end)`` (markup-scoring §1).
All values are immutable. Nothing here judges: :mod:`markup_core.reading.validation` reads untrusted JSON into
these values and reports every fault; scoring takes them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple
from unicodedata import normalize

from markup_core import notebook

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
        """Whether the fragment speaks of the whole essay instead of a place in it.

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

    @property
    def subject(self) -> str:
        """The subject's code (``rus``, ``eng-free`` …), which chooses the codes and the grading formula."""
        return str(self.meta.get("subject", ""))

    def _repr_html_(self) -> str:
        rows = [
            (each.code, each.subtype, f"{each.start}…{each.end}", self.text[each.start : each.end], each.correction)
            for each in self.fragments
        ]
        title = f"{self.subject}; characters: {len(self.text)}, fragments: {len(self.fragments)}"
        return notebook.table(title, ("code", "subtype", "span", "text", "correction"), rows)


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
