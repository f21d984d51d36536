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
from contest.edge import web
from contest.edge.media_types import CSV, LINES
from contest.edge.web import Reply, arrival, caller, raw_body
from contest.errors import BusyError, NoCycleError, UnknownRunError
from contest.operations import overview
from contest.operations import presenting as present_operations
from contest.operations.errors import LogRangeError
from contest.operations.overview import LogOrder
from contest.operations.wire import ChecksBody
from contest.people import cabinet, errors, teams, wire
from contest.people import presenting as present
from contest.people.cabinet import author
from contest.people.rules import Role, TeamStatus
from contest.wire import RealDay
from contest.wiring import platform
from organize.router import app

EarlierTable = Annotated[bool, Query(description="The export of an earlier cycle")]
Day = Annotated[RealDay, Query(description="A day in UTC")]


@web.on(app, routes.LIST_TEAMS, wire.TeamsBody, "Teams")
def list_teams(status: TeamStatus | None = None) -> Reply:
    """List all teams, or those of a status, by id."""
    return web.answer(wire.TeamsBody.from_value(teams=teams.teams(platform(), status)))


@web.on(
    app,
    routes.ADD_TEAM,
    wire.TeamBody,
    "Add a team without an application",
    errors.KnownTeamError,
    errors.InvalidTeamError,
    errors.NameTakenError,
    status=HTTPStatus.CREATED,
)
def add_team(request: wire.TeamRequest) -> Reply:
    """Approve the team at once; invite its captain next."""
    team = teams.add_team(platform(), author(caller(app)), request.team_id, request.name)
    return web.answer(present.team(team, []), HTTPStatus.CREATED)


@web.on(app, routes.TEAM, wire.TeamBody, "A team with its application and members", errors.UnknownTeamError)
def team(team_id: str) -> Reply:
    """Return everything that the organizers know of the team."""
    team = teams.team_of(platform(), team_id)
    return web.answer(present.team(team, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.DECIDE_ABOUT_TEAM,
    wire.TeamBody,
    "Decide about a team (R 3, 11.7)",
    errors.UnknownTeamError,
    errors.NoSuchDecisionError,
    errors.NameTakenError,
    BusyError,
)
def decide_about_team(team_id: str, request: wire.DecisionRequest) -> Reply:
    """Decide its status, its selection or its row on boards, or undo that; its programs follow within a minute."""
    team = teams.decide(platform(), author(caller(app)), team_id, request.decision())
    return web.answer(present.team(team, cabinet.members(platform(), team_id)))


@web.on(
    app,
    routes.INVITE_TO_TEAM,
    wire.NewInvitationBody,
    "Invite a person to a team",
    errors.UnknownTeamError,
    errors.InvalidEmailError,
    errors.NoMailsError,
    errors.TeamInactiveError,
    errors.InvitationMailsExhaustedError,
    status=HTTPStatus.CREATED,
)
def invite_to_team(team_id: str, request: wire.TeamInvitationRequest) -> Reply:
    """Invite, for instance, the captain of a team that the organizers have added."""
    who = author(caller(app))
    code, invitation = cabinet.invite(
        platform(), who, team_id, request.note, as_captain=request.as_captain, address=request.email or ""
    )
    return web.answer(wire.NewInvitationBody.from_value(invitation, code=code), HTTPStatus.CREATED)


@web.on(app, routes.TEAM_TOKENS, wire.TokensBody, "Tokens of a team's programs", errors.UnknownTeamError)
def team_tokens(team_id: str) -> Reply:
    """List them with the last use of each, without the secrets."""
    return web.answer(wire.TokensBody.from_value(tokens=teams.tokens_of(platform(), team_id)))


@web.on(
    app,
    routes.ISSUE_TOKEN,
    wire.NewTokenBody,
    "Issue a token of a team",
    errors.UnknownTeamError,
    errors.EndedAlreadyError,
    status=HTTPStatus.CREATED,
)
def issue_token(team_id: str, request: wire.TokenRequest) -> Reply:
    """Return the token, which is shown only once."""
    secret, token = teams.issue_token(platform(), author(caller(app)), team_id, request.name, request.ends())
    return web.answer(wire.NewTokenBody.from_value(token, used_at=None, token=secret), HTTPStatus.CREATED)


@web.on(
    app,
    routes.REVOKE_TOKEN,
    wire.DoneBody,
    "Revoke a team's token",
    errors.UnknownTeamError,
    errors.UnknownTokenError,
    errors.RevokedAlreadyError,
)
def revoke_token(team_id: str, token_id: str) -> Reply:
    """Refuse the token within a minute."""
    teams.revoke_token(platform(), author(caller(app)), team_id, token_id)
    return web.answer(wire.DoneBody())


@web.on(app, routes.EXPORT_TEAMS, CSV, "All teams as CSV")
def export_teams() -> Response[Any]:
    """Write UTF-8, with the column names in the first line."""
    return web.table(teams.written(platform()))


@web.on(
    app,
    routes.IMPORT_TEAMS,
    wire.ImportedBody,
    "Add the teams of a CSV table, all or none",
    errors.MalformedTableError,
    errors.PartlyAddedError,
    status=HTTPStatus.CREATED,
)
def import_teams(earlier: EarlierTable = False) -> Reply:
    """Read columns `team_id` and `name`; every fault names its line. Of an earlier cycle, carry bans and those who
    agree."""
    added, refused = teams.of_table(platform(), author(caller(app)), raw_body(app), earlier=earlier)
    return web.answer(wire.ImportedBody.from_value(added=added, left=refused), HTTPStatus.CREATED)


@web.on(app, routes.LIST_STAFF, wire.StaffBody, "Experts, judges, commission, organizers")
def list_staff() -> Reply:
    """List everybody who was ever invited; the commission chooses clinicians among them (D 9.10.7)."""
    return web.answer(wire.StaffBody(staff=[present.member(account) for account in teams.staff(platform())]))


@web.on(
    app,
    routes.INVITE_STAFF,
    wire.MemberBody,
    "Create a staff account with a role",
    errors.KnownPersonError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    status=HTTPStatus.CREATED,
)
def invite_staff(request: wire.StaffRequest) -> Reply:
    """Mail instructions to sign in, with a second factor."""
    member = teams.invite(
        platform(), author(caller(app)), caller(app).person_id, request.email, request.name, Role(request.role)
    )
    return web.answer(present.member(member), HTTPStatus.CREATED)


@web.on(
    app,
    routes.GIVE_ROLE,
    wire.MemberBody,
    "Change the role of a staff member",
    errors.UnknownPersonError,
    errors.OwnRoleError,
    BusyError,
)
def give_role(person_id: str, request: wire.RoleRequest) -> Reply:
    """Change the role within a minute."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(
        present.member(teams.give_role(platform(), who, organizer, person_id, Role(request.role), request.reason))
    )


@web.on(
    app,
    routes.DISMISS,
    wire.MemberBody,
    "Dismiss a staff member",
    errors.UnknownPersonError,
    errors.OwnRoleError,
    BusyError,
)
def dismiss_staff(person_id: str, request: wire.ReasonRequest) -> Reply:
    """End all rights within a minute and close the account."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(teams.dismiss(platform(), who, organizer, person_id, request.reason)))


@web.on(
    app,
    routes.REINSTATE,
    wire.MemberBody,
    "Reinstate a dismissed staff member",
    errors.UnknownPersonError,
    errors.OwnRoleError,
    BusyError,
)
def reinstate_staff(person_id: str, request: wire.ReasonRequest) -> Reply:
    """Open the account again with its role."""
    who, organizer = author(caller(app)), caller(app).person_id
    return web.answer(present.member(teams.reinstate(platform(), who, organizer, person_id, request.reason)))


@web.on(app, routes.AUDIT_LOG, wire.AuditLogBody, "Changes by people on a day")
def audit_log(day: Day) -> Reply:
    """List author, time, action, values before and after, in order; no entry can be changed."""
    return web.answer(wire.AuditLogBody.from_value(day=day, changes=platform().audit_log.on(day)))


First = Annotated[RealDay, Query(alias="from", description="The first day in UTC")]
Last = Annotated[RealDay, Query(alias="to", description="The last day in UTC, included")]
Who = Annotated[str | None, Query(max_length=200, description="The author: `person:ID` or `command:NAME`, whole")]
What = Annotated[str | None, Query(max_length=200, description="Part of the action's name, in any case")]
Subject = Annotated[str | None, Query(max_length=400, description="The changed object, whole: a team, a person, a run")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Entries of a page; fewer come at the end alone")]
After = Annotated[str | None, Query(pattern=r"^[0-9]{13}-[0-9a-f]{16}$", description="The last known `cursor`")]


@web.on(app, routes.AUDIT_CSV, CSV, "Changes by people as CSV", LogRangeError)
def audit_log_csv(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """Write them in order, in UTF-8, with the column names first; the last line's cursor leads to the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.table(overview.as_csv(overview.entries(platform(), order, limit, after)))


@web.on(app, routes.AUDIT_LINES, LINES, "Changes by people as JSON lines", LogRangeError)
def audit_log_lines(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """Write one entry a line, in order; the last line's cursor leads to the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.lines(overview.as_lines(overview.entries(platform(), order, limit, after)))


RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the next one")]


@web.on(app, routes.CHECK, ChecksBody, "Check the cycle before a final (platform §7)", NoCycleError, UnknownRunError)
def check_cycle(run: RunName = None) -> Reply:
    """Check timer, clock, sizes of sets and scoring; of a planned final its teams, capacity, experts and notice
    periods."""
    return web.answer(present_operations.checked(overview.check(platform(), arrival(app), run)))
