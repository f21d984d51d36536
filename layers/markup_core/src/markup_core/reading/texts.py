"""What may be wrong with the characters of a markup: halves of pairs, and a text that is not the essay's."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from markup_core.reading.faults import Reading
from markup_core.reading.fragment_reader import FIELDS, SURROGATE
from markup_core.reading.wire import short, short_ru, writable
from markup_core.said import Said


def find_surrogates(reading: Reading, meta: dict[str, Any], text: str, items: list[Any]) -> None:
    """Tell of every string of a markup that no UTF-8 file can hold, and where it is."""
    _surrogate(reading, text, "text")
    for name, value in meta.items():
        for part in (name, *leaves(value)):
            _surrogate(reading, part, f"meta.{name}")
    for number, item in enumerate(items, start=1):
        if isinstance(item, dict):
            ident = item.get("id")
            named = isinstance(ident, int) or (isinstance(ident, str) and not SURROGATE.search(ident))
            for field in FIELDS:
                _surrogate(reading, item.get(field), field, ident if named else number)


def _surrogate(reading: Reading, value: object, field: str, fragment: int | str | None = None) -> None:
    found = SURROGATE.search(value) if isinstance(value, str) else None
    if found is None:
        return
    half = f"(\\u{ord(found[0]):04x})"
    message = Said(
        f"character {found.start()} of {short(field)} is half of a surrogate pair {half}; send whole characters",
        f"знак {found.start()} в {short_ru(field)} — половина суррогатной пары {half}; нужны целые знаки",
    )
    if fragment is not None:
        message = Said(f"fragment {short(fragment)}: {message}", f"фрагмент {short_ru(fragment)}: {message.russian}")
    reading.error("lone_surrogate", message, writable(field), fragment)


def leaves(value: object) -> Iterator[object]:
    """Keys and single values in a JSON value, without recursion."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        else:
            yield part


def difference(text: str, essay: str) -> Said:
    """Where a text begins to differ from the essay's, and what has perhaps been done to it. O(length)."""
    place = next((i for i, (a, b) in enumerate(zip(text, essay, strict=False)) if a != b), min(len(text), len(essay)))
    ours, theirs = text[place : place + 20], essay[place : place + 20]
    english = (
        f"the text differs from the essay's from character {place} on: {short(ours)} instead of {short(theirs)} "
        f"({len(text)} and {len(essay)} code points)"
    )
    russian = (
        f"текст отличается от текста эссе начиная со знака {place}: {short_ru(ours)} вместо {short_ru(theirs)} "
        f"(знаков {len(text)} и {len(essay)})"
    )
    why = _cause(text, essay)
    return Said(english, russian) if why is None else Said(f"{english}; {why}", f"{russian}; {why.russian}")


def _cause(text: str, essay: str) -> Said | None:
    """What a tool has perhaps done to the text."""
    if text.replace("\r\n", "\n") == essay.replace("\r\n", "\n"):
        return Said("the line ends were changed", "изменены концы строк")
    if text.strip() == essay.strip():
        return Said("blanks at the ends were added or removed", "в начале или в конце добавлены или убраны пробелы")
    if text.removeprefix("\ufeff") == essay:
        return Said("a byte-order mark was added", "добавлена метка порядка байтов")
    if unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", essay):
        return Said(
            "the characters were composed or decomposed (Unicode normalisation)",
            "составные знаки собраны или разобраны (нормализация Юникода)",
        )
    return None
