"""Routes of organizers about teams and staff, the log of changes, and the check before a final.

Organizers decide about teams and staff, and see everybody's changes. They export the log of changes: days, filters,
pages, as CSV and as JSON lines. They look a deployed cycle over before a final.
"""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import CREATED, CSV, LINES, arrival, caller, raw_body
from contest.errors import BusyError, NoCycleError, UnknownRunError
from contest.operations import overview
from contest.operations.overview import LogOrder
from contest.operations.rules import LogRangeError
from contest.operations.wire import ChecksBody
from contest.people import cabinet, errors, teams, wire
from contest.people.cabinet import author
from contest.people.rules import Role, TeamStatus
from contest.wire import RealDay
from contest.wiring import platform
from organize.router import app, handles

EarlierTable = Annotated[bool, Query(description="The export of an earlier cycle")]
Day = Annotated[RealDay, Query(description="A day in UTC")]

_STAFF = (errors.UnknownPersonError, errors.OwnRoleError, BusyError)


@handles(routes.LIST_TEAMS, "Teams")
def list_teams(status: TeamStatus | None = None) -> wire.TeamsBody:
    """List all teams, or those of a status, by id."""
    return wire.TeamsBody.from_value(teams=teams.teams(platform(), status))


@handles(
    routes.ADD_TEAM,
    "Add a team without an application",
    errors.KnownTeamError,
    errors.InvalidTeamError,
    errors.NameTakenError,
    status=CREATED,
)
def add_team(request: wire.TeamRequest) -> wire.TeamBody:
    """Approve the team at once; invite its captain next."""
    team = teams.add_team(platform(), author(caller(app)), request.team_id, request.name)
    return wire.TeamBody.of(team, [])


@handles(routes.TEAM, "A team with its application and members", errors.UnknownTeamError)
def team(team_id: str) -> wire.TeamBody:
    """Return everything that the organizers know of the team."""
    team = teams.team_of(platform(), team_id)
    return wire.TeamBody.of(team, cabinet.members(platform(), team_id))


@handles(
    routes.DECIDE_ABOUT_TEAM,
    "Decide about a team (R 3, 11.7)",
    errors.UnknownTeamError,
    errors.NoSuchDecisionError,
    errors.NameTakenError,
    BusyError,
)
def decide_about_team(team_id: str, request: wire.DecisionRequest) -> wire.TeamBody:
    """Decide its status, its selection or its row on boards, or undo that; its programs follow within a minute."""
    team = teams.decide(platform(), author(caller(app)), team_id, request.decision())
    return wire.TeamBody.of(team, cabinet.members(platform(), team_id))


@handles(
    routes.INVITE_TO_TEAM,
    "Invite a person to a team",
    errors.UnknownTeamError,
    errors.InvalidEmailError,
    errors.NoMailsError,
    errors.TeamInactiveError,
    errors.InvitationMailsExhaustedError,
    status=CREATED,
)
def invite_to_team(team_id: str, request: wire.TeamInvitationRequest) -> wire.NewInvitationBody:
    """Invite, for instance, the captain of a team that the organizers have added."""
    who = author(caller(app))
    code, invitation = cabinet.invite(
        platform(), who, team_id, request.note, as_captain=request.as_captain, address=request.email or ""
    )
    return wire.NewInvitationBody.from_value(invitation, code=code)


@handles(routes.TEAM_TOKENS, "Tokens of a team's programs", errors.UnknownTeamError)
def team_tokens(team_id: str) -> wire.TokensBody:
    """List them with the last use of each, without the secrets."""
    return wire.TokensBody.from_value(tokens=teams.tokens_of(platform(), team_id))


@handles(
    routes.ISSUE_TOKEN, "Issue a token of a team", errors.UnknownTeamError, errors.EndedAlreadyError, status=CREATED
)
def issue_token(team_id: str, request: wire.TokenRequest) -> wire.NewTokenBody:
    """Return the token, which is shown only once."""
    secret, token = teams.issue_token(platform(), author(caller(app)), team_id, request.name, request.ends())
    return wire.NewTokenBody.from_value(token, used_at=None, token=secret)


@handles(
    routes.REVOKE_TOKEN,
    "Revoke a team's token",
    errors.UnknownTeamError,
    errors.UnknownTokenError,
    errors.RevokedAlreadyError,
)
def revoke_token(team_id: str, token_id: str) -> wire.DoneBody:
    """Refuse the token within a minute."""
    teams.revoke_token(platform(), author(caller(app)), team_id, token_id)
    return wire.DoneBody()


@handles(routes.EXPORT_TEAMS, "All teams as CSV", model=CSV)
def export_teams() -> Response[Any]:
    """Write UTF-8, with the column names in the first line."""
    return web.table(teams.written(platform()))


@handles(
    routes.IMPORT_TEAMS,
    "Add the teams of a CSV table, all or none",
    errors.MalformedTableError,
    errors.PartlyAddedError,
    status=CREATED,
)
def import_teams(earlier: EarlierTable = False) -> wire.ImportedBody:
    """Read columns `team_id` and `name`; every fault names its line. Of an earlier cycle, carry bans and those who
    agree."""
    added, refused = teams.of_table(platform(), author(caller(app)), raw_body(app), earlier=earlier)
    return wire.ImportedBody.from_value(added=added, left=refused)


@handles(routes.LIST_STAFF, "Experts, judges, commission, organizers")
def list_staff() -> wire.StaffBody:
    """List everybody who was ever invited; the commission chooses clinicians among them (D 9.10.7)."""
    return wire.StaffBody(staff=[wire.MemberBody.of(account) for account in teams.staff(platform())])


@handles(
    routes.INVITE_STAFF,
    "Create a staff account with a role",
    errors.KnownPersonError,
    errors.InvalidEmailError,
    errors.InvalidNameError,
    status=CREATED,
)
def invite_staff(request: wire.StaffRequest) -> wire.MemberBody:
    """Mail instructions to sign in, with a second factor."""
    member = teams.invite(
        platform(), author(caller(app)), caller(app).person_id, request.email, request.name, Role(request.role)
    )
    return wire.MemberBody.of(member)


@handles(routes.GIVE_ROLE, "Change the role of a staff member", *_STAFF)
def give_role(person_id: str, request: wire.RoleRequest) -> wire.MemberBody:
    """Change the role within a minute."""
    who, organizer = author(caller(app)), caller(app).person_id
    return wire.MemberBody.of(
        teams.give_role(platform(), who, organizer, person_id, Role(request.role), request.reason)
    )


@handles(routes.DISMISS, "Dismiss a staff member", *_STAFF)
def dismiss_staff(person_id: str, request: wire.ReasonRequest) -> wire.MemberBody:
    """End all rights within a minute and close the account."""
    who, organizer = author(caller(app)), caller(app).person_id
    return wire.MemberBody.of(teams.dismiss(platform(), who, organizer, person_id, request.reason))


@handles(routes.REINSTATE, "Reinstate a dismissed staff member", *_STAFF)
def reinstate_staff(person_id: str, request: wire.ReasonRequest) -> wire.MemberBody:
    """Open the account again with its role."""
    who, organizer = author(caller(app)), caller(app).person_id
    return wire.MemberBody.of(teams.reinstate(platform(), who, organizer, person_id, request.reason))


@handles(routes.AUDIT_LOG, "Changes by people on a day")
def audit_log(day: Day) -> wire.AuditLogBody:
    """List author, time, action, values before and after, in order; no entry can be changed."""
    return wire.AuditLogBody.from_value(day=day, changes=platform().audit_log.on(day))


First = Annotated[RealDay, Query(alias="from", description="The first day in UTC")]
Last = Annotated[RealDay, Query(alias="to", description="The last day in UTC, included")]
Who = Annotated[str | None, Query(max_length=200, description="The author: `person:ID` or `command:NAME`, whole")]
What = Annotated[str | None, Query(max_length=200, description="Part of the action's name, in any case")]
Subject = Annotated[str | None, Query(max_length=400, description="The changed object, whole: a team, a person, a run")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Entries of a page; fewer come at the end alone")]
After = Annotated[str | None, Query(pattern=r"^[0-9]{13}-[0-9a-f]{16}$", description="The last known `cursor`")]


@handles(routes.AUDIT_CSV, "Changes by people as CSV", LogRangeError, model=CSV)
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


@handles(routes.AUDIT_LINES, "Changes by people as JSON lines", LogRangeError, model=LINES)
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


@handles(routes.CHECK, "Check the cycle before a final (platform §7)", NoCycleError, UnknownRunError)
def check_cycle(run: RunName = None) -> ChecksBody:
    """Check timer, clock, sizes of sets and scoring; of a planned final its teams, capacity, experts and notice
    periods."""
    checked = overview.check(platform(), arrival(app), run)
    return ChecksBody.from_value(checked, server_time=checked.now)
