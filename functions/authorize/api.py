"""The gateway's authorizer (simple response): the identity that a program's token stands for."""

from __future__ import annotations

from typing import Any

from contest.edge import guards
from contest.edge.guards import logged_failures
from contest.people.authentication import authenticate
from contest.wiring import TOKENS, platform, preload

preload(TOKENS)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer ``isAuthorized`` with role, team, token's id and person's id as the request's context."""
    headers = event.get("headers") or {}
    with logged_failures(context, correlation_id=event["requestContext"]["requestId"], route=event["routeKey"]):
        is_in_front = guards.caller_address(headers) is not None
        identity = authenticate(platform(), headers.get("authorization")) if is_in_front else None
    if identity is None:
        return {"isAuthorized": False}
    claims = {
        "role": identity.role.value,
        "team_id": identity.team_id,
        "token_id": identity.token_id,
        "person_id": identity.person_id,
    }
    return {"isAuthorized": True, "context": claims}
