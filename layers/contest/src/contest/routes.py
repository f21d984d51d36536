"""Every route of the HTTP interface, once: where it is, which function answers it, which right it needs.

The gateway's routes and authorizers, the handlers' decorators, admission, raw bodies and the OpenAPI document follow
from these rows; a function whose handlers differ from its rows does not start. Standard library only: the
infrastructure imports this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

Method = Literal["GET", "POST", "PUT"]
GATEWAY_BELIEVES: Final = 30_000
"""Milliseconds for which the gateway goes by what the authorizer told it of a token."""
TOKEN_FORM: Final = "hrd_[A-Za-z0-9_-]{43}"  # noqa: S105 -- a form, not a secret
"""A regular expression for what is a token by its form, wherever it stands in a header."""


class Function(StrEnum):
    """A function that answers routes, by its name in the infrastructure."""

    DISPATCH = "Dispatch"
    SUBMIT = "Submit"
    RESULTS = "Results"
    ANNOTATE = "Annotate"
    """Experts at work, and their coordinator."""
    PUBLIC = "Public"
    """What everybody may read, and what is no route: apart, so that nobody without a token takes an execution from a
    program."""


class Right(StrEnum):
    """What somebody may do. Whose things it may be done to is decided beside it (own team, own assignment)."""

    READ_PUBLISHED = "read_published"
    EXCHANGE = "exchange"
    CABINET = "cabinet"
    MARK_UP = "mark_up"
    READ_REPORTS = "read_reports"
    CONFIRM_CONCLUSIONS = "confirm_conclusions"
    INSPECT_SUBMISSIONS = "inspect_submissions"
    WATCH_ASSIGNMENTS = "watch_assignments"
    VERIFY_RESULTS = "verify_results"
    ORGANIZE = "organize"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many requests of all callers together the gateway passes on to a route; the others get 429."""

    per_second: int
    burst: int


PUBLIC_LIMIT: Final = Limit(50, 100)
"""Of each public route. What the cache in front answers does not count, so nobody who reads comes near it."""
UNKNOWN_LIMIT: Final = Limit(20, 40)
"""Of all requests for what is no route."""
RESULTS_LIMIT: Final = Limit(200, 400)
"""Of each route that makes results: reports, scores, comparisons, charts."""


@dataclass(frozen=True, slots=True)
class Route:
    """One route; ``{name}`` in its path is a parameter.

    ``raw_body``: the handler reads the body itself, for it may be anything. ``spared``: its requests count for the
    rate limit and are not refused for it within a file's first sends and refusals (platform §3). ``documented``: it is
    part of the OpenAPI document. ``limit``: the gateway's own for this route; without one it shares the stage's.
    ``cached_s``: for so many seconds anybody may go by an answer, the distribution in front first of all; 0 for what
    depends on who asks.
    """

    method: Method
    path: str
    function: Function
    right: Right
    raw_body: bool = False
    spared: bool = False
    documented: bool = True
    limit: Limit | None = None
    cached_s: int = 0

    @property
    def key(self) -> str:
        """The route's name at the gateway: ``GET /v1/cycle``."""
        return f"{self.method} {self.path}"

    @property
    def public(self) -> bool:
        """Whether everybody may use it, so that nothing stands in front of its function (platform §1)."""
        return self.right is Right.READ_PUBLISHED


_SESSIONS: Final = "/v1/sessions"
_SESSION: Final = f"{_SESSIONS}/{{session_id}}"
_FILE: Final = f"{_SESSION}/files/{{number}}"
_RUN: Final = "/v1/runs/{run_id}"


_ASSIGNMENT: Final = "/v1/assignments/{assignment_id}"
_EXPERT: Final = "/v1/experts/{expert_id}"
_GIVEN: Final = f"{_EXPERT}/assignments/{{assignment_id}}"
_MARKINGS: Final = "/v1/markings"


def _expert(method: Method, path: str, *, raw_body: bool = False) -> Route:
    return Route(method, path, Function.ANNOTATE, Right.MARK_UP, raw_body=raw_body)


def _results(path: str) -> Route:
    return Route("GET", path, Function.RESULTS, Right.EXCHANGE, limit=RESULTS_LIMIT)


def _public(path: str, cached_s: int, *, documented: bool = True) -> Route:
    return Route(
        "GET",
        path,
        Function.PUBLIC,
        Right.READ_PUBLISHED,
        documented=documented,
        limit=PUBLIC_LIMIT,
        cached_s=cached_s,
    )


OPEN_SESSION: Final = Route("POST", _SESSIONS, Function.DISPATCH, Right.EXCHANGE)
LIST_SESSIONS: Final = Route("GET", _SESSIONS, Function.DISPATCH, Right.EXCHANGE)
SESSION_STATUS: Final = Route("GET", _SESSION, Function.DISPATCH, Right.EXCHANGE)
NEXT_FILE: Final = Route("GET", f"{_SESSION}/next", Function.DISPATCH, Right.EXCHANGE)
FILE: Final = Route("GET", _FILE, Function.DISPATCH, Right.EXCHANGE)
ABORT: Final = Route("POST", f"{_SESSION}/abort", Function.DISPATCH, Right.EXCHANGE)

ANSWER: Final = Route("PUT", f"{_FILE}/answer", Function.SUBMIT, Right.EXCHANGE, raw_body=True, spared=True)
RECEIPTS: Final = Route("GET", f"{_SESSION}/receipts", Function.SUBMIT, Right.EXCHANGE)
LOG: Final = Route("PUT", f"{_SESSION}/log", Function.SUBMIT, Right.EXCHANGE, raw_body=True)

REPORT: Final = _results(f"{_SESSION}/report")
SESSION_TIMELINE: Final = _results(f"{_SESSION}/timeline")
SCORE: Final = _results(f"{_FILE}/score")
COMPARISON: Final = _results(f"{_FILE}/comparison")

OWN_ASSIGNMENTS: Final = _expert("GET", "/v1/assignments")
ASSIGNMENT: Final = _expert("GET", _ASSIGNMENT)
OPEN_ASSIGNMENT: Final = _expert("POST", f"{_ASSIGNMENT}/open")
SAVE_DRAFT: Final = _expert("PUT", f"{_ASSIGNMENT}/draft", raw_body=True)
DRAFTS: Final = _expert("GET", f"{_ASSIGNMENT}/drafts")
DRAFT: Final = _expert("GET", f"{_ASSIGNMENT}/drafts/{{revision}}")
HAND_IN: Final = _expert("POST", f"{_ASSIGNMENT}/hand-in")
HAND_BACK: Final = _expert("POST", f"{_ASSIGNMENT}/hand-back")
CALIBRATE: Final = _expert("POST", "/v1/calibrations")
CALIBRATION: Final = _expert("GET", f"{_ASSIGNMENT}/calibration")

EXPERTS: Final = Route("GET", "/v1/experts", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS)
PUT_EXPERT: Final = Route("PUT", _EXPERT, Function.ANNOTATE, Right.ORGANIZE)
BEGIN_MARKING: Final = Route("POST", _MARKINGS, Function.ANNOTATE, Right.ORGANIZE)
MARKINGS: Final = Route("GET", _MARKINGS, Function.ANNOTATE, Right.WATCH_ASSIGNMENTS)
MARKING: Final = Route("GET", f"{_MARKINGS}/{{marking_id}}", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS)
AGREEMENT: Final = Route("GET", f"{_MARKINGS}/{{marking_id}}/agreement", Function.ANNOTATE, Right.WATCH_ASSIGNMENTS)
EXTEND: Final = Route("POST", f"{_GIVEN}/extend", Function.ANNOTATE, Right.ORGANIZE)
REASSIGN: Final = Route("POST", f"{_GIVEN}/reassign", Function.ANNOTATE, Right.ORGANIZE)
RELEASE: Final = Route("POST", f"{_GIVEN}/release", Function.ANNOTATE, Right.ORGANIZE)

QUALIFICATION_BOARD: Final = _public("/v1/leaderboards/qualification", 10)
FINAL_BOARD: Final = _public("/v1/leaderboards/final", 10)
LIST_RUNS: Final = _public("/v1/runs", 2)
RUN: Final = _public(_RUN, 2)
RUN_RECORD: Final = _public(f"{_RUN}/record", 10)
RUN_TIMELINE: Final = _public(f"{_RUN}/timeline", 10)
CYCLE: Final = _public("/v1/cycle", 10)
KEYS: Final = _public("/v1/keys", 60)
DOCUMENT: Final = _public("/v1/openapi.json", 300, documented=False)
DOCUMENT_PAGE: Final = _public("/docs", 300, documented=False)

ROUTES: Final = tuple(each for each in list(globals().values()) if isinstance(each, Route))
"""All of the above, in their order."""
