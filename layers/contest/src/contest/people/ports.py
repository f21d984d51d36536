"""The ports of people and teams; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port

if TYPE_CHECKING:
    from contest.people.rules import Change, Invitation, Person, SignedIn, Team, Token
    from contest.values import Millis


class People(Protocol):
    """Teams and the tokens of their programs. Every change is written with its entry in the audit log."""

    def team(self, team_id: str) -> Team | None:
        """Return a team."""

    def teams(self, team_ids: Iterable[str]) -> Mapping[str, Team]:
        """Return those of these teams that exist."""

    def all_teams(self) -> Sequence[Team]:
        """List all teams, by their ids."""

    def add_team(self, team: Team, change: Change) -> None:
        """Write a new team unless it exists."""

    def set_team(self, before: Team, after: Team, change: Change) -> None:
        """Write a team if the one there is still ``before``."""

    def token(self, token_sha256: str) -> Token | None:
        """Return a token by its hash."""

    def tokens_of(self, team_id: str) -> Sequence[Token]:
        """List a team's tokens, revoked ones too."""

    def issue(self, token: Token, change: Change) -> None:
        """Write a new token."""

    def revoke(self, token: Token, at: Millis, change: Change) -> None:
        """Mark a token revoked unless it is."""


class Persons(Protocol):
    """People, their places in teams, and invitations, under the same promise."""

    def apply(self, team: Team, before: Person | None, captain: Person, change: Change) -> None:
        """Write a new team unless it exists, and its captain as its first member if the person is as ``before``."""

    def person(self, person_id: str) -> Person | None:
        """Return a person."""

    def members_of(self, team_id: str) -> Sequence[Person]:
        """List a team's members, by id."""

    def staff(self) -> Sequence[Person]:
        """List all staff ever invited by the organizers, dismissed ones too, by id."""

    def add_staff(self, person: Person, organizer: str, change: Change) -> None:
        """Write a new member of the staff unless there is a person of this id, if ``organizer`` still is one.

        An empty ``organizer`` is somebody with the deployment's own credentials.
        """

    def set_staff(self, before: Person, after: Person, organizer: str, change: Change) -> None:
        """Write a member of the staff who is still as ``before``, if ``organizer`` still is one, as above."""

    def leave(self, team: Team, before: Person, after: Person, change: Change) -> None:
        """Write a member who is still as ``before`` without the team, if the team is still as read."""

    def invite(self, invitation: Invitation, change: Change) -> None:
        """Write a new invitation."""

    def invitation(self, code_sha256: str) -> Invitation | None:
        """Return an invitation by its code's hash."""

    def invitations_of(self, team_id: str) -> Sequence[Invitation]:
        """List a team's invitations, in any state."""

    def revoke_invitation(self, invitation: Invitation, at: Millis, change: Change) -> None:
        """Mark an invitation revoked unless it is accepted or revoked."""

    def accept(
        self,
        invitation: Invitation,
        team: tuple[Team, Team] | None,
        before: Person | None,
        member: Person,
        change: Change,
    ) -> None:
        """Mark an invitation accepted unless it is accepted or revoked, and write the member if still ``before``.

        ``team``: as it was read and as it becomes, where the member becomes its captain.
        """


class SignIns(Protocol):
    """Tokens of people who have signed in."""

    def read(self, token: str) -> SignedIn | None:
        """Return the account of a token, by its signature, issuer, kind and client; None for one that is not ours. Its
        end is returned, not checked."""


class Accounts(Protocol):
    """Accounts of the staff, where they sign in."""

    def invite(self, email: str, name: str) -> str:
        """Make an account, or find the one of this address; return its subject. A mail tells how to sign in."""

    def close(self, email: str) -> None:
        """Let nobody sign in with an account, and end its sign-ins; closing a closed or missing one is no error."""

    def reopen(self, email: str) -> None:
        """Let a closed account sign in again."""


class PeoplePorts:
    """The platform's ports of people and teams."""

    people: Port[People] = Port()
    persons: Port[Persons] = Port()
    sign_ins: Port[SignIns] = Port()
    accounts: Port[Accounts] = Port()
