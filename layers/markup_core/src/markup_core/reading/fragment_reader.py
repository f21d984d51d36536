"""One fragment of untrusted JSON, field by field, with its faults and those of its characters (markup-scoring §1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from markup_core.comparable import lookalike, written_otherwise
from markup_core.model import ERROR, MEANING, Fragment, fold
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.wire import Limits, short, short_ru, writable
from markup_core.texts import Text, in_language

_MOST_SUGGESTIONS: Final = 20  # likeness of words is slow to compute


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: a stable code, a sentence, the fragment's id (or number, counted from 1) and the field.

    ``message`` carries its Russian: :func:`markup_core.texts.in_language`.

    ``suggestion``: what was perhaps meant, where something listed is near.
    """

    code: str
    message: str
    fragment: int | str | None = None
    field: str | None = None
    suggestion: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as JSON (markup-scoring §8.1)."""
        return {"code": self.code, "message": self.message, "fragment": self.fragment, "field": self.field}


class Reading:
    """The state of reading one markup.

    ``table`` is None while the subject is unknown, ``length`` while the text is. ``written`` gathers every string,
    so that one look finds surrogates in all of them; ``odd`` tells that only the JSON itself knows its size.
    """

    __slots__ = (
        "_suggested",
        "classifier",
        "errors",
        "length",
        "limits",
        "odd",
        "subject",
        "table",
        "warnings",
        "written",
    )

    def __init__(self, classifier: Classifier, limits: Limits) -> None:
        self.classifier = classifier
        self.limits = limits
        self.errors: list[Fault] = []
        self.warnings: list[Fault] = []
        self.subject = ""
        self.table: Mapping[str, Code] | None = None
        self.length: int | None = None
        self.written: list[str] = []
        self.odd = False
        self._suggested: dict[str, str | None] = {}

    def error(
        self,
        code: str,
        message: str,
        field: str | None = None,
        fragment: int | str | None = None,
        suggestion: str | None = None,
    ) -> None:
        """Note an error."""
        self.errors.append(Fault(code, message, fragment, field, suggestion))

    def warn(self, code: str, message: str, field: str | None = None, fragment: int | str | None = None) -> None:
        """Note a warning."""
        self.warnings.append(Fault(code, message, fragment, field))

    def suggestion(self, code: str) -> str | None:
        """Return the listed code that was perhaps meant; None where none is near."""
        if len(code) > 40 or self.table is None:
            return None
        if code not in self._suggested and len(self._suggested) < _MOST_SUGGESTIONS:
            names = {fold(listed.code): listed.code for listed in self.classifier.codes(self.subject)}
            alike = lookalike(code, names.values())
            near = [] if alike else get_close_matches(fold(code), names, n=1, cutoff=0.7)
            self._suggested[code] = alike or (names[near[0]] if near else None)
        return self._suggested.get(code)


STRINGS: Final = ("subtype", "comment", "explanation", "correction", "tag")
FIELDS: Final = ("startSelection", "endSelection", "type", *STRINGS, "group", "id")
SURROGATE: Final = re.compile("[\ud800-\udfff]")
_KNOWN: Final = frozenset(FIELDS)


class FragmentReader:
    """Examines one fragment that is not plainly right. ``number`` counts the selections from 1."""

    __slots__ = ("_item", "_number", "_reading", "_right", "ident")

    def __init__(self, reading: Reading, number: int, item: object) -> None:
        self._reading = reading
        self._number = number
        self._item = item
        self.ident: int | str = number
        self._right = True

    def _error(self, code: str, field: str | None, message: str, suggestion: str | None = None) -> None:
        self._right = False
        self._reading.error(code, self._here(message), field, self.ident, suggestion)

    def _warn(self, code: str, field: str, message: str) -> None:
        self._reading.warn(code, self._here(message), field, self.ident)

    def _here(self, message: str) -> Text:
        return Text(
            f"fragment {short(self.ident)}: {message}", f"фрагмент {short_ru(self.ident)}: {in_language(message, 'ru')}"
        )

    def read(self) -> Fragment | None:
        """Read the fragment; None when it has an error. Every fault is noted.

        Clause: MS §1 group
        """
        item = self._item
        if not isinstance(item, dict):
            self._error("wrong_type", "selections", _expected("an object", "объект", item))
            return None
        self._identify(item)
        if not item.keys() <= _KNOWN:
            self._reading.odd = True
            for name in sorted(item.keys() - _KNOWN):
                message = Text(
                    f"{short(name)} is left out: a fragment has no such field",
                    f"поле {short_ru(name)} пропущено: у фрагмента такого нет",
                )
                self._warn("unknown_field", writable(name), message)
        code = self._code(item)
        start, end = self._position(item, "startSelection"), self._position(item, "endSelection")
        strings = {name: self._string(item, name) for name in STRINGS}
        self._reading.written.extend(strings.values())
        if start is not None and end is not None:
            self._span(start, end, code)
        if code is not None:
            self._against(code, strings, item.get("group"))
        if not self._right or code is None or start is None or end is None:
            return None
        return Fragment(start, end, item["type"].strip(), **strings, group=code.group, id=self.ident)

    def _identify(self, item: dict[str, Any]) -> None:
        ident = item.get("id")
        if ident is None:
            message = Text(
                f"there is no id; it gets the number {self._number}", f"нет номера; он получит номер {self._number}"
            )
            self._warn("missing_id", "id", message)
        elif isinstance(ident, bool) or not isinstance(ident, (int, str)):
            self._error("wrong_type", "id", _must("id", "a number or a string", "число или строка", ident))
        elif isinstance(ident, str) and SURROGATE.search(ident):
            self._reading.written.append(ident)  # found and told there; the number names the fragment
        else:
            self.ident = ident

    def _code(self, item: dict[str, Any]) -> Code | None:
        """Clause: R 2.12, R 2.16, R 2.24, MS §1 faults"""
        name = item.get("type")
        if name is None:
            self._error(
                "missing_field", "type", Text('"type" is missing; it holds the code', 'нет поля "type" с кодом')
            )
        elif not isinstance(name, str):
            self._error("wrong_type", "type", _must("type", "a string", "строка", name))
        elif self._reading.table is not None:
            code = self._reading.classifier.lookup(self._reading.subject, name)
            if code is None:
                subject, near = self._reading.subject, self._reading.suggestion(name)
                hint = ("", "") if near is None else (f"; did you mean {near}?", f"; возможно, имелся в виду {near}")
                if near is not None and lookalike(name, [near]):
                    how = written_otherwise(name, near)
                    hint = (f"; did you mean {near}? {how}", f"; возможно, имелся в виду {near}: {how.ru}")
                message = Text(
                    f"{short(name)} is no code of the subject {subject}{hint[0]} "
                    f"(markup-core codes {subject} lists them)",
                    f"кода {short_ru(name)} у предмета {subject} нет{hint[1]} (список: markup-core codes {subject})",
                )
                self._error("unknown_code", "type", message, near)
            return code
        return None

    def _position(self, item: dict[str, Any], field: str) -> int | None:
        """Clause: R 2.16, R 2.24"""
        value = item.get(field)
        if value is None:
            self._error("missing_field", field, Text(f'"{field}" is missing', f'нет поля "{field}"'))
        elif isinstance(value, bool) or not isinstance(value, int):
            self._error("wrong_type", field, _must(field, "a whole number", "целое число", value))
        else:
            return value
        return None

    def _string(self, item: dict[str, Any], field: str) -> str:
        """Clause: R 2.16"""
        value = item.get(field)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        self._error("wrong_type", field, _must(field, "a string", "строка", value))
        return ""

    def _span(self, start: int, end: int, code: Code | None) -> None:
        """Clause: MS §1 faults"""
        span, russian = f"{short(start)}, {short(end)}", f"{short_ru(start)}, {short_ru(end)}"
        if start > end:
            message = Text(f"the span {span} ends before it starts", f"отрезок {russian}: конец раньше начала")
            self._error("start_after_end", "endSelection", message)
        length = self._reading.length
        if length is not None:
            for field, position in (("startSelection", start), ("endSelection", end)):
                if not 0 <= position <= length:
                    message = Text(
                        f'"{field}" is {short(position)}, but the text spans 0 to {length}',
                        f'"{field}": {short_ru(position)}, а текст занимает места от 0 до {length}',
                    )
                    self._error("span_outside_text", field, message)
        if start == end != 0:
            message = Text(
                f"the span {span} is empty; only 0, 0 may be, for the whole text",
                f"отрезок {russian} пуст; пустым бывает только 0, 0 — для всего текста",
            )
            self._error("empty_span", "endSelection", message)
        if start == end == 0 and code is not None and not code.full_text:
            message = Text(
                f"{code.code} is not meant for the whole text; 0, 0 counts as full-text",
                f"{code.code} не относят ко всему тексту; 0, 0 считается полнотекстовой ошибкой",
            )
            self._warn("full_text_not_expected", "startSelection", message)

    def _against(self, code: Code, strings: Mapping[str, str], group: object) -> None:
        """Clause: MS §1 faults"""
        if not code.knows_subtype(strings["subtype"]):
            subtypes, alike = ", ".join(code.subtypes), lookalike(strings["subtype"], code.subtypes)
            how = ("", "")
            if alike is not None:
                differs = written_otherwise(strings["subtype"], alike)
                how = (f" ({differs})", f" ({differs.ru})")
            message = Text(
                f"{code.code} lists {subtypes or 'no subtypes'}, not {short(strings['subtype'])}{how[0]}",
                f"у кода {code.code} {'подтипы ' + subtypes if subtypes else 'подтипов нет'}, "
                f"а здесь {short_ru(strings['subtype'])}{how[1]}",
            )
            self._warn("unknown_subtype", "subtype", message)
        if strings["correction"].strip() and not code.correction:
            message = Text(f"{code.code} takes no correction", f"у кода {code.code} исправлений не бывает")
            self._warn("correction_not_expected", "correction", message)
        if group not in (None, "") and group != code.group:
            named = group in (MEANING, ERROR)
            message = Text(
                f"{code.code} belongs to {code.group}, not {group if named else short(group)}",
                f"код {code.code} относится к группе {short_ru(code.group)}, а не {short_ru(group)}",
            )
            self._warn("group_corrected", "group", message)


def _expected(english: str, russian: str, value: object) -> Text:
    return Text(f"{english} is expected, not {short(value)}", f"ожидается {russian}, а не {short_ru(value)}")


def _must(field: str, english: str, russian: str, value: object) -> Text:
    return Text(
        f'"{field}" must be {english}, not {short(value)}', f'"{field}": ожидается {russian}, а не {short_ru(value)}'
    )


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
    match = SURROGATE.search(value) if isinstance(value, str) else None
    if match is None:
        return
    half = f"(\\u{ord(match[0]):04x})"
    message = Text(
        f"character {match.start()} of {short(field)} is half of a surrogate pair {half}; send whole characters",
        f"знак {match.start()} в {short_ru(field)} — половина суррогатной пары {half}; нужны целые знаки",
    )
    if fragment is not None:
        message = Text(f"fragment {short(fragment)}: {message}", f"фрагмент {short_ru(fragment)}: {message.ru}")
    reading.error("lone_surrogate", message, writable(field), fragment)


def leaves(value: object) -> Iterator[object]:
    """Yield keys and single values in a JSON value, without recursion."""
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


def difference(text: str, essay: str) -> Text:
    """Find where a text begins to differ from the essay's, and guess the cause. O(length)."""
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
    return Text(english, russian) if why is None else Text(f"{english}; {why}", f"{russian}; {why.ru}")


def _cause(text: str, essay: str) -> Text | None:
    """Guess the change that a tool has made to the text."""
    if text.replace("\r\n", "\n") == essay.replace("\r\n", "\n"):
        return Text("the line ends were changed", "изменены концы строк")
    if text.strip() == essay.strip():
        return Text("blanks at the ends were added or removed", "в начале или в конце добавлены или убраны пробелы")
    if text.removeprefix("\ufeff") == essay:
        return Text("a byte-order mark was added", "добавлена метка порядка байтов")
    if unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", essay):
        return Text(
            "the characters were composed or decomposed (Unicode normalisation)",
            "составные знаки собраны или разобраны (нормализация Юникода)",
        )
    return None
