"""Teams, the tokens of their programs, and the log of what people changed (platform §1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from contest.domain.canonical import sha256_hex
from contest.domain.moments import MINUTE, Millis
from contest.domain.people.names import readings
from contest.domain.people.rights import Role
from contest.routes import SIGN_IN_FORM, TOKEN_FORM

TOKEN_PREFIX: Final = "hrd_"  # noqa: S105 -- a form, not a secret
TOKEN_BYTES: Final = 32
_TOKEN: Final = re.compile(TOKEN_FORM)
_SIGN_IN: Final = re.compile(rf"(?=.{{60,4000}}\Z){SIGN_IN_FORM}")
"""A signed token by its form, and no longer than a header may be."""
_BEARER: Final = re.compile(r"(?i:bearer) +(\S+)")
TEAM_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class TeamStatus(StrEnum):
    """Life of a team (R 3, 11.7); only an approved one exchanges files."""

    APPLIED = "applied"
    REJECTED = "rejected"
    APPROVED = "approved"
    SUSPENDED = "suspended"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


WAYS: Final[Mapping[TeamStatus, frozenset[TeamStatus]]] = MappingProxyType(
    {
        TeamStatus.APPLIED: frozenset({TeamStatus.APPROVED, TeamStatus.REJECTED}),
        TeamStatus.REJECTED: frozenset({TeamStatus.APPROVED}),
        TeamStatus.APPROVED: frozenset({TeamStatus.SUSPENDED, TeamStatus.DISQUALIFIED, TeamStatus.WITHDRAWN}),
        TeamStatus.SUSPENDED: frozenset({TeamStatus.APPROVED, TeamStatus.DISQUALIFIED, TeamStatus.WITHDRAWN}),
        TeamStatus.WITHDRAWN: frozenset({TeamStatus.APPROVED}),
        TeamStatus.DISQUALIFIED: frozenset({TeamStatus.APPROVED}),
    }
)
"""What the organizers may make of a team; every decision has a way back.

Clause: R 3.2, R 11.7, platform §2 team life
"""
MAY_WITHDRAW: Final = frozenset({TeamStatus.APPLIED, TeamStatus.APPROVED, TeamStatus.SUSPENDED})
"""From where a team may leave the contest by itself."""
ACTIVE: Final = MAY_WITHDRAW
"""Where somebody must answer for the team."""
MAY_APPLY_AGAIN: Final = frozenset({TeamStatus.REJECTED, TeamStatus.APPLIED})
"""A rejected application may be mended and handed in again, one under review be corrected."""


@dataclass(frozen=True, slots=True)
class Form:
    """What somebody writes into the application form."""

    team_id: str
    team_name: str
    person_name: str
    organization: str
    contact: str
    about: str


@dataclass(frozen=True, slots=True)
class Application:
    """What a team says of itself when it applies (R 3.1)."""

    organization: str
    contact: str
    """An e-mail address."""
    about: str
    submitted_at: Millis


@dataclass(frozen=True, slots=True)
class Team:
    """A participant."""

    team_id: str
    name: str
    status: TeamStatus
    created_at: Millis
    captain: str = ""
    """The person who applied, or was given the captaincy: invites, removes and withdraws. Empty: nobody yet."""
    application: Application | None = None
    """None for a team that the organizers entered themselves."""
    reason: str = ""
    """Why it has its status, in the words of who decided."""
    version: int = 1

    @property
    def may_become(self) -> tuple[TeamStatus, ...]:
        """What the organizers may make of it where it stands."""
        return tuple(each for each in TeamStatus if each in WAYS[self.status])

    @property
    def reserved(self) -> frozenset[str]:
        """Keys of the names that no other team may have; a rejected application keeps none."""
        return frozenset() if self.status is TeamStatus.REJECTED else readings(self.name)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as stored: never itself, only its hash."""

    token_id: str
    token_sha256: str
    team_id: str
    role: Role
    created_at: Millis
    revoked_at: Millis | None = None
    name: str = ""
    """What its owner calls it: a machine, a version."""
    expires_at: Millis | None = None
    """From when nobody believes it any more; None: it has no end."""

    def is_live(self, now: Millis) -> bool:
        """Whether anybody believes it."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token as it is stored, with its last use, to :data:`USE_NOTED_EVERY`; None: it was never used."""

    token: Token
    used_at: Millis | None


USE_NOTED_EVERY: Final[Millis] = 10 * MINUTE
"""How exactly a token's last use is known: a write for each request would cost more than it tells."""


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the append-only log: who did what to what, and what it was before and after."""

    at: Millis
    who: str
    what: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def by_person(person_id: str) -> str:
    """Who somebody who has signed in is in the log; a command's author is ``command:NAME``."""
    return f"person:{person_id}"


def bearer(header: str | None) -> str | None:
    """The token of an ``Authorization`` header; None for anything that is not one of ours by its form."""
    found = _BEARER.fullmatch(header.strip()) if header else None
    return found.group(1) if found and _TOKEN.fullmatch(found.group(1)) else None


def sign_in(header: str | None) -> str | None:
    """The token of a person's sign-in in an ``Authorization`` header; None for anything that cannot be one."""
    found = _BEARER.fullmatch(header.strip()) if header else None
    return found.group(1) if found and _SIGN_IN.fullmatch(found.group(1)) else None


def token_hash(token: str) -> str:
    """Under which a token is stored. A token has 256 random bits, so a plain hash cannot be searched."""
    return sha256_hex(token.encode("utf-8"))
