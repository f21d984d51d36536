"""The API's document is what the code says. To write it anew after a change: ``python tests/unit/test_openapi.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest

import dispatch.api
import score.api
import submit.api
from contest import errors
from contest.bootstrap import document
from contest.contracts.wire import Error
from contest.domain.rights import ROUTES, Right
from tracks import registry

ROOT = Path(__file__).resolve().parents[2]
PLACES = (ROOT / "docs/openapi.json", ROOT / "layers/contest/src/contest/contracts" / document.NAME)
GATEWAY = {"401", "403"}
"""Statuses with which the gateway may refuse by itself, in its own form."""
UNDOCUMENTED = {("GET", "/v1/openapi.json"), ("GET", "/docs")}


def built() -> dict[str, Any]:
    apps = (dispatch.api.app, submit.api.app, score.api.app)
    return document.build(apps, [registry.get(name) for name in ("essay",)])


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return built()


def operations(made: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(method.upper(), path): each for path, item in made["paths"].items() for method, each in item.items()}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.relative_to(ROOT).as_posix())
def test_the_checked_in_document_is_the_codes(made: dict[str, Any], place: Path) -> None:
    assert place.read_text("utf-8") == document.write(made), "run: python tests/unit/test_openapi.py"


def test_the_document_is_openapi_3_1(made: dict[str, Any]) -> None:
    assert made["openapi"].startswith("3.1")
    openapi_spec_validator.validate(made)


def test_every_route_of_the_table_is_documented_and_no_other(made: dict[str, Any]) -> None:
    assert set(operations(made)) == set(ROUTES) - UNDOCUMENTED


def test_what_needs_a_token_says_so(made: dict[str, Any]) -> None:
    secured = {route for route, each in operations(made).items() if each.get("security") == [{"program": []}]}
    assert secured == {route for route, right in ROUTES.items() if right is Right.EXCHANGE}
    assert made["components"]["securitySchemes"]["program"]["scheme"] == "bearer"


def test_every_refusal_has_the_one_form(made: dict[str, Any]) -> None:
    for route, each in operations(made).items():
        for status, answer in each["responses"].items():
            if int(status) >= 400 and status not in GATEWAY:
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": f"#/components/schemas/{Error.__name__}"}, (route, status)


def test_every_error_that_http_can_say_is_documented_somewhere(made: dict[str, Any]) -> None:
    said = json.dumps(made["paths"])
    undocumented = {each.code for each in errors.STATUS if f"`{each.code}`" not in said}
    assert undocumented == {"unknown_route"}


def test_the_answers_schema_is_the_tracks(made: dict[str, Any]) -> None:
    body = made["paths"]["/v1/sessions/{session_id}/files/{number}/answer"]["put"]["requestBody"]
    assert "selections" in body["content"]["application/json"]["schema"]["properties"]


if __name__ == "__main__":
    for each in PLACES:
        each.write_text(document.write(built()), "utf-8")
