"""Tokens of a team's programs: shown once, stored as a hash, revocable (platform §1)."""

from __future__ import annotations

from collections.abc import Sequence

from contest.domain.moments import Millis
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change, Token, TokenView, token_hash
from contest.errors.people import EndedAlreadyError, RevokedAlreadyError, UnknownTokenError
from contest.ports import LostRaceError
from contest.services.people.teams import team_of
from contest.services.platform import Platform


def issue_token(
    platform: Platform, who: str, team_id: str, name: str = "", expires_at: Millis | None = None
) -> tuple[str, Token]:
    """A new token of a team's program: the token itself, which nobody can show again, and what is stored of it.

    A team that is not approved may have tokens, which nobody believes until it is.

    Clause: platform §1 tokens
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


def tokens_of(platform: Platform, team_id: str) -> Sequence[TokenView]:
    """A team's tokens as they are stored, revoked ones too, the oldest first.

    Clause: platform §1 last use
    """
    team_of(platform, team_id)
    uses = platform.requests.uses(team_id)
    found = sorted(platform.people.tokens_of(team_id), key=lambda each: (each.created_at, each.token_id))
    return [TokenView(each, uses.get(each.token_id)) for each in found]


def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may believe it for another minute.

    Clause: platform §1 tokens
    """
    team_of(platform, team_id)
    now = platform.clock.now()
    found = next((each for each in platform.people.tokens_of(team_id) if each.token_id == token_id), None)
    if found is None:
        raise UnknownTokenError
    states = {"token_id": token_id, "revoked_at": None}, {"token_id": token_id, "revoked_at": now}
    try:
        platform.people.revoke(found, now, Change(now, who, "token revoked", team_id, *states))
    except LostRaceError:
        raise RevokedAlreadyError from None
