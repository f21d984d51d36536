"""Tokens of teams' programs: issued, listed and revoked (platform §1); shown once, stored as a hash."""

from __future__ import annotations

from collections.abc import Sequence

from contest.people.errors import EndedAlreadyError, RevokedAlreadyError, UnknownTokenError
from contest.people.rules import (
    Change,
    Role,
    Token,
    TokenView,
    token_hash,
)
from contest.people.teams import team_of
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.values import Millis


# Clause: platform §1 tokens
def issue_token(
    platform: Platform, who: str, team_id: str, name: str = "", expires_at: Millis | None = None
) -> tuple[str, Token]:
    """Issue a token of a team's program: return the token itself, shown only now, and its stored form.

    A team that is not approved may have tokens, which nobody believes until it is.
    """
    team_of(platform, team_id)
    now = platform.clock.now()
    if expires_at is not None and expires_at <= now:
        raise EndedAlreadyError
    secret, token_id = platform.randomness.token(), platform.randomness.token_id()
    token = Token(token_id, token_hash(secret), team_id, Role.PROGRAM, now, name=name, expires_at=expires_at)
    after = {"token_id": token.token_id, "role": token.role.value, "name": name, "expires_at": expires_at}
    platform.people.issue(token, Change(now, who, "token issued", team_id, None, after))
    return secret, token


# Clause: platform §1 last use
def tokens_of(platform: Platform, team_id: str) -> Sequence[TokenView]:
    """List a team's tokens as they are stored, revoked ones too, the oldest first."""
    team_of(platform, team_id)
    uses = platform.requests.uses(team_id)
    tokens = sorted(platform.people.tokens_of(team_id), key=lambda token: (token.created_at, token.token_id))
    return [TokenView(token, uses.get(token.token_id)) for token in tokens]


# Clause: platform §1 tokens
def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may trust it for another minute."""
    team_of(platform, team_id)
    now = platform.clock.now()
    token = next((token for token in platform.people.tokens_of(team_id) if token.token_id == token_id), None)
    if token is None:
        raise UnknownTokenError
    states = {"token_id": token_id, "revoked_at": None}, {"token_id": token_id, "revoked_at": now}
    try:
        platform.people.revoke(token, now, Change(now, who, "token revoked", team_id, *states))
    except LostRaceError:
        raise RevokedAlreadyError from None
