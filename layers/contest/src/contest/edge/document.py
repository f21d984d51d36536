"""The API document: shared components, bodies by track.

The document is made of all functions' routes, checked in beside the code and served from there. Parts that several
operations share are written once and referred to.

**Decision**: the document has each part once, for reviewers read it line by line and every page that shows it loads
it. Moments, ids and reasons are components of their own (:mod:`contest.wire`); a refusal has an example only where its
body says more than its code and sentence and a program gets it in a session (the page of refusals has them all). If a
field has another form in each contest, its description is that of the first contest's form.

Bodies by track: no contract describes the fields that :func:`contest.wire.of_track` marks. For each track every body
that holds such a field, itself or in a part of it, becomes one of its own (``EssayBoardBody``), and the body becomes
the choice among them. The track's name in the body tells them apart; in a body without it, fields that are null in all
of them fit the form of each (hence ``anyOf``). With a single track the body itself is written: a choice of one makes
generators name its parts twice.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, SecurityScheme, Server

from contest import routes
from contest.cycle.publications import MAX_TEXT
from contest.edge import documentation, web
from contest.edge.documentation import EXAMPLES, TITLE, codes, examples
from contest.errors import MalformedJsonError
from contest.exchange.files import MAX_ANSWER
from contest.people.teams import COLUMNS, MOST
from contest.routes import Route
from contest.session.access import MAX_LOG
from contest.wire import ANY, MARK, NULLABLE
from contest.wire import NAME as WIRE_NAME
from tracks.protocol import ANYTHING, Track

RESPONSES: Final = "#/components/responses/"
PARAMETERS: Final = "#/components/parameters/"
_LONGEST: Final = 80
_LONG: Final = 100
"""Least characters of a schema shared by several fields for a component of its own."""
_MANY: Final = 5
"""Least number of places at which a component may be null, for a name of this nullable form."""
_Place = tuple[Any, Any, str]
"""Place of a part: a mapping or list, its key or index there; and the preferred name of the part."""
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})
"""Keys of a schema whose content is values, not schemas."""
_MAPPINGS: Final = frozenset({"properties", "$defs", "patternProperties"})
"""Keys of a schema whose content is names of our own, each with a schema."""


def share_parts(document: dict[str, Any]) -> None:
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


def without_titles(schema: Any, *, named: bool = False) -> Any:
    """Return a schema, or schemas by their names, without the titles that the library makes of names, in all parts."""
    if isinstance(schema, list):
        return [without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: part if key in _VALUES and not named else without_titles(part, named=key in _MAPPINGS and not named)
        for key, part in schema.items()
        if named or not (key == "title" and isinstance(part, str))
    }


def document_json(document: Mapping[str, Any]) -> str:
    """Return the document as JSON with a line for each path and each component, so that a change shows in its line."""
    return _lines(document, 3) + "\n"


def _lines(part: Any, levels: int) -> str:
    if levels == 0 or not isinstance(part, dict) or not part:
        return _text(part)
    rows = (f"{_text(name)}:{_lines(inner, levels - 1)}" for name, inner in part.items())
    return "{\n" + ",\n".join(rows) + "\n}"


def _text(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))


def _name_of_codes(status: str, response: Mapping[str, Any]) -> str:
    """Return a name for a response: its status and the codes of its refusals."""
    named = codes(response)
    name = ".".join([status, *named])
    return name if len(name) <= _LONGEST else f"{status}.{named[0]}.and.{len(named) - 1}.more"


def _refer(places: Sequence[_Place], named: dict[str, Any], start: str) -> None:
    """Move parts that stand at several places into ``named``, and leave references at the places.

    Where another part has a name already, a number follows it.
    """
    times = Counter(_text(owner[key]) for owner, key, _ in places)
    for owner, key, wish in places:
        part = owner[key]
        if times[_text(part)] > 1:
            names = itertools.chain([wish], (f"{wish}.{number}" for number in itertools.count(2)))
            name = next(name for name in names if named.setdefault(name, part) == part)
            owner[key] = {"$ref": start + name}


SCHEMAS: Final = "#/components/schemas/"
_DEFINITIONS: Final = "#/$defs/"
Schema = Any


def by_track(schemas: Mapping[str, Schema], tracks: Iterable[Track]) -> dict[str, Schema]:
    """Return the components of the document with the tracks' models in them.

    Raises ValueError where two models have one name.
    """
    chosen = tuple(tracks)
    schemas = {name: _replaced(schema, _uniter(chosen)) for name, schema in schemas.items()}
    own = _with_fields_of_tracks(schemas)
    components = {name: schema for name, schema in schemas.items() if name not in own}
    variants: dict[str, list[tuple[str, str]]] = {name: [] for name in own}
    for track in chosen:
        prefix = track.name.capitalize() if len(chosen) > 1 else ""
        for name, model in track.schemas().named.items():
            _add(components, name, _relocated(model))
        for name in own:
            variant = f"{prefix}{name}"
            body = _replaced({**schemas[name], "title": variant}, _filler(track, own, prefix))
            if len(chosen) > 1:  # the choice has the body's description
                body.pop("description", None)
            _add(components, variant, body)
            variants[name].append((track.name, variant))
    if len(chosen) == 1:
        return components
    for name, names in variants.items():
        _share(components, f"{name}Fields", [variant for _, variant in names])
    return components | {name: _choice(schemas[name], names) for name, names in variants.items()}


def _share(components: dict[str, Schema], base: str, variants: Sequence[str]) -> None:
    """Move the fields that are equal in all variants of a body into one component that the variants refer to.

    An object with ``unevaluatedProperties: false`` has the fields of both and no other.
    """
    bodies = [components[variant] for variant in variants]
    if not all("properties" in body for body in bodies):
        return
    first, *others = (body["properties"] for body in bodies)
    # From an unnamed object or enumeration openapi-python-client makes a class per place, but none for two places.
    own = {
        name
        for name, field in first.items()
        if any(node.get("type") == "object" or "enum" in node for node in _nodes(field))
    }
    common = [name for name in first if name not in own and all(fields.get(name) == first[name] for fields in others)]
    if not common:
        return
    properties = {name: first[name] for name in common}
    required = [name for name in bodies[0]["required"] if name in properties]
    _add(components, base, {"type": "object", "properties": properties, "required": required})
    for variant, body in zip(variants, bodies, strict=True):
        rest = {name: field for name, field in body["properties"].items() if name not in properties}
        keywords = {
            key: part for key, part in body.items() if key not in ("properties", "required", "additionalProperties")
        }
        rest_required = [name for name in body["required"] if name in rest]
        components[variant] = {
            **{key: part for key, part in keywords.items() if key != "type"},
            "allOf": [{"$ref": f"{SCHEMAS}{base}"}, {"type": "object", "properties": rest, "required": rest_required}],
            "unevaluatedProperties": False,
        }


def answers(tracks: Iterable[Track]) -> Schema:
    """Return the form of an answer: the track's, or one of the tracks'."""
    forms = [_relocated(track.schemas().answer) for track in tracks]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _add(components: dict[str, Schema], name: str, schema: Schema) -> None:
    if name in components:
        raise ValueError(f"two models of the document have the name {name}")
    components[name] = schema


def _with_fields_of_tracks(schemas: Mapping[str, Schema]) -> tuple[str, ...]:
    """Return names of the components that hold a marked field, directly or through others."""
    names: set[str] = set()
    while more := {
        name
        for name, schema in schemas.items()
        if name not in names
        and any(MARK in node or node.get("$ref", "").removeprefix(SCHEMAS) in names for node in _nodes(schema))
    }:
        names |= more
    return tuple(sorted(names))


def _nodes(schema: Schema) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        yield schema
        for part in schema.values():
            yield from _nodes(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _nodes(part)


def _replaced(schema: Schema, fill: Callable[[Mapping[str, Any]], Schema | None]) -> Schema:
    """Return the schema with every object replaced for which ``fill`` returns another.

    Of others the parts are visited.
    """
    if isinstance(schema, list):
        return [_replaced(part, fill) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    filled = fill(schema)
    return {name: _replaced(part, fill) for name, part in schema.items()} if filled is None else filled


def _uniter(tracks: tuple[Track, ...]) -> Callable[[Mapping[str, Any]], Schema | None]:
    """Return the replacement of a field that has the form of any track: all their forms, each once."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        if ANY not in node:
            return None
        texts = {name: node[name] for name in ("title", "description") if name in node}
        forms = [_relocated(getattr(track.schemas(), node[ANY])) for track in tracks]
        parts = [part for form in forms for part in form.get("anyOf", [form])]
        distinct = {part.get("$ref") or str(part.get("type")): part for part in parts}
        return {**texts, "anyOf": list(distinct.values())}

    return fill


def _filler(track: Track, own: tuple[str, ...], prefix: str) -> Callable[[Mapping[str, Any]], Schema | None]:
    """Return the replacement of a marked field, or of a reference to another such body, in a track's body."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        referred = str(node.get("$ref", "")).removeprefix(SCHEMAS)
        if referred in own:
            return {**node, "$ref": f"{SCHEMAS}{prefix}{referred}"}
        if MARK not in node:
            return None
        texts = {name: node[name] for name in ("title", "description") if name in node}
        if node[MARK] == WIRE_NAME:
            return {**texts, "type": "string", "const": track.name}
        form = _relocated(getattr(track.schemas(), node[MARK]))
        return {**texts, **({"anyOf": [form, {"type": "null"}]} if node.get(NULLABLE) else form)}

    return fill


def _relocated(schema: Schema) -> Schema:
    """Return a track's schema with its references into the document."""

    def fill(node: Mapping[str, Any]) -> Schema | None:
        referred = node.get("$ref")
        return None if referred is None else {**node, "$ref": referred.replace(_DEFINITIONS, SCHEMAS)}

    return {} if schema is ANYTHING else _replaced(schema, fill)


def _choice(schema: Schema, variants: list[tuple[str, str]]) -> Schema:
    texts = {name: schema[name] for name in ("title", "description") if name in schema}
    among = {"anyOf": [{"$ref": f"{SCHEMAS}{variant}"} for _, variant in variants]}
    named = next((name for name, field in schema.get("properties", {}).items() if field.get(MARK) == WIRE_NAME), None)
    if named is None:
        return {**texts, **among}
    mapping = {track: f"{SCHEMAS}{variant}" for track, variant in variants}
    return {**texts, **among, "discriminator": {"propertyName": named, "mapping": mapping}}


_VERSION: Final = "1"
_KEY_SMALL: Final = documentation.IDEMPOTENCY_KEY.lower()
_ANSWER: Final = "An answer of the cycle's track"
_TEXT: Final = {"type": "string"}
_ORDER: Final = "OpenRequest"
_JOINING: Final = "JoinRequest"
_UNUSED: Final = frozenset({"HTTPValidationError", "ValidationError", "ResponseValidationError"})
"""Names of the library's own refusals, which no route returns."""

SCHEMES: Final[dict[str, SecurityScheme]] = {
    "program": HTTPBearer(bearerFormat="hrd_…", description="A program's token"),
    "person": HTTPBearer(bearerFormat="JWT", description="A person's access token; `GET /v1/sign-in` says whence"),
}


def build(apps: Iterable[APIGatewayHttpResolver], tracks: Sequence[Track]) -> dict[str, Any]:
    """Return the document of these functions' routes, with the answers of these tracks."""
    merge = OpenAPIMerge(title=TITLE, version=_VERSION)
    for app in apps:
        describe(app)
        part = app.get_openapi_json_schema(
            title=TITLE, version=_VERSION, openapi_version="3.1.0", security_schemes=SCHEMES
        )
        merge.add_schema(json.loads(part))
    document: dict[str, Any] = json.loads(json.dumps(merge.get_openapi_schema()))
    document["info"] |= {"description": documentation.DESCRIPTION, "contact": dict(documentation.CONTACT)}
    document["servers"] = [json.loads(Server(url="/").model_dump_json(exclude_none=True))]
    schemas = document["components"]["schemas"]
    named = by_track({name: schema for name, schema in schemas.items() if name not in _UNUSED}, tracks)
    document["components"]["schemas"] = {name: named[name] for name in sorted(named)}
    _put_in_order(document)
    paths = json.dumps(document["paths"])
    referenced = (code for code in examples() if f'"{EXAMPLES}{code}"' in paths)
    document["components"] |= {
        "examples": {code: {"value": examples()[code]} for code in referenced},
        "headers": dict(documentation.HEADERS),
        "parameters": dict(documentation.PARAMETERS),
    }
    _tell_orders_apart(document, tracks)
    _operation(document, routes.ANSWER)["requestBody"] = _body(_ANSWER, MAX_ANSWER, "application/json", answers(tracks))
    _operation(document, routes.SAVE_DRAFT)["requestBody"] = _body(
        "A draft, valid or not yet", MAX_ANSWER, "application/json", answers(tracks)
    )
    _operation(document, routes.LOG)["requestBody"] = {
        "required": True,
        "description": f"Text or JSON, at most {MAX_LOG} bytes",
        "content": {"text/plain": {"schema": {"type": "string"}}, "application/json": {"schema": {}}},
    }
    _operation(document, routes.IMPORT_TEAMS)["requestBody"] = _table_body()
    _operation(document, routes.PARSE)["requestBody"] = _body(
        "A text in the notation, UTF-8", MAX_TEXT, "text/plain", _TEXT
    )
    _operation(document, routes.RENDER)["requestBody"] = _body(
        "An answer", MAX_TEXT, "application/json", answers(tracks)
    )
    document["components"]["schemas"] = without_titles(_reached(document), named=True)
    _name_repeated(document["components"]["schemas"])
    document["components"]["schemas"] = _with_optional_named(_reached(document))
    share_parts(document)
    return document


def _name_repeated(schemas: dict[str, Any]) -> None:
    """Make a component of each long form that several fields have, named like the first of them."""
    fields = [
        (node["properties"], name)
        for node in list(_nodes(schemas))
        if isinstance(node.get("properties"), dict)
        for name, form in node["properties"].items()
        if isinstance(form, dict) and len(_text(form)) >= _LONG
    ]
    times = Counter(_text(owner[name]) for owner, name in fields)
    names = dict[str, str]()
    for owner, name in sorted(fields, key=lambda field: -len(_text(field[0][field[1]]))):
        form = _text(owner[name])
        if times[form] < 2 or len(form) < _LONG:
            continue
        if form not in names:
            wish = "".join(word.capitalize() for word in name.split("_"))
            wishes = itertools.chain([f"{wish}Field"], (f"{wish}Field{number}" for number in itertools.count(2)))
            names[form] = next(wish for wish in wishes if wish not in schemas)
            schemas[names[form]] = owner[name]
        owner[name] = {"$ref": f"{SCHEMAS}{names[form]}"}


def _with_optional_named(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the components with a name for each that may be null at many places, such as a moment.

    A name is shorter than a choice of two forms, and the whole document has a bound.
    """
    choices: list[Any] = [node for node in _nodes(schemas) if _optional(node)]
    many = {name for name, times in Counter(map(_optional, choices)).items() if times >= _MANY}
    for node in choices:
        name = _optional(node)
        if name in many:
            del node["anyOf"]
            node["$ref"] = f"{SCHEMAS}{name}OrNull"
    named = dict[str, Any]()
    for name, schema in schemas.items():
        named[name] = schema
        if name in many:
            named[f"{name}OrNull"] = {"anyOf": [{"$ref": f"{SCHEMAS}{name}"}, {"type": "null"}]}
    return named


def _optional(node: Any) -> str | None:
    """Return the name of the component that a schema takes beside null; None for any other schema."""
    forms = node.get("anyOf") if isinstance(node, dict) else None
    if not isinstance(forms, list) or len(forms) != 2 or forms[1] != {"type": "null"} or [*forms[0]] != ["$ref"]:
        return None
    return str(forms[0]["$ref"]).removeprefix(SCHEMAS)


def describe(app: APIGatewayHttpResolver) -> None:
    """Add the document's descriptions of its routes to the router of a function; a request needs none of them."""
    for key, route in web.registered_routes(app):
        row = web.DESCRIBED[key]
        if route.dependant.body_params:  # a handler that reads its body itself states its refusals itself
            row = row._replace(refusals=(MalformedJsonError, *row.refusals))
        described = documentation.documentation(*row)
        route.include_in_schema = bool(described)
        route.tags = described.get("tags", [])
        route.responses = described.get("responses")
        route.security = described.get("security")
        route._dependant = None  # cached by a request without the models of the answers


def _reached(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the components that an operation refers to, each after those that it uses.

    Generators that read from the beginning make a name for each part at its first sight, and stumble over it at a
    second.
    """
    schemas, used = document["components"]["schemas"], dict[str, Any]()

    def reach(part: Any, within: frozenset[str]) -> None:
        for name in _named(part):
            if name not in used and name not in within:
                reach(schemas[name], within | {name})
                used[name] = schemas[name]

    reach({**document, "components": {**document["components"], "schemas": {}}}, frozenset())
    return used


def _named(part: Any) -> Iterator[str]:
    """Yield names of the components that a part of the document refers to, in their order."""
    if isinstance(part, Mapping):
        if isinstance(part.get("$ref"), str) and part["$ref"].startswith(SCHEMAS):
            yield part["$ref"].removeprefix(SCHEMAS)
        for inner in part.values():
            yield from _named(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _named(inner)


def _put_in_order(document: dict[str, Any]) -> None:
    """Order tags and paths for a reader who starts at the beginning.

    Every operation with an entity tag takes ``If-None-Match``.
    """
    documented = [route for route in routes.ROUTES if route.documented]
    used = {documentation.tag_of(route) for route in documented}
    tags = [*(name for name in documentation.TAGS if name in used), *sorted(used - set(documentation.TAGS))]
    document["tags"] = [{"name": name, "description": documentation.TAGS.get(name, name)} for name in tags]
    ordered = sorted(documented, key=lambda route: tags.index(documentation.tag_of(route)))
    document["paths"] = {route.path: document["paths"][route.path] for route in ordered}
    for route in documented:
        for parameter in _operation(document, route).get("parameters", []):
            # The library writes names of headers in small letters.
            parameter["schema"] = _never_null(without_titles(parameter["schema"]))
            if parameter["schema"].get("description") == parameter.get("description"):
                parameter["schema"].pop("description", None)
            if not parameter.get("required"):
                parameter.pop("required", None)  # its absence means false
            parameter["name"] = documentation.IDEMPOTENCY_KEY if parameter["name"] == _KEY_SMALL else parameter["name"]
        if route.tagged:
            reference = {"$ref": f"#/components/parameters/{documentation.IF_NONE_MATCH}"}
            _operation(document, route).setdefault("parameters", []).append(reference)


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter: in a path, a query or a header the word null is a text like any other."""
    others = [form for form in schema.get("anyOf", ()) if form != {"type": "null"}]
    if len(others) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **others[0]}


def _operation(document: Mapping[str, Any], route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = document["paths"][route.path][route.method.lower()]
    return operation


def _tell_orders_apart(document: dict[str, Any], tracks: Sequence[Track]) -> None:
    """Describe the fields of each mode: the code checks them after the form, which alone would promise too much."""
    schemas = document["components"]["schemas"]
    whole = schemas[_ORDER]
    fields = whole["properties"]
    named = next(form for form in fields["set"]["anyOf"] if form["type"] != "null")
    groups = any(mode.draws_groups for track in tracks for mode in track.modes())
    names = ("files", "language", "time_limit_s", *(("choices",) if groups else ()), "client")
    choice = {name: fields[name] for name in names}
    modes = list({mode.name: mode.in_run for track in tracks for mode in track.modes() if not mode.submitted}.items())
    own, joined = ([name for name, in_run in modes if in_run is joins] for joins in (False, True))
    schemas[_ORDER] = {
        **whole,
        "description": "Request to open a session of chosen files (R 6.4)",
        "properties": {
            "mode": {**fields["mode"], "enum": own},
            "set": {**named, "description": fields["set"]["description"], "examples": fields["set"]["examples"]},
            **choice,
        },
        "required": ["set"],
    }
    schemas[_JOINING] = {
        **whole,
        "description": "Request to join a run (R 6.6, 7.4); all else is the run's",
        "properties": {
            "mode": {"type": "string", "enum": joined},
            **{name: fields[name] for name in ("run", "client")},
        },
        "required": ["mode"],
    }
    document["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas)}
    body = _operation(document, routes.OPEN_SESSION)["requestBody"]["content"]["application/json"]
    body["schema"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in (_ORDER, _JOINING)]}


def _body(what: str, most: int, kind: str, schema: Any) -> dict[str, Any]:
    return {"required": True, "description": f"{what}, at most {most} bytes", "content": {kind: {"schema": schema}}}


def _table_body() -> dict[str, Any]:
    columns = ", ".join(f"`{column}`" for column in COLUMNS)
    return {
        "required": True,
        "description": f"UTF-8, a first line with names of columns ({columns}), at most {MOST} teams",
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }
