"""Teams and their programs' tokens: shown once, stored as a hash, revocable (platform §1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from contest.domain.people.rights import Role
from contest.domain.people.teams import TEAM_ID, Change, Team, TeamStatus, Token, token_hash
from contest.ports import LostRaceError
from contest.refusals import RefusedError
from contest.services.platform import Platform


def add_team(platform: Platform, who: str, team_id: str, name: str) -> Team:
    """Admit a team.

    Clause: platform §7 teams, platform §1 organizer
    """
    if not TEAM_ID.fullmatch(team_id):
        raise RefusedError(
            "invalid_team_id",
            f"a team's id is 1–40 of a–z, 0–9 and '-', not {team_id!r}",
            f"идентификатор команды — от 1 до 40 знаков a–z, 0–9 и «-», а не {team_id!r}",
        )
    if not name.strip() or len(name) > 200:
        raise RefusedError(
            "invalid_team_name", "a team's name has 1–200 characters", "в названии команды от 1 до 200 знаков"
        )
    now = platform.clock.now()
    team = Team(team_id, name.strip(), TeamStatus.APPROVED, now)
    try:
        platform.people.add_team(team, Change(now, who, "team added", team_id, None, asdict(team)))
    except LostRaceError:
        raise RefusedError("known_team", f"there is a team {team_id} already", f"команда {team_id} уже есть") from None
    return team


def issue_token(platform: Platform, who: str, team_id: str) -> tuple[str, Token]:
    """A new token of a team's program: the token itself, which nobody can show again, and what is stored of it.

    Clause: platform §1 tokens
    """
    _must_exist(platform, team_id)
    now = platform.clock.now()
    secret = platform.randomness.token()
    token = Token(platform.randomness.token_id(), token_hash(secret), team_id, Role.PROGRAM, now)
    after = {"token_id": token.token_id, "role": token.role.value}
    platform.people.issue(token, Change(now, who, "token issued", team_id, None, after))
    return secret, token


def tokens_of(platform: Platform, team_id: str) -> Sequence[Token]:
    """A team's tokens as they are stored, revoked ones too."""
    _must_exist(platform, team_id)
    return platform.people.tokens_of(team_id)


def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may believe it for another minute.

    Clause: platform §1 tokens
    """
    now = platform.clock.now()
    found = next((each for each in platform.people.tokens_of(team_id) if each.token_id == token_id), None)
    if found is None:
        raise RefusedError(
            "unknown_token", f"team {team_id} has no token {token_id}", f"у команды {team_id} нет токена {token_id}"
        )
    states = {"token_id": token_id, "revoked_at": None}, {"token_id": token_id, "revoked_at": now}
    try:
        platform.people.revoke(found, now, Change(now, who, "token revoked", team_id, *states))
    except LostRaceError:
        raise RefusedError(
            "revoked_already", f"token {token_id} is revoked already", f"токен {token_id} уже отозван"
        ) from None


def _must_exist(platform: Platform, team_id: str) -> None:
    if platform.people.team(team_id) is None:
        raise RefusedError("unknown_team", f"there is no team {team_id}", f"нет команды {team_id}")
