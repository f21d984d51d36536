"""Routes by which organizers decide about teams and staff, and what everybody has changed."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.contracts.people import (
    AuditLogBody,
    DecisionRequest,
    DoneBody,
    ImportedBody,
    MemberBody,
    NewInvitationBody,
    NewTokenBody,
    ReasonRequest,
    RoleRequest,
    StaffBody,
    StaffRequest,
    TeamBody,
    TeamInvitationRequest,
    TeamRequest,
    TeamsBody,
    TokenRequest,
    TokensBody,
)
from contest.contracts.wire import RealDay
from contest.domain.people.rights import Role
from contest.domain.people.teams import TeamStatus
from contest.edge import present_people as present
from contest.edge import web
from contest.edge.documentation import CSV
from contest.edge.web import Reply, caller, raw_body
from contest.errors import people
from contest.services.people import cabinet, staff, team_table, teams, tokens
from contest.services.people.cabinet import author
from contest.wiring import platform
from organize.router import app

Day = Annotated[RealDay, Query(description="A day in UTC")]


@web.on(app, routes.LIST_TEAMS, TeamsBody, "Teams")
def list_teams(status: TeamStatus | None = None) -> Reply:
    """All teams, or those of a status, by id."""
    return web.answer(TeamsBody.from_value(teams=teams.teams(platform(), status)))


@web.on(
    app,
    routes.ADD_TEAM,
    TeamBody,
    "Enter a team without an application",
    errors.MalformedJsonError,
    people.KnownTeamError,
    people.InvalidTeamError,
    people.NameTakenError,
    status=HTTPStatus.CREATED,
)
def add_team(said: TeamRequest) -> Reply:
    """It is approved at once; invite its captain next."""
    made = teams.add_team(platform(), author(caller(app)), said.team_id, said.name)
    return web.answer(present.team(made, []), HTTPStatus.CREATED)


@web.on(app, routes.TEAM, TeamBody, "A team with its application and members", people.UnknownTeamError)
def team(team_id: str) -> Reply:
    """What the organizers know of a team."""
    found = teams.team_of(platform(), team_id)
    return web.answer(present.team(found, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.DECIDE_ABOUT_TEAM,
    TeamBody,
    "Decide about a team (R 3, 11.7)",
    errors.MalformedJsonError,
    people.UnknownTeamError,
    people.NoSuchDecisionError,
    people.NameTakenError,
    errors.BusyError,
)
def decide_about_team(team_id: str, said: DecisionRequest) -> Reply:
    """Approve, reject, suspend, withdraw or disqualify it, or take that back; its programs follow within a minute."""
    made = teams.decide(platform(), author(caller(app)), team_id, TeamStatus(said.status), said.reason)
    return web.answer(present.team(made, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.INVITE_TO_TEAM,
    NewInvitationBody,
    "Invite somebody to a team",
    errors.MalformedJsonError,
    people.UnknownTeamError,
    status=HTTPStatus.CREATED,
)
def invite_to_team(team_id: str, said: TeamInvitationRequest) -> Reply:
    """A captain for a team that the organizers have entered themselves, say."""
    who = author(caller(app))
    code, made = cabinet.invite(platform(), who, team_id, said.note, as_captain=said.as_captain)
    return web.answer(NewInvitationBody.from_value(made, code=code), HTTPStatus.CREATED)


@web.on(app, routes.TEAM_TOKENS, TokensBody, "Tokens of a team's programs", people.UnknownTeamError)
def team_tokens(team_id: str) -> Reply:
    """With the last use of each; never the tokens themselves."""
    return web.answer(TokensBody.from_value(tokens=tokens.tokens_of(platform(), team_id)))


@web.on(
    app,
    routes.ISSUE_TOKEN,
    NewTokenBody,
    "A new token of a team",
    errors.MalformedJsonError,
    people.UnknownTeamError,
    people.EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_token(team_id: str, said: TokenRequest) -> Reply:
    """The token is shown this once."""
    secret, made = tokens.issue_token(platform(), author(caller(app)), team_id, said.name, said.ends())
    return web.answer(NewTokenBody.from_value(made, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_TOKEN,
    DoneBody,
    "Revoke a team's token",
    people.UnknownTeamError,
    people.UnknownTokenError,
    people.RevokedAlreadyError,
)
def revoke_token(team_id: str, token_id: str) -> Reply:
    """It is refused within a minute."""
    tokens.revoke_token(platform(), author(caller(app)), team_id, token_id)
    return web.answer(DoneBody())


@web.on(app, routes.EXPORT_TEAMS, CSV, "All teams as CSV")
def export_teams() -> Response[Any]:
    """In UTF-8, with a first line of names."""
    return web.table(team_table.written(platform()))


@web.on(
    app,
    routes.IMPORT_TEAMS,
    ImportedBody,
    "Enter the teams of a CSV table, all or none",
    people.MalformedTableError,
    people.PartlyAddedError,
    status=HTTPStatus.CREATED,
)
def import_teams() -> Reply:
    """Columns `team_id` and `name`; every fault is named with its line."""
    added = team_table.read(platform(), author(caller(app)), raw_body(app))
    return web.answer(ImportedBody(added=added), HTTPStatus.CREATED)


@web.on(app, routes.LIST_STAFF, StaffBody, "Experts, judges, commission, organizers")
def list_staff() -> Reply:
    """Everybody who was ever invited; the commission chooses clinicians among them (D 9.10.7)."""
    return web.answer(StaffBody(staff=[present.member(each) for each in staff.staff(platform())]))


@web.on(
    app,
    routes.INVITE_STAFF,
    MemberBody,
    "Give somebody an account and a role",
    errors.MalformedJsonError,
    people.KnownPersonError,
    people.InvalidEmailError,
    people.InvalidNameError,
    status=HTTPStatus.CREATED,
)
def invite_staff(said: StaffRequest) -> Reply:
    """They are told by mail how to sign in, with a second factor."""
    made = staff.invite(platform(), author(caller(app)), caller(app).person_id, said.email, said.name, Role(said.role))
    return web.answer(present.member(made), HTTPStatus.CREATED)


@web.on(
    app,
    routes.GIVE_ROLE,
    MemberBody,
    "Give a member of the staff another role",
    errors.MalformedJsonError,
    people.UnknownPersonError,
    people.OwnRoleError,
    errors.BusyError,
)
def give_role(person_id: str, said: RoleRequest) -> Reply:
    """It holds within a minute."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(
        present.member(staff.give_role(platform(), who, organizer, person_id, Role(said.role), said.reason))
    )


@web.on(
    app,
    routes.DISMISS,
    MemberBody,
    "Take all rights from a member of the staff",
    errors.MalformedJsonError,
    people.UnknownPersonError,
    people.OwnRoleError,
    errors.BusyError,
)
def dismiss_staff(person_id: str, said: ReasonRequest) -> Reply:
    """Within a minute; the account is closed."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(staff.dismiss(platform(), who, organizer, person_id, said.reason)))


@web.on(
    app,
    routes.REINSTATE,
    MemberBody,
    "Give a dismissed member of the staff its role back",
    errors.MalformedJsonError,
    people.UnknownPersonError,
    people.OwnRoleError,
    errors.BusyError,
)
def reinstate_staff(person_id: str, said: ReasonRequest) -> Reply:
    """The account is opened again."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(staff.reinstate(platform(), who, organizer, person_id, said.reason)))


@web.on(app, routes.AUDIT_LOG, AuditLogBody, "What people changed on a day")
def audit_log(day: Day) -> Reply:
    """Who, when, what, before and after, in order; nothing of it can be changed."""
    return web.answer(AuditLogBody.from_value(day=day, changes=platform().audit_log.on(day)))
