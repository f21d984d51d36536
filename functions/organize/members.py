"""Routes of everybody who has signed in, of a team's members, and of qualification.

In qualification the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2).
"""

from __future__ import annotations

from http import HTTPStatus

from contest import routes
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import BusyError, MalformedJsonError, OutsideStageError, UnknownSessionError
from contest.people import cabinet, tokens
from contest.people import presenting as present
from contest.people.cabinet import author
from contest.people.errors import (
    CaptainStaysError,
    EndedAlreadyError,
    HasTeamError,
    InvalidEmailError,
    InvalidNameError,
    InvalidTeamError,
    KnownTeamError,
    NameTakenError,
    NoSuchDecisionError,
    NotCaptainError,
    NoTeamError,
    OtherTeamError,
    RevokedAlreadyError,
    TeamInactiveError,
    UnknownInvitationError,
    UnknownPersonError,
    UnknownTeamError,
    UnknownTokenError,
)
from contest.people.wire import (
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
from contest.results import presenting, qualifying
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.rules.qualification import Standing, Step
from contest.results.wire.reviews import (
    AdmissionRequest,
    ConclusionBody,
    JudgementRequest,
    StandingsBody,
    TeamStandingBody,
    VerificationRequest,
)
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
    MalformedJsonError,
    InvalidTeamError,
    NameTakenError,
    InvalidEmailError,
    InvalidNameError,
    KnownTeamError,
    HasTeamError,
    OutsideStageError,
    status=HTTPStatus.CREATED,
)
def apply(form: ApplicationRequest) -> Reply:
    """Apply with a new team, whose captain one becomes; the organizers decide."""
    team = cabinet.apply(platform(), caller(app), form.form())
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)), HTTPStatus.CREATED)


@web.on(
    app,
    routes.CORRECT_APPLICATION,
    TeamBody,
    "Correct the application",
    MalformedJsonError,
    NoTeamError,
    NotCaptainError,
    OtherTeamError,
    InvalidTeamError,
    NameTakenError,
    InvalidEmailError,
    InvalidNameError,
    TeamInactiveError,
    OutsideStageError,
    BusyError,
)
def correct_application(form: ApplicationRequest) -> Reply:
    """Correct what is under review, or hand a rejected application in again."""
    team = cabinet.apply_again(platform(), caller(app), form.form())
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(app, routes.OWN_TEAM, TeamBody, "The own team", NoTeamError)
def own_team() -> Reply:
    """Status with its reason, application and members."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.WITHDRAW,
    TeamBody,
    "Leave the contest with the team",
    MalformedJsonError,
    NoTeamError,
    NotCaptainError,
    NoSuchDecisionError,
    BusyError,
)
def withdraw_team(request: ReasonRequest) -> Reply:
    """Its programs are refused within a minute; the organizers can take it back."""
    team = cabinet.withdraw(platform(), caller(app), request.reason)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.HAND_OVER,
    TeamBody,
    "Make another member captain",
    MalformedJsonError,
    NoTeamError,
    NotCaptainError,
    UnknownPersonError,
    BusyError,
)
def hand_over_captaincy(request: CaptainRequest) -> Reply:
    """The captain invites, removes and withdraws."""
    team = cabinet.hand_over(platform(), caller(app), request.person_id)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(
    app,
    routes.REMOVE_MEMBER,
    DoneBody,
    "Remove a member, or leave",
    NoTeamError,
    NotCaptainError,
    CaptainStaysError,
    UnknownPersonError,
    BusyError,
)
def remove_member(person_id: str) -> Reply:
    """The captain removes anybody else; everybody else leaves by themselves."""
    cabinet.remove(platform(), caller(app), person_id)
    return web.answer(DoneBody())


@web.on(app, routes.OWN_INVITATIONS, InvitationsBody, "Invitations to the own team", NoTeamError)
def own_invitations() -> Reply:
    """Open, accepted and revoked ones."""
    return web.answer(InvitationsBody.from_value(invitations=cabinet.invitations(platform(), caller(app))))


@web.on(
    app,
    routes.INVITE,
    NewInvitationBody,
    "Invite somebody to the own team",
    MalformedJsonError,
    NoTeamError,
    NotCaptainError,
    status=HTTPStatus.CREATED,
)
def invite_member(request: InvitationRequest) -> Reply:
    """The code is for one person, lasts a week, and is shown this once."""
    code, invitation = cabinet.invite_to_own(platform(), caller(app), request.note)
    return web.answer(NewInvitationBody.from_value(invitation, code=code), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_INVITATION,
    DoneBody,
    "Take an invitation back",
    NoTeamError,
    NotCaptainError,
    UnknownInvitationError,
    RevokedAlreadyError,
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
    MalformedJsonError,
    UnknownInvitationError,
    InvalidEmailError,
    InvalidNameError,
    HasTeamError,
)
def accept_invitation(request: AcceptRequest) -> Reply:
    """Become a member of the team."""
    team = cabinet.accept(platform(), caller(app), request.code, request.person_name, request.contact)
    return web.answer(present.team(team, cabinet.members(platform(), team.team_id)))


@web.on(app, routes.OWN_TOKENS, TokensBody, "Tokens of the own team's programs", NoTeamError)
def own_tokens() -> Reply:
    """With the last use of each; never the tokens themselves."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(TokensBody.from_value(tokens=tokens.tokens_of(platform(), team.team_id)))


@web.on(
    app,
    routes.ISSUE_OWN_TOKEN,
    NewTokenBody,
    "A new token of the own team",
    MalformedJsonError,
    NoTeamError,
    EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_own_token(request: TokenRequest) -> Reply:
    """The token is shown this once."""
    team, who = cabinet.own_team(platform(), caller(app)), author(caller(app))
    secret, token = tokens.issue_token(platform(), who, team.team_id, request.name, request.ends())
    return web.answer(NewTokenBody.from_value(token, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_OWN_TOKEN,
    DoneBody,
    "Revoke a token of the own team",
    NoTeamError,
    UnknownTokenError,
    RevokedAlreadyError,
)
def revoke_own_token(token_id: str) -> Reply:
    """It is refused within a minute."""
    team = cabinet.own_team(platform(), caller(app))
    tokens.revoke_token(platform(), author(caller(app)), team.team_id, token_id)
    return web.answer(DoneBody())


@web.on(app, routes.STANDINGS, StandingsBody, "How far the teams have come (R 6.9)")
def list_standings(standing: Standing | None = None) -> Reply:
    """All teams, or those with a conclusion that stands there: the judges' queue, the commission's queue."""
    return web.answer(presenting.standings(qualifying.standings(platform(), standing)))


@web.on(app, routes.OWN_STANDING, TeamStandingBody, "How far the own team has come", NoTeamError)
def own_standing() -> Reply:
    """The furthest conclusion of each kind, and whether the team is admitted to the final."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(presenting.team_standing(qualifying.standing_of(platform(), team.team_id)))


@web.on(
    app,
    routes.CONCLUSION,
    ConclusionBody,
    "The conclusion on a session",
    UnknownSessionError,
    NoConclusionError,
)
def session_conclusion(session_id: str) -> Reply:
    """With every ruling of judges and commission on it."""
    return web.answer(presenting.conclusion(qualifying.conclusion(platform(), caller(app), session_id)))


@web.on(
    app,
    routes.JUDGE,
    ConclusionBody,
    "Confirm or reject a conclusion (R 8.2.1)",
    MalformedJsonError,
    UnknownSessionError,
    NoConclusionError,
    NoSuchRulingError,
    BusyError,
)
def judge_conclusion(session_id: str, request: JudgementRequest) -> Reply:
    """Judges may change their mind until the commission has verified it."""
    conclusion = qualifying.rule(
        platform(), caller(app), session_id, Step.JUDGEMENT, request.reason, positive=request.confirmed
    )
    return web.answer(presenting.conclusion(conclusion))


@web.on(
    app,
    routes.VERIFY,
    ConclusionBody,
    "Verify a confirmed conclusion, or return it (R 8.2.2)",
    MalformedJsonError,
    UnknownSessionError,
    NoConclusionError,
    NoSuchRulingError,
    SamePersonError,
    BusyError,
)
def verify_conclusion(session_id: str, request: VerificationRequest) -> Reply:
    """Whoever judged it does not verify it."""
    conclusion = qualifying.rule(
        platform(), caller(app), session_id, Step.VERIFICATION, request.reason, positive=request.verified
    )
    return web.answer(presenting.conclusion(conclusion))


@web.on(
    app,
    routes.ADMIT,
    TeamStandingBody,
    "Admit a team to the final, or not (R 8.2.3)",
    MalformedJsonError,
    UnknownTeamError,
    BusyError,
)
def admit_team(team_id: str, request: AdmissionRequest) -> Reply:
    """A final that is planned without a list of teams takes the admitted ones."""
    standing = qualifying.decide(platform(), caller(app), team_id, request.reason, admitted=request.admitted)
    return web.answer(presenting.team_standing(standing))
