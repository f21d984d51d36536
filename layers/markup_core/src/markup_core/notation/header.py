r"""The header of a file in the notation: ``Поле: значение``. The grammar is in :mod:`markup_core.notation.notation`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from markup_core.model import Markup
from markup_core.notation.source import Source
from markup_core.reading.wire import MalformedInput, decode, short, short_ru

# Names of the header and the fields of meta they stand for, in the order of the file.
NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Тема": "theme",
        "Класс": "class",
        "Год": "year",
        "Предмет": "subject",
        "Тест": "test",
        "Категория": "category",
        "Эксперт": "expert",
        "Время разметки": "timeMarkup",
        "Повторная проверка": "timeSecondMarkup",
    }
)
_FIELDS: Final = {name.casefold(): field for name, field in NAMES.items()}
_RUSSIAN: Final = {field: name for name, field in NAMES.items()}
_CRITERION: Final = re.compile(r"[KkКк]([1-9][0-9]?)")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,8}")
_JSON: Final = "\\="
_STRING: Final = json.JSONDecoder(strict=True)


def parse_header(source: Source) -> tuple[dict[str, Any], dict[str, int], int]:
    """Meta, criteria and the position where the body begins.

    Clause: MS §1.1 notation
    """
    meta: dict[str, Any] = {}
    criteria: dict[str, int] = {}
    for start, line in _lines(source):
        if not line:
            return meta, criteria, source.text.index("\n", start) + 1
        name, literal, value_at = _name(source, start, line)
        value = _value(source, line[value_at - start :], value_at)
        if (criterion := None if literal else _CRITERION.fullmatch(name)) is not None:
            if value == "":  # a form's empty cell
                continue
            target: dict[str, Any] = criteria
            key, value = f"K{criterion[1]}", _points(source, name, value, value_at)
        else:
            target, key = meta, name if literal else _field(source, name, start)
            if key == "year" and isinstance(value, _Plain) and _NUMBER.fullmatch(value):
                value = int(value)
        if key in target:
            message = f"the field {short(name)} stands twice in the header"
            raise source.error(message, f"поле {short_ru(name)} стоит в заголовке дважды", start)
        target[key] = str(value) if isinstance(value, _Plain) else value
    message = "an empty line is expected between the header and the text"
    raise source.error(message, "между заголовком и текстом нужна пустая строка", len(source.text))


class _Plain(str):
    """A value written as it is, not as JSON."""

    __slots__ = ()


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """Start and content of each line, without its end."""
    start = 0
    while (end := source.text.find("\n", start)) >= 0:
        yield start, source.text[start:end].removesuffix("\r")
        start = end + 1
    if start < len(source.text):
        yield start, source.text[start:]


def _name(source: Source, start: int, line: str) -> tuple[str, bool, int]:
    """The name of a line, whether it was written as JSON, and the position after its colon."""
    if not line.startswith(_JSON):
        name, colon, _ = line.partition(":")
        if not colon:
            message = "a header line «Поле: значение» or the empty line before the text is expected"
            raise source.error(
                message, "нужна строка заголовка «Поле: значение» или пустая строка перед текстом", start
            )
        return name.strip(), False, start + len(name) + 1
    at = len(_JSON)
    try:
        name, end = _STRING.raw_decode(line, at) if line.startswith('"', at) else ("", 0)
    except ValueError:
        end = 0
    colon_at = end + len(line[end:]) - len(line[end:].lstrip())
    if not end or not line.startswith(":", colon_at):
        message = "after \\= the name of the field is expected as a JSON string, then a colon"
        raise source.error(message, "после \\= нужно имя поля строкой JSON, затем двоеточие", start + at)
    return name, True, start + colon_at + 1


def _value(source: Source, written: str, position: int) -> Any:
    value = written.strip()
    if not value.startswith(_JSON):
        return _Plain(value)
    at = position + len(written) - len(written.lstrip()) + len(_JSON)
    try:
        return decode(value[len(_JSON) :])
    except MalformedInput as error:
        message, russian = f"after \\= a JSON value is expected: {error.message}", "после \\= нужно значение JSON"
        raise source.error(message, russian, at + max(error.column - 1, 0)) from None


def _points(source: Source, name: str, value: Any, position: int) -> int:
    if isinstance(value, _Plain) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"the criterion {name} is a whole number, not {short(value)}"
    raise source.error(message, f"критерий {name} — целое число, а не {short_ru(value)}", position)


def _field(source: Source, name: str, position: int) -> str:
    known = _FIELDS.get(name.casefold())
    if known is not None:
        return known
    if not _IDENTIFIER.fullmatch(name):
        fields = f"{', '.join(NAMES)}, К1 … К12"
        message = f"{short(name)} is no header field; the fields are {fields}"
        raise source.error(message, f"поля {short_ru(name)} в заголовке нет; есть поля {fields}", position)
    return name


def render_header(markup: Markup) -> str:
    """The lines of the header, each with its line end.

    Clause: MS §1.1 round trip
    """
    meta = markup.meta
    first = {field: meta[field] for field in _RUSSIAN if field in meta}
    lines = [f"{_RUSSIAN[field]}:{_written(value, number=field == 'year')}\n" for field, value in first.items()]
    for name, points in markup.criteria.items():
        number = _CRITERION.fullmatch(name)
        if number is None:
            raise ValueError(f"a criterion is K1, K2 …, not {short(name)}")
        lines.append(f"К{number[1]}:{_written(points, number=True)}\n")
    for field, value in meta.items():
        if field not in first:
            plain = _IDENTIFIER.fullmatch(field) and not _CRITERION.fullmatch(field)
            lines.append(f"{field if plain else _JSON + _dumped(field)}:{_written(value)}\n")
    return "".join(lines)


def _written(value: Any, *, number: bool = False) -> str:
    """The value after the colon, with the blank that sets it off; an empty string is nothing.

    ``number``: a plain whole number stands for a number here, so that the string of its digits is written as JSON.
    """
    if isinstance(value, str):
        plain = value == value.strip() and not value.startswith(_JSON) and "\n" not in value and "\r" not in value
        plain = plain and not (number and _NUMBER.fullmatch(value))
    else:
        plain = number and type(value) is int and _NUMBER.fullmatch(str(value)) is not None
    if plain:
        return f" {value}" if value != "" else ""
    return f" {_JSON}{_dumped(value)}"


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
