"""Who a token speaks for (platform §1)."""

from __future__ import annotations

from collections.abc import Callable

from contest.domain.people import teams
from contest.domain.people.persons import Pool
from contest.domain.people.rights import PROCESS_BELIEVES, Identity, Role
from contest.domain.people.teams import TeamStatus
from contest.services.platform import Platform


def authenticate(platform: Platform, header: str | None) -> Identity | None:
    """Who an ``Authorization`` header speaks for: a team's program, or a person who has signed in.

    None for no, unknown, ended or revoked tokens, inactive teams and dismissed people.

    Clause: platform §1 tokens
    """
    token = teams.bearer(header)
    if token is not None:
        return believed(platform, teams.token_hash(token))
    signed_in = teams.sign_in(header)
    if signed_in is None:
        return None
    return _believed(platform, teams.token_hash(signed_in), lambda: person_of(platform, signed_in))


def believed(platform: Platform, token_sha256: str) -> Identity | None:
    """Who a program's token speaks for, by its hash: a process goes by what it read for up to half a minute."""
    return _believed(platform, token_sha256, lambda: identity_of(platform, token_sha256))


def _believed(platform: Platform, token_sha256: str, find: Callable[[], Identity | None]) -> Identity | None:
    """Who was not known is looked up again: a new token and an admitted team have their voice at once, and tokens
    that are nobody's take no room in the process's memory."""
    key = ("identity", token_sha256, platform.clock.now() // PROCESS_BELIEVES)
    known: Identity | None = platform.memory.known(key)
    if known is not None:
        return known
    found = find()
    if found is not None:
        platform.memory.put(key, found)
    return found


def identity_of(platform: Platform, token_sha256: str) -> Identity | None:
    """Who a token speaks for, by its hash; None for an unknown or revoked one and for inactive teams.

    Clause: R 6.2, D 6.2, platform §1 tokens, R 2.26, D 7.4
    """
    now = platform.clock.now()
    found = platform.people.token(token_sha256) if token_sha256 else None
    if found is None or not found.is_live(now):
        return None
    team = platform.people.team(found.team_id)
    if team is None or team.status is not TeamStatus.APPROVED:
        return None
    return Identity(found.role, found.team_id, found.token_id)


def person_of(platform: Platform, token: str) -> Identity | None:
    """Whom a sign-in's token speaks for. Its role is read here, never from the token.

    Whoever has an account among the participants is one, be it only to apply; of the staff's accounts those alone
    that the organizers gave a role.

    Clause: platform §1 rights
    """
    found = platform.sign_ins.read(token)
    if found is None or found.expires_at <= platform.clock.now():
        return None
    person = platform.persons.person(found.subject)
    if person is None:
        is_participant = found.pool is Pool.PARTICIPANTS
        return Identity(Role.PARTICIPANT, person_id=found.subject) if is_participant else None
    if person.pool is not found.pool or not person.is_active:
        return None
    return Identity(person.role, person.team_id, person_id=person.person_id)
