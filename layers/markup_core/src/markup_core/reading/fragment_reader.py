"""One fragment of untrusted JSON, field by field, with its faults and those of its characters (markup-scoring §1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from operator import lt
from typing import Any, Final

from markup_core.comparable import ERROR, MEANING, fold, lookalike, written_otherwise
from markup_core.model import Fragment
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.wire import Limits, short, writable
from markup_core.texts import Text, tr

_MOST_SUGGESTIONS: Final = 20  # likeness of words is slow to compute


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: a stable code, a sentence, the fragment's id (or number, counted from 1) and the field.

    ``message`` carries its Russian: :func:`markup_core.texts.in_language`.

    ``suggestion``: what was perhaps meant, where something listed is near.
    """

    code: str
    message: Text
    fragment: int | str | None = None
    field: str | None = None
    suggestion: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as JSON (markup-scoring §8.1)."""
        return {"code": self.code, "message": self.message, "fragment": self.fragment, "field": self.field}


class Reading:
    """The state of reading one markup.

    ``table`` is None while the subject is unknown, ``length`` while the text is. ``strings`` gathers every string,
    so that one look finds surrogates in all of them; ``odd`` tells that only the JSON itself knows its size.
    """

    __slots__ = (
        "_suggested",
        "classifier",
        "errors",
        "length",
        "limits",
        "odd",
        "strings",
        "subject",
        "table",
        "warnings",
    )

    def __init__(self, classifier: Classifier, limits: Limits) -> None:
        self.classifier = classifier
        self.limits = limits
        self.errors: list[Fault] = []
        self.warnings: list[Fault] = []
        self.subject = ""
        self.table: Mapping[str, Code] | None = None
        self.length: int | None = None
        self.strings: list[str] = []
        self.odd = False
        self._suggested: dict[str, str | None] = {}

    def error(
        self,
        code: str,
        message: Text,
        field: str | None = None,
        fragment: int | str | None = None,
        suggestion: str | None = None,
    ) -> None:
        """Note an error."""
        self.errors.append(Fault(code, message, fragment, field, suggestion))

    def warn(self, code: str, message: Text, field: str | None = None, fragment: int | str | None = None) -> None:
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
        return tr("fragment {ident}: {message}", ident=short(self.ident), message=message)

    # Clause: MS §1 group
    def read(self) -> Fragment | None:
        """Read the fragment; None when it has an error. Every fault is noted."""
        item = self._item
        if not isinstance(item, dict):
            message = tr("{wanted} is expected, not {value}", wanted=tr("an object"), value=short(item))
            self._error("wrong_type", "selections", message)
            return None
        self._identify(item)
        if not item.keys() <= _KNOWN:
            self._reading.odd = True
            for name in sorted(item.keys() - _KNOWN):
                message = tr("{name} is left out: a fragment has no such field", name=short(name))
                self._warn("unknown_field", writable(name), message)
        code = self._code(item)
        start, end = self._position(item, "startSelection"), self._position(item, "endSelection")
        strings = {name: self._string(item, name) for name in STRINGS}
        self._reading.strings.extend(strings.values())
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
            message = tr("there is no id; it gets the number {number}", number=self._number)
            self._warn("missing_id", "id", message)
        elif isinstance(ident, bool) or not isinstance(ident, (int, str)):
            self._error("wrong_type", "id", _must("id", tr("a number or a string"), ident))
        elif isinstance(ident, str) and SURROGATE.search(ident):
            self._reading.strings.append(ident)  # found and told there; the number names the fragment
        else:
            self.ident = ident

    # Clause: R 2.12, R 2.16, R 2.24, MS §1 faults
    def _code(self, item: dict[str, Any]) -> Code | None:
        name = item.get("type")
        if name is None:
            self._error("missing_field", "type", tr('"type" is missing; it holds the code'))
        elif not isinstance(name, str):
            self._error("wrong_type", "type", _must("type", tr("a string"), name))
        elif self._reading.table is not None:
            code = self._reading.classifier.lookup(self._reading.subject, name)
            if code is None:
                subject, near = self._reading.subject, self._reading.suggestion(name)
                hint = Text("", "") if near is None else tr("; did you mean {near}?", near=near)
                if near is not None and lookalike(name, [near]):
                    hint = tr("; did you mean {near}? {how}", near=near, how=written_otherwise(name, near))
                message = tr(
                    "{name} is no code of the subject {subject}{hint} (markup-core codes {subject} lists them)",
                    name=short(name),
                    subject=subject,
                    hint=hint,
                )
                self._error("unknown_code", "type", message, near)
            return code
        return None

    # Clause: R 2.16, R 2.24
    def _position(self, item: dict[str, Any], field: str) -> int | None:
        value = item.get(field)
        if value is None:
            self._error("missing_field", field, tr('"{field}" is missing', field=field))
        elif isinstance(value, bool) or not isinstance(value, int):
            self._error("wrong_type", field, _must(field, tr("a whole number"), value))
        else:
            return value
        return None

    # Clause: R 2.16
    def _string(self, item: dict[str, Any], field: str) -> str:
        value = item.get(field)
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        self._error("wrong_type", field, _must(field, tr("a string"), value))
        return ""

    # Clause: MS §1 faults
    def _span(self, start: int, end: int, code: Code | None) -> None:
        span = Text(f"{short(start)}, {short(end)}", f"{short(start).ru}, {short(end).ru}")
        if start > end:
            message = tr("the span {span} ends before it starts", span=span)
            self._error("start_after_end", "endSelection", message)
        length = self._reading.length
        if length is not None:
            for field, position in (("startSelection", start), ("endSelection", end)):
                if not 0 <= position <= length:
                    message = tr(
                        '"{field}" is {position}, but the text spans 0 to {length}',
                        field=field,
                        position=short(position),
                        length=length,
                    )
                    self._error("span_outside_text", field, message)
        if start == end != 0:
            message = tr("the span {span} is empty; only 0, 0 may be, for the whole text", span=span)
            self._error("empty_span", "endSelection", message)
        if start == end == 0 and code is not None and not code.full_text:
            message = tr("{code} is not meant for the whole text; 0, 0 counts as full-text", code=code.code)
            self._warn("full_text_not_expected", "startSelection", message)

    # Clause: MS §1 faults
    def _against(self, code: Code, strings: Mapping[str, str], group: object) -> None:
        if not code.knows_subtype(strings["subtype"]):
            subtypes, alike = ", ".join(code.subtypes), lookalike(strings["subtype"], code.subtypes)
            how = Text("", "") if alike is None else tr(" ({how})", how=written_otherwise(strings["subtype"], alike))
            message = tr(
                "{code} lists {known}, not {subtype}{how}",
                code=code.code,
                known=tr("the subtypes {names}", names=subtypes) if subtypes else tr("no subtypes"),
                subtype=short(strings["subtype"]),
                how=how,
            )
            self._warn("unknown_subtype", "subtype", message)
        if strings["correction"].strip() and not code.correction:
            message = tr("{code} takes no correction", code=code.code)
            self._warn("correction_not_expected", "correction", message)
        if group not in (None, "") and group != code.group:
            named = group in (MEANING, ERROR)
            message = tr(
                "{code} belongs to {group}, not {other}",
                code=code.code,
                group=Text(code.group, short(code.group).ru),
                other=Text(str(group), short(group).ru) if named else short(group),
            )
            self._warn("group_corrected", "group", message)


def _must(field: str, allowed: Text, value: object) -> Text:
    return tr('"{field}" must be {allowed}, not {value}', field=field, allowed=allowed, value=short(value))


def find_surrogates(reading: Reading, meta: dict[str, Any], text: str, items: list[Any]) -> None:
    """Report every string of a markup that no UTF-8 file can hold, with its place."""
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
    message = tr(
        "character {match} of {field} is half of a surrogate pair {half}; send whole characters",
        match=match.start(),
        field=short(field),
        half=half,
    )
    if fragment is not None:
        message = tr("fragment {ident}: {message}", ident=short(fragment), message=message)
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
    message = tr(
        "the text differs from the essay's from character {place} on: {ours} instead of {theirs} ({length} "
        "and {essay} code points)",
        place=place,
        ours=short(ours),
        theirs=short(theirs),
        length=len(text),
        essay=len(essay),
    )
    why = _cause(text, essay)
    return message if why is None else tr("{message}; {why}", message=message, why=why)


def _cause(text: str, essay: str) -> Text | None:
    """Guess the change that a tool has made to the text."""
    if text.replace("\r\n", "\n") == essay.replace("\r\n", "\n"):
        return tr("the line ends were changed")
    if text.strip() == essay.strip():
        return tr("blanks at the ends were added or removed")
    if text.removeprefix("\ufeff") == essay:
        return tr("a byte-order mark was added")
    if unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", essay):
        return tr("the characters were composed or decomposed (Unicode normalisation)")
    return None


# Clause: MS §1 faults
def are_plain(columns: Sequence[tuple[Any, ...]], classifier: Classifier, subject: str, length: int) -> bool:
    """Return whether fragments are right in every field: codes of the subject, spans in a text of that length.

    It looks at all of them at once; what is not plainly right is read field by field (:class:`FragmentReader`).

    ``columns``: their fields in the order of :class:`markup_core.model.Fragment`, of one fragment or more, and each
    of the right type by now. Linear.
    """
    starts, ends, codes, subtypes, _, _, corrections, _, groups, _ = columns
    used = zip(codes, subtypes, groups, map(bool, corrections), strict=True)
    if not classifier.usual(subject).issuperset(used):
        table = classifier.table(subject)
        if not all(map(partial(_is_listed, table), codes, subtypes, groups, corrections)):
            return False
    if min(starts) < 0 or max(ends) > length:
        return False
    return all(map(lt, starts, ends)) or all(
        start < end or (start == end == 0 and _entry(classifier.table(subject), code).full_text)
        for start, end, code in zip(starts, ends, codes, strict=True)
    )


def _is_listed(table: Mapping[str, Code], code: str, subtype: str, group: str, correction: str) -> bool:
    """Return whether the classifier lists the code, in any letter case, with all that stands beside it."""
    entry = _entry(table, code)
    return (
        entry is not None
        and group == entry.group
        and (entry.correction or not correction)
        and entry.knows_subtype(subtype)
    )


def _entry(table: Mapping[str, Code], code: str) -> Any:
    return table.get(code) or table.get(code.casefold())
