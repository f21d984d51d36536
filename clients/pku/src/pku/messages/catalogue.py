"""Every sentence of the kit, in Russian and English, under one stable name each."""

from __future__ import annotations

from typing import Any, Final

from pku.messages.commands import COMMANDS
from pku.messages.errors import ERRORS

RU: Final = "ru"
EN: Final = "en"
LANGUAGES: Final = (RU, EN)

CATALOGUE: Final = {**ERRORS, **COMMANDS}
"""Name → (English, Russian), with ``str.format`` fields."""


def find(name: str, language: str) -> str | None:
    """The text of a name, unformatted; None where there is none."""
    texts = CATALOGUE.get(name)
    return None if texts is None else texts[language == RU]


def say(name: str, language: str, /, **values: Any) -> str:
    """The text of a name with its fields filled; KeyError for a name that is not in the catalogue."""
    return CATALOGUE[name][language == RU].format(**values)
