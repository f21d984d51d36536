"""People and invitations in the identity table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import IdentityItem
from contest.adapters.people import check_team, put_changed_team, put_new_team, team_key
from contest.domain.moments import Millis
from contest.domain.people.persons import Invitation, Person, Pool
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change, Team

_STAFF = "STAFF"
"""Partition of the pointers to everybody whom the organizers have invited."""


class PersonItem(IdentityItem):
    """A person; under its team and under the staff, a pointer to it."""

    person_id = UnicodeAttribute()
    pool = UnicodeAttribute(null=True)
    role = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    email = UnicodeAttribute(null=True)
    created_at = NumberAttribute(null=True)
    team_id = UnicodeAttribute(default="")
    dismissed_at = NumberAttribute(null=True)
    version = NumberAttribute(default=1)


class InvitationItem(IdentityItem):
    """An invitation under its code's hash; under its team, a pointer to it."""

    invitation_id = UnicodeAttribute()
    code_sha256 = UnicodeAttribute()
    team_id = UnicodeAttribute(null=True)
    note = UnicodeAttribute(null=True)
    as_captain = BooleanAttribute(null=True)
    created_at = NumberAttribute(null=True)
    ends_at = NumberAttribute(null=True)
    accepted_by = UnicodeAttribute(default="")
    revoked_at = NumberAttribute(null=True)


class DynamoPersons:
    """:class:`contest.ports.people.Persons`."""

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            put_new_team(transaction, team)
            put_member(transaction, before, captain)

        write_change(change, build)

    def person(self, person_id: str) -> Person | None:
        try:
            return _person(PersonItem.get(_person_key(person_id), "PROFILE", consistent_read=True))
        except DoesNotExist:
            return None

    def members_of(self, team_id: str) -> Sequence[Person]:
        return _pointed_at(
            PersonItem.query(team_key(team_id), PersonItem.sk.startswith("MEMBER#"), consistent_read=True)
        )

    def staff(self) -> Sequence[Person]:
        return _pointed_at(PersonItem.query(_STAFF, consistent_read=True))

    def add_staff(self, person: Person, organizer: str, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            _put(transaction, None, person)
            transaction.save(PersonItem(_STAFF, person.person_id, person_id=person.person_id))
            _check_organizer(transaction, organizer)

        write_change(change, build)

    def set_staff(self, before: Person, after: Person, organizer: str, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            _put(transaction, before, after)
            _check_organizer(transaction, organizer)

        write_change(change, build)

    def leave(self, team: Team, before: Person, after: Person, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            check_team(transaction, team)
            _put(transaction, before, after)
            transaction.delete(PersonItem(team_key(team.team_id), f"MEMBER#{before.person_id}"))

        write_change(change, build)

    def invite(self, invitation: Invitation, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            transaction.save(_invitation_item(invitation), condition=InvitationItem.pk.does_not_exist())
            names: dict[str, Any] = {
                "invitation_id": invitation.invitation_id,
                "code_sha256": invitation.code_sha256,
            }
            key = team_key(invitation.team_id), f"INVITATION#{invitation.invitation_id}"
            transaction.save(InvitationItem(*key, **names))

        write_change(change, build)

    def invitation(self, code_sha256: str) -> Invitation | None:
        try:
            return _invitation(InvitationItem.get(f"INVITATION#{code_sha256}", "INVITATION", consistent_read=True))
        except DoesNotExist:
            return None

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        under_team = InvitationItem.sk.startswith("INVITATION#")
        pointers = list(InvitationItem.query(team_key(team_id), under_team, consistent_read=True))
        keys = [(f"INVITATION#{each.code_sha256}", "INVITATION") for each in pointers]
        found = {each.code_sha256: _invitation(each) for each in InvitationItem.batch_get(keys, consistent_read=True)}
        return [found[each.code_sha256] for each in pointers]

    def revoke_invitation(self, invitation: Invitation, at: Millis, change: Change) -> None:
        item, still_open = _invitation_item(invitation), _is_open()
        actions: list[Action] = [InvitationItem.revoked_at.set(at)]
        write_change(change, lambda transaction: transaction.update(item, actions=actions, condition=still_open))

    def accept(
        self,
        invitation: Invitation,
        team: tuple[Team, Team] | None,
        before: Person | None,
        member: Person,
        change: Change,
    ) -> None:
        def build(transaction: TransactWrite) -> None:
            actions: list[Action] = [InvitationItem.accepted_by.set(member.person_id)]
            transaction.update(_invitation_item(invitation), actions=actions, condition=_is_open())
            put_member(transaction, before, member)
            if team is not None:
                put_changed_team(transaction, *team)

        write_change(change, build)


def _put(transaction: TransactWrite, before: Person | None, after: Person) -> None:
    """Write a person that is still as it was read."""
    as_read = PersonItem.pk.does_not_exist() if before is None else PersonItem.version == before.version
    transaction.save(_person_item(after), condition=as_read)


def put_member(transaction: TransactWrite, before: Person | None, member: Person) -> None:
    """Add to a transaction a person that is still as it was read, and that it belongs to its team."""
    _put(transaction, before, member)
    pointer = PersonItem(team_key(member.team_id), f"MEMBER#{member.person_id}", person_id=member.person_id)
    transaction.save(pointer)


def _check_organizer(transaction: TransactWrite, organizer: str) -> None:
    """Whoever decides about the staff must be an organizer when it is written: of two who dismiss each other at the
    same time, one remains."""
    if not organizer:
        return
    still = (PersonItem.role == Role.ORGANIZER.value) & PersonItem.dismissed_at.does_not_exist()
    transaction.condition_check(PersonItem, _person_key(organizer), "PROFILE", condition=still)


def _is_open() -> Any:
    return InvitationItem.pk.exists() & (InvitationItem.accepted_by == "") & InvitationItem.revoked_at.does_not_exist()


def _pointed_at(pointers: Any) -> Sequence[Person]:
    named = [each.person_id for each in pointers]
    keys = [(_person_key(each), "PROFILE") for each in named]
    found = {each.person_id: _person(each) for each in PersonItem.batch_get(keys, consistent_read=True)}
    return [found[each] for each in named]


def _person_key(person_id: str) -> str:
    return f"PERSON#{person_id}"


def _person_item(person: Person) -> PersonItem:
    return PersonItem(
        _person_key(person.person_id),
        "PROFILE",
        person_id=person.person_id,
        pool=person.pool.value,
        role=person.role.value,
        name=person.name,
        email=person.email,
        created_at=person.created_at,
        team_id=person.team_id,
        dismissed_at=person.dismissed_at,
        version=person.version,
    )


def _person(item: PersonItem) -> Person:
    return Person(
        person_id=item.person_id,
        pool=Pool(item.pool),
        role=Role(item.role),
        name=item.name,
        email=item.email,
        created_at=int(item.created_at),
        team_id=item.team_id,
        dismissed_at=None if item.dismissed_at is None else int(item.dismissed_at),
        version=int(item.version),
    )


def _invitation_item(invitation: Invitation) -> InvitationItem:
    return InvitationItem(
        f"INVITATION#{invitation.code_sha256}",
        "INVITATION",
        invitation_id=invitation.invitation_id,
        code_sha256=invitation.code_sha256,
        team_id=invitation.team_id,
        note=invitation.note,
        as_captain=invitation.as_captain,
        created_at=invitation.created_at,
        ends_at=invitation.expires_at,
        accepted_by=invitation.accepted_by,
        revoked_at=invitation.revoked_at,
    )


def _invitation(item: InvitationItem) -> Invitation:
    return Invitation(
        invitation_id=item.invitation_id,
        code_sha256=item.code_sha256,
        team_id=item.team_id,
        note=item.note,
        as_captain=bool(item.as_captain),
        created_at=int(item.created_at),
        expires_at=int(item.ends_at),
        accepted_by=item.accepted_by,
        revoked_at=None if item.revoked_at is None else int(item.revoked_at),
    )
