"""The gateway's authorizer (simple response): who a program's token speaks for."""

from __future__ import annotations

from typing import Any

from contest.bootstrap import platform
from contest.services.identity import authenticate


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Answer ``isAuthorized`` with team, role and token id as the request's context."""
    identity = authenticate(platform(), (event.get("headers") or {}).get("authorization"))
    if identity is None:
        return {"isAuthorized": False}
    said = {"team_id": identity.team_id, "role": identity.role.value, "token_id": identity.token_id}
    return {"isAuthorized": True, "context": said}
