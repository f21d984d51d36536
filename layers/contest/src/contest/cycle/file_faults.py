"""Faults of an organizer's file in words for people, each with a stable code and its field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from contest.refusals import Fault
from contest.texts import tr
from tracks.protocol import Text

_OBJECTS: Final = frozenset({"dict_type", "model_type"})
_KEY: Final = "[key]"
"""How the library marks that the name of a field is wrong, and not its value."""
_LONGEST: Final = 80
"""Characters of a wrong value that a message repeats."""
_NAME: Final = tr("1–40 of a–z, 0–9 and '-'")
_ASKED: Final[tuple[tuple[str, str, Text], ...]] = (
    (r"cycle|track|sets\.[^.]+", "bad_name", _NAME),
    (r"name(\..*)?", "missing_name", tr("what the cycle is called, in ru and en")),
    ("time_zone", "unknown_time_zone", tr("a time zone like Europe/Moscow")),
    ("languages", "no_languages", tr("at least one language with its subjects")),
    (r"languages\..*", "bad_language", tr("a language (not all) with a list of its subjects")),
    ("sets", "no_sets", tr("at least one set of files")),
    (r"sets\..*\.folder", "bad_folder", tr("the name of a folder beside")),
    ("known_clients", "bad_client", tr("SHA-256 sums of published modules")),
    (r"knowledge_base\.url", "bad_address", tr("an address, https://… without blanks")),
    (
        r"(knowledge_base\.(title|about)|about|prize)(\.(ru|en))?",
        "bad_text",
        tr("texts in ru and en of 1–500 characters"),
    ),
    (
        r"pages\.[^.]+(\.title(\.(ru|en))?)?",
        "bad_page",
        tr("a page has a name of a–z, 0–9 and '-' and a title in ru and en"),
    ),
    ("pages", "bad_list", tr("20 pages at most")),
    (r"earlier_cycles(\..*)?", "bad_cycle", tr("an earlier cycle, as contest cycle earlier writes it; 20 at most")),
    ("knowledge_base", "bad_list", tr("a list of 40 documents at most")),
    (
        r"stages\.[^.]+\.(first|last)|working_days\.(holidays|working_weekends)",
        "no_such_day",
        tr("days as 2027-03-01, each named once"),
    ),
    (r"working_days\.weekend", "bad_weekend", tr("at most six days, saturday and so on, each once")),
    (r"parameters\.technical\.enabled", "not_true_or_false", tr("true or false")),
    (
        r"parameters\.experts\.limits_s\..*",
        "out_of_range",
        tr("a group with a whole number of seconds from 1 to 86400"),
    ),
    (r"parameters\.time_limit_s", "out_of_range", tr("with min ≤ default ≤ max")),
)
"""What a field has to be, by its path: the first that fits."""
_FORMS: Final[Mapping[str, Text]] = {
    "string": tr("a text that is not empty"),
    "boolean": tr("true or false"),
    "object": tr("an object"),
}
"""What a field has to be by its type, where its path says no more."""
_TEXTS: Final = tr("a list of texts, none empty")
_ASCENDING: Final = tr("[least, greatest]")


def faults_of(
    error: ValidationError, file: str, schema: Mapping[str, Any], under: str | None = None
) -> tuple[Fault, ...]:
    """List all faults that the models found; ``where`` has the path of the field, in a list with the index.

    ``schema`` is the JSON Schema of the models, which knows between which bounds a number may be. ``under``: what was
    read is the part of this name of the file.
    """
    return tuple(_fault(detail, file, schema, under) for detail in error.errors(include_url=False))


def _fault(error: ErrorDetails, file: str, schema: Mapping[str, Any], under: str | None) -> Fault:
    steps = tuple(step for step in ((under,) if under else ()) + error["loc"] if step != _KEY)
    names = tuple(step for step in steps if isinstance(step, str))
    field = ".".join(names) or file
    index = next((step for step in steps if isinstance(step, int)), None)
    where = {"field": field} if index is None else {"field": field, "index": index}
    if error["type"] == "extra_forbidden":
        return Fault("unknown_field", file, tr("unknown field {field}", field=field), where)
    if error["type"] in _OBJECTS:
        whole = tr("the file must hold an object: names with values")
        message = tr("{field} must be an object", field=field) if names else whole
        return Fault("not_an_object", file, message, where if names else {})
    is_key = error["loc"][-1] == _KEY
    code, demand = _asked_of_a_name(field, steps, schema) if is_key else _asked(error["type"], field, steps, schema)
    if error["type"] == "missing":
        return Fault(code, file, tr("{field} is missing: {demand}", field=field, demand=demand), where)
    value = json.dumps(names[-1] if is_key else error["input"], ensure_ascii=False)[:_LONGEST]
    message = tr("{field} must be {demand}, not {value}", field=field, demand=demand, value=value)
    return Fault(code, file, message, where)


def _demanded_of(field: str) -> tuple[str, Text] | None:
    return next(((code, demand) for pattern, code, demand in _ASKED if re.fullmatch(pattern, field)), None)


def _asked(kind: str, field: str, steps: Sequence[str | int], schema: Mapping[str, Any]) -> tuple[str, Text]:
    """Return the code and the text of the demand on a field."""
    if (demanded := _demanded_of(field)) is not None:
        return demanded
    node = _node(schema, steps)
    for candidate in (node, _followed(schema, node.get("items", {}))):
        if "enum" in candidate:
            return _one_of(candidate)
    texts = node.get("type") == "array" and node["items"].get("type") == "string"
    if texts or node.get("type") in _FORMS:
        return "wrong_form", _TEXTS if texts else _FORMS[node["type"]]
    if node.get("type") == "array":
        return ("out_of_range" if kind == "value_error" else "not_two_bounds"), _ASCENDING
    least, greatest = node["minimum"], node["maximum"]
    if node["type"] == "number":
        return "out_of_range", tr("from {least} to {greatest}", least=least, greatest=greatest)
    return "out_of_range", tr("a whole number from {least} to {greatest}", least=least, greatest=greatest)


def _asked_of_a_name(field: str, steps: Sequence[str | int], schema: Mapping[str, Any]) -> tuple[str, Text]:
    """Return code and wording of the demand on a field's name: one of a list, else of the usual form."""
    if (demanded := _demanded_of(field)) is not None:
        return demanded
    names = _followed(schema, _node(schema, steps[:-1]).get("propertyNames", {}))
    return _one_of(names) if "enum" in names else ("bad_name", _NAME)


def _one_of(node: Mapping[str, Any]) -> tuple[str, Text]:
    kinds = ", ".join(node["enum"])
    return "bad_kind", tr("one of: {kinds}", kinds=kinds)


def _node(schema: Mapping[str, Any], steps: Sequence[str | int]) -> Mapping[str, Any]:
    """Return the schema of the value at a path."""
    node = schema
    for step in steps:
        if isinstance(step, int):
            node = node["items"]
        else:
            (of_any_name,) = node.get("patternProperties", {"": node.get("additionalProperties")}).values()
            node = node.get("properties", {}).get(step, of_any_name)
        node = _followed(schema, node)
    return node


def _followed(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the target of a node that is a reference, or a value that may also be null."""
    if "anyOf" in node:
        node = next(option for option in node["anyOf"] if option.get("type") != "null")
    named: str | None = node.get("$ref")
    return node if named is None else schema["$defs"][named.rpartition("/")[2]]
