"""The API's document: made of all functions' routes, checked in beside the code, served as it is checked in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, SecurityScheme, Server

from contest import routes
from contest.edge import document_parts as parts
from contest.edge import document_words as words
from contest.edge.document_tracks import SCHEMAS, answers, by_track
from contest.edge.problem_examples import detailed, examples
from contest.errors import earlier
from contest.refusals import ContestError
from contest.route import Route
from contest.services.cycle.notation import MAX_TEXT
from contest.services.exchange.answering import MAX_ANSWER
from contest.services.people.team_table import COLUMNS, MOST
from contest.services.session.log_keeping import MAX_LOG
from tracks.protocol import Track

NAME: Final = "openapi.json"
_TITLE: Final = "Hurdle"
_VERSION: Final = "1"
_KEY_SMALL: Final = words.IDEMPOTENCY_KEY.lower()
_ANSWER: Final = "What the cycle's track takes as an answer"
_TEXT: Final = {"type": "string"}
_ORDER: Final = "OpenRequest"
_JOINING: Final = "JoinRequest"
_UNUSED: Final = frozenset({"HTTPValidationError", "ValidationError", "ResponseValidationError"})
"""The library's own refusals, which no route gives."""

_SHOWN: Final = {
    "dom_id": "#document",
    "url": routes.DOCUMENT.path,
    "docExpansion": "list",
    "deepLinking": True,
    "filter": True,
    "persistAuthorization": True,
    "layout": "BaseLayout",
}
"""How the page shows the document: tags to choose from, a link for each operation, a token kept for the next visit."""
_PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title: the interface · интерфейс</title>
<style>$style</style>
<div id="document"></div>
<script>$script</script>
<script>
SwaggerUIBundle({
  ...$options, presets: [SwaggerUIBundle.presets.apis], plugins: [SwaggerUIBundle.plugins.DownloadUrl]
});
</script>
</html>
""")


SCHEMES: Final[dict[str, SecurityScheme]] = {
    "program": HTTPBearer(bearerFormat="hrd_…", description="A program's token"),
    "person": HTTPBearer(bearerFormat="JWT", description="A person's access token; `GET /v1/sign-in` says whence"),
}

_UNDOCUMENTED: Final = {each.code for each in ContestError.__subclasses__() if each.__module__ == earlier.__name__}
"""Codes of refusals that the earlier clients' routes alone give, of which the document does not speak."""


def build(apps: Iterable[APIGatewayHttpResolver], tracks: Sequence[Track]) -> dict[str, Any]:
    """The document of these functions' routes, with the answers of these tracks."""
    merge = OpenAPIMerge(title=_TITLE, version=_VERSION)
    for app in apps:
        part = app.get_openapi_json_schema(
            title=_TITLE, version=_VERSION, openapi_version="3.1.0", security_schemes=SCHEMES
        )
        merge.add_schema(json.loads(part))
    made: dict[str, Any] = json.loads(json.dumps(merge.get_openapi_schema()))
    made["info"] |= {"description": words.DESCRIPTION, "contact": dict(words.CONTACT)}
    made["servers"] = [json.loads(Server(url="/").model_dump_json(exclude_none=True))]
    schemas = made["components"]["schemas"]
    named = by_track({name: each for name, each in schemas.items() if name not in _UNUSED}, tracks)
    made["components"]["schemas"] = {name: named[name] for name in sorted(named)}
    _put_in_order(made)
    made["components"] |= {
        "examples": {code: {"value": examples()[code]} for code in examples() if code in detailed() - _UNDOCUMENTED},
        "headers": dict(words.HEADERS),
        "parameters": dict(words.PARAMETERS),
    }
    _tell_orders_apart(made, tracks)
    _operation(made, routes.ANSWER)["requestBody"] = _body(_ANSWER, MAX_ANSWER, "application/json", answers(tracks))
    _operation(made, routes.SAVE_DRAFT)["requestBody"] = _body(
        "A draft, valid or not yet", MAX_ANSWER, "application/json", answers(tracks)
    )
    _operation(made, routes.LOG)["requestBody"] = _log_body()
    _operation(made, routes.IMPORT_TEAMS)["requestBody"] = _table_body()
    _operation(made, routes.PARSE)["requestBody"] = _body(
        "A text in the notation, UTF-8", MAX_TEXT, "text/plain", _TEXT
    )
    _operation(made, routes.RENDER)["requestBody"] = _body("An answer", MAX_TEXT, "application/json", answers(tracks))
    made["components"]["schemas"] = parts.without_titles(_reached(made), named=True)
    parts.share(made)
    return made


def _reached(made: Mapping[str, Any]) -> dict[str, Any]:
    """The components that an operation leads to, each after those that it stands on: generators that read from the
    beginning make a name for each part at its first sight, and stumble over it at a second."""
    schemas, found = made["components"]["schemas"], dict[str, Any]()

    def reach(part: Any, within: frozenset[str]) -> None:
        for name in _named(part):
            if name not in found and name not in within:
                reach(schemas[name], within | {name})
                found[name] = schemas[name]

    reach({**made, "components": {**made["components"], "schemas": {}}}, frozenset())
    return found


def _named(part: Any) -> Iterator[str]:
    """Names of the components that a part of the document refers to, in their order."""
    if isinstance(part, Mapping):
        if isinstance(part.get("$ref"), str) and part["$ref"].startswith(SCHEMAS):
            yield part["$ref"].removeprefix(SCHEMAS)
        for each in part.values():
            yield from _named(each)
    elif isinstance(part, list):
        for each in part:
            yield from _named(each)


def _put_in_order(made: dict[str, Any]) -> None:
    """Tags and paths as somebody needs them who reads from the beginning; who has a tag is asked for it everywhere."""
    documented = [route for route in routes.ROUTES if route.documented]
    used = {words.tag_of(route) for route in documented}
    tags = [*(name for name in words.TAGS if name in used), *sorted(used - set(words.TAGS))]
    made["tags"] = [{"name": name, "description": words.TAGS.get(name, name)} for name in tags]
    ordered = sorted(documented, key=lambda route: tags.index(words.tag_of(route)))
    made["paths"] = {route.path: made["paths"][route.path] for route in ordered}
    for route in documented:
        for parameter in _operation(made, route).get("parameters", []):
            # The library writes names of headers small.
            parameter["schema"] = _never_null(parts.without_titles(parameter["schema"]))
            if parameter["schema"].get("description") == parameter.get("description"):
                parameter["schema"].pop("description", None)
            if not parameter.get("required"):
                parameter.pop("required", None)  # false is what its absence means
            parameter["name"] = words.IDEMPOTENCY_KEY if parameter["name"] == _KEY_SMALL else parameter["name"]
        if route.tagged:
            asked = {"$ref": f"#/components/parameters/{words.IF_NONE_MATCH}"}
            _operation(made, route).setdefault("parameters", []).append(asked)


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What a parameter may be: in a path, a query or a header the word null is a text like any other."""
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(others) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **others[0]}


def _operation(made: Mapping[str, Any], route: Route) -> dict[str, Any]:
    found: dict[str, Any] = made["paths"][route.path][route.method.lower()]
    return found


def _tell_orders_apart(made: dict[str, Any], tracks: Sequence[Track]) -> None:
    """Say what a mode takes: the code checks it after the form, so the form alone would promise too much."""
    schemas = made["components"]["schemas"]
    whole = schemas[_ORDER]
    fields = whole["properties"]
    named = next(each for each in fields["set"]["anyOf"] if each["type"] != "null")
    groups = any(each.draws_groups for track in tracks for each in track.modes())
    names = ("files", "language", "time_limit_s", *(("choices",) if groups else ()), "client")
    choice = {name: fields[name] for name in names}
    modes = list({each.name: each.in_run for track in tracks for each in track.modes() if not each.submitted}.items())
    own, joined = ([name for name, in_run in modes if in_run is wanted] for wanted in (False, True))
    schemas[_ORDER] = {
        **whole,
        "description": "What a program asks for when it opens a session of files of its choice (R 6.4)",
        "properties": {
            "mode": {**fields["mode"], "enum": own},
            "set": {**named, "description": fields["set"]["description"], "examples": fields["set"]["examples"]},
            **choice,
        },
        "required": ["set"],
    }
    schemas[_JOINING] = {
        **whole,
        "description": "What a program says when it joins a run (R 6.6, 7.4); all else is the run's",
        "properties": {
            "mode": {"type": "string", "enum": joined},
            **{name: fields[name] for name in ("run", "client")},
        },
        "required": ["mode"],
    }
    made["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas)}
    body = _operation(made, routes.OPEN_SESSION)["requestBody"]["content"]["application/json"]
    body["schema"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in (_ORDER, _JOINING)]}


def _body(what: str, most: int, kind: str, schema: Any) -> dict[str, Any]:
    return {"required": True, "description": f"{what}, at most {most} bytes", "content": {kind: {"schema": schema}}}


def _log_body() -> dict[str, Any]:
    return {
        "required": True,
        "description": f"Text or JSON, at most {MAX_LOG} bytes",
        "content": {"text/plain": {"schema": {"type": "string"}}, "application/json": {"schema": {}}},
    }


def _table_body() -> dict[str, Any]:
    columns = ", ".join(f"`{each}`" for each in COLUMNS)
    return {
        "required": True,
        "description": f"UTF-8, a first line with names of columns ({columns}), at most {MOST} teams",
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }


@cache
def text() -> str:
    """The document that was built with this code."""
    return resources.files("contest.contracts").joinpath(NAME).read_text("utf-8")


@cache
def page() -> str:
    """A page that fetches the document, names its address and shows it; script and style come with the library, from
    nobody else's server."""
    assets = resources.files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = assets.joinpath("swagger-ui-bundle.min.js").read_text("utf-8")
    style = assets.joinpath("swagger-ui.min.css").read_text("utf-8")
    return _PAGE.substitute(title=_TITLE, script=script, style=style, options=json.dumps(_SHOWN))
