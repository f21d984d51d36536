"""Gold edits in a table, an edit a row, as the concentrated data set is published (tracks-sessions G-1; G, footnote 1).

**Decision**: the source names the six fields of an edit and no column of the published table, so the organizer says
which column is which: ``NAME.columns.json`` beside ``NAME.csv`` or ``NAME.tsv``::

    {"columns": {"text": "context", "start": "from", "end": "to", "correction": "answer", "type": "error",
                 "source": "corpus", "id": "doc", "detection": "needed to find", "correction_needs": "needed to mend",
                 "scope": "kind", "distance": "far", "direction": "side"},
     "values": {"yes": "1", "no": "0", "clause": "межклаузальный", "sentence": "межфразовый", "left": "слева",
                "right": "справа", "either": "с любой стороны", "both": "с обеих сторон"},
     "sentences": " ⏎ "}

``columns``: :data:`NEEDED` and the six fields must be named, ``id`` and ``source`` may be. Rows with one ``id`` are one
text; without the column, rows with one text are. ``values`` are the table's words for ours, one or a list; what is not
named is the word itself. ``sentences`` parts the sentences of a text, a line's end where it is not said. A row that
needs its context neither to find the error nor to mend it is a gold edit like any other. ``distance`` holds for both
sides where the context may lie, or lies, on both.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tracks.gec.concentrated import Direction, Scope
from tracks.protocol import Json, Reason, Text

COLUMNS: Final = ".columns.json"
SEPARATORS: Final[Mapping[str, str]] = {".csv": ",", ".tsv": "\t"}
NEEDED: Final = ("text", "start", "end", "correction", "type")
SIX: Final = ("detection", "correction_needs", "scope", "distance", "direction")
"""Beside the type, which is the sixth of G."""
_MAY: Final = ("id", "source")
_WORDS: Final = ("yes", "no", *(each.value for each in Scope), *(each.value for each in Direction))
_KNOWN: Final = frozenset({"columns", "values", "sentences"})


@dataclass(frozen=True, slots=True)
class Mapped:
    """An organizer's description of a table."""

    columns: Mapping[str, str]
    words: Mapping[str, str]
    """Ours by the table's."""
    sentences: str


def read_mapping(raw: Json) -> tuple[Mapped | None, tuple[Reason, ...]]:
    """A table's description, or everything that is wrong with it.

    Clause: TS G-1
    """
    if not isinstance(raw, dict) or not raw.keys() <= _KNOWN or not isinstance(raw.get("columns"), dict):
        said = Text(
            '{"columns": {…}, "values": {…}, "sentences": "…"} is needed',
            'нужно {"columns": {…}, "values": {…}, "sentences": "…"}',
        )
        return None, (Reason("wrong_form", said, {}),)
    columns, values = raw["columns"], raw.get("values", {})
    faults = [*_column_faults(columns), *_value_faults(values)]
    parting = raw.get("sentences", "\n")
    if not isinstance(parting, str) or not parting:
        said = Text("sentences must be what parts sentences, a string", "sentences: нужна строка между предложениями")
        faults.append(Reason("wrong_type", said, {"field": "sentences"}))
    if faults:
        return None, tuple(faults)
    words = {word: ours for ours, given in values.items() for word in ([given] if isinstance(given, str) else given)}
    return Mapped(columns, dict(zip(_WORDS, _WORDS, strict=True)) | words, parting), ()


def _column_faults(columns: Mapping[str, Any]) -> Iterator[Reason]:
    for name in (*NEEDED, *SIX):
        if name not in columns:
            said = Text(f"columns does not say which column is {name}", f"columns: не сказано, какой столбец {name}")
            yield Reason("missing_column", said, {"field": f"columns.{name}"})
    for name, column in columns.items():
        if name not in (*NEEDED, *SIX, *_MAY) or not isinstance(column, str):
            known = ", ".join((*NEEDED, *SIX, *_MAY))
            said = Text(f"columns maps {known} to columns' names", f"columns: именам {known} соответствуют столбцы")
            yield Reason("unknown_field", said, {"field": f"columns.{name}"})


def _value_faults(values: Json) -> Iterator[Reason]:
    named = values.items() if isinstance(values, dict) else (("", None),)
    for name, given in named:
        listed = [given] if isinstance(given, str) else given
        if name not in _WORDS or not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            known = ", ".join(_WORDS)
            said = Text(
                f"values maps {known} to words of the table", f"values: именам {known} соответствуют слова таблицы"
            )
            yield Reason("unknown_field", said, {"field": f"values.{name}" if name else "values"})


def read_table(
    body: bytes, separator: str, mapped: Mapped, stem: str
) -> Iterator[tuple[int, Json, tuple[Reason, ...]]]:
    """The texts of a table in the gold JSON form (:mod:`tracks.gec.gold`), each with its first line's number.

    Texts come in the order of their first rows; a text without an ``id`` is ``STEM-NUMBER``. Linear in the rows.

    Clause: TS G-1, G data
    """
    texts: dict[str, tuple[int, dict[str, Json]]] = {}
    faults: list[tuple[int, Reason]] = []
    try:
        table = io.StringIO(body.decode("utf-8-sig"), newline="")
        reader = csv.DictReader(table, delimiter=separator, strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        said = Text(f"this is no table in UTF-8: {error}", f"это не таблица в UTF-8: {error}")
        yield 1, None, (Reason("malformed_table", said, {}),)
        return
    absent = [each for each in mapped.columns.values() if each not in (reader.fieldnames or ())]
    for column in absent:
        said = Text(f"the table has no column {column}", f"в таблице нет столбца {column}")
        faults.append((1, Reason("missing_column", said, {"field": column})))
    for number, row in rows:
        if None in row:
            count = len(reader.fieldnames or ())
            said = Text(
                f"the row has {count + len(row[None])} cells for {count} columns",
                f"ячеек в строке больше, чем столбцов: {count + len(row[None])} и {count}",
            )
            faults.append((number, Reason("too_many_fields", said, {})))
    for number, row in rows if not absent else ():
        value = {name: (row[column] or "").strip() for name, column in mapped.columns.items()}
        edit, wrong = _edit(value, mapped)
        faults += [(number, each) for each in wrong]
        name = value.get("id") or value["text"]
        line, item = texts.setdefault(name, (number, _text(value, mapped, f"{stem}-{len(texts) + 1:05}")))
        if item["sentences"] != _sentences(value["text"], mapped):
            said = Text(f"{name} has another text in line {line}", f"у {name} в строке {line} другой текст")
            faults.append((number, Reason("another_text", said, {"field": mapped.columns["text"]})))
        item["edits"].append(edit)
    yield from ((line, None, (fault,)) for line, fault in faults)
    yield from ((line, item, ()) for line, item in texts.values() if not faults)


def _text(value: Mapping[str, str], mapped: Mapped, name: str) -> dict[str, Json]:
    source = {"source": value["source"]} if value.get("source") else {}
    return {"id": value.get("id") or name, **source, "sentences": _sentences(value["text"], mapped), "edits": []}


def _sentences(text: str, mapped: Mapped) -> list[str]:
    return [" ".join(each.split()) for each in text.split(mapped.sentences)]


def _edit(value: Mapping[str, str], mapped: Mapped) -> tuple[dict[str, Json], list[Reason]]:
    """A row as an edit with its metadata, and what of it is no number or no known word."""
    faults: list[Reason] = []

    def number(name: str) -> int:
        if not (value[name].isascii() and value[name].isdigit()):
            said = Text(f"{value[name]!r} is no whole number", f"«{value[name]}» — не целое число")
            faults.append(Reason("not_a_number", said, {"field": mapped.columns[name]}))
            return 0
        return int(value[name])

    def word(name: str, known: tuple[str, ...]) -> str:
        found = mapped.words.get(value[name])
        if found not in known:
            said = Text(
                f"{value[name]!r} is none of {', '.join(known)}; values names the table's words",
                f"«{value[name]}» — не {', '.join(known)}; слова таблицы называет values",
            )
            faults.append(Reason("unknown_word", said, {"field": mapped.columns[name]}))
            return known[0]
        return found

    edit: dict[str, Json] = {name: number(name) for name in ("start", "end")}
    edit |= {"correction": " ".join(value["correction"].split()), "type": value["type"]}
    needs = {ours: word(name, ("yes", "no")) == "yes" for ours, name in (("detection", SIX[0]), ("correction", SIX[1]))}
    edit["context_dependent"] = any(needs.values())
    if edit["context_dependent"]:
        direction, distance = word("direction", tuple(each.value for each in Direction)), number("distance")
        edit["context"] = {
            **needs,
            "scope": word("scope", tuple(each.value for each in Scope)),
            "direction": direction,
            "left": 0 if direction == Direction.RIGHT.value else distance,
            "right": 0 if direction == Direction.LEFT.value else distance,
        }
    return edit, faults
