"""Teams and tokens in the identity table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import IdentityItem
from contest.domain.moments import Millis
from contest.domain.people.rights import Role
from contest.domain.people.teams import Application, Change, Team, TeamStatus, Token

_ALL = "TEAMS"
"""Partition of the pointers to all teams."""


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
    ends_at = NumberAttribute(null=True)


class DynamoPeople:
    """:class:`contest.ports.people.People`."""

    def team(self, team_id: str) -> Team | None:
        try:
            return _team(TeamItem.get(team_key(team_id), "PROFILE", consistent_read=True))
        except DoesNotExist:
            return None

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        keys = [(team_key(each), "PROFILE") for each in sorted(team_ids)]
        found = [_team(each) for each in TeamItem.batch_get(keys, consistent_read=True)]
        return {each.team_id: each for each in found}

    def all_teams(self) -> Sequence[Team]:
        named = [each.team_id for each in TeamItem.query(_ALL, consistent_read=True)]
        found = self.teams(named)
        return [found[each] for each in named]

    def add_team(self, team: Team, change: Change) -> None:
        write_change(change, lambda transaction: put_new_team(transaction, team))

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        write_change(change, lambda transaction: put_changed_team(transaction, before, after))

    def token(self, token_sha256: str) -> Token | None:
        try:
            return _token(TokenItem.get(f"TOKEN#{token_sha256}", "TOKEN", consistent_read=True))
        except DoesNotExist:
            return None

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        found = TokenItem.query(team_key(team_id), TokenItem.sk.startswith("TOKEN#"), consistent_read=True)
        return [_token(each) for each in found]

    def issue(self, token: Token, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            for item in _token_items(token):
                transaction.save(item, condition=TokenItem.pk.does_not_exist())

        write_change(change, build)

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        def build(transaction: TransactWrite) -> None:
            for item in _token_items(token):
                live = TokenItem.pk.exists() & TokenItem.revoked_at.does_not_exist()
                transaction.update(item, actions=[TokenItem.revoked_at.set(at)], condition=live)

        write_change(change, build)


def team_key(team_id: str) -> str:
    """Partition of a team."""
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
    return TeamItem(
        team_key(team.team_id),
        "PROFILE",
        team_id=team.team_id,
        name=team.name,
        status=team.status.value,
        created_at=team.created_at,
        captain=team.captain,
        application=json.dumps(asdict(team.application), ensure_ascii=False) if team.application else None,
        reason=team.reason,
        version=team.version,
    )


def _team(item: TeamItem) -> Team:
    said = Application(**json.loads(item.application)) if item.application else None
    status, version = TeamStatus(item.status), int(item.version)
    return Team(item.team_id, item.name, status, int(item.created_at), item.captain, said, item.reason, version)


def _token_items(token: Token) -> list[TokenItem]:
    fields: dict[str, Any] = {
        "token_id": token.token_id,
        "token_sha256": token.token_sha256,
        "team_id": token.team_id,
        "role": token.role.value,
        "created_at": token.created_at,
        "revoked_at": token.revoked_at,
        "name": token.name,
        "ends_at": token.expires_at,
    }
    return [
        TokenItem(f"TOKEN#{token.token_sha256}", "TOKEN", **fields),
        TokenItem(team_key(token.team_id), f"TOKEN#{token.token_id}", **fields),
    ]


def _token(item: TokenItem) -> Token:
    revoked_at, ends_at = (None if each is None else int(each) for each in (item.revoked_at, item.ends_at))
    return Token(
        token_id=item.token_id,
        token_sha256=item.token_sha256,
        team_id=item.team_id,
        role=Role(item.role),
        created_at=int(item.created_at),
        revoked_at=revoked_at,
        name=item.name,
        expires_at=ends_at,
    )
