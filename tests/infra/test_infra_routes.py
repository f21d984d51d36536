"""The gateway's route table, the functions' rows and the OpenAPI document name the same interface."""

from __future__ import annotations

import json

from infra.constructs.api import ROUTES
from infra.layers import ROOT
from infra.rights import FUNCTIONS

DOCUMENT = ROOT / "docs" / "openapi.json"
SERVES_THE_DOCUMENT = {"GET /docs", "GET /v1/openapi.json"}
"""The document describes the contest's interface, not itself."""
METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}


def documented() -> set[str]:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    return {
        f"{method.upper()} {path}"
        for path, operations in document["paths"].items()
        for method in operations
        if method in METHODS
    }


def deployed() -> set[str]:
    return {f"{route.method} {route.path}" for route in ROUTES}


def test_every_deployed_route_is_documented() -> None:
    assert deployed() - documented() - SERVES_THE_DOCUMENT == set()


def test_every_documented_route_is_deployed() -> None:
    assert documented() - deployed() == set()


def test_no_route_is_listed_twice() -> None:
    assert len(deployed()) == len(ROUTES)


def test_routes_go_to_functions_that_serve_http() -> None:
    serving = {row.name for row in FUNCTIONS if row.serves_http}
    assert {route.function for route in ROUTES} == serving - {"Authorize"}


def test_only_what_the_public_may_see_is_public() -> None:
    assert {route.path for route in ROUTES if route.public} == {
        "/v1/leaderboards/qualification",
        "/v1/leaderboards/final",
        "/v1/runs",
        "/v1/runs/{run_id}",
        "/v1/runs/{run_id}/record",
        "/v1/runs/{run_id}/timeline",
        "/v1/cycle",
        "/v1/keys",
        "/v1/openapi.json",
        "/docs",
    }
