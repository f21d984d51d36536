"""Reasons in the platform's two languages, made the same way by every track."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from markup_core.reading.wire import MalformedInput, writable
from tracks.protocol import Json, Reason, Text

GIVEN: Final = frozenset({"classifier", "languages"})
"""What the platform hands every track of a cycle's file besides the track's own parameters."""


def reason(code: str, field: str, en: str, ru: str) -> Reason:
    """Return a reason; no ``field`` where the whole value is meant.

    Names of what somebody sent are written so that they can be stored and sent, whatever they are.
    """
    message = Text(en=_storable(en), ru=_storable(ru))
    return Reason(code, message, {"field": _storable(field)} if field else {})


def _storable(text: str) -> str:
    """Return a text with halves of surrogate pairs escaped, which no store and no answer takes."""
    return text.encode("utf-8", "backslashreplace").decode()


def to_dict(each: Reason) -> dict[str, Json]:
    """A reason as JSON, both sentences beside each other."""
    return {"code": each.code, "message": each.message.en, "message_ru": each.message.ru, "where": dict(each.where)}


def of_json(error: MalformedInput) -> Reason:
    """Bytes that are no JSON: one code for programs, the library's own code and the place in ``where``."""
    where = {"problem": error.code, "line": error.line, "column": error.column}
    return Reason("malformed_json", Text(en=str(error), ru=error.russian), where)


def no_notation() -> Reason:
    """Of a contest whose answers are for programs alone."""
    return reason(
        "no_notation", "", "the contest has no notation for people", "у конкурса нет записи ответов для людей"
    )


def of_parameters(raw: Json, known: AbstractSet[str]) -> Iterator[Reason]:
    """What is wrong with a cycle's parameters before any of them is read: they are no object, or a name is none."""
    if isinstance(raw, Mapping):
        yield from of_names(raw, known)
    else:
        yield reason("not_an_object", "parameters", "the parameters must be an object", "нужен объект")


def of_names(given: Mapping[str, Json], known: AbstractSet[str], where: str = "") -> Iterator[Reason]:
    """Names of parameters that are none, in their order; ``where`` is the path of the object they stand in."""
    for name in sorted(str(name) for name in given.keys() - known):
        path = writable(f"{where}.{name}" if where else name)
        yield reason("unknown_field", path, f"there is no parameter {path}", f"нет параметра {path}")
