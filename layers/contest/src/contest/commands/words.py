"""Sentences and tables of the command; Russian words of the platform's codes, which stand by themselves in English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import click
from rich.table import Table

from contest.texts import CATALOGUE, say
from markup_core.texts import RU, language, localized


def speak(sentence: str, **values: Any) -> None:
    """Print a sentence in the present language."""
    click.echo(say(sentence, **values))


def complaint(sentence: str, **values: Any) -> click.ClickException:
    """Return a failure of the command with a sentence in the present language."""
    return click.ClickException(say(sentence, **values))


def show_json(value: Any) -> None:
    """Print a value as JSON, indented."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def end_with_json(raw: bool, value: Any) -> None:
    """Print a value as JSON and end the command, if ``--json`` was given."""
    if raw:
        show_json(value)
        raise click.exceptions.Exit


def fact(english: str) -> str:
    """Return the word for a fact about a run, by its name in the interface."""
    if language() == RU:
        return CATALOGUE.word("fact", english).ru
    return _FACTS_IN_ENGLISH.get(english, english.replace("_ms", ", ms").replace("_", " "))


_FACTS_IN_ENGLISH: Final = {"limits": "limits, ms", "total_files": "files with replacements"}
"""Where the interface's name does not say it."""


def value_in_words(name: str, value: Any) -> str:
    """Return a fact's value: a code in words; several values one after another."""
    if isinstance(value, str):
        return code(value, "failure" if name == "standing" else "") if name in _CODED else value
    if isinstance(value, bool):
        return yes(value)
    if isinstance(value, Mapping):
        other = _ENGLISH if language() == RU else _RUSSIAN
        parts = {inner: part for inner, part in value.items() if part not in (None, [], {}) and inner not in other}
        return "; ".join(f"{fact(inner)}: {value_in_words(inner, part)}" for inner, part in parts.items())
    if isinstance(value, list):
        return ", ".join(value_in_words(name, part) for part in value)
    return as_json(value).replace(".", "," if language() == RU else ".")


_CODED: Final = frozenset({"mode", "state", "standing"})


_ENGLISH: Final = frozenset({"reason", "message"})
"""Parts that have their Russian beside them."""
_RUSSIAN: Final = frozenset(f"{name}_ru" for name in _ENGLISH)


def heading(english: str) -> str:
    """Return the heading of a column."""
    return localized(CATALOGUE.word("heading", english))


def code(value: str, subject: str = "") -> str:
    """Return a code of the platform in words; the code itself in English, and if it is unknown here.

    ``subject``: the kind of object that the code describes (``session``), where it has words of its own.
    """
    if language() != RU:
        return value
    particular = CATALOGUE.word("code", f"{subject}.{value}")
    return CATALOGUE.word("code", value).ru if particular.ru == particular.en else particular.ru


def table(*headings: str, **more: Any) -> Table:
    """Return a table with these columns."""
    return Table(*map(heading, headings), **more)


def in_language(body: Mapping[str, Any], name: str = "message") -> str:
    """Return a sentence of the interface in the present language; the Russian one has ``_ru`` behind its name."""
    return str(body[f"{name}_ru"] if language() == RU else body[name])


def yes(value: bool) -> str:
    """Return the yes or no of a table."""
    return ("да" if value else "нет") if language() == RU else ("yes" if value else "no")


def as_json(value: Any) -> str:
    """Write a value as JSON with every character as it is."""
    return json.dumps(value, ensure_ascii=False)
