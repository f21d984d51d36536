"""``references.csv``: what is known of the patients of a folder of epicrises (tracks-sessions D-0).

A line per epicrisis under a line of names, with commas or semicolons between. ``no`` is the epicrisis' number;
``nosology`` may stand beside it, as the files' names have it, and must where two epicrises share a number. Of the
semifinal and the final ``ill`` (1, true, да; 0, false, нет), ``complications`` and ``comorbidities``, ICD-10 codes with
blanks or ``|`` between, or whichever of comma and semicolon does not part the fields. Of the selection stage ``code``,
the one code that is right.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from markup_core.reading.wire import short, short_ru, writable
from tracks.diagnosis.answers import SECONDARY
from tracks.diagnosis.nosologies import base_part
from tracks.own_files import Unpacking
from tracks.protocol import Json, Text

NAME: Final = "references.csv"
_COLUMNS: Final = frozenset({"no", "nosology", "ill", "code", *SECONDARY})
_WORDS: Final[Mapping[str, bool]] = {"1": True, "true": True, "да": True, "0": False, "false": False, "нет": False}
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_BETWEEN: Final = re.compile(r"[\s,;|]+")
_CODE: Final = re.compile(r"[A-Z][0-9]{2}")

Key = tuple[str | None, int]
"""An epicrisis: its nosology, None where a line names none, and its number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line: its number in the file, and its fields by the names of their columns."""

    line: int
    fields: Mapping[str, str]


def read(made: Unpacking, body: bytes, nosology_of: Callable[[str], str | None]) -> dict[Key, Row]:
    """The lines by their epicrises. Faults of the form are told to ``made``."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = Text(en=f"not UTF-8 at byte {error.start}", ru=f"не UTF-8, начиная с байта {error.start}")
        made.refuse("not_utf8", said, NAME)
        return {}
    head = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in head else ",", strict=True)
    found: dict[Key, Row] = {}
    try:
        columns = [each.strip().lower() for each in next(lines, [])]
        if not _has_columns(made, columns):
            return {}
        for fields in lines:
            if any(each.strip() for each in fields):
                _add(made, found, Row(lines.line_num, _named(columns, fields)), nosology_of)
    except csv.Error as error:
        said = Text(en=f"not CSV: {error}", ru=f"не CSV: {error}")
        made.refuse("malformed_csv", said, NAME, {"line": lines.line_num})
    return found


def _has_columns(made: Unpacking, columns: list[str]) -> bool:
    unknown = sorted({each for each in columns if each not in _COLUMNS})
    twice = len(set(columns)) < len(columns)
    if "no" not in columns or unknown or twice:
        named = ", ".join(sorted(_COLUMNS))
        said = Text(
            en=f"the first line names columns of {named}, no among them, each once, not {short(', '.join(columns))}",
            ru=f"в первой строке названия столбцов из {named}, каждое один раз, и no среди них",
        )
        made.refuse("wrong_columns", said, NAME, {"line": 1})
        return False
    return True


def _named(columns: list[str], fields: list[str]) -> dict[str, str]:
    """Fields by their columns; ``""`` holds what stands behind the last column, blanks too."""
    named = {name: each.strip() for name, each in zip(columns, fields, strict=False)}
    more = "".join(fields[len(columns) :])
    return {**named, **({"": more} if len(fields) > len(columns) else {})}


def _add(made: Unpacking, found: dict[Key, Row], row: Row, nosology_of: Callable[[str], str | None]) -> None:
    place = {"line": row.line}
    number, word = row.fields.get("no", ""), row.fields.get("nosology", "")
    if "" in row.fields:
        said = Text(en="more fields than columns", ru="полей больше, чем столбцов")
        made.refuse("too_many_fields", said, NAME, place)
    if not _NUMBER.fullmatch(number):
        said = Text(
            en=f"no must be a whole number, not {short(number)}", ru=f"no: нужно целое число, а не {short_ru(number)}"
        )
        made.refuse("wrong_number", said, NAME, place)
        return
    nosology = nosology_of(word) if word else None
    if word and nosology is None:
        said = Text(en=f"there is no nosology {short(word)}", ru=f"нет нозологии {short_ru(word)}")
        made.refuse("unknown_nosology", said, NAME, place)
        return
    key = nosology, int(number)
    if key in found:
        first = found[key].line
        said = Text(en=f"line {first} is of this epicrisis already", ru=f"об этом эпикризе есть строка {first}")
        made.refuse("repeated_line", said, NAME, place)
    else:
        found[key] = row


def reference(made: Unpacking, row: Row, stage: str) -> Json:
    """A line as a reference of an item of this stage. Faults are told to ``made``."""
    if stage == "selection":
        return {"code": _one_code(made, row)}
    word = row.fields.get("ill", "").lower()
    if word not in _WORDS:
        known = ", ".join(_WORDS)
        said = Text(
            en=f"ill must be one of {known}, not {short(word)}", ru=f"ill: допустимы {known}, а не {short_ru(word)}"
        )
        made.refuse("wrong_ill", said, NAME, {"line": row.line, "field": "ill"})
    lists = {name: list(_codes(made, row, name)) for name in SECONDARY}
    return {"ill": _WORDS.get(word, False), **lists}


def _one_code(made: Unpacking, row: Row) -> str:
    codes = list(_codes(made, row, "code"))
    if len(codes) == 1:
        return codes[0]
    said = Text(en="the selection stage needs the one right code", ru="для отборочного этапа нужен один верный код")
    made.refuse("missing_code", said, NAME, {"line": row.line, "field": "code"})
    return ""


def _codes(made: Unpacking, row: Row, name: str) -> Iterator[str]:
    for code in filter(None, _BETWEEN.split(row.fields.get(name, ""))):
        if not _CODE.fullmatch(base_part(code)):
            shown = writable(code)
            said = Text(en=f"{name}: {shown} is no code of ICD-10", ru=f"{name}: {shown} — не код МКБ-10")
            made.refuse("wrong_code", said, NAME, {"line": row.line, "field": name})
        yield code
