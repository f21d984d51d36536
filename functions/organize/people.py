"""Routes about people: teams and their members, staff, qualification, the log of changes, the check before a final.

Everybody who has signed in asks for the own rights, members run their team. Organizers decide about teams and staff,
and see everybody's changes; they export the log of changes: days, filters, pages, as CSV and as JSON lines. In
qualification the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2).
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.edge import web
from contest.edge.web import CREATED, CSV, LINES, arrival, caller, raw_body
from contest.errors import BusyError, NoCycleError, OutsideStageError, UnknownRunError, UnknownSessionError
from contest.operations import overview
from contest.operations.overview import LogOrder
from contest.operations.rules import LogRangeError
from contest.operations.wire import ChecksBody
from contest.people import cabinet, errors, teams, wire
from contest.people.cabinet import author
from contest.people.rules import Role, Team, TeamStatus
from contest.results import commission
from contest.results.commission import TeamStanding
from contest.results.errors import NoConclusionError, NoSuchRulingError, SamePersonError
from contest.results.rules.qualification import Conclusion, Standing, Step
from contest.wire import RealDay
from contest.wiring import platform

app = web.resolver()
handles = partial(web.handles, app)

EarlierTable = Annotated[bool, Query(description="The export of an earlier cycle")]
Day = Annotated[RealDay, Query(description="A day in UTC")]

_STAFF = (errors.UnknownPersonError, errors.OwnRoleError, BusyError)


@handles(routes.LIST_TEAMS, "Teams")
def list_teams(status: TeamStatus | None = None) -> wire.TeamsBody:
    """List all teams, or those of a status, by id."""
    return wire.TeamsBody.from_value(teams=teams.list_teams(platform(), status))


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
    team = teams.decide_on_team(platform(), author(caller(app)), team_id, request.decision())
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
    return web.table(teams.export_teams(platform()))


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
    return wire.StaffBody(staff=[wire.MemberBody.of(account) for account in teams.list_staff(platform())])


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
    return web.table(overview.as_csv(overview.log_entries(platform(), order, limit, after)))


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
    return web.json_lines(overview.as_lines(overview.log_entries(platform(), order, limit, after)))


RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the next one")]


@handles(routes.CHECK, "Check the cycle before a final (platform §7)", NoCycleError, UnknownRunError)
def check_cycle(run: RunName = None) -> ChecksBody:
    """Check timer, clock, sizes of sets and scoring; of a planned final its teams, capacity, experts and notice
    periods."""
    checked = overview.check_deployment(platform(), arrival(app), run)
    return ChecksBody.from_value(checked, server_time=checked.now)


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


def _conclusion_body(judged: Conclusion) -> wire.ConclusionBody:
    """Return a conclusion with its rulings. Their authors stay in the audit log."""
    return wire.ConclusionBody.from_value(
        judged,
        rulings=[
            wire.RulingBody.from_value(ruling, counts=ruling.report == judged.report) for ruling in judged.rulings
        ],
        possible=[wire.PossibleRulingBody(step=step, positive=positive) for step, positive in judged.possible()],
    )


def _standing_body(standing: TeamStanding) -> wire.TeamStandingBody:
    """Return the body of a team's progress."""
    decided = standing.admission
    admission = wire.AdmissionBody.from_value(decided, by=standing.decided_by) if decided else None
    return wire.TeamStandingBody.from_value(standing, admission=admission)


@handles(routes.STANDINGS, "Qualification status of the teams (R 6.9)")
def list_standings(standing: Standing | None = None) -> wire.StandingsBody:
    """List all teams, or those with a conclusion in a state: the judges' queue, the commission's queue."""
    return wire.StandingsBody(teams=[_standing_body(team) for team in commission.team_standings(platform(), standing)])


@handles(routes.OWN_STANDING, "Qualification status of the own team", errors.NoTeamError)
def own_standing() -> wire.TeamStandingBody:
    """Return the furthest conclusion of each kind, and whether the team is admitted to the final."""
    team = cabinet.own_team(platform(), caller(app))
    return _standing_body(commission.standing_of(platform(), team.team_id))


@handles(routes.CONCLUSION, "The conclusion on a session", UnknownSessionError, NoConclusionError)
def session_conclusion(session_id: str) -> wire.ConclusionBody:
    """Return it with every ruling of judges and commission."""
    return _conclusion_body(commission.conclusion(platform(), caller(app), session_id))


@handles(routes.JUDGE, "Confirm or reject a conclusion (R 8.2.1)", *_RULING, BusyError)
def judge_conclusion(session_id: str, request: wire.JudgementRequest) -> wire.ConclusionBody:
    """Rule on it; judges may change the ruling until the commission verifies it."""
    conclusion = commission.rule(
        platform(), caller(app), session_id, Step.JUDGEMENT, request.reason, positive=request.confirmed
    )
    return _conclusion_body(conclusion)


@handles(routes.VERIFY, "Verify a confirmed conclusion, or return it (R 8.2.2)", *_RULING, SamePersonError, BusyError)
def verify_conclusion(session_id: str, request: wire.VerificationRequest) -> wire.ConclusionBody:
    """Rule on it as another person than the judge."""
    conclusion = commission.rule(
        platform(), caller(app), session_id, Step.VERIFICATION, request.reason, positive=request.verified
    )
    return _conclusion_body(conclusion)


@handles(routes.ADMIT, "Admit a team to the final, or not (R 8.2.3)", errors.UnknownTeamError, BusyError)
def admit_team(team_id: str, request: wire.AdmissionRequest) -> wire.TeamStandingBody:
    """Admit the team to finals planned without a list of teams."""
    standing = commission.admit(platform(), caller(app), team_id, request.reason, admitted=request.admitted)
    return _standing_body(standing)
