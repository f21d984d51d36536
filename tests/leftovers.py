"""English words in what is said in Russian: what is left beside names, codes, commands and values."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_NAMES: Final = re.compile(
    r"""
      https?://\S+ | \S*@\S+                        # addresses
    | `[^`]*` | "[^"]*" | '[^']*'                   # what is quoted
    | \S*[\d_/\\=.{}\[\]<>|]\S*                     # ids, moments, paths, JSON
    | (?<!\w)--?[a-z][\w-]* | [A-Z][\w-]*   # options, and what is written with a capital: FILE, JSON, SHA
    | [a-z]+:[A-Z]+                                # a form of a value, as person:ID
    | \b(?:contest|pku|hurdle|markup-core|tracks|make)\b(?:[ ][a-z][\w-]*)*   # commands
    """,
    re.VERBOSE,
)
_WORD: Final = re.compile(r"[A-Za-z]{3,}(?:-[A-Za-z]+)*")


def english(said: str, allowed: Collection[str] = ()) -> list[str]:
    """List the English words of a text, in their order, without those that may stand in Latin letters."""
    return [word for word in _WORD.findall(_NAMES.sub(" ", said)) if word not in allowed]
