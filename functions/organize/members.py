"""Routes of everybody who has signed in, of a team's members, and of qualification.

In qualification the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2).
"""

from __future__ import annotations

from contest import routes
from contest.edge.web import CREATED, caller
from contest.errors import BusyError, OutsideStageError, UnknownSessionError
from contest.people import cabinet, errors, teams, wire
from contest.people.cabinet import author
from contest.people.rules import Team
from contest.results import commission
from contest.results import presenting as present_boards
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.rules.qualification import Standing, Step
from contest.results.wire import boards
from contest.wiring import platform
from organize.router import app, handles

_CAPTAIN = (errors.NoTeamError, errors.NotCaptainError)
_APPLICATION = (errors.InvalidTeamError, errors.NameTakenError, errors.InvalidEmailError, errors.InvalidNameError)
_RULING = (UnknownSessionError, NoConclusionError, NoSuchRulingError)


def _with_members(team: Team) -> wire.TeamBody:
    return wire.TeamBody.of(team, cabinet.members(platform(), team.team_id))


@handles(routes.ME, "The caller of this token")
def me() -> wire.MeBody:
    """Return its role, person, team and rights."""
    return wire.MeBody.from_value(caller(app))


@handles(
    routes.APPLY,
    "Apply for the contest (R 3.1)",
    *_APPLICATION,
    errors.KnownTeamError,
    errors.HasTeamError,
    OutsideStageError,
    status=CREATED,
)
def apply(form: wire.ApplicationRequest) -> wire.TeamBody:
    """Apply with a new team and become its captain; the organizers decide."""
    return _with_members(cabinet.apply(platform(), caller(app), form.form()))


@handles(
    routes.CORRECT_APPLICATION,
    "Correct the application",
    *_CAPTAIN,
    errors.OtherTeamError,
    *_APPLICATION,
    errors.TeamInactiveError,
    OutsideStageError,
    BusyError,
)
def correct_application(form: wire.ApplicationRequest) -> wire.TeamBody:
    """Correct an application under review, or hand a rejected one in again."""
    return _with_members(cabinet.apply_again(platform(), caller(app), form.form()))


@handles(routes.OWN_TEAM, "The own team", errors.NoTeamError)
def own_team() -> wire.TeamBody:
    """Return status with its reason, application and members."""
    return _with_members(cabinet.own_team(platform(), caller(app)))


@handles(routes.WITHDRAW, "Leave the contest with the team", *_CAPTAIN, errors.NoSuchDecisionError, BusyError)
def withdraw_team(request: wire.ReasonRequest) -> wire.TeamBody:
    """Refuse its programs within a minute; the organizers can undo this."""
    return _with_members(cabinet.withdraw(platform(), caller(app), request.reason))


@handles(routes.HAND_OVER, "Make another member captain", *_CAPTAIN, errors.UnknownPersonError, BusyError)
def hand_over_captaincy(request: wire.CaptainRequest) -> wire.TeamBody:
    """Give the captain's rights away: to invite, remove and withdraw."""
    return _with_members(cabinet.hand_over(platform(), caller(app), request.person_id))


@handles(
    routes.REMOVE_MEMBER,
    "Remove a member, or leave",
    *_CAPTAIN,
    errors.CaptainStaysError,
    errors.UnknownPersonError,
    BusyError,
)
def remove_member(person_id: str) -> wire.DoneBody:
    """Remove another member as the captain, or leave as a member."""
    cabinet.remove(platform(), caller(app), person_id)
    return wire.DoneBody()


@handles(routes.OWN_INVITATIONS, "Invitations to the own team", errors.NoTeamError)
def own_invitations() -> wire.InvitationsBody:
    """List open, accepted and revoked ones."""
    return wire.InvitationsBody.from_value(invitations=cabinet.invitations(platform(), caller(app)))


@handles(
    routes.INVITE,
    "Invite a person to the own team",
    *_CAPTAIN,
    errors.InvalidEmailError,
    errors.NoMailsError,
    errors.TeamInactiveError,
    errors.InvitationMailsExhaustedError,
    status=CREATED,
)
def invite_member(request: wire.InvitationRequest) -> wire.NewInvitationBody:
    """Return a code for one person, valid for a week and shown only once."""
    code, invitation = cabinet.invite_to_own(platform(), caller(app), request.note, request.email or "")
    return wire.NewInvitationBody.from_value(invitation, code=code)


@handles(
    routes.REVOKE_INVITATION,
    "Revoke an invitation",
    *_CAPTAIN,
    errors.UnknownInvitationError,
    errors.RevokedAlreadyError,
)
def revoke_invitation(invitation_id: str) -> wire.DoneBody:
    """End the invitation; nobody can accept it."""
    cabinet.revoke_invitation(platform(), caller(app), invitation_id)
    return wire.DoneBody()


@handles(
    routes.ACCEPT_INVITATION,
    "Accept an invitation",
    errors.UnknownInvitationError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    errors.HasTeamError,
)
def accept_invitation(request: wire.AcceptRequest) -> wire.TeamBody:
    """Become a member of the team."""
    return _with_members(cabinet.accept(platform(), caller(app), request.code, request.person_name, request.contact))


@handles(routes.OWN_TOKENS, "Tokens of the own team's programs", errors.NoTeamError)
def own_tokens() -> wire.TokensBody:
    """List them with the last use of each, without the secrets."""
    team = cabinet.own_team(platform(), caller(app))
    return wire.TokensBody.from_value(tokens=teams.tokens_of(platform(), team.team_id))


@handles(
    routes.ISSUE_OWN_TOKEN,
    "Issue a token of the own team",
    errors.NoTeamError,
    errors.EndedAlreadyError,
    status=CREATED,
)
def issue_own_token(request: wire.TokenRequest) -> wire.NewTokenBody:
    """Return the token, which is shown only once."""
    team, who = cabinet.own_team(platform(), caller(app)), author(caller(app))
    secret, token = teams.issue_token(platform(), who, team.team_id, request.name, request.ends())
    return wire.NewTokenBody.from_value(token, used_at=None, token=secret)


@handles(
    routes.REVOKE_OWN_TOKEN,
    "Revoke a token of the own team",
    errors.NoTeamError,
    errors.UnknownTokenError,
    errors.RevokedAlreadyError,
)
def revoke_own_token(token_id: str) -> wire.DoneBody:
    """Refuse the token within a minute."""
    team = cabinet.own_team(platform(), caller(app))
    teams.revoke_token(platform(), author(caller(app)), team.team_id, token_id)
    return wire.DoneBody()


@handles(routes.STANDINGS, "Qualification status of the teams (R 6.9)")
def list_standings(standing: Standing | None = None) -> boards.StandingsBody:
    """List all teams, or those with a conclusion in a state: the judges' queue, the commission's queue."""
    return boards.StandingsBody(
        teams=[present_boards.team_standing(team) for team in commission.team_standings(platform(), standing)]
    )


@handles(routes.OWN_STANDING, "Qualification status of the own team", errors.NoTeamError)
def own_standing() -> boards.TeamStandingBody:
    """Return the furthest conclusion of each kind, and whether the team is admitted to the final."""
    team = cabinet.own_team(platform(), caller(app))
    return present_boards.team_standing(commission.standing_of(platform(), team.team_id))


@handles(routes.CONCLUSION, "The conclusion on a session", UnknownSessionError, NoConclusionError)
def session_conclusion(session_id: str) -> boards.ConclusionBody:
    """Return it with every ruling of judges and commission."""
    return present_boards.conclusion(commission.conclusion(platform(), caller(app), session_id))


@handles(routes.JUDGE, "Confirm or reject a conclusion (R 8.2.1)", *_RULING, BusyError)
def judge_conclusion(session_id: str, request: boards.JudgementRequest) -> boards.ConclusionBody:
    """Rule on it; judges may change the ruling until the commission verifies it."""
    conclusion = commission.rule(
        platform(), caller(app), session_id, Step.JUDGEMENT, request.reason, positive=request.confirmed
    )
    return present_boards.conclusion(conclusion)


@handles(routes.VERIFY, "Verify a confirmed conclusion, or return it (R 8.2.2)", *_RULING, SamePersonError, BusyError)
def verify_conclusion(session_id: str, request: boards.VerificationRequest) -> boards.ConclusionBody:
    """Rule on it as another person than the judge."""
    conclusion = commission.rule(
        platform(), caller(app), session_id, Step.VERIFICATION, request.reason, positive=request.verified
    )
    return present_boards.conclusion(conclusion)


@handles(routes.ADMIT, "Admit a team to the final, or not (R 8.2.3)", errors.UnknownTeamError, BusyError)
def admit_team(team_id: str, request: boards.AdmissionRequest) -> boards.TeamStandingBody:
    """Admit the team to finals planned without a list of teams."""
    standing = commission.admit(platform(), caller(app), team_id, request.reason, admitted=request.admitted)
    return present_boards.team_standing(standing)
