"""The API's document: made of all functions' routes, checked in beside the code, served as it is checked in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, Server
from aws_lambda_powertools.event_handler.openapi.swagger_ui import generate_swagger_html

from contest import routes
from contest.routes import Route
from contest.services.exchange.answering import MAX_ANSWER
from contest.services.session.log_keeping import MAX_LOG
from tracks.protocol import Track

NAME: Final = "openapi.json"
_TITLE: Final = "Hurdle"
_VERSION: Final = "1"
_DESCRIPTION: Final = (
    "The exchange of a contest: a participant's program opens a session, gets files, sends answers and reads its"
    " report. Times are UTC, ISO 8601 with milliseconds. Every refusal has the same form and a stable code. Beyond"
    " its own limits the gateway answers by itself: 413 for a body over 10 MB, 401 and 403 without a valid token."
)
_ORDER: Final = "OpenRequest"
_JOINING: Final = "JoinRequest"
_UNUSED: Final = frozenset({"HTTPValidationError", "ValidationError", "ResponseValidationError"})
"""The library's own refusals, which no route gives."""


def build(apps: Iterable[APIGatewayHttpResolver], tracks: Sequence[Track]) -> dict[str, Any]:
    """The document of these functions' routes, with the answers of these tracks."""
    merge = OpenAPIMerge(title=_TITLE, version=_VERSION)
    scheme = HTTPBearer(bearerFormat="hrd_…", description="A program's token")
    for app in apps:
        part = app.get_openapi_json_schema(
            title=_TITLE, version=_VERSION, openapi_version="3.1.0", security_schemes={"program": scheme}
        )
        merge.add_schema(json.loads(part))
    made: dict[str, Any] = json.loads(json.dumps(merge.get_openapi_schema()))
    made["info"]["description"] = _DESCRIPTION
    made["servers"] = [json.loads(Server(url="/").model_dump_json(exclude_none=True))]
    schemas = made["components"]["schemas"]
    made["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas) if name not in _UNUSED}
    made["paths"] = {path: made["paths"][path] for path in sorted(made["paths"])}
    _tell_orders_apart(made)
    _operation(made, routes.ANSWER)["requestBody"] = _answer_body(tracks)
    _operation(made, routes.SAVE_DRAFT)["requestBody"] = _answer_body(tracks)
    _operation(made, routes.LOG)["requestBody"] = _log_body()
    for operation in (each for path in made["paths"].values() for each in path.values()):
        for parameter in operation.get("parameters", ()):
            parameter["schema"] = _never_null(parameter["schema"])
    return made


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What a parameter may be: in a path, a query or a header the word null is a text like any other."""
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(others) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **others[0]}


def _operation(made: Mapping[str, Any], route: Route) -> dict[str, Any]:
    found: dict[str, Any] = made["paths"][route.path][route.method.lower()]
    return found


def _tell_orders_apart(made: dict[str, Any]) -> None:
    """Say what a mode takes: the code checks it after the form, so the form alone would promise too much."""
    schemas = made["components"]["schemas"]
    whole = schemas[_ORDER]
    fields = whole["properties"]
    named = next(each for each in fields["set"]["anyOf"] if each["type"] != "null")
    choice = {name: fields[name] for name in ("files", "language", "time_limit_s", "client")}
    modes = fields["mode"]["enum"]
    schemas[_ORDER] = {
        **whole,
        "description": "What a program asks for when it opens a session of files of its choice (R 6.4)",
        "properties": {
            "mode": {**fields["mode"], "enum": modes[:1]},
            "set": {**named, "description": fields["set"]["description"], "examples": fields["set"]["examples"]},
            **choice,
        },
        "required": ["set"],
    }
    schemas[_JOINING] = {
        **whole,
        "title": _JOINING,
        "description": "What a program says when it joins a run (R 6.6, 7.4); all else is the run's",
        "properties": {
            "mode": {"type": "string", "title": "Mode", "enum": modes[1:]},
            **{name: fields[name] for name in ("run", "client")},
        },
        "required": ["mode"],
    }
    made["components"]["schemas"] = {name: schemas[name] for name in sorted(schemas)}
    body = _operation(made, routes.OPEN_SESSION)["requestBody"]["content"]["application/json"]
    body["schema"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in (_ORDER, _JOINING)]}


def write(made: Mapping[str, Any]) -> str:
    """The document as it is checked in."""
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _answer_body(tracks: Iterable[Track]) -> dict[str, Any]:
    schemas = [{"title": f"Answer of the track {each.name}", **each.answer_schema()} for each in tracks]
    return {
        "required": True,
        "description": f"What the cycle's track takes as an answer, at most {MAX_ANSWER} bytes",
        "content": {"application/json": {"schema": schemas[0] if len(schemas) == 1 else {"oneOf": schemas}}},
    }


def _log_body() -> dict[str, Any]:
    return {
        "required": True,
        "description": f"Text or JSON, at most {MAX_LOG} bytes",
        "content": {"text/plain": {"schema": {"type": "string"}}, "application/json": {"schema": {}}},
    }


@cache
def text() -> str:
    """The document that was built with this code."""
    return resources.files("contest.contracts").joinpath(NAME).read_text("utf-8")


@cache
def page() -> str:
    """A page that shows the document; its script and style come with the library, from nobody else's server."""
    assets = resources.files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = assets.joinpath("swagger-ui-bundle.min.js").read_text("utf-8")
    style = assets.joinpath("swagger-ui.min.css").read_text("utf-8")
    return generate_swagger_html(
        spec=text(),
        swagger_js=script,
        swagger_css=style,
        swagger_base_url="",
        oauth2_config=None,
        persist_authorization=True,
    )
