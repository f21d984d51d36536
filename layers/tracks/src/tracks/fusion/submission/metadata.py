"""``metadata.json`` of a submission: the image it runs in and the command that runs it (F, "Общий формат решения").

Codes: those of :class:`markup_core.reading.wire.MalformedInput` under ``malformed_json``, ``not_an_object``,
``missing_field``, ``not_a_string``, ``empty_value``, ``bad_image``, ``bad_command``; warning: ``unknown_field``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from markup_core.reading.wire import Limits, MalformedInput, decode, short, short_ru
from tracks.protocol import Reason, Text
from tracks.reasons import of_json, reason

NAME: Final = "metadata.json"
MAX_BYTES: Final = 64 * 1024
"""Of the file; two strings need no more."""
_FIELDS: Final = ("image", "entry_point")
_LIMITS: Final = Limits(max_bytes=MAX_BYTES)
_IMAGE: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?/)?"  # a registry
    r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
_MOST_IMAGE: Final = 512
_MOST_COMMAND: Final = 4096
"""Characters of a command; a longer one belongs into a script of the archive."""
_TOO_LONG: Final = f"more than {_MOST_COMMAND} characters"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a submission says about how to run it."""

    image: str
    entry_point: str


def read_metadata(content: bytes) -> tuple[Metadata | None, tuple[Reason, ...], tuple[Reason, ...]]:
    """The metadata, why it cannot be used, and what was ignored; None exactly when there are reasons.

    Clause: F metadata
    """
    try:
        raw = decode(content, _LIMITS)
    except MalformedInput as error:
        return None, (_malformed(error),), ()
    if not isinstance(raw, dict):
        return None, (_not_an_object(raw),), ()
    reasons = tuple(fault for name in _FIELDS for fault in _faults(raw, name))
    warnings = tuple(
        reason("unknown_field", name, f"the field {short(name)} is ignored", f"поле {short_ru(name)} пропущено")
        for name in sorted(raw.keys() - set(_FIELDS))
    )
    return None if reasons else Metadata(raw["image"], raw["entry_point"]), reasons, warnings


def _faults(raw: Mapping[str, Any], name: str) -> list[Reason]:
    if name not in raw:
        return [reason("missing_field", name, f"there is no field {name}", f"нет поля {name}")]
    value = raw[name]
    if not isinstance(value, str):
        en, ru = f"{name} must be a string, not {short(value)}", f"{name}: нужна строка, а не {short_ru(value)}"
        return [reason("not_a_string", name, en, ru)]
    if not value.strip():
        return [reason("empty_value", name, f"{name} is empty", f"{name}: пустое значение")]
    return _image_faults(value) if name == "image" else _command_faults(value)


def _image_faults(image: str) -> list[Reason]:
    if len(image) <= _MOST_IMAGE and _IMAGE.fullmatch(image):
        return []
    en = f"image must be the name of a container image such as registry.example/team/model:1, not {short(image)}"
    ru = f"image: нужно имя образа, например registry.example/team/model:1, а не {short_ru(image)}"
    return [reason("bad_image", "image", en, ru)]


def _command_faults(command: str) -> list[Reason]:
    problem = _unwritable(command) or _unsplittable(command)
    if problem is None:
        return []
    russian = {
        "control characters": "управляющие символы",
        "half of a surrogate pair": "половина суррогатной пары",
        _TOO_LONG: f"больше {_MOST_COMMAND} знаков",
        "no closing quotation": "кавычка не закрыта",
    }
    en = f"entry_point must be one line of command: {problem}"
    ru = f"entry_point: нужна команда в одну строку: {russian.get(problem, problem)}"
    return [reason("bad_command", "entry_point", en, ru)]


def _unwritable(command: str) -> str | None:
    """Return why a command cannot be given to a machine."""
    if len(command) > _MOST_COMMAND:
        return _TOO_LONG
    if any("\ud800" <= character <= "\udfff" for character in command):
        return "half of a surrogate pair"
    return "control characters" if _CONTROL.search(command) else None


def _unsplittable(command: str) -> str | None:
    try:
        shlex.split(command)
    except ValueError as error:
        return str(error).lower()
    return None


def _malformed(error: MalformedInput) -> Reason:
    told = of_json(error)
    message = Text(en=f"{NAME} is no JSON: {told.message.en}", ru=f"{NAME} — не JSON: {told.message.ru}")
    return replace(told, message=message)


def _not_an_object(raw: Any) -> Reason:
    en, ru = f"{NAME} must be an object, not {short(raw)}", f"{NAME}: нужен объект, а не {short_ru(raw)}"
    return reason("not_an_object", NAME, en, ru)
