"""Who a token speaks for (platform §1)."""

from __future__ import annotations

from contest.domain.people import teams
from contest.domain.people.rights import PROCESS_BELIEVES, Identity
from contest.domain.people.teams import TeamStatus
from contest.services.platform import Platform


def authenticate(platform: Platform, header: str | None) -> Identity | None:
    """Who an ``Authorization`` header speaks for; None for no, unknown or revoked tokens and inactive teams.

    Clause: platform §1 tokens
    """
    token = teams.bearer(header)
    return None if token is None else believed(platform, teams.token_hash(token))


def believed(platform: Platform, token_sha256: str) -> Identity | None:
    """Who a token speaks for, by its hash: a process goes by what it read for up to half a minute.

    Who was not known is looked up again: a new token and an admitted team have their voice at once, and tokens that
    are nobody's take no room in the process's memory.
    """
    key = ("identity", token_sha256, platform.clock.now() // PROCESS_BELIEVES)
    known: Identity | None = platform.memory.known(key)
    if known is not None:
        return known
    found = identity_of(platform, token_sha256)
    if found is not None:
        platform.memory.put(key, found)
    return found


def identity_of(platform: Platform, token_sha256: str) -> Identity | None:
    """Who a token speaks for, by its hash; None for an unknown or revoked one and for inactive teams.

    Clause: R 6.2, D 6.2, platform §1 tokens
    """
    found = platform.people.token(token_sha256) if token_sha256 else None
    if found is None or found.revoked_at is not None:
        return None
    team = platform.people.team(found.team_id)
    if team is None or team.status is not TeamStatus.APPROVED:
        return None
    return Identity(found.role, found.team_id, found.token_id)
