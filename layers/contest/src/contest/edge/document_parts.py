"""Parts of the API's document that many operations have: written once, named, and found again by their references."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

RESPONSES: Final = "#/components/responses/"
PARAMETERS: Final = "#/components/parameters/"
_LONGEST: Final = 80
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})
"""Keys of a schema below which stand values of contests, not schemas."""
_MAPPINGS: Final = frozenset({"properties", "$defs", "patternProperties"})
"""Keys of a schema below which stand names of the contest's own, each with a schema."""


def share(made: dict[str, Any]) -> None:
    """Name each response and parameter of several operations among the components, and refer to it."""
    components = made["components"]
    components["responses"] = {}
    repeated = _repeated(response for operation in _operations(made) for response in operation["responses"].values())
    for operation in _operations(made):
        for status, response in operation["responses"].items():
            if _text(response) in repeated:
                name = _name(_named_by_codes(status, response), response, components["responses"])
                operation["responses"][status] = {"$ref": RESPONSES + name}
    repeated = _repeated(each for operation in _operations(made) for each in operation.get("parameters", []))
    for operation in _operations(made):
        operation["parameters"] = [
            {"$ref": PARAMETERS + _name(each["name"], each, components["parameters"])}
            if _text(each) in repeated and "$ref" not in each
            else each
            for each in operation.get("parameters", [])
        ]
        if not operation["parameters"]:
            del operation["parameters"]
    components["responses"] = dict(sorted(components["responses"].items()))


def responses(made: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation's responses by status, in full."""
    return {status: _in_full(made, response) for status, response in operation["responses"].items()}


def parameters(made: Mapping[str, Any], operation: Mapping[str, Any]) -> list[Any]:
    """Return an operation's parameters, in full."""
    return [_in_full(made, each) for each in operation.get("parameters", [])]


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


def written(made: Mapping[str, Any]) -> str:
    """Return the document as JSON with a line for each path and each component, so that a change shows in its line."""
    return _lines(made, 3) + "\n"


def _lines(part: Any, levels: int) -> str:
    if levels == 0 or not isinstance(part, dict) or not part:
        return _text(part)
    rows = (f"{_text(name)}:{_lines(each, levels - 1)}" for name, each in part.items())
    return "{\n" + ",\n".join(rows) + "\n}"


def _operations(made: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in made["paths"].values():
        yield from methods.values()


def _text(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))


def _repeated(parts: Iterator[Any]) -> set[str]:
    return {text for text, times in Counter(map(_text, parts)).items() if times > 1}


def _named_by_codes(status: str, response: Mapping[str, Any]) -> str:
    """Return what a response is called: its status and the codes of its refusals."""
    codes = [code for content in response.get("content", {}).values() for code in content.get("examples", ())]
    name = ".".join([status, *codes])
    return name if len(name) <= _LONGEST else f"{status}.{codes[0]}.and.{len(codes) - 1}.more"


def _name(wish: str, part: Any, named: dict[str, Any]) -> str:
    """Return the name of a part among those named, under which it is entered: the wish, or the wish with a number."""
    name, number = wish, 1
    while name in named and named[name] != part:
        number += 1
        name = f"{wish}.{number}"
    named[name] = part
    return name


def _in_full(made: Mapping[str, Any], part: Mapping[str, Any]) -> Any:
    for start, kind in ((RESPONSES, "responses"), (PARAMETERS, "parameters")):
        if str(part.get("$ref", "")).startswith(start):
            return made["components"][kind][part["$ref"].removeprefix(start)]
    return part
