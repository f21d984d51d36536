"""Identity → rights in one table (platform §1), and the right every route needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Role(StrEnum):
    """Who somebody is for the platform."""

    PUBLIC = "public"
    PARTICIPANT = "participant"
    PROGRAM = "program"
    EXPERT = "expert"
    JUDGE = "judge"
    COMMISSION = "commission"
    ORGANIZER = "organizer"


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


RIGHTS: Final[Mapping[Role, frozenset[Right]]] = MappingProxyType(
    {
        Role.PUBLIC: frozenset({Right.READ_PUBLISHED}),
        Role.PARTICIPANT: frozenset({Right.READ_PUBLISHED, Right.CABINET}),
        Role.PROGRAM: frozenset({Right.READ_PUBLISHED, Right.EXCHANGE}),
        Role.EXPERT: frozenset({Right.READ_PUBLISHED, Right.MARK_UP}),
        Role.JUDGE: frozenset({Right.READ_PUBLISHED, Right.READ_REPORTS, Right.CONFIRM_CONCLUSIONS}),
        Role.COMMISSION: frozenset(
            {
                Right.READ_PUBLISHED,
                Right.READ_REPORTS,
                Right.INSPECT_SUBMISSIONS,
                Right.WATCH_ASSIGNMENTS,
                Right.VERIFY_RESULTS,
            }
        ),
        # "everything" of platform §1 is what people do; an organizer has no team whose exchange it could run.
        Role.ORGANIZER: frozenset(Right) - {Right.EXCHANGE, Right.CABINET, Right.MARK_UP},
    }
)

ROUTES: Final[Mapping[tuple[str, str], Right]] = MappingProxyType(
    {
        ("POST", "/v1/sessions"): Right.EXCHANGE,
        ("GET", "/v1/sessions"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/next"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/files/{number}"): Right.EXCHANGE,
        ("POST", "/v1/sessions/{session_id}/abort"): Right.EXCHANGE,
        ("PUT", "/v1/sessions/{session_id}/files/{number}/answer"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/receipts"): Right.EXCHANGE,
        ("PUT", "/v1/sessions/{session_id}/log"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/report"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/timeline"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/files/{number}/score"): Right.EXCHANGE,
        ("GET", "/v1/sessions/{session_id}/files/{number}/comparison"): Right.EXCHANGE,
        ("GET", "/v1/runs"): Right.READ_PUBLISHED,
        ("GET", "/v1/runs/{run_id}"): Right.READ_PUBLISHED,
        ("GET", "/v1/runs/{run_id}/record"): Right.READ_PUBLISHED,
        ("GET", "/v1/runs/{run_id}/timeline"): Right.READ_PUBLISHED,
        ("GET", "/v1/leaderboards/qualification"): Right.READ_PUBLISHED,
        ("GET", "/v1/leaderboards/final"): Right.READ_PUBLISHED,
        ("GET", "/v1/cycle"): Right.READ_PUBLISHED,
        ("GET", "/v1/keys"): Right.READ_PUBLISHED,
        ("GET", "/v1/openapi.json"): Right.READ_PUBLISHED,
        ("GET", "/docs"): Right.READ_PUBLISHED,
    }
)
"""Every route of the HTTP interface. One that is not here does not start (:func:`right_of`)."""


class UnguardedRouteError(LookupError):
    """A route was registered for which the table names no right."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a request speaks for, as the authorizer found out; the public has neither team nor token."""

    role: Role = Role.PUBLIC
    team_id: str = ""
    token_id: str = ""


def right_of(method: str, path: str) -> Right:
    """The right a route needs; :class:`UnguardedRouteError` where the table has none."""
    try:
        return ROUTES[method, path]
    except KeyError:
        raise UnguardedRouteError(f"no right is declared for {method} {path}") from None


def may(identity: Identity, right: Right) -> bool:
    """Whether the table gives this identity the right."""
    return right in RIGHTS[identity.role]
