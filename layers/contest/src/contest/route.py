"""The description of a route of the HTTP interface; the rows are in :mod:`contest.routes`. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Final, Literal

Method = Literal["GET", "POST", "PUT"]


class Function(StrEnum):
    """A function that answers routes, by its name in the infrastructure."""

    DISPATCH = "Dispatch"
    SUBMIT = "Submit"
    RESULTS = "Results"
    ADMINISTRATION = "Administration"
    """Teams, staff, cycles and sets: changes by organizers, and by teams in their own matters."""
    RUN_CONTROL = "RunControl"
    """What organizers decide about runs, scoring and results, and the commission watches, and what it costs: apart, for
    it knows plans."""
    ANNOTATE = "Annotate"
    """Experts at work, and their coordinator."""
    OPERATIONS = "Operations"
    """The platform itself: what failed, what is stuck."""
    SUBMISSIONS = "Submissions"
    """Submissions of whole sets: apart, for it signs addresses at which participants put what they bring."""
    LEGACY_CLIENTS = "LegacyClients"
    """What earlier contests' clients fetch and send: apart, for whoever asks is known by what stands in the request,
    and nothing stands in front of it."""
    SETS = "Sets"
    """Data sets for whoever may have them: apart, for it reads what no other function may give away."""
    PUBLIC = "Public"
    """What everybody may read, and what is no route: apart, so that nobody without a token takes an execution from a
    program."""


class Right(StrEnum):
    """A kind of action. The objects of a caller's actions are checked beside it (own team, own assignment)."""

    READ_PUBLISHED = "read_published"
    SIGNED_IN = "signed_in"
    """To learn who one is for the platform."""
    EXCHANGE = "exchange"
    SUBMIT = "submit"
    """To bring the own team's submissions of whole sets: by its program, or by hand."""
    READ_OWN = "read_own"
    """To list the own team's sessions."""
    READ_SESSIONS = "read_sessions"
    """To read a session with its reports: one of the own team, or any with ``read_reports``."""
    ASK = "ask"
    """To ask questions for the own team, and to read their answers."""
    HOOK = "hook"
    """Lets a person have webhooks sent about events of the own team, or of the organizers."""
    ANSWER = "answer"
    """To read all questions, and to answer them."""
    CABINET = "cabinet"
    MARK_UP = "mark_up"
    REVIEW = "review"
    """To see programs' work replayed, and to judge it."""
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


@dataclass(frozen=True, slots=True)
class Route:
    """One route; ``{name}`` in its path is a parameter.

    ``raw_body``: the handler reads the body itself, for it may be anything. ``spared``: its requests count for the
    rate limit and are not refused for it within a file's first sends and refusals (platform §3). ``documented``: it is
    part of the OpenAPI document. ``limit``: the gateway's own for this route; without one it shares the stage's.
    ``cached_s``: for so many seconds anybody may go by an answer, the distribution in front first of all; 0 for what
    depends on who asks. ``tagged``: it is asked for again and again, so its answers carry an entity tag, and who has
    the present one is told that nothing is new (304). ``large``: its answers go in base64, of which a function's answer
    holds 4.5 MB, while text that is full of quotation marks doubles when it is escaped. ``names_token``: the token
    stands in the query or the body, where the gateway looks for none, and the function itself decides by it.
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
    tagged: bool = False
    large: bool = False
    names_token: bool = False

    @property
    def key(self) -> str:
        """The route's name at the gateway: ``GET /v1/cycle``."""
        return f"{self.method} {self.path}"

    @property
    def public(self) -> bool:
        """Return whether the route is open to everybody, without an authorizer before its function (platform §1)."""
        return self.right is Right.READ_PUBLISHED

    @property
    def authorized(self) -> bool:
        """Return whether the gateway authenticates the caller before it passes a request on."""
        return not (self.public or self.names_token)


SHARES: Final[Mapping[str, float]] = MappingProxyType(
    {"Authorize": 0.2, "Dispatch": 1, "Submit": 0.5, "Socket": 0.5, "Push": 0.2, "LegacyClients": 0.5}
)
"""The functions that are kept running around a final, and how many executions of each for a team. A request is held up
to two seconds before an opening, so Dispatch may have one for each team at once; answers come one by one and take tens
of milliseconds."""


def kept_for(teams: int) -> dict[str, int]:
    """Return how many executions of each function are kept running for so many teams."""
    return {function: ceil(teams * share) for function, share in SHARES.items()}
