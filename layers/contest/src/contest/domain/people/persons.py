"""People: who has signed in, what the platform knows of them, and the invitations by which they join a team."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contest.domain.moments import DAY, Millis
from contest.domain.people.rights import Role

INVITATION_PREFIX: Final = "inv_"
INVITATION: Final = re.compile(r"inv_[A-Za-z0-9_-]{43}")
INVITATION_LASTS: Final[Millis] = 7 * DAY
EMAIL: Final = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,185}")
"""An address by its form; whether somebody reads there shows when mail arrives."""


class Pool(StrEnum):
    """Where somebody's account is: participants sign up by themselves, staff is invited and has a second factor."""

    PARTICIPANTS = "participants"
    STAFF = "staff"


STAFF: Final = frozenset({Role.EXPERT, Role.CLINICIAN, Role.JUDGE, Role.COMMISSION, Role.ORGANIZER})
"""Roles of those whom the organizers have invited; each person has one."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Whom a token of a sign-in names, and until when; the token says nothing of roles that anybody would believe."""

    pool: Pool
    subject: str
    """The account's name within its pool."""
    expires_at: Millis


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who signs in. ``person_id`` is the account's subject."""

    person_id: str
    pool: Pool
    role: Role
    name: str
    email: str
    created_at: Millis
    team_id: str = ""
    """The team a participant is a member of; empty without one."""
    dismissed_at: Millis | None = None
    """Since when a member of the staff has no rights any more."""
    version: int = 1

    @property
    def is_active(self) -> bool:
        """Whether the person has the rights of its role."""
        return self.dismissed_at is None


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to a team as stored: of its code only the hash."""

    invitation_id: str
    code_sha256: str
    team_id: str
    note: str
    """For whom it is, in the words of who invited."""
    as_captain: bool
    created_at: Millis
    expires_at: Millis
    accepted_by: str = ""
    revoked_at: Millis | None = None

    def is_open(self, now: Millis) -> bool:
        """Whether somebody may still accept it."""
        return not self.accepted_by and self.revoked_at is None and now < self.expires_at
