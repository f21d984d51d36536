"""A participant's own team: application for the contest, members, invitations, leaving (R 3.1, platform §2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace

from contest import reading
from contest.cycle.rules.cycle import REGULATION
from contest.cycle.rules.stages import StageName
from contest.errors import NoCycleError
from contest.messages.rules import INVITED, Mail, MailKind
from contest.people import errors
from contest.people.rules import (
    ACTIVE,
    EMAIL,
    INVITATION,
    INVITATION_LASTS,
    MAY_APPLY_AGAIN,
    MAY_WITHDRAW,
    MOST_MAILED,
    Application,
    Change,
    Form,
    Identity,
    Invitation,
    Person,
    Pool,
    Role,
    Team,
    TeamStatus,
    by_person,
    stored_spelling,
    token_hash,
)
from contest.people.teams import (
    refuse_name_taken_since,
    refuse_taken_name,
    refuse_wrong_names,
    refuse_wrong_person,
    team_of,
)
from contest.platform import Platform, read_and_decide
from contest.ports import LostRaceError
from contest.session import following
from contest.values import DAY, Millis, seconds_until, utc_day


def author(identity: Identity) -> str:
    """Return the audit-log author of an identity: the person, or a program's token."""
    return f"token:{identity.token_id}" if identity.token_id else by_person(identity.person_id)


# Clause: R 3.1, R 4.1, platform §2 team life, D 3.2
def apply(platform: Platform, identity: Identity, form: Form) -> Team:
    """Apply for the contest with a new team; the applicant becomes its captain."""
    refuse_wrong_names(form.team_id, form.team_name)
    refuse_wrong_person(form.person_name)
    _refuse_wrong_address(form.contact)
    before = platform.persons.person(identity.person_id)
    if before is not None and before.team_id:
        raise errors.HasTeamError
    now = platform.clock.now()
    _refuse_outside_selection(platform, now)
    application = Application(form.organization, form.contact, form.about, now, _rules_version(platform))
    team = Team(
        form.team_id,
        stored_spelling(form.team_name),
        TeamStatus.APPLIED,
        now,
        identity.person_id,
        application,
        agrees=form.agrees,
    )
    if platform.people.team(team.team_id) is None:
        refuse_taken_name(platform, team)
    captain = _member(before, identity.person_id, team.team_id, form.person_name, form.contact, now)
    change = Change(now, author(identity), "team applied", team.team_id, None, asdict(team))
    try:
        platform.persons.apply(team, before, captain, change)
    except LostRaceError:
        if platform.people.team(team.team_id):
            raise errors.KnownTeamError from None
        refuse_taken_name(platform, team)
        raise errors.HasTeamError from None
    return team


# Clause: R 3.1, R 4.1
def apply_again(platform: Platform, identity: Identity, form: Form) -> Team:
    """Correct the own application, or hand a rejected one in again; the team keeps its id.

    An application under review belongs to the moment of its handing in, so it is corrected on any day.
    """
    refuse_wrong_names(form.team_id, form.team_name)
    refuse_wrong_person(form.person_name)
    _refuse_wrong_address(form.contact)

    def corrected(before: Team) -> Team:
        if form.team_id != before.team_id:
            raise errors.OtherTeamError
        if before.status not in MAY_APPLY_AGAIN:
            raise errors.TeamInactiveError.of_status(before.status.value, before.reason)
        now = platform.clock.now()
        if before.status is not TeamStatus.APPLIED:
            _refuse_outside_selection(platform, now)
        application = Application(form.organization, form.contact, form.about, now, _rules_version(platform))
        return replace(
            before,
            name=stored_spelling(form.team_name),
            status=TeamStatus.APPLIED,
            application=application,
            reason="",
            agrees=form.agrees,
        )

    return _set_own(platform, identity, "application corrected", corrected)


def _refuse_outside_selection(platform: Platform, moment: Millis) -> None:
    """Refuse an application outside the selection's days; before a cycle is loaded there are none."""
    with suppress(NoCycleError):
        following.refuse_outside_stage(reading.cycle_now(platform), StageName.SELECTION, moment)


# Clause: R 3.1, D 8.19
def _rules_version(platform: Platform) -> int | None:
    """Return the number of the present version of the regulation's page: the applicant accepts it.

    **Decision**: it is the platform's word, not the applicant's: the form shows the present version, and a correction
    of the application accepts the one that is present then.
    """
    with suppress(NoCycleError):
        pages = {page.name: page for page in reading.cycle_now(platform).pages}
        return len(pages[REGULATION].versions) if REGULATION in pages else None
    return None


def own_team(platform: Platform, identity: Identity) -> Team:
    """Return a person's team; read now, since a membership may be younger than the token's identity."""
    person = platform.persons.person(identity.person_id)
    if person is None or not person.team_id:
        raise errors.NoTeamError
    return team_of(platform, person.team_id)


def own_team_id(platform: Platform, identity: Identity) -> str:
    """Return the id of the team for which a program or a member asks; :class:`NoTeamError` without one."""
    return identity.team_id if identity.token_id else own_team(platform, identity).team_id


def members(platform: Platform, team_id: str) -> Sequence[Person]:
    """List a team's members, by id."""
    return platform.persons.members_of(team_id)


# Clause: platform §2 team life, D 14.4
def withdraw(platform: Platform, identity: Identity, reason: str) -> Team:
    """Leave the contest with the whole team."""

    def withdrawn(before: Team) -> Team:
        if before.status not in MAY_WITHDRAW:
            raise errors.NoSuchDecisionError.between(before.status.value, TeamStatus.WITHDRAWN.value, [])
        return replace(before, status=TeamStatus.WITHDRAWN, reason=reason)

    return _set_own(platform, identity, "team withdrawn", withdrawn)


def hand_over(platform: Platform, identity: Identity, person_id: str) -> Team:
    """Make another member the captain."""

    def handed_over(before: Team) -> Team:
        _member_of(platform, before.team_id, person_id)
        return replace(before, captain=person_id)

    return _set_own(platform, identity, "captaincy handed over", handed_over)


def remove(platform: Platform, identity: Identity, person_id: str) -> None:
    """Remove a member from the own team: the captain removes anybody else, any other member only themselves.

    A captain leaves a team only when it takes no part any more, so that somebody always answers for one that does.
    """

    def removed(team: Team) -> None:
        if person_id == team.captain and team.status in ACTIVE:
            raise errors.CaptainStaysError if identity.person_id == team.captain else errors.NotCaptainError
        if identity.person_id not in {team.captain, person_id}:
            raise errors.NotCaptainError
        before = _member_of(platform, team.team_id, person_id)
        after = replace(before, team_id="", version=before.version + 1)
        states = {"member": person_id}, {"member": None}
        change = Change(platform.clock.now(), author(identity), "member left", team.team_id, *states)
        platform.persons.leave(team, before, after, change)

    read_and_decide(lambda: own_team(platform, identity), removed)


# Clause: R 3.1
def invite(
    platform: Platform, who: str, team_id: str, note: str, *, as_captain: bool = False, address: str = ""
) -> tuple[str, Invitation]:
    """Invite to a team: return the invitation's code, shown only now, and its stored form.

    ``address``: where a mail hands the code over, once. **Decision**: an approved team may have
    :data:`~contest.people.rules.MOST_MAILED` sent on a day (UTC), in fixed words without its name, so that nobody
    writes to strangers through the platform.
    """
    team = team_of(platform, team_id)
    if address:
        _refuse_wrong_address(address)
        if platform.mailer is None:
            raise errors.NoMailsError
        if team.status is not TeamStatus.APPROVED:
            raise errors.TeamInactiveError.of_status(team.status.value, team.reason)

    def invited(own_invitations: Sequence[Invitation]) -> tuple[str, Invitation]:
        now = platform.clock.now()
        code = platform.randomness.invitation()
        name = _mailed_name(own_invitations, now) if address else platform.randomness.token_id()
        invitation = Invitation(name, token_hash(code), team_id, note, as_captain, now, now + INVITATION_LASTS)
        after = {"invitation_id": name, "note": note, "as_captain": as_captain, "mailed": bool(address)}
        platform.persons.invite(invitation, Change(now, who, "member invited", team_id, None, after))
        if address:
            mail_id = f"invitation-{team_id}-{name}"
            kind = MailKind.APPLICATION
            platform.mails.add(Mail(mail_id, "", kind, INVITED, "/cabinet", now, address=address, code=code))
        return code, invitation

    return read_and_decide(lambda: platform.persons.invitations_of(team_id) if address else (), invited)


def _mailed_name(own_invitations: Sequence[Invitation], now: Millis) -> str:
    """Return the name of the day's next mailed invitation: two at once get different ones, so none passes the bound."""
    used_names = {invitation.invitation_id for invitation in own_invitations}
    names = (f"mailed-{utc_day(now)}-{number}" for number in range(1, MOST_MAILED + 1))
    name = next((name for name in names if name not in used_names), None)
    if name is None:
        raise errors.InvitationMailsExhaustedError(retry_after_s=seconds_until((now // DAY + 1) * DAY, now))
    return name


def invite_to_own(platform: Platform, identity: Identity, note: str, address: str) -> tuple[str, Invitation]:
    """Invite to the own team, as its captain."""
    team = own_team(platform, identity)
    refuse_unless_captain(team, identity)
    return invite(platform, author(identity), team.team_id, note, address=address)


def invitations(platform: Platform, identity: Identity) -> Sequence[Invitation]:
    """List invitations to the own team, the latest first."""
    own_invitations = platform.persons.invitations_of(own_team(platform, identity).team_id)
    return sorted(own_invitations, key=lambda invitation: (-invitation.created_at, invitation.invitation_id))


def revoke_invitation(platform: Platform, identity: Identity, invitation_id: str) -> None:
    """Take an invitation back."""
    team = own_team(platform, identity)
    refuse_unless_captain(team, identity)
    own_invitations = {
        invitation.invitation_id: invitation for invitation in platform.persons.invitations_of(team.team_id)
    }
    if invitation_id not in own_invitations:
        raise errors.UnknownInvitationError
    now = platform.clock.now()
    states = {"invitation_id": invitation_id, "revoked_at": None}, {"invitation_id": invitation_id, "revoked_at": now}
    try:
        change = Change(now, author(identity), "invitation revoked", team.team_id, *states)
        platform.persons.revoke_invitation(own_invitations[invitation_id], now, change)
    except LostRaceError:
        raise errors.RevokedAlreadyError from None


def accept(platform: Platform, identity: Identity, code: str, name: str, contact: str) -> Team:
    """Accept an invitation: become a member of its team."""
    refuse_wrong_person(name)
    _refuse_wrong_address(contact)
    now = platform.clock.now()
    invitation = platform.persons.invitation(token_hash(code)) if INVITATION.fullmatch(code) else None
    if invitation is None or not invitation.is_open(now):
        raise errors.UnknownInvitationError
    before = platform.persons.person(identity.person_id)
    if before is not None and before.team_id:
        raise errors.HasTeamError
    team = team_of(platform, invitation.team_id)
    led = replace(team, captain=identity.person_id, version=team.version + 1) if invitation.as_captain else team
    member = _member(before, identity.person_id, team.team_id, name, contact, now)
    after = {"member": member.person_id, "captain": invitation.as_captain}
    change = Change(now, author(identity), "member joined", team.team_id, None, after)
    try:
        platform.persons.accept(invitation, (team, led) if invitation.as_captain else None, before, member, change)
    except LostRaceError:
        raise errors.UnknownInvitationError from None
    return led


def refuse_unless_captain(team: Team, identity: Identity) -> None:
    """Refuse an action of a member who is not the captain."""
    if team.captain != identity.person_id:
        raise errors.NotCaptainError


def _set_own(platform: Platform, identity: Identity, what: str, change: Callable[[Team], Team]) -> Team:
    """Change the own team as its captain."""

    def set_(before: Team) -> Team:
        refuse_unless_captain(before, identity)
        after = replace(change(before), version=before.version + 1)
        refuse_name_taken_since(platform, before, after)
        entry = Change(platform.clock.now(), author(identity), what, before.team_id, asdict(before), asdict(after))
        platform.people.set_team(before, after, entry)
        return after

    return read_and_decide(lambda: own_team(platform, identity), set_)


def _member_of(platform: Platform, team_id: str, person_id: str) -> Person:
    person = platform.persons.person(person_id)
    if person is None or person.team_id != team_id:
        raise errors.UnknownPersonError
    return person


def _member(before: Person | None, person_id: str, team_id: str, name: str, contact: str, now: int) -> Person:
    """Return a person as a member; a first application or acceptance makes the person known."""
    if before is None:
        return Person(person_id, Pool.PARTICIPANTS, Role.PARTICIPANT, name, contact, now, team_id)
    return replace(before, team_id=team_id, name=name, email=contact, version=before.version + 1)


def _refuse_wrong_address(contact: str) -> None:
    if not EMAIL.fullmatch(contact):
        raise errors.InvalidEmailError
