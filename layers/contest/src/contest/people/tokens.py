"""Tokens of teams' programs: issued, revoked, and resolved to an identity (platform §1).

A token is shown once, stored as a hash, and revocable. A program's token or a person's sign-in is resolved to the team
or person for whom it speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contest.people.errors import EndedAlreadyError, RevokedAlreadyError, UnknownTokenError
from contest.people.rules import (
    PROCESS_BELIEVES,
    Change,
    Identity,
    Pool,
    Role,
    TeamStatus,
    Token,
    TokenView,
    bearer,
    sign_in,
    token_hash,
)
from contest.people.teams import team_of
from contest.platform import Platform
from contest.ports import LostRaceError
from contest.values import Millis


def authenticate(platform: Platform, header: str | None) -> Identity | None:
    """Return the identity of an ``Authorization`` header: a team's program, or a person who has signed in.

    None for no, unknown, ended or revoked tokens, inactive teams and dismissed people.

    Clause: platform §1 tokens
    """
    token = bearer(header)
    if token is not None:
        return believed(platform, token_hash(token))
    signed_in = sign_in(header)
    if signed_in is None:
        return None
    return _believed(platform, token_hash(signed_in), lambda: person_of(platform, signed_in))


def believed(platform: Platform, token_sha256: str) -> Identity | None:
    """Return the identity of a program's token, by its hash; a process trusts a reading for up to half a minute."""
    return _believed(platform, token_sha256, lambda: identity_of(platform, token_sha256))


def _believed(platform: Platform, token_sha256: str, find: Callable[[], Identity | None]) -> Identity | None:
    """Look an unknown token up again: a new token and an admitted team are accepted at once, and tokens that are
    nobody's take no room in the process's memory.
    """
    key = ("identity", token_sha256, platform.clock.now() // PROCESS_BELIEVES)
    remembered: Identity | None = platform.memory.known(key)
    if remembered is not None:
        return remembered
    identity = find()
    if identity is not None:
        platform.memory.put(key, identity)
    return identity


def identity_of(platform: Platform, token_sha256: str) -> Identity | None:
    """Return the identity of a token, by its hash; None for an unknown or revoked one and for inactive teams.

    Clause: R 6.2, D 6.2, platform §1 tokens, R 2.26, D 7.4
    """
    now = platform.clock.now()
    token = platform.people.token(token_sha256) if token_sha256 else None
    if token is None or not token.is_live(now):
        return None
    team = platform.people.team(token.team_id)
    if team is None or team.status is not TeamStatus.APPROVED:
        return None
    return Identity(token.role, token.team_id, token.token_id)


def person_of(platform: Platform, token: str) -> Identity | None:
    """Return the identity of a sign-in's token. Its role is read here, never from the token.

    Whoever has an account among the participants is one, be it only to apply; of the staff's accounts those alone
    that the organizers gave a role.

    Clause: platform §1 rights
    """
    signed_in = platform.sign_ins.read(token)
    if signed_in is None or signed_in.expires_at <= platform.clock.now():
        return None
    person = platform.persons.person(signed_in.subject)
    if person is None:
        is_participant = signed_in.pool is Pool.PARTICIPANTS
        return Identity(Role.PARTICIPANT, person_id=signed_in.subject) if is_participant else None
    if person.pool is not signed_in.pool or not person.is_active:
        return None
    return Identity(person.role, person.team_id, person_id=person.person_id)


def issue_token(
    platform: Platform, who: str, team_id: str, name: str = "", expires_at: Millis | None = None
) -> tuple[str, Token]:
    """Issue a token of a team's program: return the token itself, shown only now, and its stored form.

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
    """List a team's tokens as they are stored, revoked ones too, the oldest first.

    Clause: platform §1 last use
    """
    team_of(platform, team_id)
    uses = platform.requests.uses(team_id)
    tokens = sorted(platform.people.tokens_of(team_id), key=lambda token: (token.created_at, token.token_id))
    return [TokenView(token, uses.get(token.token_id)) for token in tokens]


def revoke_token(platform: Platform, who: str, team_id: str, token_id: str) -> None:
    """Revoke a token; the gateway may trust it for another minute.

    Clause: platform §1 tokens
    """
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
