"""Resolve a program's token or a person's sign-in to the team or person for whom it speaks (platform §1)."""

from __future__ import annotations

from collections.abc import Callable

from contest.people.rules import PROCESS_BELIEVES, Identity, Pool, Role, TeamStatus, bearer_hash, sign_in, token_hash
from contest.platform import Platform
from contest.values import Millis


# Clause: platform §1 tokens
def authenticate(platform: Platform, header: str | None) -> Identity | None:
    """Return the identity of an ``Authorization`` header: a team's program, or a person who has signed in.

    None for no, unknown, ended or revoked tokens, inactive teams and dismissed people.
    """
    token_sha256 = bearer_hash(header)
    if token_sha256 is not None:
        return cached_identity(platform, token_sha256)
    signed_in = sign_in(header)
    if signed_in is None:
        return None
    return _believed(platform, token_hash(signed_in), lambda now: person_of(platform, signed_in, now))


def cached_identity(platform: Platform, token_sha256: str) -> Identity | None:
    """Return the identity of a program's token, by its hash; a process trusts a reading for up to half a minute."""
    return _believed(platform, token_sha256, lambda now: identity_of(platform, token_sha256, now))


def _believed(platform: Platform, token_sha256: str, find: Callable[[Millis], Identity | None]) -> Identity | None:
    """Look an unknown token up again: a new token and an admitted team are accepted at once, and tokens that are
    nobody's take no room in the process's memory."""
    now = platform.clock.now()
    key = ("identity", token_sha256, now // PROCESS_BELIEVES)
    remembered: Identity | None = platform.memory.known(key)
    if remembered is not None:
        return remembered
    identity = find(now)
    if identity is not None:
        platform.memory.put(key, identity)
    return identity


# Clause: R 6.2, D 6.2, platform §1 tokens, R 2.26, D 7.4
def identity_of(platform: Platform, token_sha256: str, now: Millis) -> Identity | None:
    """Return the identity of a token, by its hash; None for an unknown or revoked one and for inactive teams."""
    token = platform.people.token(token_sha256) if token_sha256 else None
    if token is None or not token.is_live(now):
        return None
    team = platform.people.team(token.team_id)
    if team is None or team.status is not TeamStatus.APPROVED:
        return None
    return Identity(token.role, token.team_id, token.token_id)


# Clause: platform §1 rights
def person_of(platform: Platform, token: str, now: Millis) -> Identity | None:
    """Return the identity of a sign-in's token. Its role is read here, never from the token.

    Every account of the participants' pool is a participant's, be it only to apply; of the staff's accounts those
    alone count that the organizers gave a role.
    """
    signed_in = platform.sign_ins.read(token)
    if signed_in is None or signed_in.expires_at <= now:
        return None
    person = platform.persons.person(signed_in.subject)
    if person is None:
        is_participant = signed_in.pool is Pool.PARTICIPANTS
        return Identity(Role.PARTICIPANT, person_id=signed_in.subject) if is_participant else None
    if person.pool is not signed_in.pool or not person.is_active:
        return None
    return Identity(person.role, person.team_id, person_id=person.person_id)
