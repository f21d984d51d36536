"""Teams, people, tokens and invitations as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import people
from contest.domain.moments import iso, iso_or_none
from contest.domain.people.persons import Invitation, Person
from contest.domain.people.rights import RIGHTS, Identity
from contest.domain.people.teams import WAYS, Application, Change, Team, TeamStatus, Token, TokenView
from contest.settings import LOOPBACK_PATH, LOOPBACK_PORTS, PoolSettings


def me(identity: Identity) -> people.MeBody:
    """Who a request speaks for."""
    return people.MeBody(
        role=identity.role.value,
        person_id=identity.person_id or None,
        team_id=identity.team_id or None,
        token_id=identity.token_id or None,
        rights=sorted(each.value for each in RIGHTS[identity.role]),
    )


def member(person: Person, captain: str = "") -> people.MemberBody:
    """A person as others of the team, or organizers, see it."""
    return people.MemberBody(
        person_id=person.person_id,
        name=person.name,
        email=person.email,
        role=person.role.value,
        is_captain=person.person_id == captain,
        since=iso(person.created_at),
        dismissed_at=iso_or_none(person.dismissed_at),
    )


def team(found: Team, members: Sequence[Person]) -> people.TeamBody:
    """A team with its members."""
    return people.TeamBody(
        **team_row(found).model_dump(),
        application=_application(found.application) if found.application else None,
        members=[member(each, found.captain) for each in members],
        may_become=[each for each in TeamStatus if each in WAYS[found.status]],
    )


def _application(said: Application) -> people.ApplicationBody:
    return people.ApplicationBody(
        organization=said.organization, contact=said.contact, about=said.about, submitted_at=iso(said.submitted_at)
    )


def team_row(found: Team) -> people.TeamRow:
    """A team in the list."""
    return people.TeamRow(
        team_id=found.team_id,
        name=found.name,
        status=found.status,
        reason=found.reason,
        created_at=iso(found.created_at),
    )


def token(view: TokenView) -> people.TokenBody:
    """A token with its last use."""
    found = view.token
    return people.TokenBody(
        token_id=found.token_id,
        name=found.name,
        created_at=iso(found.created_at),
        expires_at=iso_or_none(found.expires_at),
        revoked_at=iso_or_none(found.revoked_at),
        used_at=iso_or_none(view.used_at),
    )


def invitation(found: Invitation) -> people.InvitationBody:
    """An invitation without its code."""
    return people.InvitationBody(
        invitation_id=found.invitation_id,
        note=found.note,
        as_captain=found.as_captain,
        created_at=iso(found.created_at),
        expires_at=iso(found.expires_at),
        accepted_by=found.accepted_by or None,
        revoked_at=iso_or_none(found.revoked_at),
    )


def change(entry: Change) -> people.ChangeBody:
    """An entry of the audit log."""
    return people.ChangeBody(
        at=iso(entry.at),
        who=entry.who,
        what=entry.what,
        subject=entry.subject,
        before=entry.before,
        after=entry.after,
    )


def own_tokens(views: Sequence[TokenView]) -> people.TokensBody:
    """Tokens of a team."""
    return people.TokensBody(tokens=[token(each) for each in views])


def new_token(secret: str, issued: Token) -> people.NewTokenBody:
    """A new token, this once with itself."""
    return people.NewTokenBody(**token(TokenView(issued, None)).model_dump(), token=secret)


def new_invitation(code: str, made: Invitation) -> people.NewInvitationBody:
    """A new invitation, this once with its code."""
    return people.NewInvitationBody(**invitation(made).model_dump(), code=code)


def invitations(found: Sequence[Invitation]) -> people.InvitationsBody:
    """Invitations to a team."""
    return people.InvitationsBody(invitations=[invitation(each) for each in found])


def teams(found: Sequence[Team]) -> people.TeamsBody:
    """Teams in a list."""
    return people.TeamsBody(teams=[team_row(each) for each in found])


def staff(found: Sequence[Person]) -> people.StaffBody:
    """The staff."""
    return people.StaffBody(staff=[member(each) for each in found])


def audit_log(day: str, found: Sequence[Change]) -> people.AuditLogBody:
    """What people changed on a day."""
    return people.AuditLogBody(day=day, changes=[change(each) for each in found])


def sign_in(participants: PoolSettings, staff_pool: PoolSettings) -> people.SignInBody:
    """Where people sign in."""
    pools = [people.PoolBody(issuer=each.issuer, client_id=each.client_id) for each in (participants, staff_pool)]
    redirects = [f"http://localhost:{port}{LOOPBACK_PATH}" for port in LOOPBACK_PORTS]
    return people.SignInBody(participants=pools[0], staff=pools[1], loopback_redirects=redirects)
