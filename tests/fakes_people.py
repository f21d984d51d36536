"""Teams, people, their accounts and the log of their changes, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from contest.people.rules import Change, Invitation, Person, Team, Token
from contest.ports import LostRaceError
from contest.values import Millis, utc_day
from tests.fakes_store import Store


class FakePeople:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._teams: dict[str, Team] = {}
        self._tokens: dict[str, Token] = {}

    def team(self, team_id: str) -> Team | None:
        return self._teams.get(team_id)

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        return {each: self._teams[each] for each in team_ids if each in self._teams}

    def add_team(self, team: Team, change: Change) -> None:
        if team.team_id in self._teams:
            raise LostRaceError
        self._must_be_free(team)
        self._teams[team.team_id] = team
        self._store.tell(change)

    def all_teams(self) -> Sequence[Team]:
        return [self._teams[each] for each in sorted(self._teams)]

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        self.must_be(before)
        if after.reserved - before.reserved:
            self._must_be_free(after)
        self._teams[after.team_id] = after
        self._store.tell(change)

    def _must_be_free(self, team: Team) -> None:
        others = (other for other in self._teams.values() if other.team_id != team.team_id)
        if any(team.reserved & other.reserved for other in others):
            raise LostRaceError

    def put(self, team: Team) -> None:
        self._teams[team.team_id] = team

    def must_be(self, team: Team) -> None:
        known = self._teams.get(team.team_id)
        if known is None or known.version != team.version:
            raise LostRaceError

    def token(self, token_sha256: str) -> Token | None:
        return self._tokens.get(token_sha256)

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        return [each for each in self._tokens.values() if each.team_id == team_id]

    def issue(self, token: Token, change: Change) -> None:
        if token.token_sha256 in self._tokens:
            raise LostRaceError
        self._tokens[token.token_sha256] = token
        self._store.tell(change)

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        known = self._tokens.get(token.token_sha256)
        if known is None or known.revoked_at is not None:
            raise LostRaceError
        self._tokens[token.token_sha256] = replace(known, revoked_at=at)
        self._store.tell(change)


class FakePersons:
    def __init__(self, store: Store, people: FakePeople) -> None:
        self._store = store
        self._people = people
        self._persons: dict[str, Person] = {}
        self._invitations: dict[str, Invitation] = {}

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        self._must_be(captain.person_id, before)
        self._people.add_team(team, change)
        self._persons[captain.person_id] = captain

    def person(self, person_id: str) -> Person | None:
        return self._persons.get(person_id)

    def members_of(self, team_id: str) -> Sequence[Person]:
        return [self._persons[each] for each in sorted(self._persons) if self._persons[each].team_id == team_id]

    def invite(self, invitation: Invitation, change: Change) -> None:
        same_name = (invitation.team_id, invitation.invitation_id)
        if invitation.code_sha256 in self._invitations or same_name in {
            (invited.team_id, invited.invitation_id) for invited in self._invitations.values()
        }:
            raise LostRaceError
        self._invitations[invitation.code_sha256] = invitation
        self._store.tell(change)

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        found = sorted(self._invitations.values(), key=lambda each: each.invitation_id)
        return [each for each in found if each.team_id == team_id]

    def _must_be(self, person_id: str, before: Person | None) -> None:
        known = self._persons.get(person_id)
        if (known and known.version) != (before and before.version):
            raise LostRaceError


class FakeAuditLog:
    def __init__(self, store: Store) -> None:
        self.changes = store.changes

    def on(self, day: str) -> Sequence[Change]:
        return [each for each in self.changes if utc_day(each.at) == day]

    def between(self, first: str, last: str, after: str | None) -> Iterator[tuple[str, Change]]:
        ordered = sorted(enumerate(self.changes), key=lambda pair: pair[1].at)
        for number, each in ordered:
            cursor = f"{each.at:013d}-{number:016x}"
            if first <= utc_day(each.at) <= last and (after is None or cursor > after):
                yield cursor, each
