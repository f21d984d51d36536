"""The HTTP interface against its own document: requests that fit it and requests that do not (schemathesis).

The document is narrowed to what this deployment has (real sessions, sets, languages), so that what fits the document
is taken; what does not fit is then everything else, and must be refused. The number of examples bounds the time.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from http import HTTPStatus
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from requests import PreparedRequest
from schemathesis import Case
from schemathesis.checks import CheckFunction
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance, unsupported_method

from contest.edge import documentation
from contest.edge.documentation import IF_NONE_MATCH
from local import cloud
from local.gateways.gateway import Firewall
from tests import browser
from tests.exchange_programs import Exchange, as_expert, exchange_cloud

# Loaded by itself it would take half a second of every run of pytest, and look at every test of it.
pytest_plugins = ["schemathesis.pytest.plugin"]
pytestmark = [pytest.mark.integration, pytest.mark.slow]

BEFORE_THE_PLATFORM = {
    400: {"message": "Bad Request"},
    429: {"message": "Too Many Requests"},
    431: {"message": "Request Header Fields Too Large"},
}
"""Answers of the gateway itself: to paths and headers that no handler should have to meet, beyond a route's limit."""
NO_HTTP = b"Invalid HTTP request received."
"""Answer of the gateway's server to a header, such as ``Transfer-Encoding``, that breaks HTTP."""
SEEN: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
"""Statuses of the answers, by method and path: refusals alone would be documented answers, too."""
NOT_HERE = {
    *("/v1/assignments", "/v1/round", "/v1/private-test", "/v1/private-test/archive"),
    *("/v1/leaderboards/final", "/v1/leaderboards/final.csv", "/v1/leaderboards/final.xlsx"),
    "/v1/leaderboards/final/history",
}
"""Paths without data for the callers here: assignments are experts', rounds are clinicians', no final was played,
and no private test's results are published."""
WHOLE = "FUZZ_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "1"))
"""Requests of each route; ``make fuzz`` makes more, and besides them some forty that go through each field's bounds."""
EACH = 1 if WHOLE else 6
"""The gate asks every sixth path, the cycle's and the sessions' among them."""
LEAST_CHANGES = 15 // EACH
ENDED, OPEN = "1" * 15, "2" * 15
FILES_IN_HAND_MS = 30_000
ANSWER = "/v1/sessions/{session_id}/files/{number}/answer"
DATED = {"/v1/parameter-changes", "/v1/announcing", "/v1/announcing/{announcement_id}/correction", "/v1/rescorings"}
DATED |= {"/v1/dead-letters/redrive", "/v1/cycle/results-made-stale"}
DATED |= {path for path in json.loads(documentation.text())["paths"] if path.startswith("/v1/conduct/")}
"""Requests that may be refused although each field fits: no calendar, and fields that exclude each other."""
TABLE = "/v1/teams.csv"
OF_MEMBERS = ("/v1/team/", "/v1/applications", "/v1/invitations", "/v1/mails")
EMAIL = "fuzzed@example.org"
NAMES = [("ApplicationRequest", "team_name"), ("ApplicationRequest", "person_name"), ("AcceptRequest", "person_name")]
NAMES += [("TeamRequest", "name"), ("StaffRequest", "name")]
BETWEEN_REQUESTS_S = 0.15
"""Pause between requests, in seconds; a tenth would already keep a token's rate."""
SIGNED_IN_MS = 10 * 60_000
"""Time after which both sign in again, in milliseconds; an access token lives for fifteen minutes."""
LOG = "/v1/sessions/{session_id}/log"
NOTATION = ("/v1/notation/parse", "/v1/notation/render")

MAY_BE_REFUSED = {
    ANSWER,  # a markup in form may still be of another text
    "/v1/teams/{team_id}/decision",  # a decision names one of three fields, each in form without the others
    *("/v1/hooks", "/v1/page-versions/{name}"),  # a text in form may be no public address, and no page of the cycle
    *("/v1/imports", "/v1/submissions"),  # a size in form may make another number of parts, or be too large
    "/v1/teams",  # a word of letters may mix two alphabets
    "/v1/sessions",  # a key may have been used for another session
    *("/v1/questions", "/v1/markings/{marking_id}/suggestions"),  # fields that ask for or exclude each other
    "/v1/conduct/cost",  # more teams may be said to listen than to take part
    TABLE,  # most texts are no table
}
"""Paths whose requests may be refused although they fit the document."""
MAY_BE_TAKEN = {
    "/v1/teams",  # names are narrowed here: what breaks the narrower pattern may be taken
    TABLE,
    *NOTATION,  # what is wrong with a text or an answer is the answer
    LOG,  # a log may be anything
}
"""Paths whose requests may be taken although they do not fit the document."""


@pytest.fixture(scope="module")
def exchange(prepared: Path) -> Iterator[Exchange]:
    """Start a cloud of this file's own: organizers annul sets and hide boards here, with random reasons."""
    with (
        patch.object(cloud, "firewall_of", lambda _: Firewall()),  # it counts what comes without a token by real time
        exchange_cloud(prepared, workers_of={"FunctionsDispatch": 2, "FunctionsSubmit": 2}) as ready,
    ):
        yield ready


class Fuzzing:
    """Hold a program with an ended session and one with two files in hand; another team's when a day is used up."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.begin()

    def begin(self) -> None:
        """Let a new team's program play a session to its end, and begin another."""
        self.program = self.exchange.program()
        self.program.open(files=3)
        self.program.play(as_expert(1))
        self.program.report()
        self.ended = self.program.session_id
        assert self.take().status_code == HTTPStatus.CREATED

    def take(self) -> httpx.Response:
        """Open a session, and take two of its three files."""
        opened = self.program.open(files=3)
        if opened.status_code == HTTPStatus.CREATED:
            self.program.take(1)
            self.program.take(2)
            self.taken_at = self.exchange.clock.now_ms()
        return opened

    def pass_time(self) -> None:
        """Let as much pass as a team's rate asks for, and open another session before time runs out for its files."""
        clock = self.exchange.clock
        clock.advance(BETWEEN_REQUESTS_S)
        if clock.now_ms() > self.taken_at + FILES_IN_HAND_MS:
            clock.advance(1)  # the team's second is full of the fuzzed requests, of which the program knows nothing
            assert self.program.ask("POST", self.program.path("abort")).status_code == 200
            opened = self.take()
            if opened.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                assert opened.json()["error"]["code"] == "quota_exhausted"
                self.begin()


def holds(case: Case, url: str, token: str) -> None:
    """Send a case, note its status and check its answer against the document."""
    headers = {"Authorization": f"Bearer {token}"}
    answered = case.call(base_url=url, headers=headers)
    SEEN[case.method, case.path].append(answered.status_code)
    if answered.content == NO_HTTP:
        return
    with suppress(ValueError):  # what is no JSON is not the gateway's
        if BEFORE_THE_PLATFORM.get(answered.status_code) == json.loads(answered.content):
            return
    assert answered.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    case.validate_response(answered, headers=headers, excluded_checks=_excluded(case))  # raises what does not fit


@pytest.fixture(scope="module")
def fuzzing(exchange: Exchange) -> Fuzzing:
    """Return a program with a session that is opened anew whenever its files come near their deadlines."""
    return Fuzzing(exchange)


class People:
    """Hold the tokens of an organizer and of a team's captain, and sign both in again before the tokens end."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        exchange.organizer.contest("staff", "invite", "fuzz@example.org", "Fuzz", "organizer")
        self._sign_in()
        form = {"team_id": "fuzzed", "team_name": "F", "person_name": "C", "contact": EMAIL, "accepts_rules": True}
        headers = {"Authorization": f"Bearer {self.token(of_member=True)}"}
        assert exchange.public("POST", "/v1/applications", headers=headers, json=form).status_code == 201

    def token(self, *, of_member: bool) -> str:
        """Return an access token of the captain, else of the organizer."""
        if self._exchange.clock.now_ms() > self._signed_in_at + SIGNED_IN_MS:
            self._sign_in()
        return self._captain if of_member else self._organizer

    def _sign_in(self) -> None:
        url = self._exchange.cloud.url
        self._organizer = browser.token(url, "fuzz@example.org", "staff")
        self._captain = browser.token(url, "captain@example.org", "participants")
        self._signed_in_at = self._exchange.clock.now_ms()


@pytest.fixture(scope="module")
def people(exchange: Exchange) -> People:
    """Sign an organizer and a team's captain in."""
    return People(exchange)


def narrowed(*, of_people: bool) -> Any:
    """Narrow the document to this program, whose sessions have stand-ins for names until it runs, and to the routes
    for people alone, or to all others."""
    document = json.loads(documentation.text())
    for path, methods in document["paths"].items():
        of_these = {
            name: each for name, each in methods.items() if (each.get("security") == [{"person": []}]) is of_people
        }
        document["paths"][path] = of_these
    document["paths"] = {path: methods for path, methods in document["paths"].items() if methods}
    document["paths"] = dict(list(document["paths"].items())[3 % EACH :: EACH])
    for name in ("ApplicationRequest", "AcceptRequest"):
        document["components"]["schemas"][name]["properties"]["contact"] = {"enum": [EMAIL]}
    for name, field in NAMES:  # which characters nobody sees, a pattern does not know
        document["components"]["schemas"][name]["properties"][field]["pattern"] = "^[A-Za-zА-я0-9]+( [A-Za-zА-я0-9]+)*$"
    document["components"]["schemas"]["StaffRequest"]["properties"]["email"] = {"enum": [EMAIL]}
    for name in ("InvitationRequest", "TeamInvitationRequest"):
        document["components"]["schemas"][name]["properties"]["email"] = {"enum": [EMAIL, None]}
    document["components"]["schemas"]["TokenRequest"]["properties"]["expires_at"] = {
        "enum": ["2030-01-01T00:00:00.000Z", None]
    }
    for methods in document["paths"].values():
        for method, operation in methods.items():
            # That a tag is known is a test of its own; here it would make any answer a 304, or a wrong one right.
            parameters = deepcopy(documentation.parameters(document, operation))
            operation["parameters"] = [each for each in parameters if each["name"] != IF_NONE_MATCH]
            for parameter in operation["parameters"]:
                stated = _known(parameter["name"], [ENDED] if method == "post" else [ENDED, OPEN])
                parameter["schema"] = stated or parameter["schema"]
    properties = document["components"]["schemas"]["OpenRequest"]["properties"]
    properties["set"] = {"enum": ["train", "test"]}
    properties["language"] = {"enum": ["all", "rus", "eng"]}
    # Whole numbers by name: JSON Schema would call 10.0 one too, which is refused as nothing is converted.
    properties["time_limit_s"] = {"enum": [10, 60]}
    properties["files"] = {"enum": [1, 3, 1000]}
    # The document is of all contests: of essays nobody chooses more, and these modes are others'.
    properties["mode"], properties["choices"] = {"enum": ["algorithmic"]}, {"enum": [None]}
    schemas = document["components"]["schemas"]
    for name in ("VersionRequest", "AnswerRequest", "ClosureRequest"):
        schemas[name]["properties"]["version"] = {"enum": [1, 7]}
    schemas["MarkingRequest"]["properties"]["seed"] = {"enum": [0, 7, None]}
    schemas["ExtendRequest"]["properties"]["seconds"] = {"enum": [1, 3600]}
    schemas["ReplayRequest"]["properties"] |= {"seed": {"enum": [0, 7]}, "limit_s": {"enum": [1, 3600, None]}}
    schemas["ReplayRequest"]["properties"]["files"]["items"] = {"enum": [1, 2, 5100]}
    declared = {"total_parameters": {"enum": [1000]}, "shared_parameters": {"enum": [0, 400]}}
    schemas["DeclarationRequest"]["properties"] |= declared
    return document


def _known(parameter: str, sessions: list[str]) -> dict[str, Any] | None:
    """Return a parameter's schema here, beyond the document's, which holds for every deployment."""
    return {
        "session_id": {"type": "string", "enum": sessions},
        "number": {"type": "integer", "enum": [1, 2, 3]},
        "language": {"type": "string", "enum": ["all", "rus", "eng"]},
        "x": {"type": "string", "enum": ["answer", "0", "1"]},
        "y": {"type": "string", "enum": ["answer", "0", "1"]},
        "day": {"type": "string", "enum": ["2026-11-21"]},  # a pattern knows no calendar
        "from": {"type": "string", "enum": ["2026-11-21"]},
        "to": {"type": "string", "enum": ["2026-11-21", "2026-11-22"]},
        "before": {"type": "string", "enum": ["2026-11-21T12:00:00.000Z", "2030-01-01T00:00:00.000Z"]},
    }.get(parameter)


SCHEMA = schemathesis.openapi.from_dict(narrowed(of_people=False))
OF_PEOPLE = schemathesis.openapi.from_dict(narrowed(of_people=True))
for each in (SCHEMA, OF_PEOPLE):
    each.config.phases.coverage.enabled = WHOLE


@SCHEMA.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_every_request_gets_a_documented_answer(case: Case, fuzzing: Fuzzing) -> None:
    fuzzing.pass_time()
    program = fuzzing.program
    real = {ENDED: fuzzing.ended, OPEN: program.session_id}
    named = case.path_parameters or {}
    if named.get("session_id") in real:
        named["session_id"] = real[named["session_id"]]
    holds(case, program.exchange.cloud.url, program.token)


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [(418, "application/json", b"{}"), (200, "application/json", b"{}"), (200, "text/html", b"{}")],
    ids=["another status", "another body", "another type"],
)
def test_an_answer_that_the_document_does_not_know_is_found(status: int, kind: str, body: bytes) -> None:
    """``validate_response``, by which the tests of every request assert, fails for an undocumented answer."""
    case = SCHEMA["/v1/cycle"]["GET"].Case()
    asked = PreparedRequest()
    asked.prepare("GET", "http://127.0.0.1/v1/cycle")
    answered = Response(status, {"content-type": [kind]}, body, asked, elapsed=0, verify=True)
    with pytest.raises(FailureGroup):
        case.validate_response(answered, excluded_checks=_excluded(case))


def _excluded(case: Case) -> list[CheckFunction]:
    """List the checks that contradict a decision of ours."""
    excluded: list[CheckFunction] = [unsupported_method]  # an unknown method is an unknown route: 404 in our form
    excluded += [positive_data_acceptance] * (case.path in MAY_BE_REFUSED)
    excluded += [negative_data_rejection] * (case.path in MAY_BE_TAKEN)
    if case.path in DATED and (case.method == "POST" or "/boards/" in case.path):
        excluded.append(positive_data_acceptance)  # a moment in form may still be none, and parameters the track's no
    if {"language", "nomination"} <= set(case.query or {}):
        excluded.append(positive_data_acceptance)  # a board has parts by the one or by the other
    if set(case.query or {}) - {each.name for each in case.operation.query}:
        excluded.append(negative_data_rejection)  # a parameter nobody knows is nobody's fault: it is not read
    return excluded


def test_after_all_that_the_sessions_are_as_they_were(fuzzing: Fuzzing) -> None:
    """Runs after the fuzzing in this file; alone it holds as well."""
    exchange = fuzzing.program.exchange
    exchange.clock.advance(1)  # the team's second is full of the fuzzed requests
    assert fuzzing.program.state() == "open"
    assert exchange.organizer.contest("verify", fuzzing.ended) == "3 scores, 1 reports compared"
    assert exchange.screen.getvalue() == ""


@OF_PEOPLE.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_every_request_of_a_person_gets_a_documented_answer(case: Case, exchange: Exchange, people: People) -> None:
    exchange.clock.advance(BETWEEN_REQUESTS_S)
    of_member = case.path == "/v1/team" or case.path.startswith(OF_MEMBERS)
    holds(case, exchange.cloud.url, people.token(of_member=of_member))


def test_the_requests_reached_what_they_were_made_for() -> None:
    """A token that has ended, or a limit, would be a documented answer to everything. Runs after the fuzzing."""
    if not SEEN:
        pytest.skip("nothing was fuzzed")
    taken = {key for key, codes in SEEN.items() if any(code < HTTPStatus.BAD_REQUEST for code in codes)}
    listed = {("GET", path) for path, methods in json.loads(documentation.text())["paths"].items() if "get" in methods}
    unnamed = {key for key in listed if "{" not in key[1]} & set(SEEN)
    here = NOT_HERE & {path for _, path in unnamed}
    assert {path for _, path in unnamed - taken} == here, {key: SEEN[key] for key in unnamed - taken}
    changes = sorted(key for key in taken if key[0] in {"POST", "PUT"})
    assert len(changes) >= LEAST_CHANGES, changes
