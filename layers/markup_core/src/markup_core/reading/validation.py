"""Untrusted JSON becomes a :class:`Markup`, or a list of everything that is wrong with it (markup-scoring §1).

Errors (the markup is not scored):

===================== ==============================================================================
``not_an_object``     the markup is no JSON object
``another_format``    the value is another tool's export (doccano, Label Studio, …), which the message names
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
``duplicate_fragment``      the same words carry the same code, subtype and link twice: both are counted
``missing_id``              a fragment has no id: it gets its number, counted from 1
``unknown_field``           a field that a markup does not have is left out
``criteria_ignored``        supplied criteria that are no whole numbers under K1, K2 … are left out
=========================== ========================================================================

A fault names its fragment by the id, or by its number in the file, counted from 1, where there is no usable id.
Nothing here raises on any value that a JSON reader can produce.

What is no markup may be another tool's file: its format is recognized by the suffix, and for .json by the contents.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from markup_core.comparable import fold
from markup_core.model import Fragment, Markup, fragment_of
from markup_core.reading.classifier import Classifier
from markup_core.reading.fragment_reader import (
    FIELDS,
    Fault,
    FragmentReader,
    Reading,
    are_plain,
    difference,
    find_surrogates,
    leaves,
)
from markup_core.reading.wire import DEFAULT_LIMITS, Limits, MalformedInput, decode, depth, dump, short, writable
from markup_core.texts import Text, first_of, tr

__all__ = ["Fault", "InvalidMarkup", "Limits", "MalformedInput", "Validation", "decode", "dump", "load", "validate"]

_TOP_FIELDS: Final = frozenset({"meta", "criteria", "criterias", "selections", "text"})
_take: Final = itemgetter(*FIELDS)
"""Function that returns the fields of a fragment in its own order."""

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
    """A markup with errors; ``errors`` lists all of them, ``message`` says the first three in both languages."""

    def __init__(self, errors: tuple[Fault, ...]) -> None:
        self.message = first_of([fault.message for fault in errors], 3)
        super().__init__(self.message)
        self.errors = errors


def validate(
    raw: object,
    *,
    classifier: Classifier | None = None,
    essay_text: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    written: bytes | None = None,
) -> Validation:
    """Judge a decoded JSON value as a markup and list all its faults.

    ``classifier``: the cycle's, by default the contest's own. ``essay_text``: the text the markup must carry, code
    point for code point. Of more than ``limits.max_fragments`` fragments only the first so many are looked at.
    ``written``: canonical JSON of the value where its reader has it; so its size is known, and that no half of a
    surrogate pair is in it.
    Linear in the size; fragments without a fault take a short way.
    """
    reading = Reading(classifier or Classifier.default(), limits)
    markup = _read(reading, raw, essay_text, written)
    errors = tuple(reading.errors)
    return Validation(errors, tuple(reading.warnings), None if errors else markup)


def load(
    raw: object, *, classifier: Classifier | None = None, essay_text: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Markup:
    """Read the markup of a decoded JSON value; raises :class:`InvalidMarkup` with every error. See :func:`validate`."""
    result = validate(raw, classifier=classifier, essay_text=essay_text, limits=limits)
    if result.markup is None:
        raise InvalidMarkup(result.errors)
    return result.markup


def _read(reading: Reading, raw: object, essay_text: str | None, written: bytes | None) -> Markup | None:
    foreign = foreign_value(raw)
    if foreign is not None:
        reading.error("another_format", described(foreign))
        return None
    if not isinstance(raw, dict):
        reading.error("not_an_object", tr("a markup is a JSON object, not {raw}", raw=short(raw)))
        return None
    if not raw.keys() <= _TOP_FIELDS:
        reading.odd = True
        for name in sorted(raw.keys() - _TOP_FIELDS):
            message = tr("{name} is left out: a markup has no such field", name=short(name))
            reading.warn("unknown_field", message, writable(name))
    meta = _meta(reading, raw.get("meta"))
    text = _text(reading, raw.get("text"), essay_text)
    items = _items(reading, raw.get("selections"))
    fragments = _fragments(reading, items)
    criteria = _criteria(reading, raw)
    _check_ids(reading, fragments)
    _check_repeats(reading, fragments)
    if written is not None:
        _check_bytes(reading, len(written))
    else:
        _check_size(reading, raw, len(items) + len(meta))
        try:
            "".join(reading.strings).encode("utf-16-le")  # finds surrogates as UTF-8 does, and sooner
        except UnicodeEncodeError:
            find_surrogates(reading, meta, text, items)
    return Markup(text, tuple(fragments), MappingProxyType(meta), MappingProxyType(criteria))


# Clause: MS §1 JSON
def _meta(reading: Reading, meta: object) -> dict[str, Any]:
    if not isinstance(meta, dict):
        _absent(reading, "meta", meta, tr("an object"))
        return {}
    texts = reading.strings
    for name, value in meta.items():
        if type(value) is str:
            texts.append(value)
        elif value is not None and type(value) is not int:
            _meta_value(reading, name, value)
    texts.extend(meta)
    subject = meta.get("subject") or reading.classifier.sole_subject
    _subject(reading, subject)
    return {**meta, "subject": subject} if subject else dict(meta)


def _meta_value(reading: Reading, name: str, value: object) -> None:
    field = f"meta.{name}"
    if name in _META_TEXTS and (isinstance(value, bool) or not isinstance(value, (int, float))):
        message = tr("{field} must be a string or a number, not {value}", field=short(field), value=short(value))
        reading.error("wrong_type", message, writable(field))
        return
    if isinstance(value, (dict, list)):
        reading.odd = True
        most = reading.limits.max_depth
        if depth(value, most) > most:
            message = tr("{field} is nested deeper than {most} levels", field=short(field), most=most)
            reading.error("too_deep", message, writable(field))
            return
    for part in leaves(value):
        if isinstance(part, str):
            reading.strings.append(part)
        elif isinstance(part, float) and not math.isfinite(part):
            message = tr("{field} holds {part}, which is no JSON number", field=short(field), part=part)
            reading.error("not_finite", message, writable(field))


def _subject(reading: Reading, subject: object) -> None:
    field = "meta.subject"
    if subject is None or subject == "":
        reading.error("missing_field", tr('"{field}" is missing; it chooses the classifier', field=field), field)
    elif not isinstance(subject, str):
        message = tr('"{field}" must be a string, not {subject}', field=field, subject=short(subject))
        reading.error("wrong_type", message, field)
    elif not reading.classifier.has_subject(subject):
        subjects = ", ".join(reading.classifier.subjects)
        message = tr(
            '"{field}" is {subject}; the classifier knows {subjects}',
            field=field,
            subject=short(subject),
            subjects=subjects,
        )
        reading.error("unknown_subject", message, field)
    else:
        reading.subject = subject
        reading.table = reading.classifier.table(subject)


# Clause: MS §1 positions, MS §1 faults, R 11.6
def _text(reading: Reading, text: object, essay_text: str | None) -> str:
    if not isinstance(text, str):
        _absent(reading, "text", text, tr("a string"))
        return ""
    reading.strings.append(text)
    reading.length = length = len(text)
    most = reading.limits.max_code_points
    if length > most:
        message = tr("the text has {length} code points, the limit is {most}", length=length, most=most)
        reading.error("text_too_long", message, "text")
    if essay_text is not None and text != essay_text:
        reading.error("text_differs", difference(text, essay_text), "text")
    return text


# Clause: MS §1 limits
def _items(reading: Reading, selections: object) -> list[Any]:
    if not isinstance(selections, list):
        _absent(reading, "selections", selections, tr("a list"))
        return []
    most = reading.limits.max_fragments
    if len(selections) > most:
        message = tr("there are {selections} fragments, the limit is {most}", selections=len(selections), most=most)
        reading.error("too_many_fragments", message, "selections")
    return selections[:most]


def _fragments(reading: Reading, items: list[Any]) -> list[Fragment]:
    """Read all fragments: at once where all are plainly right, else one by one."""
    plain = _plain_fragments(reading, items)
    if plain is not None:
        return plain
    fragments: list[Fragment] = []
    for number, item in enumerate(items, start=1):
        alone = _plain_fragments(reading, [item])
        if alone is not None:
            fragments += alone
        elif (examined := FragmentReader(reading, number, item).read()) is not None:
            fragments.append(examined)
    return fragments


def _plain_fragments(reading: Reading, items: list[Any]) -> list[Fragment] | None:
    """Return fragments that are plainly right; None where one is not."""
    if reading.table is None or reading.length is None:
        return None if items else []
    try:
        rows = list(map(_take, items))
        columns = list(zip(*rows, strict=True))
        strings = "".join(chain.from_iterable(columns[2:9]))
    except (AttributeError, KeyError, TypeError):  # a field is absent or null, or a value is of another kind
        return None
    if rows and (
        {*map(len, items)} != {len(FIELDS)}
        or not {*map(type, chain(columns[0], columns[1], columns[9]))} <= {int}
        or not are_plain(columns, reading.classifier, reading.subject, reading.length)
    ):
        return None
    reading.strings.append(strings)
    return list(map(fragment_of, rows))


# Clause: MS §1 faults
def _check_ids(reading: Reading, fragments: list[Fragment]) -> None:
    ids = [fragment.id for fragment in fragments]
    # The number 1 and the string "1" are one id: ratings name fragments by strings.
    keys = ids if set(map(type, ids)) <= {int} else list(map(str, ids))
    if len(set(keys)) == len(keys):
        return
    earlier_keys: set[int | str] = set()
    for ident, key in zip(ids, keys, strict=True):
        if key in earlier_keys:
            message = tr("fragment {ident}: another fragment has the same id", ident=short(ident))
            reading.warn("duplicate_id", message, "id", ident)
        earlier_keys.add(key)


_SPAN: Final = itemgetter(0, 1)


def _check_repeats(reading: Reading, fragments: list[Fragment]) -> None:
    """Warn of fragments that say the same of the same words. Linear; mostly no two fragments have one span."""
    if len(set(map(_SPAN, fragments))) == len(fragments):
        return
    earlier: dict[tuple[int, int, str, str, str], int | str] = {}
    for fragment in fragments:
        key = (fragment.start, fragment.end, fold(fragment.code), fold(fragment.subtype), fragment.tag)
        if key in earlier:
            first = earlier[key]
            message = tr(
                "fragment {ident}: fragment {first} marks the same words with the same code",
                ident=short(fragment.id),
                first=short(first),
            )
            reading.warn("duplicate_fragment", message, None, fragment.id)
        earlier.setdefault(key, fragment.id)


# Clause: MS §1 JSON
def _criteria(reading: Reading, raw: dict[str, Any]) -> dict[str, int]:
    field = "criteria" if raw.get("criteria") is not None else "criterias"
    supplied = raw.get(field)
    if not supplied:  # absent, null or empty
        return {}
    if not isinstance(supplied, dict):
        reading.odd = True
        message = tr('"{field}" must be an object, not {supplied}', field=field, supplied=short(supplied))
        reading.warn("criteria_ignored", message, field)
        return {}
    criteria: dict[str, int] = {}
    for name, points in supplied.items():
        match = _CRITERION.fullmatch(name)
        if match and type(points) is int:
            criteria[f"K{match[1]}"] = points
            continue
        reading.odd = True
        message = tr(
            "{name}: {points} is left out; criteria are whole numbers under K1, K2 …",
            name=short(name),
            points=short(points),
        )
        reading.warn("criteria_ignored", message, writable(f"{field}.{name}"))
    return criteria


# Clause: MS §1 limits
def _check_size(reading: Reading, raw: dict[str, Any], fields: int) -> None:
    """Check the bytes of the shortest JSON of the value, counted only where they can be over the limit."""
    most = reading.limits.max_bytes
    plain = not reading.odd and not reading.errors
    if plain and 6 * sum(map(len, reading.strings)) + 512 * (fields + 2) <= most:
        return
    try:
        shortest = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        if not any(fault.code == "too_deep" for fault in reading.errors):
            most_levels = reading.limits.max_depth
            reading.error("too_deep", tr("values are nested deeper than {most_levels} levels", most_levels=most_levels))
        return
    _check_bytes(reading, len(shortest.encode("utf-8", "surrogatepass")))  # surrogates are an error of their own


def _check_bytes(reading: Reading, size: int) -> None:
    most = reading.limits.max_bytes
    if size > most:
        reading.error("too_big", tr("the markup takes {size} bytes of JSON, the limit is {most}", size=size, most=most))


def _absent(reading: Reading, field: str, value: object, kind: Text) -> None:
    if value is None:
        reading.error("missing_field", tr('"{field}" is missing', field=field), field)
        return
    message = tr('"{field}" must be {kind}, not {value}', field=field, kind=kind, value=short(value))
    reading.error("wrong_type", message, field)


JSON: Final = "json"
NOTATION: Final = "notation"
BRAT: Final = "brat"
WEB_ANNOTATION: Final = "web-annotation"
CAS_JSON: Final = "cas-json"
LABEL_STUDIO: Final = "label-studio"
CAS_STRUCTURES: Final = "%FEATURE_STRUCTURES"
ANNOTATION_CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"

DOCCANO: Final = "doccano"
LEGACY_JSON: Final = "legacy-json"
WEBANNO_TSV: Final = "webanno-tsv"
XMI: Final = "uima-xmi"
M2: Final = "m2"
_M2_EDIT: Final = re.compile(r"^A -?[0-9]+ -?[0-9]+\|\|\|", re.MULTILINE)
_BRAT_LINE: Final = re.compile(r"T[0-9]+\t\S+ [0-9]+ [0-9]+")
_CONVERT: Final = tr("; turn it into markups: markup-core convert")
_CAS_WANTED: Final = tr("; export as UIMA CAS JSON 0.4.0")
_FOREIGN: Final[Mapping[str, Text]] = MappingProxyType(
    {
        DOCCANO: tr("doccano's export{convert}", convert=_CONVERT),
        LEGACY_JSON: tr("INCEpTION's legacy JSON{cas_wanted}", cas_wanted=_CAS_WANTED),
        WEBANNO_TSV: tr("WebAnno TSV of INCEpTION{convert}", convert=_CONVERT),
        XMI: tr("UIMA CAS XMI of INCEpTION{convert}", convert=_CONVERT),
        M2: tr("M2, corrections of sentences; tracks gec scores it, markup-core convert makes markups of it"),
        LABEL_STUDIO: tr("an export of Label Studio{convert}", convert=_CONVERT),
        CAS_JSON: tr("UIMA CAS JSON of INCEpTION{convert}", convert=_CONVERT),
        WEB_ANNOTATION: tr("Web Annotation{convert}", convert=_CONVERT),
        BRAT: tr("brat's standoff{convert} FILE.ann", convert=_CONVERT),
    }
)
"""Names of the formats for messages where a markup is expected, each with the way to convert it."""
_LOOKED_AT: Final = 65_536
"""Leading characters of a file by which its format is recognised."""


def described(format_name: str) -> Text:
    """Describe a file of a known format, and how to convert it."""
    return tr("this is {form}", form=_FOREIGN[format_name])


def foreign_value(value: Any) -> str | None:
    """Return the format of a JSON value of another tool; None for a value that may be a markup."""
    if isinstance(value, dict) and "selections" in value:
        return None
    if isinstance(value, dict) and {"_views", "_referenced_fss"} & value.keys():
        return LEGACY_JSON
    listed = value if isinstance(value, list) else [value]
    return DOCCANO if listed and all(map(is_doccano, listed)) else of_value(value)


def foreign_text(text: str) -> str | None:
    """Return the format of a text that cannot be read as what it should be, where it is one that is known."""
    head = text[:_LOOKED_AT].removeprefix("\ufeff").lstrip()
    if head.startswith("#FORMAT=WebAnno TSV"):
        return WEBANNO_TSV
    if is_m2(head):
        return M2
    if "http:///uima/cas.ecore" in head:
        return XMI
    if _BRAT_LINE.match(head):
        return BRAT
    if head.startswith(("{", "[")):  # whole JSON under another ending, or a line of JSON Lines
        for candidate in (text.removeprefix("\ufeff"), head.partition("\n")[0]):
            with suppress(ValueError, RecursionError):
                return foreign_value(json.loads(candidate))
    return None


def is_m2(head: str) -> bool:
    """Return whether a file that begins so is M2."""
    return head.lstrip().startswith("S ") and _M2_EDIT.search(head) is not None


def is_doccano(value: Any) -> bool:
    """Return whether the value is a line of doccano's JSON Lines, of any version."""
    if not isinstance(value, dict) or not isinstance(value.get("text", value.get("data")), str):
        return False
    listed = value.get("label", value.get("labels"))
    if isinstance(listed, list) and not any(isinstance(label, dict) for label in listed):
        return True
    entities = value.get("entities") or value.get("annotations")
    objects = [entry for entry in entities if isinstance(entry, dict)] if isinstance(entities, list) else []
    is_of_objects = any("start_offset" in entry or "relations" in value for entry in objects)
    return is_of_objects or any(isinstance(value.get(name), list) for name in ("Comments", "cats"))


def is_label_studio(value: Any) -> bool:
    """Return whether a value is an export of Label Studio: a task or row of JSON-MIN, or a list of them."""
    if isinstance(value, list):
        return bool(value) and all(map(_is_task, value))
    return _is_task(value)


def _is_task(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    whole = "data" in value and bool({"annotations", "completions", "predictions"} & value.keys())
    return whole or {"annotation_id", "annotator"} <= value.keys()


def is_web_annotation(value: Any) -> bool:
    """Return whether a value names the context of Web Annotation, or is an annotation of its kind without one."""
    if not isinstance(value, dict):
        return False
    context = value.get("@context")
    return ANNOTATION_CONTEXT in (context if isinstance(context, list) else [context]) or (
        value.get("type") == "Annotation" and "target" in value
    )


def of_value(value: Any) -> str | None:
    """Return the format of a JSON file's value; None for a value of no other format, which may be a markup."""
    if is_label_studio(value):
        return LABEL_STUDIO
    if isinstance(value, dict) and CAS_STRUCTURES in value:
        return CAS_JSON
    first = value[0] if isinstance(value, list) and value else value
    return WEB_ANNOTATION if is_web_annotation(first) else None
