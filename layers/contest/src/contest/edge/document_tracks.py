"""The document's bodies by track: what is a track's own in them gets the form that the track gives it.

Fields that :func:`contest.contracts.wire.of_track` marks are described by no contract. For each track every body that
holds such a field, itself or in a part of it, becomes one of its own (``EssayBoardBody``), and the body becomes the
choice among them, told apart by the track's name where the body says it; where it does not, what is null in all of them
is of the form of each (hence ``anyOf``). Of a single track the body itself is told: a
choice of one makes generators name its parts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from contest.contracts.wire import ANY, MARK, NAME, NULLABLE
from tracks.protocol import ANYTHING, Track

SCHEMAS: Final = "#/components/schemas/"
_DEFINITIONS: Final = "#/$defs/"
_TELLING: Final = frozenset({"description", "examples"})
"""What a schema says to readers alone."""
Schema = Any


def by_track(schemas: Mapping[str, Schema], tracks: Iterable[Track]) -> dict[str, Schema]:
    """The components of the document with the tracks' models in them.

    Raises ValueError where two models have one name.
    """
    chosen = tuple(tracks)
    schemas = {name: _told(each, _uniter(chosen)) for name, each in schemas.items()}
    own = _with_fields_of_tracks(schemas)
    made = {name: schema for name, schema in schemas.items() if name not in own}
    variants: dict[str, list[tuple[str, str]]] = {name: [] for name in own}
    for track in chosen:
        prefix = track.name.capitalize() if len(chosen) > 1 else ""
        for name, model in track.schemas().named.items():
            _add(made, name, _relocated(model))
        for name in own:
            variant = f"{prefix}{name}"
            told = _told({**schemas[name], "title": variant}, _filler(track, own, prefix))
            if len(chosen) > 1:  # the choice has the body's description
                told.pop("description", None)
            _add(made, variant, _described_once(told, made[variants[name][0][1]]) if variants[name] else told)
            variants[name].append((track.name, variant))
    if len(chosen) == 1:
        return made
    return made | {name: _choice(schemas[name], found) for name, found in variants.items()}


def answers(tracks: Iterable[Track]) -> Schema:
    """The form of an answer: the track's, or one of the tracks'."""
    found = [_relocated(each.schemas().answer) for each in tracks]
    return found[0] if len(found) == 1 else {"anyOf": found}


def _add(made: dict[str, Schema], name: str, schema: Schema) -> None:
    if name in made:
        raise ValueError(f"two models of the document have the name {name}")
    made[name] = schema


def _with_fields_of_tracks(schemas: Mapping[str, Schema]) -> tuple[str, ...]:
    """Names of the components that hold a marked field, directly or through others."""
    found: set[str] = set()
    while more := {
        name
        for name, schema in schemas.items()
        if name not in found
        and any(MARK in node or node.get("$ref", "").removeprefix(SCHEMAS) in found for node in _nodes(schema))
    }:
        found |= more
    return tuple(sorted(found))


def _nodes(schema: Schema) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        yield schema
        for each in schema.values():
            yield from _nodes(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _nodes(each)


def _told(schema: Schema, fill: Callable[[Mapping[str, Any]], Schema | None]) -> Schema:
    """The schema with every object replaced for which ``fill`` returns another; of others the parts are looked at."""
    if isinstance(schema, list):
        return [_told(each, fill) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    filled = fill(schema)
    return {name: _told(each, fill) for name, each in schema.items()} if filled is None else filled


def _uniter(tracks: tuple[Track, ...]) -> Callable[[Mapping[str, Any]], Schema | None]:
    """What stands in the place of a field that has the form of any track: all their forms, each once."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        if ANY not in node:
            return None
        said = {name: node[name] for name in ("title", "description") if name in node}
        forms = [_relocated(getattr(each.schemas(), node[ANY])) for each in tracks]
        parts = [part for form in forms for part in form.get("anyOf", [form])]
        kept = {part.get("$ref") or str(part.get("type")): part for part in parts}
        return {**said, "anyOf": list(kept.values())}

    return fill


def _described_once(schema: Schema, first: Schema) -> Schema:
    """Return a body's schema without the descriptions and examples that its fields have in the first track's, too."""
    if "properties" not in schema:
        return schema
    fields = {
        name: {
            key: part for key, part in each.items() if key not in _TELLING or part != first["properties"][name].get(key)
        }
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": fields}


def _filler(track: Track, own: tuple[str, ...], prefix: str) -> Callable[[Mapping[str, Any]], Schema | None]:
    """What stands in a track's body in the place of a marked field, and of a reference to another such body."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        referred = str(node.get("$ref", "")).removeprefix(SCHEMAS)
        if referred in own:
            return {**node, "$ref": f"{SCHEMAS}{prefix}{referred}"}
        if MARK not in node:
            return None
        said = {name: node[name] for name in ("title", "description") if name in node}
        if node[MARK] == NAME:
            return {**said, "type": "string", "const": track.name}
        form = _relocated(getattr(track.schemas(), node[MARK]))
        return {**said, **({"anyOf": [form, {"type": "null"}]} if node.get(NULLABLE) else form)}

    return fill


def _relocated(schema: Schema) -> Schema:
    """A track's schema with its references into the document."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        referred = node.get("$ref")
        return None if referred is None else {**node, "$ref": referred.replace(_DEFINITIONS, SCHEMAS)}

    return {} if schema is ANYTHING else _told(schema, fill)


def _choice(schema: Schema, variants: list[tuple[str, str]]) -> Schema:
    said = {name: schema[name] for name in ("title", "description") if name in schema}
    among = {"anyOf": [{"$ref": f"{SCHEMAS}{variant}"} for _, variant in variants]}
    named = next((name for name, each in schema.get("properties", {}).items() if each.get(MARK) == NAME), None)
    if named is None:
        return {**said, **among}
    mapping = {track: f"{SCHEMAS}{variant}" for track, variant in variants}
    return {**said, **among, "discriminator": {"propertyName": named, "mapping": mapping}}
