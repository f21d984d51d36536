"""Items, references and answers of a contest with a declared measure.

An item is ``{"id", "language", "group", "content"}``: the content is what is handed out, any JSON object. A reference
is ``{"answer": …}``: an answer of a person, of the same form as the programs' answers, so that people can be measured
in the same way.

A form is a JSON Schema of the organizers, a value anybody's. So only keywords are taken whose check is linear in the
value: no patterns, no references. A keyword that is not checked is refused, because nobody would learn that it does
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, MalformedInput, decode, short, writable
from markup_core.receipt import canonical_json
from markup_core.texts import at
from tracks.fields import Fields, is_number, of_json, reason, unknown_names
from tracks.protocol import ItemFacts, Json, Reason, Text, Verdict
from tracks.texts import tr

MOST_LEVELS: Final = 12
_MOST_NAMES: Final = 200
_MOST_FAULTS: Final = 20
"""Faults of an answer that are told."""
_NOTES: Final = frozenset({"title", "description", "examples", "$schema", "$comment"})


_TYPES: Final[Mapping[str, Callable[[Json], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: is_number(value) and float(value).is_integer(),
    "number": is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and 0 < len(value) <= _MOST_NAMES


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in _TYPES for name in names)


_KEYWORDS: Final[Mapping[str, Callable[[Json], bool]]] = {
    "type": _is_type,
    "enum": _is_list,
    "const": lambda _: True,
    **dict.fromkeys(("minimum", "maximum"), is_number),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems"),
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    ),
    "required": lambda value: (
        isinstance(value, list) and len(value) <= _MOST_NAMES and all(isinstance(name, str) for name in value)
    ),
}
_SCHEMA_KEYWORDS: Final = frozenset({"items", "additionalProperties", "properties", "anyOf"})


def faults_of_schema(schema: Json, path: str, levels: int = MOST_LEVELS) -> Iterator[Reason]:
    """List what of a schema cannot be checked. O(size of the schema)."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield _wrong(path, tr("{path} must be a schema, not {value}", path=path, value=short(schema)))
        return
    if not levels:
        yield _wrong(path, tr("{path} is nested too deeply", path=path))
        return
    for keyword in sorted(schema.keys() - _KEYWORDS.keys() - _SCHEMA_KEYWORDS - _NOTES):
        here = writable(f"{path}.{keyword}")
        yield _wrong(here, tr("{path} is not checked: leave the keyword out", path=here))
    for keyword, is_right in _KEYWORDS.items():
        if keyword in schema and not is_right(schema[keyword]):
            here = f"{path}.{keyword}"
            yield _wrong(here, tr("{path} cannot be {value}", path=here, value=short(schema[keyword])))
    yield from _faults_of_parts(schema, path, levels - 1)


def _faults_of_parts(schema: Mapping[str, Json], path: str, levels: int) -> Iterator[Reason]:
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from faults_of_schema(schema[keyword], f"{path}.{keyword}", levels)
    properties, choices = schema.get("properties", {}), schema.get("anyOf", [True])
    if not isinstance(properties, dict) or len(properties) > _MOST_NAMES:
        yield _wrong(f"{path}.properties", tr("{path} must be an object of schemas", path=path + ".properties"))
    else:
        for name, part in properties.items():
            yield from faults_of_schema(part, writable(f"{path}.properties.{name}"), levels)
    if not _is_list(choices):
        yield _wrong(f"{path}.anyOf", tr("{path} must be a list of schemas", path=path + ".anyOf"))
    else:
        for number, part in enumerate(choices):
            yield from faults_of_schema(part, f"{path}.anyOf[{number}]", levels)


def _wrong(path: str, message: str) -> Reason:
    return reason("measure_schema", path, message)


def faults_of_answer(value: Json, schema: Json) -> tuple[Reason, ...]:
    """Return the first faults by which a value is not of a checked schema's form; none if it is."""
    faults: list[Reason] = []
    for path, problem in _misfits(value, schema, ""):
        if len(faults) == _MOST_FAULTS:
            break
        faults.append(reason("not_of_the_form", path, at(path or "$", problem)))
    return tuple(faults)


def _misfits(value: Json, schema: Json, path: str) -> Iterator[tuple[str, Text]]:
    if isinstance(schema, bool):
        if not schema:
            yield path, tr("nothing may stand here")
        return
    names = schema.get("type", [])
    types = names if isinstance(names, list) else [names]
    if types and not any(_TYPES[name](value) for name in types):
        yield path, tr("must be {types}, not {value}", types="/".join(types), value=short(value))
        return
    if ("enum" in schema and not _is_among(value, schema["enum"])) or (
        "const" in schema and not _is_among(value, [schema["const"]])
    ):
        yield path, tr("{value} is none of the values that may stand here", value=short(value))
    yield from _out_of_bounds(value, schema, path)
    if "anyOf" in schema and all(next(_misfits(value, part, path), None) for part in schema["anyOf"]):
        yield path, tr("is of none of the forms that may stand here")
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from _misfits(part, schema.get("items", True), f"{path}[{number}]")
    elif isinstance(value, dict):
        yield from _misfits_of_object(value, schema, path)


def _misfits_of_object(value: Mapping[str, Json], schema: Mapping[str, Json], path: str) -> Iterator[tuple[str, Text]]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield path, tr("the field {name} is missing", name=writable(name))
    for name, part in value.items():
        here = writable(f"{path}.{name}" if path else name)
        if name not in properties and rest is False:
            yield here, tr("there is no such field")
        else:
            yield from _misfits(part, properties.get(name, rest), here)


def _is_among(value: Json, values: list[Json]) -> bool:
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)


def _out_of_bounds(value: Json, schema: Mapping[str, Json], path: str) -> Iterator[tuple[str, Text]]:
    if is_number(value):
        least, most, size = "minimum", "maximum", value
    elif isinstance(value, str):
        least, most, size = "minLength", "maxLength", len(value)
    elif isinstance(value, list):
        least, most, size = "minItems", "maxItems", len(value)
    else:
        return
    if least in schema and size < schema[least]:
        yield path, tr("{size} is less than {bound}", size=size, bound=schema[least])
    if most in schema and size > schema[most]:
        yield path, tr("{size} is more than {bound}", size=size, bound=schema[most])


_ITEM: Final = frozenset({"id", "language", "group", "content"})
_LONGEST_GROUP: Final = 64
_LONGEST_ID: Final = 200
MOST_BYTES: Final = 256 * 1024
"""Bytes of an answer, and of a reference: a call has an answer and all references of its item."""
_LIMITS: Final = Limits(max_bytes=MOST_BYTES, max_depth=32)


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an item; list all its faults."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", tr("an item is an object, not {raw}", raw=short(raw))),)
    faults = list(unknown_names(raw, _ITEM))
    fields, texts = Fields(raw), dict[str, str]()
    for name, most in (("id", _LONGEST_ID), ("language", _LONGEST_GROUP), ("group", _LONGEST_GROUP)):
        try:
            texts[name] = fields.text(name)
            if not 0 < len(texts[name]) <= most or SURROGATE.search(texts[name]):
                message = tr("{name} must have 1 to {most} whole characters", name=name, most=most)
                faults.append(reason("invalid_item", name, message))
        except RefusedError as error:
            faults.append(reason("invalid_item", name, error.message))
    if not isinstance(raw.get("content"), dict):
        message = tr("content must be an object, not {raw}", raw=short(raw.get("content")))
        faults.append(reason("invalid_item", "content", message))
    if faults:
        return None, tuple(faults)
    return ItemFacts(texts["id"], texts["language"], texts["group"]), ()


def read_reference(raw: Json, schema: Json) -> tuple[Reason, ...]:
    """Check a reference: an object with an answer of the declared form."""
    if not isinstance(raw, dict) or raw.keys() != {"answer"}:
        message = tr('a reference is an object {{"answer": …}}, not {raw}', raw=short(raw))
        return (reason("invalid_reference", "", message),)
    if len(canonical_json(raw["answer"]).encode("utf-8", "surrogatepass")) > MOST_BYTES:
        message = tr("the answer has more than {most} bytes", most=MOST_BYTES)
        return (reason("invalid_reference", "answer", message),)
    return faults_of_answer(raw["answer"], schema)


def text_of(item: Json) -> str:
    """Return the text of an item: its content's field ``text``, or the whole content."""
    text = item["content"].get("text")
    return text if isinstance(text, str) and text.strip() else canonical_json(item["content"])


def validate(body: bytes, schema: Json) -> Verdict:
    """Judge an answer as received by the declared form."""
    try:
        value = decode(body, _LIMITS)
    except MalformedInput as error:
        return Verdict((of_json(error),))
    if faults := faults_of_answer(value, schema):
        return Verdict(faults)
    try:
        canonical_json(value).encode("utf-8")
    except UnicodeEncodeError:
        message = tr("the answer has half a surrogate pair; whole characters are needed")
        return Verdict((reason("lone_surrogate", "", message),))
    return Verdict((), canonical=value)
