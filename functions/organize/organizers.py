"""Routes of organizers about teams and staff, the log of changes, and the check before a final.

Organizers decide about teams and staff, and see everybody's changes. They export the log of changes: days, filters,
pages, as CSV and as JSON lines. They look a deployed cycle over before a final.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.cycle import presenting
from contest.edge import web
from contest.edge.documentation import CSV, LINES
from contest.edge.web import Reply, arrival, caller, raw_body
from contest.errors import BusyError, MalformedJsonError, NoCycleError, UnknownRunError
from contest.operations import overview
from contest.operations.errors import LogRangeError
from contest.operations.overview import LogOrder
from contest.operations.wire import ChecksBody
from contest.people import cabinet, teams, tokens
from contest.people import presenting as present
from contest.people.cabinet import author
from contest.people.errors import (
    EndedAlreadyError,
    InvalidEmailError,
    InvalidNameError,
    InvalidTeamError,
    KnownPersonError,
    KnownTeamError,
    MalformedTableError,
    NameTakenError,
    NoSuchDecisionError,
    OwnRoleError,
    PartlyAddedError,
    RevokedAlreadyError,
    UnknownPersonError,
    UnknownTeamError,
    UnknownTokenError,
)
from contest.people.rules import Role, TeamStatus
from contest.people.wire import (
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
from contest.wire import RealDay
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
    MalformedJsonError,
    KnownTeamError,
    InvalidTeamError,
    NameTakenError,
    status=HTTPStatus.CREATED,
)
def add_team(request: TeamRequest) -> Reply:
    """It is approved at once; invite its captain next."""
    team = teams.add_team(platform(), author(caller(app)), request.team_id, request.name)
    return web.answer(present.team(team, []), HTTPStatus.CREATED)


@web.on(app, routes.TEAM, TeamBody, "A team with its application and members", UnknownTeamError)
def team(team_id: str) -> Reply:
    """What the organizers know of a team."""
    team = teams.team_of(platform(), team_id)
    return web.answer(present.team(team, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.DECIDE_ABOUT_TEAM,
    TeamBody,
    "Decide about a team (R 3, 11.7)",
    MalformedJsonError,
    UnknownTeamError,
    NoSuchDecisionError,
    NameTakenError,
    BusyError,
)
def decide_about_team(team_id: str, request: DecisionRequest) -> Reply:
    """Approve, reject, suspend, withdraw or disqualify it, or take that back; its programs follow within a minute."""
    team = teams.decide(platform(), author(caller(app)), team_id, TeamStatus(request.status), request.reason)
    return web.answer(present.team(team, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.INVITE_TO_TEAM,
    NewInvitationBody,
    "Invite somebody to a team",
    MalformedJsonError,
    UnknownTeamError,
    status=HTTPStatus.CREATED,
)
def invite_to_team(team_id: str, request: TeamInvitationRequest) -> Reply:
    """A captain for a team that the organizers have entered themselves, say."""
    who = author(caller(app))
    code, invitation = cabinet.invite(platform(), who, team_id, request.note, as_captain=request.as_captain)
    return web.answer(NewInvitationBody.from_value(invitation, code=code), HTTPStatus.CREATED)


@web.on(app, routes.TEAM_TOKENS, TokensBody, "Tokens of a team's programs", UnknownTeamError)
def team_tokens(team_id: str) -> Reply:
    """With the last use of each; never the tokens themselves."""
    return web.answer(TokensBody.from_value(tokens=tokens.tokens_of(platform(), team_id)))


@web.on(
    app,
    routes.ISSUE_TOKEN,
    NewTokenBody,
    "A new token of a team",
    MalformedJsonError,
    UnknownTeamError,
    EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_token(team_id: str, request: TokenRequest) -> Reply:
    """The token is shown this once."""
    secret, token = tokens.issue_token(platform(), author(caller(app)), team_id, request.name, request.ends())
    return web.answer(NewTokenBody.from_value(token, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_TOKEN,
    DoneBody,
    "Revoke a team's token",
    UnknownTeamError,
    UnknownTokenError,
    RevokedAlreadyError,
)
def revoke_token(team_id: str, token_id: str) -> Reply:
    """It is refused within a minute."""
    tokens.revoke_token(platform(), author(caller(app)), team_id, token_id)
    return web.answer(DoneBody())


@web.on(app, routes.EXPORT_TEAMS, CSV, "All teams as CSV")
def export_teams() -> Response[Any]:
    """In UTF-8, with a first line of names."""
    return web.table(teams.written(platform()))


@web.on(
    app,
    routes.IMPORT_TEAMS,
    ImportedBody,
    "Enter the teams of a CSV table, all or none",
    MalformedTableError,
    PartlyAddedError,
    status=HTTPStatus.CREATED,
)
def import_teams() -> Reply:
    """Columns `team_id` and `name`; every fault is named with its line."""
    added = teams.read(platform(), author(caller(app)), raw_body(app))
    return web.answer(ImportedBody(added=added), HTTPStatus.CREATED)


@web.on(app, routes.LIST_STAFF, StaffBody, "Experts, judges, commission, organizers")
def list_staff() -> Reply:
    """Everybody who was ever invited; the commission chooses clinicians among them (D 9.10.7)."""
    return web.answer(StaffBody(staff=[present.member(account) for account in teams.staff(platform())]))


@web.on(
    app,
    routes.INVITE_STAFF,
    MemberBody,
    "Give somebody an account and a role",
    MalformedJsonError,
    KnownPersonError,
    InvalidEmailError,
    InvalidNameError,
    status=HTTPStatus.CREATED,
)
def invite_staff(request: StaffRequest) -> Reply:
    """They are told by mail how to sign in, with a second factor."""
    member = teams.invite(
        platform(), author(caller(app)), caller(app).person_id, request.email, request.name, Role(request.role)
    )
    return web.answer(present.member(member), HTTPStatus.CREATED)


@web.on(
    app,
    routes.GIVE_ROLE,
    MemberBody,
    "Give a member of the staff another role",
    MalformedJsonError,
    UnknownPersonError,
    OwnRoleError,
    BusyError,
)
def give_role(person_id: str, request: RoleRequest) -> Reply:
    """It holds within a minute."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(
        present.member(teams.give_role(platform(), who, organizer, person_id, Role(request.role), request.reason))
    )


@web.on(
    app,
    routes.DISMISS,
    MemberBody,
    "Take all rights from a member of the staff",
    MalformedJsonError,
    UnknownPersonError,
    OwnRoleError,
    BusyError,
)
def dismiss_staff(person_id: str, request: ReasonRequest) -> Reply:
    """Within a minute; the account is closed."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(teams.dismiss(platform(), who, organizer, person_id, request.reason)))


@web.on(
    app,
    routes.REINSTATE,
    MemberBody,
    "Give a dismissed member of the staff its role back",
    MalformedJsonError,
    UnknownPersonError,
    OwnRoleError,
    BusyError,
)
def reinstate_staff(person_id: str, request: ReasonRequest) -> Reply:
    """The account is opened again."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(teams.reinstate(platform(), who, organizer, person_id, request.reason)))


@web.on(app, routes.AUDIT_LOG, AuditLogBody, "What people changed on a day")
def audit_log(day: Day) -> Reply:
    """Who, when, what, before and after, in order; nothing of it can be changed."""
    return web.answer(AuditLogBody.from_value(day=day, changes=platform().audit_log.on(day)))


First = Annotated[RealDay, Query(alias="from", description="The first day in UTC")]
Last = Annotated[RealDay, Query(alias="to", description="The last day in UTC, included")]
Who = Annotated[str | None, Query(max_length=200, description="Whose changes: `person:ID` or `command:NAME`, whole")]
What = Annotated[str | None, Query(max_length=200, description="Part of what was done, in any case")]
Subject = Annotated[str | None, Query(max_length=400, description="What was changed, whole: a team, a person, a run")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Entries of a page; fewer come at the end alone")]
After = Annotated[str | None, Query(pattern=r"^[0-9]{13}-[0-9a-f]{16}$", description="The last known `cursor`")]


@web.on(app, routes.AUDIT_CSV, CSV, "What people changed, as CSV", LogRangeError)
def audit_log_csv(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """In order, in UTF-8, with a first line of names; the last line's cursor asks for the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.table(overview.as_csv(overview.entries(platform(), order, limit, after)))


@web.on(app, routes.AUDIT_LINES, LINES, "What people changed, as JSON lines", LogRangeError)
def audit_log_lines(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """One entry a line, in order; the last line's cursor asks for the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.lines(overview.as_lines(overview.entries(platform(), order, limit, after)))


RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the next one")]


@web.on(
    app,
    routes.CHECK,
    ChecksBody,
    "Look the cycle over before a final (platform §7)",
    NoCycleError,
    UnknownRunError,
)
def check_cycle(run: RunName = None) -> Reply:
    """Timer, clock, sizes of sets, scoring; of a planned final its teams, capacity, experts and notice periods."""
    return web.answer(presenting.checked(overview.check(platform(), arrival(app), run)))
