"""Teams and their programs' tokens: shown once, stored as a hash, revocable (platform §1)."""

from __future__ import annotations

from dataclasses import asdict

from contest.domain import people
from contest.domain.people import TEAM_ID, Change, Team, TeamStatus, Token
from contest.domain.rights import Identity, Role
from contest.ports import LostRaceError
from contest.services.platform import Platform


class NotPossibleError(Exception):
    """An organizer's wish that cannot be fulfilled; the message says why."""


def authenticate(platform: Platform, header: str | None) -> Identity | None:
    """Who an ``Authorization`` header speaks for; None for no, unknown or revoked tokens and inactive teams."""
    token = people.bearer(header)
    return identity_of(platform, people.token_hash(token)) if token else None


def identity_of(platform: Platform, token_sha256: str) -> Identity | None:
    """Who a token speaks for, by its hash; None for an unknown or revoked one and for inactive teams."""
    found = platform.people.token(token_sha256) if token_sha256 else None
    if found is None or found.revoked_at is not None:
        return None
    team = platform.people.team(found.team_id)
    if team is None or team.status is not TeamStatus.APPROVED:
        return None
    return Identity(found.role, found.team_id, found.token_id)


def add_team(platform: Platform, who: str, team_id: str, name: str) -> Team:
    """Admit a team."""
    if not TEAM_ID.fullmatch(team_id):
        raise NotPossibleError(f"a team's id is 1–40 of a–z, 0–9 and '-', not {team_id!r}")
    if not name.strip() or len(name) > 200:
        raise NotPossibleError("a team's name has 1–200 characters")
    now = platform.clock.now()
    team = Team(team_id, name.strip(), TeamStatus.APPROVED, now)
    try:
        platform.people.add_team(team)
    except LostRaceError:
        raise NotPossibleError(f"there is a team {team_id} already") from None
    platform.audit_log.append(Change(now, who, "team added", team_id, None, asdict(team)))
    return team


def issue_token(platform: Platform, who: str, team_id: str) -> tuple[str, Token]:
    """A new token of a team's program: the token itself, which nobody can show again, and what is stored of it."""
    if platform.people.team(team_id) is None:
        raise NotPossibleError(f"there is no team {team_id}")
    now = platform.clock.now()
    secret = platform.randomness.token()
    token = Token(platform.randomness.token_id(), people.token_hash(secret), team_id, Role.PROGRAM, now)
    platform.people.issue(token)
    after = {"token_id": token.token_id, "role": token.role.value}
    platform.audit_log.append(Change(now, who, "token issued", team_id, None, after))
    return secret, token


def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may believe it for another minute."""
    now = platform.clock.now()
    found = next((each for each in platform.people.tokens_of(team_id) if each.token_id == token_id), None)
    if found is None:
        raise NotPossibleError(f"team {team_id} has no token {token_id}")
    try:
        platform.people.revoke(found, now)
    except LostRaceError:
        raise NotPossibleError(f"token {token_id} is revoked already") from None
    change = {"token_id": token_id, "revoked_at": None}, {"token_id": token_id, "revoked_at": now}
    platform.audit_log.append(Change(now, who, "token revoked", team_id, *change))
