"""Compare what is told of one thing at every door: to everybody, in each form and list, it has the same values.

The things are known by their ids: teams, sessions, runs, people, tokens, sets, boards, announcements, decisions and
statements. Values that the model does not know are so compared with each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Json = Any
Thing = tuple[str, ...]
Fact = tuple[Thing, str, Json]

_BY_ID: Final = (
    ("submission_id", frozenset({"created_at"})),
    ("session_id", frozenset({"opened_at"})),
    ("run_id", frozenset({"starts_at"})),
    ("team_id", frozenset({"created_at"})),
    ("person_id", frozenset({"email"})),
    ("token_id", frozenset({"created_at"})),
    ("announcement_id", frozenset({"published_at"})),
    ("name", frozenset({"kind", "sha256", "view"})),
    ("key", frozenset({"unit"})),
    ("version", frozenset({"bootstrap_seed"})),
    ("cycle", frozenset({"time_zone"})),
    ("key_id", frozenset({"public_key"})),
    ("number", frozenset({"effective_at"})),
)
"""The name of a thing's id, and names beside it by which an object is a description of the thing."""
_PASSING: Final = frozenset(
    {"server_time", "now", "used_at", "seen_at", "version", "files", "state", "kind", "role", "reason"}
)
"""Values of the moment, and names that mean something else of the same thing elsewhere."""
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False, "": None}
"""Words of tables for programs."""


def facts(content: Json) -> Iterator[Fact]:
    """Yield what an answer tells of each thing: the thing, the name of a value (``limits.answer_s``), the value."""
    if isinstance(content, list):
        for one in content:
            yield from facts(one)
    elif isinstance(content, Mapping):
        thing = _thing(content)
        for name, value in content.items():
            if thing is not None and name not in _PASSING:
                yield from _values(thing, name, value)
            yield from facts(value)


def _thing(row: Mapping[str, Json]) -> Thing | None:
    for name, beside in _BY_ID:
        if isinstance(row.get(name), str | int) and row[name] and beside <= row.keys():
            return (
                name,
                str(row[name]),
                str(row.get("view", "")),
            )  # of a hidden set its questions alone are shown to some
    return None


def _values(thing: Thing, name: str, value: Json) -> Iterator[Fact]:
    if isinstance(value, Mapping) and _thing(value) is None:
        for inner, one in value.items():
            yield from _values(thing, f"{name}.{inner}", one)
    elif isinstance(value, list) and value and not any(isinstance(one, Mapping) for one in value):
        yield thing, name, json.dumps(value)
    elif not isinstance(value, list | Mapping):
        yield thing, name, _plain(value)


def _plain(value: Json) -> Json:
    """Return a value as JSON has it, of CSV too."""
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        try:
            return float(value)
        except ValueError:
            return value
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Sameness:
    """Remembers who first told each value, and yields those that differ from it."""

    def __init__(self) -> None:
        self._told: dict[tuple[Thing, str], tuple[Json, str]] = {}

    def otherwise(self, content: Json, where: str) -> Iterator[str]:
        """Yield the values of an answer that were told otherwise before."""
        for thing, name, value in facts(content):
            first, told_by = self._told.setdefault((thing, name), (value, where))
            if first != value:
                yield f"{where} tells {name} {value} of {' '.join(thing).strip()}, {told_by} told {first}"
