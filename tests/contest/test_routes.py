"""The one table of routes; no other module contains a route's address."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from contest.routes import ROUTES, Function

ROOT = Path(__file__).resolve().parents[2]
FOLLOW = ("functions", "infra", "layers/contest/src/contest", "local/src/local/gateways", "local/src/local/lambdas")
"""Folders that take their routes from the table, or from the template that is made of it."""
UNSUBSCRIPTION = "/v1/mails/unsubscription"
EARLIER = ["/v1/earlier", "/v1/earlier/fragment", "/v1/earlier/{deed}"]
ADDRESS = re.compile(r"""["'](?:[A-Z]+ )?/(?:v1\b|docs\b)""")


def test_every_route_is_there_once_and_every_function_has_one() -> None:
    assert len({route.key for route in ROUTES}) == len(ROUTES) >= 218, "a route that programs may ask for is gone"
    assert {route.function for route in ROUTES} == set(Function)


def test_only_what_everybody_may_see_is_public() -> None:
    assert {route.path for route in ROUTES if route.public} == {
        "/v1/boards",
        "/v1/boards/{key}",
        "/v1/earlier-cycles",
        "/v1/pages/{name}",
        "/v1/leaderboards/qualification",
        "/v1/leaderboards/qualification/history",
        "/v1/leaderboards/final",
        "/v1/leaderboards/final/history",
        "/v1/leaderboards/qualification.csv",
        "/v1/leaderboards/qualification.xlsx",
        "/v1/leaderboards/final.csv",
        "/v1/leaderboards/final.xlsx",
        "/v1/published-sets",
        "/v1/published-sets/{name}",
        "/v1/published-sets/{name}/parts/{part}",
        "/v1/runs",
        "/v1/runs/{run_id}",
        "/v1/runs/{run_id}/record",
        "/v1/runs/{run_id}/archive",
        "/v1/private-test/archive",
        "/v1/runs/{run_id}/timeline",
        "/v1/cycle",
        "/v1/classifier",
        "/v1/kit",
        "/v1/parameters",
        "/v1/parameters/{version}",
        "/v1/parameters/{version}/changes",
        "/v1/announcements",
        "/v1/announcements/{announcement_id}",
        "/v1/keys",
        "/v1/sign-in",
        "/v1/notation/parse",
        "/v1/notation/render",
        "/v1/openapi.json",
        "/docs",
        "/docs/errors",
    }


def test_answers_and_logs_are_taken_as_they_are_and_answers_alone_are_never_refused_for_their_rate() -> None:
    assert [route.key for route in ROUTES if route.raw_body] == [
        "PUT /v1/sessions/{session_id}/files/{number}/answer",
        "PUT /v1/sessions/{session_id}/log",
        "POST /v1/mails/unsubscription",
        "POST /v1/teams.csv",
        "PUT /v1/assignments/{assignment_id}/draft",
        "POST /v1/experts/agreement",
        "POST /v1/earlier/{deed}",
        "POST /v1/notation/parse",
        "POST /v1/notation/render",
    ]
    assert [route.path for route in ROUTES if route.spared] == ["/v1/sessions/{session_id}/files/{number}/answer"]


def test_only_what_earlier_clients_and_mail_programs_ask_for_is_undocumented_and_names_its_token() -> None:
    assert [route.path for route in ROUTES if not route.documented] == [
        UNSUBSCRIPTION,
        *EARLIER,
        *("/v1/openapi.json", "/docs", "/docs/errors"),
    ]
    assert [route.path for route in ROUTES if route.names_token] == [UNSUBSCRIPTION, *EARLIER]
    assert [route.path for route in ROUTES if route.public is route.authorized] == [UNSUBSCRIPTION, *EARLIER]


def test_no_address_stands_beside_the_table() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in FOLLOW
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name != "routes.py"
        for line in path.read_text("utf-8").splitlines()
        if ADDRESS.search(line)
    ]
    assert found == []


def test_the_table_needs_the_standard_library_only() -> None:
    program = (
        "import sys; before = set(sys.modules); import contest.routes; "
        "print(sorted(n for n in set(sys.modules) - before if n.split('.')[0] not in sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['contest', 'contest.routes']"
