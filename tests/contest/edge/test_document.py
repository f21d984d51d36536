"""The API's document is what the code says. After a change: ``python tests/contest/edge/test_document.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer

import annotate.api
import dispatch.api
import dispatch.public
import score.api
import submit.api
from contest import errors
from contest.contracts.wire import Error
from contest.edge import document
from contest.refusals import ContestError
from contest.routes import ANSWER, ROUTES
from tracks import registry

PLACE = Path(__file__).resolve().parents[3] / "layers/contest/src/contest/contracts" / document.NAME
GATEWAY = {"401", "403"}
"""Statuses with which the gateway may refuse by itself, in its own form."""
NAMED = [each for each in ContestError.__subclasses__() if each.__module__ == errors.__name__]


APPS = (dispatch.api.app, submit.api.app, score.api.app, annotate.api.app, dispatch.public.app)


def built() -> dict[str, Any]:
    return document.build(APPS, [registry.get(name) for name in ("essay",)])


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return built()


def operations(made: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(method.upper(), path): each for path, item in made["paths"].items() for method, each in item.items()}


def test_the_checked_in_document_is_the_codes(made: dict[str, Any]) -> None:
    assert PLACE.read_text("utf-8") == document.write(made), "run: python tests/contest/edge/test_document.py"


def test_the_document_is_openapi_3_1(made: dict[str, Any]) -> None:
    assert made["openapi"].startswith("3.1")
    openapi_spec_validator.validate(made)


def test_every_route_of_the_table_is_documented_and_no_other(made: dict[str, Any]) -> None:
    assert set(operations(made)) == {(each.method, each.path) for each in ROUTES if each.documented}


def test_what_has_one_name_is_one_thing_in_all_functions() -> None:
    """The functions' documents are put together by the names of their schemas."""
    found: dict[str, Any] = {}
    for app in APPS:
        said = app.get_openapi_json_schema(title="x", version="1", security_schemes={"program": HTTPBearer()})
        for name, schema in json.loads(said)["components"]["schemas"].items():
            assert found.setdefault(name, schema) == schema, name


def test_what_needs_a_token_says_so(made: dict[str, Any]) -> None:
    secured = {route for route, each in operations(made).items() if each.get("security") == [{"program": []}]}
    assert secured == {(each.method, each.path) for each in ROUTES if not each.public}
    assert made["components"]["securitySchemes"]["program"]["scheme"] == "bearer"


def test_every_refusal_has_the_one_form(made: dict[str, Any]) -> None:
    for route, each in operations(made).items():
        for status, answer in each["responses"].items():
            if int(status) >= 400 and status not in GATEWAY:
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": f"#/components/schemas/{Error.__name__}"}, (route, status)


def test_every_error_that_http_can_say_is_documented_somewhere(made: dict[str, Any]) -> None:
    said = json.dumps(made["paths"])
    assert {each.code for each in NAMED if f"`{each.code}`" not in said} == set()


def test_the_answers_schema_is_the_tracks(made: dict[str, Any]) -> None:
    body = made["paths"][ANSWER.path]["put"]["requestBody"]
    assert "selections" in body["content"]["application/json"]["schema"]["properties"]


if __name__ == "__main__":
    PLACE.write_text(document.write(built()), "utf-8")
