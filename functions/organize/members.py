"""Routes of everybody who has signed in, and of a team's members."""

from __future__ import annotations

from http import HTTPStatus

from contest import errors, routes
from contest.contracts.people import (
    AcceptRequest,
    ApplicationRequest,
    CaptainRequest,
    DoneBody,
    InvitationRequest,
    InvitationsBody,
    MeBody,
    NewInvitationBody,
    NewTokenBody,
    ReasonRequest,
    TeamBody,
    TokenRequest,
    TokensBody,
)
from contest.edge import present_people as present
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import people
from contest.services.people import cabinet, tokens
from contest.services.people.cabinet import author
from contest.wiring import platform
from organize.router import app


@web.on(app, routes.ME, MeBody, "Who the token speaks for")
def me() -> Reply:
    """Role, person, team and rights, as the platform knows them."""
    return web.answer(MeBody.from_value(caller(app)))


@web.on(
    app,
    routes.APPLY,
    TeamBody,
    "Apply for the contest (R 3.1)",
    errors.MalformedJsonError,
    people.InvalidTeamError,
    people.NameTakenError,
    people.InvalidEmailError,
    people.InvalidNameError,
    people.KnownTeamError,
    people.HasTeamError,
    errors.OutsideStageError,
    status=HTTPStatus.CREATED,
)
def apply(form: ApplicationRequest) -> Reply:
    """Apply with a new team, whose captain one becomes; the organizers decide."""
    made = cabinet.apply(platform(), caller(app), form.form())
    return web.answer(present.team(made, cabinet.members(platform(), made.team_id)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.CORRECT_APPLICATION,
    TeamBody,
    "Correct the application",
    errors.MalformedJsonError,
    people.NoTeamError,
    people.NotCaptainError,
    people.OtherTeamError,
    people.InvalidTeamError,
    people.NameTakenError,
    people.InvalidEmailError,
    people.InvalidNameError,
    people.TeamInactiveError,
    errors.OutsideStageError,
    errors.BusyError,
)
def correct_application(form: ApplicationRequest) -> Reply:
    """Correct what is under review, or hand a rejected application in again."""
    made = cabinet.apply_again(platform(), caller(app), form.form())
    return web.answer(present.team(made, cabinet.members(platform(), made.team_id)))


@web.on(app, routes.OWN_TEAM, TeamBody, "The own team", people.NoTeamError)
def own_team() -> Reply:
    """Status with its reason, application and members."""
    found = cabinet.own_team(platform(), caller(app))
    return web.answer(present.team(found, cabinet.members(platform(), found.team_id)))


@web.on(
    app,
    routes.WITHDRAW,
    TeamBody,
    "Leave the contest with the team",
    errors.MalformedJsonError,
    people.NoTeamError,
    people.NotCaptainError,
    people.NoSuchDecisionError,
    errors.BusyError,
)
def withdraw_team(said: ReasonRequest) -> Reply:
    """Its programs are refused within a minute; the organizers can take it back."""
    made = cabinet.withdraw(platform(), caller(app), said.reason)
    return web.answer(present.team(made, cabinet.members(platform(), made.team_id)))


@web.on(
    app,
    routes.HAND_OVER,
    TeamBody,
    "Make another member captain",
    errors.MalformedJsonError,
    people.NoTeamError,
    people.NotCaptainError,
    people.UnknownPersonError,
    errors.BusyError,
)
def hand_over_captaincy(said: CaptainRequest) -> Reply:
    """The captain invites, removes and withdraws."""
    made = cabinet.hand_over(platform(), caller(app), said.person_id)
    return web.answer(present.team(made, cabinet.members(platform(), made.team_id)))


@web.on(
    app,
    routes.REMOVE_MEMBER,
    DoneBody,
    "Remove a member, or leave",
    people.NoTeamError,
    people.NotCaptainError,
    people.CaptainStaysError,
    people.UnknownPersonError,
    errors.BusyError,
)
def remove_member(person_id: str) -> Reply:
    """The captain removes anybody else; everybody else leaves by themselves."""
    cabinet.remove(platform(), caller(app), person_id)
    return web.answer(DoneBody())


@web.on(app, routes.OWN_INVITATIONS, InvitationsBody, "Invitations to the own team", people.NoTeamError)
def own_invitations() -> Reply:
    """Open, accepted and revoked ones."""
    return web.answer(InvitationsBody.from_value(invitations=cabinet.invitations(platform(), caller(app))))


@web.on(
    app,
    routes.INVITE,
    NewInvitationBody,
    "Invite somebody to the own team",
    errors.MalformedJsonError,
    people.NoTeamError,
    people.NotCaptainError,
    status=HTTPStatus.CREATED,
)
def invite_member(said: InvitationRequest) -> Reply:
    """The code is for one person, lasts a week, and is shown this once."""
    code, made = cabinet.invite_to_own(platform(), caller(app), said.note)
    return web.answer(NewInvitationBody.from_value(made, code=code), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_INVITATION,
    DoneBody,
    "Take an invitation back",
    people.NoTeamError,
    people.NotCaptainError,
    people.UnknownInvitationError,
    people.RevokedAlreadyError,
)
def revoke_invitation(invitation_id: str) -> Reply:
    """Nobody can accept it afterwards."""
    cabinet.revoke_invitation(platform(), caller(app), invitation_id)
    return web.answer(DoneBody())


@web.on(
    app,
    routes.ACCEPT_INVITATION,
    TeamBody,
    "Accept an invitation",
    errors.MalformedJsonError,
    people.UnknownInvitationError,
    people.InvalidEmailError,
    people.InvalidNameError,
    people.HasTeamError,
)
def accept_invitation(said: AcceptRequest) -> Reply:
    """Become a member of the team."""
    made = cabinet.accept(platform(), caller(app), said.code, said.person_name, said.contact)
    return web.answer(present.team(made, cabinet.members(platform(), made.team_id)))


@web.on(app, routes.OWN_TOKENS, TokensBody, "Tokens of the own team's programs", people.NoTeamError)
def own_tokens() -> Reply:
    """With the last use of each; never the tokens themselves."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(TokensBody.from_value(tokens=tokens.tokens_of(platform(), team.team_id)))


@web.on(
    app,
    routes.ISSUE_OWN_TOKEN,
    NewTokenBody,
    "A new token of the own team",
    errors.MalformedJsonError,
    people.NoTeamError,
    people.EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_own_token(said: TokenRequest) -> Reply:
    """The token is shown this once."""
    team, who = cabinet.own_team(platform(), caller(app)), author(caller(app))
    secret, made = tokens.issue_token(platform(), who, team.team_id, said.name, said.ends())
    return web.answer(NewTokenBody.from_value(made, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_OWN_TOKEN,
    DoneBody,
    "Revoke a token of the own team",
    people.NoTeamError,
    people.UnknownTokenError,
    people.RevokedAlreadyError,
)
def revoke_own_token(token_id: str) -> Reply:
    """It is refused within a minute."""
    team = cabinet.own_team(platform(), caller(app))
    tokens.revoke_token(platform(), author(caller(app)), team.team_id, token_id)
    return web.answer(DoneBody())
