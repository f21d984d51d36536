"""Counter-examples in Russian: a check says each in English, where it found it; here is how a person reads it.

The proof stays free of words in two languages: its sentences go into the report as they are, and what is shown is
matched with its pattern here. A test reads the proof's sources and finds the sentence that has no Russian.
"""

from __future__ import annotations

import re
from typing import Final

from local.rehearsal.counterexample_places import PLACES
from local.rehearsal.counterexample_words import SAID
from local.rehearsal.counterexample_words_around import SAID_AROUND
from local.rehearsal.messages import EN, RU, names, say

Patterns = tuple[tuple[re.Pattern[str], str], ...]


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template)), re.DOTALL)


_PLACE_PATTERNS: Final = tuple((_pattern(english), russian) for english, russian in PLACES)
_SAID_PATTERNS: Final = tuple((_pattern(english), russian) for english, russian in (*SAID_AROUND, *SAID))


def told(fault: str, language: str) -> str:
    """A counter-example as a person reads it; what has no Russian words stays as the check said it."""
    if language == EN:
        return fault
    place, colon, rest = fault.partition(": ")
    found = _russian(rest, _SAID_PATTERNS)
    inner = told(rest, language) if found is None and ": " in rest else rest
    if inner != rest:  # a place within a place
        found = inner
    if found is None:
        return _russian(fault, _SAID_PATTERNS) or _russian(fault, _PLACE_PATTERNS) or fault
    where = _russian(place, _PLACE_PATTERNS) or _russian(place, _SAID_PATTERNS) or place
    return f"{where}{colon}{found}"


def _russian(sentence: str, patterns: Patterns) -> str | None:
    for pattern, russian in patterns:
        if found := pattern.fullmatch(sentence):
            return russian.format(**{name: _words(value) for name, value in found.groupdict().items()})
    return None


def _words(value: str) -> str:
    """A value in words: what became of a file, one of several of it, a sentence within a sentence."""
    if f"fate.{value}" in names():
        return say(f"fate.{value}", RU)
    if " or " in value:
        return " или ".join(_words(each) for each in value.split(" or "))
    return _russian(value, _SAID_PATTERNS) or _russian(value, _PLACE_PATTERNS) or value
