"""Teams, the tokens of their programs, and the log of what people changed (platform §1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from contest.domain.canonical import sha256_hex
from contest.domain.moments import Millis
from contest.domain.people.rights import Role
from contest.routes import TOKEN_FORM

TOKEN_PREFIX: Final = "hrd_"  # noqa: S105 -- a form, not a secret
TOKEN_BYTES: Final = 32
_TOKEN: Final = re.compile(TOKEN_FORM)
_BEARER: Final = re.compile(r"(?i:bearer) +(\S+)")
TEAM_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class TeamStatus(StrEnum):
    """Life of a team (R 3, 11.7); only an approved one exchanges files."""

    APPROVED = "approved"
    SUSPENDED = "suspended"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class Team:
    """A participant."""

    team_id: str
    name: str
    status: TeamStatus
    created_at: Millis


@dataclass(frozen=True, slots=True)
class Token:
    """A token as stored: never itself, only its hash."""

    token_id: str
    token_sha256: str
    team_id: str
    role: Role
    created_at: Millis
    revoked_at: Millis | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the append-only log: who did what to what, and what it was before and after."""

    at: Millis
    who: str
    what: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def bearer(header: str | None) -> str | None:
    """The token of an ``Authorization`` header; None for anything that is not one of ours by its form."""
    found = _BEARER.fullmatch(header.strip()) if header else None
    return found.group(1) if found and _TOKEN.fullmatch(found.group(1)) else None


def token_hash(token: str) -> str:
    """Under which a token is stored. A token has 256 random bits, so a plain hash cannot be searched."""
    return sha256_hex(token.encode("utf-8"))
