"""Identity → rights in one table (platform §1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from contest.domain.moments import MINUTE, Millis
from contest.route import Right
from contest.routes import GATEWAY_BELIEVES

PROCESS_BELIEVES: Final[Millis] = MINUTE - GATEWAY_BELIEVES
"""How long a process may go by what it read of a token; with the gateway it makes the minute of platform §1."""


class Role(StrEnum):
    """Who somebody is for the platform."""

    PUBLIC = "public"
    PARTICIPANT = "participant"
    PROGRAM = "program"
    EXPERT = "expert"
    CLINICIAN = "clinician"
    """Judges how a program came to its answers (D 9.10.8)."""
    JUDGE = "judge"
    COMMISSION = "commission"
    ORGANIZER = "organizer"


RIGHTS: Final[Mapping[Role, frozenset[Right]]] = MappingProxyType(
    {
        Role.PUBLIC: frozenset({Right.READ_PUBLISHED}),
        Role.PARTICIPANT: frozenset(
            {
                Right.READ_PUBLISHED,
                Right.SIGNED_IN,
                Right.CABINET,
                Right.SUBMIT,
                Right.READ_OWN,
                Right.READ_SESSIONS,
            }
        ),
        Role.PROGRAM: frozenset(
            {
                Right.READ_PUBLISHED,
                Right.SIGNED_IN,
                Right.EXCHANGE,
                Right.SUBMIT,
                Right.READ_OWN,
                Right.READ_SESSIONS,
            }
        ),
        Role.EXPERT: frozenset({Right.READ_PUBLISHED, Right.SIGNED_IN, Right.MARK_UP}),
        Role.CLINICIAN: frozenset({Right.READ_PUBLISHED, Right.SIGNED_IN, Right.REVIEW}),
        Role.JUDGE: frozenset(
            {
                Right.READ_PUBLISHED,
                Right.SIGNED_IN,
                Right.READ_SESSIONS,
                Right.READ_REPORTS,
                Right.CONFIRM_CONCLUSIONS,
            }
        ),
        Role.COMMISSION: frozenset(
            {
                Right.READ_PUBLISHED,
                Right.SIGNED_IN,
                Right.READ_SESSIONS,
                Right.READ_REPORTS,
                Right.INSPECT_SUBMISSIONS,
                Right.WATCH_ASSIGNMENTS,
                Right.VERIFY_RESULTS,
            }
        ),
        # "everything" of platform §1 is what people do; an organizer has no team whose exchange it could run.
        Role.ORGANIZER: frozenset(Right)
        - {Right.EXCHANGE, Right.SUBMIT, Right.READ_OWN, Right.CABINET, Right.MARK_UP, Right.REVIEW},
    }
)
"""Clause: platform §1 rights, platform §1 public, platform §1 program, platform §1 judge, platform §1 commission
Clause: platform §1 organizer, R 2.14, R 2.18, D 6.2.1
"""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a request speaks for, as the authorizer found out; the public has neither team, token nor person.

    A program has team and token, a person its own name and, as a member of one, a team.
    """

    role: Role = Role.PUBLIC
    team_id: str = ""
    token_id: str = ""
    person_id: str = ""

    @property
    def rights(self) -> frozenset[Right]:
        """The rights that the table gives its role."""
        return RIGHTS[self.role]


def may(identity: Identity, right: Right) -> bool:
    """Whether the table gives this identity the right."""
    return right in identity.rights
