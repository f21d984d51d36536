"""Untrusted JSON becomes a :class:`Markup`, or a list of everything that is wrong with it (markup-scoring §1).

Errors (the markup is not scored):

===================== ==============================================================================
``not_an_object``     the markup is no JSON object
``missing_field``     a required field is absent: meta, meta.subject, selections, text, type, positions
``wrong_type``        a field holds another kind of value than it may
``lone_surrogate``    a string holds half of a surrogate pair, which no UTF-8 file can hold
``not_finite``        a number is NaN or infinite
``too_deep``          a value in meta is nested too deep
``too_big``           the JSON takes more bytes than the limit
``text_too_long``     the text has more code points than the limit
``too_many_fragments`` there are more fragments than the limit
``text_differs``      the text is not the essay's
``unknown_subject``   the classifier does not know the subject
``unknown_code``      the classifier does not know the code for the subject
``start_after_end``   a span ends before it starts
``span_outside_text`` a span does not lie in the text
``empty_span``        a span is empty elsewhere than at 0, 0
===================== ==============================================================================

Warnings (the markup is scored):

=========================== ========================================================================
``unknown_subtype``         the classifier does not list the subtype; experts may coin one
``correction_not_expected`` the code takes no correction
``full_text_not_expected``  0, 0 with a code that is not flagged full_text: counts as full-text
``group_corrected``         the group differed from the code's
``duplicate_id``            two fragments carry one id
``missing_id``              a fragment has no id: it gets its number, counted from 1
``unknown_field``           a field that a markup does not have is left out
``criteria_ignored``        supplied criteria that are no whole numbers under K1, K2 … are left out
=========================== ========================================================================

A fault names its fragment by the id, or by its number in the file, counted from 1, where there is no usable id.
Nothing here raises on any value that a JSON reader can produce.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from markup_core.model import Fragment, Markup, fold
from markup_core.reading.classifier import Classifier, Code
from markup_core.reading.faults import Fault, Reading
from markup_core.reading.fragment_reader import FIELDS, SURROGATE, FragmentReader
from markup_core.reading.wire import DEFAULT_LIMITS, Limits, MalformedInput, decode, depth, dump, short, writable

__all__ = [
    "Fault",
    "InvalidMarkup",
    "Limits",
    "MalformedInput",
    "Validation",
    "decode",
    "dump",
    "load",
    "validate",
]

_TOP_FIELDS: Final = frozenset({"meta", "criteria", "criterias", "selections", "text"})
_take: Final = itemgetter(*FIELDS)
_fragment: Final = partial(tuple.__new__, Fragment)
"""A fragment of its fields, which ``FIELDS`` names in a fragment's own order."""

# Fields of meta that the contest publishes: single values. Some files number what others name, so numbers pass.
_META_TEXTS: Final = frozenset(
    {
        *("id", "uuid", "name", "theme", "taskText", "class", "year", "test"),
        *("category", "expert", "timeMarkup", "timeSecondMarkup"),
    }
)
_CRITERION: Final = re.compile(r"[KkКк]([1-9][0-9]?)")  # Latin or Cyrillic, as files have it


@dataclass(frozen=True, slots=True)
class Validation:
    """All faults of a markup, and the markup itself when none of them is an error."""

    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    markup: Markup | None


class InvalidMarkup(ValueError):  # noqa: N818  the name says what the markup is; callers read it so
    """A markup with errors; ``errors`` lists all of them."""

    def __init__(self, errors: tuple[Fault, ...]) -> None:
        more = f" (and {len(errors) - 3} more)" if len(errors) > 3 else ""
        super().__init__("; ".join(fault.message for fault in errors[:3]) + more)
        self.errors = errors


def validate(
    raw: object,
    *,
    classifier: Classifier | None = None,
    essay_text: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Validation:
    """Judge a decoded JSON value as a markup and list all its faults.

    ``classifier``: the cycle's, by default the contest's own. ``essay_text``: the text the markup must carry, code
    point for code point. Of more than ``limits.max_fragments`` fragments only the first so many are looked at.
    Linear in the size; fragments without a fault take a short way.
    """
    reading = Reading(classifier or Classifier.default(), limits)
    markup = _read(reading, raw, essay_text)
    errors = tuple(reading.errors)
    return Validation(errors, tuple(reading.warnings), None if errors else markup)


def load(
    raw: object,
    *,
    classifier: Classifier | None = None,
    essay_text: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Markup:
    """The markup of a decoded JSON value; raises :class:`InvalidMarkup` with every error. See :func:`validate`."""
    result = validate(raw, classifier=classifier, essay_text=essay_text, limits=limits)
    if result.markup is None:
        raise InvalidMarkup(result.errors)
    return result.markup


def _read(reading: Reading, raw: object, essay_text: str | None) -> Markup | None:
    if not isinstance(raw, dict):
        reading.error("not_an_object", f"a markup is a JSON object, not {short(raw)}")
        return None
    if not raw.keys() <= _TOP_FIELDS:
        reading.odd = True
        for name in sorted(raw.keys() - _TOP_FIELDS):
            message = f"{short(name)} is left out: a markup has no such field"
            reading.warn("unknown_field", message, writable(name))
    meta = _meta(reading, raw.get("meta"))
    text = _text(reading, raw.get("text"), essay_text)
    items = _items(reading, raw.get("selections"))
    fragments = _fragments(reading, items)
    criteria = _criteria(reading, raw)
    _check_ids(reading, fragments)
    _check_size(reading, raw, len(items) + len(meta))
    try:
        "".join(reading.written).encode("utf-16-le")  # finds surrogates as UTF-8 does, and sooner
    except UnicodeEncodeError:
        _surrogates(reading, meta, text, items)
    return Markup(text, tuple(fragments), MappingProxyType(meta), MappingProxyType(criteria))


def _meta(reading: Reading, meta: object) -> dict[str, Any]:
    """Clause: MS §1 JSON"""
    if not isinstance(meta, dict):
        _absent(reading, "meta", meta, "an object")
        return {}
    written = reading.written
    for name, value in meta.items():
        if type(value) is str:
            written.append(value)
        elif value is not None and type(value) is not int:
            _meta_value(reading, name, value)
    written.extend(meta)
    _subject(reading, meta.get("subject"))
    return dict(meta)


def _meta_value(reading: Reading, name: str, value: object) -> None:
    field = f"meta.{name}"
    if name in _META_TEXTS and (isinstance(value, bool) or not isinstance(value, (int, float))):
        reading.error("wrong_type", f"{short(field)} must be a string or a number, not {short(value)}", writable(field))
        return
    if isinstance(value, (dict, list)):
        reading.odd = True
        most = reading.limits.max_depth
        if depth(value, most) > most:
            reading.error("too_deep", f"{short(field)} is nested deeper than {most} levels", writable(field))
            return
    for part in _leaves(value):
        if isinstance(part, str):
            reading.written.append(part)
        elif isinstance(part, float) and not math.isfinite(part):
            reading.error("not_finite", f"{short(field)} holds {part}, which is no JSON number", writable(field))


def _subject(reading: Reading, subject: object) -> None:
    field = "meta.subject"
    if subject is None or subject == "":
        reading.error("missing_field", f'"{field}" is missing; it chooses the classifier', field)
    elif not isinstance(subject, str):
        reading.error("wrong_type", f'"{field}" must be a string, not {short(subject)}', field)
    elif not reading.classifier.has_subject(subject):
        known = ", ".join(reading.classifier.subjects)
        reading.error("unknown_subject", f'"{field}" is {short(subject)}; the classifier knows {known}', field)
    else:
        reading.subject = subject
        reading.table = reading.classifier.table(subject)


def _text(reading: Reading, text: object, essay_text: str | None) -> str:
    """Clause: MS §1 positions, MS §1 faults, R 11.6"""
    if not isinstance(text, str):
        _absent(reading, "text", text, "a string")
        return ""
    reading.written.append(text)
    reading.length = length = len(text)
    most = reading.limits.max_code_points
    if length > most:
        reading.error("text_too_long", f"the text has {length} code points, the limit is {most}", "text")
    if essay_text is not None and text != essay_text:
        reading.error("text_differs", _difference(text, essay_text), "text")
    return text


def _items(reading: Reading, selections: object) -> list[Any]:
    """Clause: MS §1 limits"""
    if not isinstance(selections, list):
        _absent(reading, "selections", selections, "a list")
        return []
    most = reading.limits.max_fragments
    if len(selections) > most:
        message = f"there are {len(selections)} fragments, the limit is {most}"
        reading.error("too_many_fragments", message, "selections")
    return selections[:most]


def _fragments(reading: Reading, items: list[Any]) -> list[Fragment]:
    """The loop of the scoring's time budget: one look-up, one joining and one condition per right fragment."""
    table: Mapping[str, Code] = reading.table or {}
    length = -1 if reading.length is None else reading.length
    fragments, written = [], reading.written
    for number, item in enumerate(items, start=1):
        try:
            fields = _take(item)
            start, end, code, subtype, _, _, correction, _, group, ident = fields
            entry = table.get(code) or table.get(code.casefold())
            strings = "".join(fields[2:8])
        except (AttributeError, KeyError, TypeError):  # a field is absent or null, or a value is of another kind
            entry = None
        if (
            entry is not None
            and type(start) is type(end) is type(ident) is int
            and (0 <= start < end <= length or (start == end == 0 and entry.full_text))
            and (not subtype or subtype in entry.subtypes or fold(subtype) in entry.folded_subtypes)
            and (not correction or entry.correction)
            and group == entry.group
            and len(item) == len(FIELDS)
        ):
            written.append(strings)
            fragments.append(_fragment(fields))
        elif (examined := FragmentReader(reading, number, item).read()) is not None:
            fragments.append(examined)
    return fragments


def _check_ids(reading: Reading, fragments: list[Fragment]) -> None:
    """Clause: MS §1 faults"""
    ids = [fragment.id for fragment in fragments]
    # The number 1 and the string "1" are one id: ratings name fragments by strings.
    keys = ids if set(map(type, ids)) <= {int} else list(map(str, ids))
    if len(set(keys)) == len(keys):
        return
    seen: set[int | str] = set()
    for ident, key in zip(ids, keys, strict=True):
        if key in seen:
            message = f"fragment {short(ident)}: another fragment has the same id"
            reading.warn("duplicate_id", message, "id", ident)
        seen.add(key)


def _criteria(reading: Reading, raw: dict[str, Any]) -> dict[str, int]:
    """Clause: MS §1 JSON"""
    field = "criteria" if raw.get("criteria") is not None else "criterias"
    supplied = raw.get(field)
    if not supplied:  # absent, null or empty
        return {}
    if not isinstance(supplied, dict):
        reading.odd = True
        reading.warn("criteria_ignored", f'"{field}" must be an object, not {short(supplied)}', field)
        return {}
    criteria: dict[str, int] = {}
    for name, points in supplied.items():
        match = _CRITERION.fullmatch(name)
        if match and type(points) is int:
            criteria[f"K{match[1]}"] = points
            continue
        reading.odd = True
        message = f"{short(name)}: {short(points)} is left out; criteria are whole numbers under K1, K2 …"
        reading.warn("criteria_ignored", message, writable(f"{field}.{name}"))
    return criteria


def _check_size(reading: Reading, raw: dict[str, Any], fields: int) -> None:
    """The bytes of the shortest JSON of the value, counted only where they can be over the limit.

    Clause: MS §1 limits
    """
    most = reading.limits.max_bytes
    plain = not reading.odd and not reading.errors
    if plain and 6 * sum(map(len, reading.written)) + 512 * (fields + 2) <= most:
        return
    try:
        shortest = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        if not any(fault.code == "too_deep" for fault in reading.errors):
            reading.error("too_deep", f"values are nested deeper than {reading.limits.max_depth} levels")
        return
    size = len(shortest.encode("utf-8", "surrogatepass"))  # surrogates are an error of their own
    if size > most:
        reading.error("too_big", f"the markup takes {size} bytes of JSON, the limit is {most}")


def _surrogates(reading: Reading, meta: dict[str, Any], text: str, items: list[Any]) -> None:
    _surrogate(reading, text, "text")
    for name, value in meta.items():
        for part in (name, *_leaves(value)):
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
    owner = "" if fragment is None else f"fragment {short(fragment)}: "
    message = (
        f"{owner}character {found.start()} of {short(field)} is half of a surrogate pair "
        f"(\\u{ord(found[0]):04x}); send whole characters"
    )
    reading.error("lone_surrogate", message, writable(field), fragment)


def _absent(reading: Reading, field: str, value: object, kind: str) -> None:
    if value is None:
        reading.error("missing_field", f'"{field}" is missing', field)
    else:
        reading.error("wrong_type", f'"{field}" must be {kind}, not {short(value)}', field)


def _leaves(value: object) -> Iterator[object]:
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


def _difference(text: str, essay: str) -> str:
    place = next((i for i, (a, b) in enumerate(zip(text, essay, strict=False)) if a != b), min(len(text), len(essay)))
    ours, theirs = text[place : place + 20], essay[place : place + 20]
    message = (
        f"the text differs from the essay's from character {place} on: {short(ours)} instead of {short(theirs)} "
        f"({len(text)} and {len(essay)} code points)"
    )
    if text.replace("\r\n", "\n") == essay.replace("\r\n", "\n"):
        return f"{message}; the line ends were changed"
    if text.strip() == essay.strip():
        return f"{message}; blanks at the ends were added or removed"
    if text.removeprefix("\ufeff") == essay:
        return f"{message}; a byte-order mark was added"
    if unicodedata.normalize("NFC", text) == unicodedata.normalize("NFC", essay):
        return f"{message}; the characters were composed or decomposed (Unicode normalisation)"
    return message
