"""Teams and sign-in as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import people
from contest.domain.people.persons import Person
from contest.domain.people.teams import Team
from contest.settings import LOOPBACK_PATH, LOOPBACK_PORTS, PoolSettings


def member(person: Person, captain: str = "") -> people.MemberBody:
    """Return a person as others of the team, or organizers, see it."""
    return people.MemberBody.from_value(person, is_captain=person.person_id == captain)


def team(found: Team, members: Sequence[Person]) -> people.TeamBody:
    """Return a team with its members."""
    return people.TeamBody.from_value(found, members=[member(each, found.captain) for each in members])


def sign_in(participants: PoolSettings, staff_pool: PoolSettings) -> people.SignInBody:
    """Return where people sign in."""
    redirects = [f"http://localhost:{port}{LOOPBACK_PATH}" for port in LOOPBACK_PORTS]
    return people.SignInBody.from_value(participants=participants, staff=staff_pool, loopback_redirects=redirects)
