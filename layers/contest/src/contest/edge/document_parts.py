"""Write parts that several operations of the API's document have once, and find them again by their references.

**Decision**: the document says each thing once, for it is read by reviewers line by line and loaded by every page that
shows it. Moments, ids and reasons are components of their own (:mod:`contest.contracts.wire`); a refusal has an example
only where its body says more than its code and sentence (the page of refusals has them all); what a field of a body
means that each contest has in a form of its own is described in the first contest's form.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contest.contracts.problems import MEDIA_TYPE

RESPONSES: Final = "#/components/responses/"
PARAMETERS: Final = "#/components/parameters/"
_LONGEST: Final = 80
_Place = tuple[Any, Any, str]
"""Where a part stands: a mapping or list, its key or index there; and the name that the part wishes for."""
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})
"""Below these keys of a schema stand values, not schemas."""
_MAPPINGS: Final = frozenset({"properties", "$defs", "patternProperties"})
"""Below these keys of a schema stand names of our own, each with a schema."""


def share(document: dict[str, Any]) -> None:
    """Write each response and parameter of several operations once, among the components, and refer to it."""
    components = document["components"]
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    components["responses"] = {}
    places: list[_Place] = [
        (operation["responses"], status, _name_of_codes(status, response))
        for operation in operations
        for status, response in operation["responses"].items()
    ]
    commonest = {
        name.partition(".")[0]: name for name, _ in reversed(Counter(name for *_, name in places).most_common())
    }
    places = [(owner, status, status if commonest[status] == name else name) for owner, status, name in places]
    _refer(places, components["responses"], RESPONSES)
    places = [
        (operation["parameters"], place, parameter["name"])
        for operation in operations
        for place, parameter in enumerate(operation.get("parameters", ()))
        if "$ref" not in parameter
    ]
    _refer(places, components["parameters"], PARAMETERS)
    components["responses"] = dict(sorted(components["responses"].items()))


def responses(document: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation's responses by status, in full."""
    return {status: _in_full(document, response) for status, response in operation["responses"].items()}


def parameters(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[Any]:
    """Return an operation's parameters, in full."""
    return [_in_full(document, parameter) for parameter in operation.get("parameters", [])]


def codes(response: Mapping[str, Any]) -> list[str]:
    """Return the codes of the refusals that a response in full describes."""
    return re.findall(r"`(\w+)`", response["description"]) if MEDIA_TYPE in response.get("content", {}) else []


def without_titles(schema: Any, *, named: bool = False) -> Any:
    """Return a schema, or schemas by their names, without the titles that the library makes of names, in all parts."""
    if isinstance(schema, list):
        return [without_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: part if key in _VALUES and not named else without_titles(part, named=key in _MAPPINGS and not named)
        for key, part in schema.items()
        if named or not (key == "title" and isinstance(part, str))
    }


def written(document: Mapping[str, Any]) -> str:
    """Return the document as JSON with a line for each path and each component, so that a change shows in its line."""
    return _lines(document, 3) + "\n"


def _lines(part: Any, levels: int) -> str:
    if levels == 0 or not isinstance(part, dict) or not part:
        return _text(part)
    rows = (f"{_text(name)}:{_lines(each, levels - 1)}" for name, each in part.items())
    return "{\n" + ",\n".join(rows) + "\n}"


def _text(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))


def _name_of_codes(status: str, response: Mapping[str, Any]) -> str:
    """Return a name for a response: its status and the codes of its refusals."""
    named = codes(response)
    name = ".".join([status, *named])
    return name if len(name) <= _LONGEST else f"{status}.{named[0]}.and.{len(named) - 1}.more"


def _refer(places: Sequence[_Place], named: dict[str, Any], start: str) -> None:
    """Enter parts that stand at several places among those named, and leave references at the places.

    Where another part has a name already, a number follows it.
    """
    times = Counter(_text(owner[key]) for owner, key, _ in places)
    for owner, key, wish in places:
        part = owner[key]
        if times[_text(part)] > 1:
            names = itertools.chain([wish], (f"{wish}.{number}" for number in itertools.count(2)))
            name = next(name for name in names if named.setdefault(name, part) == part)
            owner[key] = {"$ref": start + name}


def _in_full(document: Mapping[str, Any], part: Mapping[str, Any]) -> Any:
    """Return the part itself, or the component to which it refers."""
    kind, _, name = part.get("$ref", "").removeprefix("#/components/").partition("/")
    return document["components"][kind][name] if name else part
