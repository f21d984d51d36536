"""The staff: experts, judges, commission and organizers; who is one, is decided by organizers alone (platform §1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from contest.domain.people.persons import EMAIL, Person, Pool
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change
from contest.errors.people import (
    InvalidEmailError,
    KnownPersonError,
    OwnRoleError,
    UnknownPersonError,
)
from contest.ports import LostRaceError
from contest.services.people.teams import refuse_wrong_person
from contest.services.platform import Platform
from contest.services.races import decide_until_written


def staff(platform: Platform) -> Sequence[Person]:
    """Everybody who was ever invited, dismissed ones too, by id."""
    return platform.persons.staff()


def invite(platform: Platform, who: str, organizer: str, email: str, name: str, role: Role) -> Person:
    """Give somebody an account and a role.

    ``organizer``: the person who decides; empty for somebody with the deployment's credentials, who enters the first.
    Account and role are two writes: a crash between them leaves an account without any right, and inviting again
    finds it.

    Clause: platform §1 rights, platform §1 audit
    """
    if not EMAIL.fullmatch(email):
        raise InvalidEmailError
    refuse_wrong_person(name)
    subject = platform.accounts.invite(email, name)
    now = platform.clock.now()
    person = Person(subject, Pool.STAFF, role, name, email, now)
    change = Change(now, who, "staff invited", subject, None, asdict(person))
    try:
        platform.persons.add_staff(person, organizer, change)
    except LostRaceError:
        raise KnownPersonError from None
    return person


def give_role(platform: Platform, who: str, organizer: str, person_id: str, role: Role, reason: str) -> Person:
    """Give a member of the staff another role; it holds within a minute.

    Clause: platform §1 rights, platform §1 audit
    """
    return _decide(
        platform, who, organizer, person_id, f"role given: {reason}", lambda before: replace(before, role=role)
    )


def dismiss(platform: Platform, who: str, organizer: str, person_id: str, reason: str) -> Person:
    """Take all rights from a member of the staff, within a minute, and close the account.

    The rights go first: an account that could not be closed opens nothing.

    Clause: platform §1 rights, platform §1 audit
    """
    now = platform.clock.now()
    gone = _decide(
        platform,
        who,
        organizer,
        person_id,
        f"staff dismissed: {reason}",
        lambda before: replace(before, dismissed_at=now),
    )
    platform.accounts.close(gone.email)
    return gone


def reinstate(platform: Platform, who: str, organizer: str, person_id: str, reason: str) -> Person:
    """Give a dismissed member of the staff its role back."""
    platform.accounts.reopen(_staff_of(platform, person_id).email)
    back: Callable[[Person], Person] = lambda before: replace(before, dismissed_at=None)  # noqa: E731
    return _decide(platform, who, organizer, person_id, f"staff reinstated: {reason}", back)


def _decide(
    platform: Platform, who: str, organizer: str, person_id: str, what: str, decided: Callable[[Person], Person]
) -> Person:
    if person_id == organizer:
        raise OwnRoleError

    def written(before: Person) -> Person:
        after = replace(decided(before), version=before.version + 1)
        change = Change(platform.clock.now(), who, what, person_id, asdict(before), asdict(after))
        platform.persons.set_staff(before, after, organizer, change)
        return after

    return decide_until_written(_staff_of(platform, person_id), written, lambda: _staff_of(platform, person_id))


def _staff_of(platform: Platform, person_id: str) -> Person:
    found = platform.persons.person(person_id)
    if found is None or found.pool is not Pool.STAFF:
        raise UnknownPersonError
    return found
