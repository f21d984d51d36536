"""Every sentence of the kit, in Russian and English, under one stable name each."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, Final

from markup_core.rounding import fixed, percent
from markup_core.texts import EN as EN
from markup_core.texts import LANGUAGES as LANGUAGES
from markup_core.texts import RU as RU
from markup_core.texts import Text, in_language
from pku.messages.commands import COMMANDS, CYCLE
from pku.messages.errors import ERRORS
from pku.messages.proofs import PROOFS, SUBMISSIONS

CATALOGUE: Final[Mapping[str, Text]] = {**ERRORS, **COMMANDS, **CYCLE, **SUBMISSIONS, **PROOFS}
"""Sentences by name, with ``str.format`` fields."""


CODED: Final = frozenset({"state", "cause", "mode", "status", "kind", "became", "failure"})
"""Fields that hold a code of the platform, and the beginnings of the names of what the codes mean."""


def find(name: str, language: str) -> str | None:
    """Return the unformatted text of a name; None if there is none."""
    texts = CATALOGUE.get(name)
    return None if texts is None else in_language(texts, language)


def sentence(name: str, language: str, /, **values: Any) -> str:
    """Return the text of a name with its fields filled; KeyError for a name that is not in the catalogue.

    The platform's codes (``state``, ``cause``, ``mode``) are said in words, and numbers as the language writes them.
    """
    fields = {field: word(field, value, language) if field in CODED else value for field, value in values.items()}
    return _Sentence(language).format(in_language(CATALOGUE[name], language), **fields)


def word(kind: str, code: Any, language: str) -> str:
    """Return the meaning of a code of the platform; the code itself where a newer platform has an unknown one."""
    return find(f"{kind}.{code}", language) or str(code)


def number(value: float, digits: int, language: str) -> str:
    """Write a number with so many decimals, after a comma in Russian."""
    return _pointed(fixed(value, digits), language)


class _Sentence(Formatter):
    """``str.format`` with numbers as a language writes them, and ``{n:#file|files}`` for ``1 file`` and ``3 files``."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        """See :class:`string.Formatter`."""
        if format_spec.startswith("#"):
            one, many = format_spec[1:].split("|")
            return f"{value} {one if value == 1 else many}"
        if format_spec.endswith("%"):  # a share, alone or with the limits on whose side it has to lie
            share, *limits = value if isinstance(value, tuple) else (value,)
            return _pointed(f"{percent(share, *limits, least=int(format_spec[1:-1]))}%", self._language)
        text: str = super().format_field(value, format_spec)
        return _pointed(text, self._language) if isinstance(value, float) else text


def _pointed(text: str, language: str) -> str:
    """Write a number's decimal point and per cent sign as the language does."""
    return text.replace(".", ",").replace("%", "\N{NO-BREAK SPACE}%") if language == RU else text
