"""Teams and tokens in the identity table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist
from pynamodb.transactions import TransactWrite

from contest.adapters.audit_log import write_change
from contest.adapters.dynamo import IdentityItem
from contest.domain.moments import Millis
from contest.domain.people.rights import Role
from contest.domain.people.teams import Change, Team, TeamStatus, Token


class TeamItem(IdentityItem):
    """A team."""

    team_id = UnicodeAttribute()
    name = UnicodeAttribute()
    status = UnicodeAttribute()
    created_at = NumberAttribute()


class TokenItem(IdentityItem):
    """A token under its hash, and once more under its team."""

    token_id = UnicodeAttribute()
    token_sha256 = UnicodeAttribute()
    team_id = UnicodeAttribute()
    role = UnicodeAttribute()
    created_at = NumberAttribute()
    revoked_at = NumberAttribute(null=True)


class DynamoPeople:
    """:class:`contest.ports.People`."""

    def team(self, team_id: str) -> Team | None:
        """See the port."""
        try:
            return _team(TeamItem.get(_team_key(team_id), "PROFILE", consistent_read=True))
        except DoesNotExist:
            return None

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        """See the port."""
        keys = [(_team_key(each), "PROFILE") for each in sorted(team_ids)]
        found = [_team(each) for each in TeamItem.batch_get(keys)]
        return {each.team_id: each for each in found}

    def add_team(self, team: Team, change: Change) -> None:
        """See the port."""
        item = TeamItem(
            _team_key(team.team_id),
            "PROFILE",
            team_id=team.team_id,
            name=team.name,
            status=team.status.value,
            created_at=team.created_at,
        )
        write_change(change, lambda transaction: transaction.save(item, condition=TeamItem.pk.does_not_exist()))

    def token(self, token_sha256: str) -> Token | None:
        """See the port."""
        try:
            return _token(TokenItem.get(f"TOKEN#{token_sha256}", "TOKEN", consistent_read=True))
        except DoesNotExist:
            return None

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        """See the port."""
        found = TokenItem.query(_team_key(team_id), TokenItem.sk.startswith("TOKEN#"), consistent_read=True)
        return [_token(each) for each in found]

    def issue(self, token: Token, change: Change) -> None:
        """See the port."""

        def build(transaction: TransactWrite) -> None:
            for item in _token_items(token):
                transaction.save(item, condition=TokenItem.pk.does_not_exist())

        write_change(change, build)

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        """See the port."""

        def build(transaction: TransactWrite) -> None:
            for item in _token_items(token):
                live = TokenItem.pk.exists() & TokenItem.revoked_at.does_not_exist()
                transaction.update(item, actions=[TokenItem.revoked_at.set(at)], condition=live)

        write_change(change, build)


def _team_key(team_id: str) -> str:
    return f"TEAM#{team_id}"


def _team(item: TeamItem) -> Team:
    return Team(item.team_id, item.name, TeamStatus(item.status), int(item.created_at))


def _token_items(token: Token) -> list[TokenItem]:
    fields: dict[str, Any] = {
        "token_id": token.token_id,
        "token_sha256": token.token_sha256,
        "team_id": token.team_id,
        "role": token.role.value,
        "created_at": token.created_at,
        "revoked_at": token.revoked_at,
    }
    return [
        TokenItem(f"TOKEN#{token.token_sha256}", "TOKEN", **fields),
        TokenItem(_team_key(token.team_id), f"TOKEN#{token.token_id}", **fields),
    ]


def _token(item: TokenItem) -> Token:
    revoked_at = int(item.revoked_at) if item.revoked_at is not None else None
    return Token(item.token_id, item.token_sha256, item.team_id, Role(item.role), int(item.created_at), revoked_at)
