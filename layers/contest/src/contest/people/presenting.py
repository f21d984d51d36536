"""Conversion of teams, members and sign-in into bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contest.people.wire import MemberBody, SignInBody, TeamBody
from contest.settings import LOOPBACK_PATH, LOOPBACK_PORTS, PoolSettings

if TYPE_CHECKING:
    from contest.people.rules import Person, Team


def member(person: Person, captain: str = "") -> MemberBody:
    """Return a person as others of the team, or organizers, see it."""
    return MemberBody.from_value(person, is_captain=person.person_id == captain)


def team(entrant: Team, members: Sequence[Person]) -> TeamBody:
    """Return a team with its members."""
    return TeamBody.from_value(entrant, members=[member(person, entrant.captain) for person in members])


def sign_in(participants: PoolSettings, staff_pool: PoolSettings) -> SignInBody:
    """Return where people sign in."""
    redirects = [f"http://localhost:{port}{LOOPBACK_PATH}" for port in LOOPBACK_PORTS]
    return SignInBody.from_value(participants=participants, staff=staff_pool, loopback_redirects=redirects)
