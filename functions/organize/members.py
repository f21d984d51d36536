"""Routes of everybody who has signed in, of a team's members, and of qualification.

In qualification the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2).
"""

from __future__ import annotations

from http import HTTPStatus

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, OutsideStageError, UnknownSessionError
from contest.people import cabinet, errors, teams, wire
from contest.people import presenting as present
from contest.people.cabinet import author
from contest.results import qualifying
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.presenting import boards as present_boards
from contest.results.rules.qualification import Standing, Step
from contest.results.wire.standings import (
    AdmissionRequest,
    ConclusionBody,
    JudgementRequest,
    StandingsBody,
    TeamStandingBody,
    VerificationRequest,
)
from contest.wiring import platform
from organize.router import app


@web.on(app, routes.ME, wire.MeBody, "The caller of this token")
def me() -> Reply:
    """Return its role, person, team and rights."""
    return web.answer(wire.MeBody.from_value(caller(app)))


@web.on(
    app,
    routes.APPLY,
    wire.TeamBody,
    "Apply for the contest (R 3.1)",
    errors.InvalidTeamError,
    errors.NameTakenError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    errors.KnownTeamError,
    errors.HasTeamError,
    OutsideStageError,
    status=HTTPStatus.CREATED,
)
def apply(form: wire.ApplicationRequest) -> Reply:
    """Apply with a new team and become its captain; the organizers decide."""
    team = cabinet.apply(platform(), caller(app), form.form())
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.CORRECT_APPLICATION,
    wire.TeamBody,
    "Correct the application",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.OtherTeamError,
    errors.InvalidTeamError,
    errors.NameTakenError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    errors.TeamInactiveError,
    OutsideStageError,
    BusyError,
)
def correct_application(form: wire.ApplicationRequest) -> Reply:
    """Correct an application under review, or hand a rejected one in again."""
    team = cabinet.apply_again(platform(), caller(app), form.form())
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(app, routes.OWN_TEAM, wire.TeamBody, "The own team", errors.NoTeamError)
def own_team() -> Reply:
    """Return status with its reason, application and members."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.WITHDRAW,
    wire.TeamBody,
    "Leave the contest with the team",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.NoSuchDecisionError,
    BusyError,
)
def withdraw_team(request: wire.ReasonRequest) -> Reply:
    """Refuse its programs within a minute; the organizers can undo this."""
    team = cabinet.withdraw(platform(), caller(app), request.reason)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.HAND_OVER,
    wire.TeamBody,
    "Make another member captain",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.UnknownPersonError,
    BusyError,
)
def hand_over_captaincy(request: wire.CaptainRequest) -> Reply:
    """Give the captain's rights away: to invite, remove and withdraw."""
    team = cabinet.hand_over(platform(), caller(app), request.person_id)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.REMOVE_MEMBER,
    wire.DoneBody,
    "Remove a member, or leave",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.CaptainStaysError,
    errors.UnknownPersonError,
    BusyError,
)
def remove_member(person_id: str) -> Reply:
    """Remove another member as the captain, or leave as a member."""
    cabinet.remove(platform(), caller(app), person_id)
    return web.answer(wire.DoneBody())


@web.on(app, routes.OWN_INVITATIONS, wire.InvitationsBody, "Invitations to the own team", errors.NoTeamError)
def own_invitations() -> Reply:
    """List open, accepted and revoked ones."""
    return web.answer(wire.InvitationsBody.from_value(invitations=cabinet.invitations(platform(), caller(app))))


@web.on(
    app,
    routes.INVITE,
    wire.NewInvitationBody,
    "Invite a person to the own team",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.InvalidEmailError,
    errors.NoMailsError,
    errors.TeamInactiveError,
    errors.InvitationMailsExhaustedError,
    status=HTTPStatus.CREATED,
)
def invite_member(request: wire.InvitationRequest) -> Reply:
    """Return a code for one person, valid for a week and shown only once."""
    code, invitation = cabinet.invite_to_own(platform(), caller(app), request.note, request.email or "")
    return web.answer(wire.NewInvitationBody.from_value(invitation, code=code), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_INVITATION,
    wire.DoneBody,
    "Revoke an invitation",
    errors.NoTeamError,
    errors.NotCaptainError,
    errors.UnknownInvitationError,
    errors.RevokedAlreadyError,
)
def revoke_invitation(invitation_id: str) -> Reply:
    """End the invitation; nobody can accept it."""
    cabinet.revoke_invitation(platform(), caller(app), invitation_id)
    return web.answer(wire.DoneBody())


@web.on(
    app,
    routes.ACCEPT_INVITATION,
    wire.TeamBody,
    "Accept an invitation",
    errors.UnknownInvitationError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    errors.HasTeamError,
)
def accept_invitation(request: wire.AcceptRequest) -> Reply:
    """Become a member of the team."""
    team = cabinet.accept(platform(), caller(app), request.code, request.person_name, request.contact)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(app, routes.OWN_TOKENS, wire.TokensBody, "Tokens of the own team's programs", errors.NoTeamError)
def own_tokens() -> Reply:
    """List them with the last use of each, without the secrets."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(wire.TokensBody.from_value(tokens=teams.tokens_of(platform(), team.team_id)))


@web.on(
    app,
    routes.ISSUE_OWN_TOKEN,
    wire.NewTokenBody,
    "Issue a token of the own team",
    errors.NoTeamError,
    errors.EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_own_token(request: wire.TokenRequest) -> Reply:
    """Return the token, which is shown only once."""
    team, who = cabinet.own_team(platform(), caller(app)), author(caller(app))
    secret, token = teams.issue_token(platform(), who, team.team_id, request.name, request.ends())
    return web.answer(wire.NewTokenBody.from_value(token, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_OWN_TOKEN,
    wire.DoneBody,
    "Revoke a token of the own team",
    errors.NoTeamError,
    errors.UnknownTokenError,
    errors.RevokedAlreadyError,
)
def revoke_own_token(token_id: str) -> Reply:
    """Refuse the token within a minute."""
    team = cabinet.own_team(platform(), caller(app))
    teams.revoke_token(platform(), author(caller(app)), team.team_id, token_id)
    return web.answer(wire.DoneBody())


@web.on(app, routes.STANDINGS, StandingsBody, "Qualification status of the teams (R 6.9)")
def list_standings(standing: Standing | None = None) -> Reply:
    """List all teams, or those with a conclusion in a state: the judges' queue, the commission's queue."""
    return web.answer(
        StandingsBody(teams=[present_boards.team_standing(team) for team in qualifying.standings(platform(), standing)])
    )


@web.on(app, routes.OWN_STANDING, TeamStandingBody, "Qualification status of the own team", errors.NoTeamError)
def own_standing() -> Reply:
    """Return the furthest conclusion of each kind, and whether the team is admitted to the final."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(present_boards.team_standing(qualifying.standing_of(platform(), team.team_id)))


@web.on(app, routes.CONCLUSION, ConclusionBody, "The conclusion on a session", UnknownSessionError, NoConclusionError)
def session_conclusion(session_id: str) -> Reply:
    """Return it with every ruling of judges and commission."""
    return web.answer(present_boards.conclusion(qualifying.conclusion(platform(), caller(app), session_id)))


@web.on(
    app,
    routes.JUDGE,
    ConclusionBody,
    "Confirm or reject a conclusion (R 8.2.1)",
    UnknownSessionError,
    NoConclusionError,
    NoSuchRulingError,
    BusyError,
)
def judge_conclusion(session_id: str, request: JudgementRequest) -> Reply:
    """Rule on it; judges may change the ruling until the commission verifies it."""
    conclusion = qualifying.rule(
        platform(), caller(app), session_id, Step.JUDGEMENT, request.reason, positive=request.confirmed
    )
    return web.answer(present_boards.conclusion(conclusion))


@web.on(
    app,
    routes.VERIFY,
    ConclusionBody,
    "Verify a confirmed conclusion, or return it (R 8.2.2)",
    UnknownSessionError,
    NoConclusionError,
    NoSuchRulingError,
    SamePersonError,
    BusyError,
)
def verify_conclusion(session_id: str, request: VerificationRequest) -> Reply:
    """Rule on it as another person than the judge."""
    conclusion = qualifying.rule(
        platform(), caller(app), session_id, Step.VERIFICATION, request.reason, positive=request.verified
    )
    return web.answer(present_boards.conclusion(conclusion))


@web.on(
    app,
    routes.ADMIT,
    TeamStandingBody,
    "Admit a team to the final, or not (R 8.2.3)",
    errors.UnknownTeamError,
    BusyError,
)
def admit_team(team_id: str, request: AdmissionRequest) -> Reply:
    """Admit the team to finals planned without a list of teams."""
    standing = qualifying.decide(platform(), caller(app), team_id, request.reason, admitted=request.admitted)
    return web.answer(present_boards.team_standing(standing))
