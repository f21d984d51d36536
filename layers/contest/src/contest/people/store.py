"""Teams, tokens, people and invitations in the identity table; the audit log, with each change, in the catalogue."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import cycle
from typing import Any, Final

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from contest.adapters.aws import CatalogueItem, IdentityItem, atomic_writes, item_fields
from contest.people.rules import Change, Invitation, Person, Role, Team, Token
from contest.values import Millis, read_as, utc_day, utc_days

_MOMENT: Final = 13
"""Digits of a moment in an entry's name."""
_NUMBERS: Final = cycle(range(16**6))
"""Counter that orders two entries of one millisecond by name, such as a run's stop and the plan of its successor."""


class ChangeItem(CatalogueItem):
    """One entry of the audit log as JSON."""

    body = UnicodeAttribute()


class DynamoAuditLog:
    """:class:`contest.ports.AuditLog`."""

    def on(self, day: str) -> Sequence[Change]:
        items = ChangeItem.query(f"AUDIT#{day}", consistent_read=True)
        return [Change(**json.loads(item.body)) for item in items]

    def between(self, first: str, last: str, after: str | None) -> Iterator[tuple[str, Change]]:
        begins = first if after is None else max(first, utc_day(int(after[:_MOMENT])))
        later = None if after is None else ChangeItem.sk > after.replace("-", "#")
        for day in utc_days(begins, last):
            for item in ChangeItem.query(f"AUDIT#{day}", later, consistent_read=True):
                yield item.sk.replace("#", "-"), Change(**json.loads(item.body))


# Clause: platform §1 audit
@contextmanager
def logged_writes(change: Change | None) -> Iterator[TransactWrite]:
    """Commit the writes added inside and their log entry: all or none. None: a timer's, without an author."""
    with atomic_writes() as transaction:
        yield transaction
        if change is not None:
            body = json.dumps(asdict(change), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            sort_key = f"{change.at:013d}#{next(_NUMBERS):06x}{secrets.token_hex(5)}"
            entry = ChangeItem(f"AUDIT#{utc_day(change.at)}", sort_key, body=body)
            transaction.save(entry, condition=ChangeItem.pk.does_not_exist())


def save_logged(change: Change | None, item: Model, condition: Condition) -> None:
    """Write an item if its condition holds, together with the change's log entry."""
    with logged_writes(change) as transaction:
        transaction.save(item, condition=condition)


_ALL = "TEAMS"
"""Partition of the pointers to all teams."""
_PARTS: Final = ("application", "selection")
"""Fields of a team that its item has as JSON."""


class TeamItem(IdentityItem):
    """A team; in the partition of all teams, a pointer to it."""

    team_id = UnicodeAttribute()
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    created_at = NumberAttribute(null=True)
    captain = UnicodeAttribute(default="")
    application = UnicodeAttribute(null=True)
    reason = UnicodeAttribute(default="")
    version = NumberAttribute(default=1)
    selection = UnicodeAttribute(null=True)
    baseline = BooleanAttribute(default=False)
    banned_until = NumberAttribute(null=True)
    agrees = BooleanAttribute(default=False)


class NameItem(IdentityItem):
    """A name that no other team may have, under the key of how it reads."""

    team_id = UnicodeAttribute()


class TokenItem(IdentityItem):
    """A token under its hash, and once more under its team."""

    token_id = UnicodeAttribute()
    token_sha256 = UnicodeAttribute()
    team_id = UnicodeAttribute()
    role = UnicodeAttribute()
    created_at = NumberAttribute()
    revoked_at = NumberAttribute(null=True)
    name = UnicodeAttribute(default="")
    expires_at = NumberAttribute(null=True, attr_name="ends_at")


class DynamoPeople:
    """:class:`contest.room_ports.People`."""

    def team(self, team_id: str) -> Team | None:
        return TeamItem.one(team_key(team_id), "PROFILE", _team)

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        keys = [(team_key(team_id), "PROFILE") for team_id in sorted(team_ids)]
        teams = [_team(item) for item in TeamItem.batch_get(keys, consistent_read=True)]
        return {team.team_id: team for team in teams}

    def all_teams(self) -> Sequence[Team]:
        named = [item.team_id for item in TeamItem.query(_ALL, consistent_read=True)]
        teams = self.teams(named)
        return [teams[team_id] for team_id in named]

    def add_team(self, team: Team, change: Change) -> None:
        with logged_writes(change) as transaction:
            put_new_team(transaction, team)

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        with logged_writes(change) as transaction:
            put_changed_team(transaction, before, after)

    def token(self, token_sha256: str) -> Token | None:
        return TokenItem.find(f"TOKEN#{token_sha256}", "TOKEN", Token)

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        items = TokenItem.query(team_key(team_id), TokenItem.sk.startswith("TOKEN#"), consistent_read=True)
        return [item.value(Token) for item in items]

    def issue(self, token: Token, change: Change) -> None:
        with logged_writes(change) as transaction:
            for item in _token_items(token):
                transaction.save(item, condition=TokenItem.pk.does_not_exist())

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        with logged_writes(change) as transaction:
            for item in _token_items(token):
                live = TokenItem.pk.exists() & TokenItem.revoked_at.does_not_exist()
                transaction.update(item, actions=[TokenItem.revoked_at.set(at)], condition=live)


def team_key(team_id: str) -> str:
    """Return the partition key of a team."""
    return f"TEAM#{team_id}"


def put_new_team(transaction: TransactWrite, team: Team) -> None:
    """Add a new team, the pointer to it and its names to a transaction."""
    transaction.save(_team_item(team), condition=TeamItem.pk.does_not_exist())
    transaction.save(TeamItem(_ALL, team.team_id, team_id=team.team_id))
    _put_names(transaction, frozenset(), team)


def put_changed_team(transaction: TransactWrite, before: Team, after: Team) -> None:
    """Add to a transaction a team that is still as it was read."""
    transaction.save(_team_item(after), condition=_as_read(before))
    _put_names(transaction, before.reserved, after)


def _put_names(transaction: TransactWrite, before: frozenset[str], team: Team) -> None:
    """Reserve the names that a team takes, unless another has one, and release those that it gives up."""
    free = NameItem.pk.does_not_exist() | (NameItem.team_id == team.team_id)
    for key in sorted(team.reserved - before):
        transaction.save(NameItem(f"NAME#{key}", "NAME", team_id=team.team_id), condition=free)
    for key in sorted(before - team.reserved):
        transaction.delete(NameItem(f"NAME#{key}", "NAME"), condition=free)


def check_team(transaction: TransactWrite, team: Team) -> None:
    """Add to a transaction that a team is still as it was read."""
    transaction.condition_check(TeamItem, team_key(team.team_id), "PROFILE", condition=_as_read(team))


def _as_read(team: Team) -> Any:
    same: Any = TeamItem.version == team.version
    # Teams that were stored before they had a version are of the first one.
    return same | TeamItem.version.does_not_exist() if team.version == 1 else same


def _team_item(team: Team) -> TeamItem:
    values = asdict(team)
    texts = {name: json.dumps(values[name], ensure_ascii=False) for name in _PARTS if values[name]}
    return TeamItem(team_key(team.team_id), "PROFILE", **{**values, **texts})


def _team(item: TeamItem) -> Team:
    values = item_fields(item)
    return read_as(Team, {**values, **{name: json.loads(values[name]) for name in _PARTS if values[name]}})


def _token_items(token: Token) -> list[TokenItem]:
    return [
        TokenItem(f"TOKEN#{token.token_sha256}", "TOKEN", **asdict(token)),
        TokenItem(team_key(token.team_id), f"TOKEN#{token.token_id}", **asdict(token)),
    ]


_STAFF = "STAFF"
"""Partition of the pointers to everybody invited by the organizers."""


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
    expires_at = NumberAttribute(null=True, attr_name="ends_at")
    accepted_by = UnicodeAttribute(default="")
    revoked_at = NumberAttribute(null=True)


class DynamoPersons:
    """:class:`contest.room_ports.Persons`."""

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        with logged_writes(change) as transaction:
            put_new_team(transaction, team)
            put_member(transaction, before, captain)

    def person(self, person_id: str) -> Person | None:
        return PersonItem.find(_person_key(person_id), "PROFILE", Person)

    def members_of(self, team_id: str) -> Sequence[Person]:
        return _pointed_at(
            PersonItem.query(team_key(team_id), PersonItem.sk.startswith("MEMBER#"), consistent_read=True)
        )

    def staff(self) -> Sequence[Person]:
        return _pointed_at(PersonItem.query(_STAFF, consistent_read=True))

    def add_staff(self, person: Person, organizer: str, change: Change) -> None:
        with logged_writes(change) as transaction:
            _put(transaction, None, person)
            transaction.save(PersonItem(_STAFF, person.person_id, person_id=person.person_id))
            _check_organizer(transaction, organizer)

    def set_staff(self, before: Person, after: Person, organizer: str, change: Change) -> None:
        with logged_writes(change) as transaction:
            _put(transaction, before, after)
            _check_organizer(transaction, organizer)

    def leave(self, team: Team, before: Person, after: Person, change: Change) -> None:
        with logged_writes(change) as transaction:
            check_team(transaction, team)
            _put(transaction, before, after)
            transaction.delete(PersonItem(team_key(team.team_id), f"MEMBER#{before.person_id}"))

    def invite(self, invitation: Invitation, change: Change) -> None:
        with logged_writes(change) as transaction:
            transaction.save(_invitation_item(invitation), condition=InvitationItem.pk.does_not_exist())
            names: dict[str, Any] = {"invitation_id": invitation.invitation_id, "code_sha256": invitation.code_sha256}
            key = team_key(invitation.team_id), f"INVITATION#{invitation.invitation_id}"
            transaction.save(InvitationItem(*key, **names), condition=InvitationItem.pk.does_not_exist())

    def invitation(self, code_sha256: str) -> Invitation | None:
        return InvitationItem.find(f"INVITATION#{code_sha256}", "INVITATION", Invitation)

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        under_team = InvitationItem.sk.startswith("INVITATION#")
        pointers = list(InvitationItem.query(team_key(team_id), under_team, consistent_read=True))
        keys = [(f"INVITATION#{pointer.code_sha256}", "INVITATION") for pointer in pointers]
        by_code = {
            item.code_sha256: item.value(Invitation) for item in InvitationItem.batch_get(keys, consistent_read=True)
        }
        return [by_code[pointer.code_sha256] for pointer in pointers]

    def revoke_invitation(self, invitation: Invitation, at: Millis, change: Change) -> None:
        item, still_open = _invitation_item(invitation), _is_open()
        actions: list[Action] = [InvitationItem.revoked_at.set(at)]
        with logged_writes(change) as transaction:
            transaction.update(item, actions=actions, condition=still_open)

    def accept(
        self,
        invitation: Invitation,
        team: tuple[Team, Team] | None,
        before: Person | None,
        member: Person,
        change: Change,
    ) -> None:
        with logged_writes(change) as transaction:
            actions: list[Action] = [InvitationItem.accepted_by.set(member.person_id)]
            transaction.update(_invitation_item(invitation), actions=actions, condition=_is_open())
            put_member(transaction, before, member)
            if team is not None:
                put_changed_team(transaction, *team)


def _put(transaction: TransactWrite, before: Person | None, after: Person) -> None:
    """Write a person that is still as it was read."""
    as_read = PersonItem.pk.does_not_exist() if before is None else PersonItem.version == before.version
    transaction.save(PersonItem(_person_key(after.person_id), "PROFILE", **asdict(after)), condition=as_read)


def put_member(transaction: TransactWrite, before: Person | None, member: Person) -> None:
    """Add to a transaction a person that is still as it was read, and that it belongs to its team."""
    _put(transaction, before, member)
    pointer = PersonItem(team_key(member.team_id), f"MEMBER#{member.person_id}", person_id=member.person_id)
    transaction.save(pointer)


def _check_organizer(transaction: TransactWrite, organizer: str) -> None:
    """Add to a transaction that the person who decides about the staff is an organizer: of two who dismiss each other
    at the same time, one remains."""
    if not organizer:
        return
    still = (PersonItem.role == Role.ORGANIZER.value) & PersonItem.dismissed_at.does_not_exist()
    transaction.condition_check(PersonItem, _person_key(organizer), "PROFILE", condition=still)


def _is_open() -> Any:
    return InvitationItem.pk.exists() & (InvitationItem.accepted_by == "") & InvitationItem.revoked_at.does_not_exist()


def _pointed_at(pointers: Any) -> Sequence[Person]:
    named = [pointer.person_id for pointer in pointers]
    keys = [(_person_key(person_id), "PROFILE") for person_id in named]
    by_id = {item.person_id: item.value(Person) for item in PersonItem.batch_get(keys, consistent_read=True)}
    return [by_id[person_id] for person_id in named]


def _person_key(person_id: str) -> str:
    return f"PERSON#{person_id}"


def _invitation_item(invitation: Invitation) -> InvitationItem:
    return InvitationItem(f"INVITATION#{invitation.code_sha256}", "INVITATION", **asdict(invitation))
