"""Routes of qualification: the judges confirm, the commission verifies, the organizers admit (R 6.9, 8.2)."""

from __future__ import annotations

from contest import errors, routes
from contest.contracts.qualification import (
    AdmissionRequest,
    ConclusionBody,
    JudgementRequest,
    StandingsBody,
    TeamStandingBody,
    VerificationRequest,
)
from contest.domain.results.qualification import Standing, Step
from contest.edge import present_qualification as present
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors import people, qualification
from contest.services.people import cabinet
from contest.services.results import qualifying
from contest.wiring import platform
from organize.router import app


@web.on(app, routes.STANDINGS, StandingsBody, "How far the teams have come (R 6.9)")
def list_standings(standing: Standing | None = None) -> Reply:
    """All teams, or those with a conclusion that stands there: the judges' queue, the commission's queue."""
    return web.answer(present.standings(qualifying.standings(platform(), standing)))


@web.on(app, routes.OWN_STANDING, TeamStandingBody, "How far the own team has come", people.NoTeamError)
def own_standing() -> Reply:
    """The furthest conclusion of each kind, and whether the team is admitted to the final."""
    team = cabinet.own_team(platform(), caller(app))
    return web.answer(present.team_standing(qualifying.standing_of(platform(), team.team_id)))


@web.on(
    app,
    routes.CONCLUSION,
    ConclusionBody,
    "The conclusion on a session",
    errors.UnknownSessionError,
    qualification.NoConclusionError,
)
def session_conclusion(session_id: str) -> Reply:
    """With every ruling of judges and commission on it."""
    return web.answer(present.conclusion(qualifying.conclusion(platform(), caller(app), session_id)))


@web.on(
    app,
    routes.JUDGE,
    ConclusionBody,
    "Confirm or reject a conclusion (R 8.2.1)",
    errors.MalformedJsonError,
    errors.UnknownSessionError,
    qualification.NoConclusionError,
    qualification.NoSuchRulingError,
    errors.BusyError,
)
def judge_conclusion(session_id: str, said: JudgementRequest) -> Reply:
    """Judges may change their mind until the commission has verified it."""
    made = qualifying.rule(platform(), caller(app), session_id, Step.JUDGEMENT, said.reason, positive=said.confirmed)
    return web.answer(present.conclusion(made))


@web.on(
    app,
    routes.VERIFY,
    ConclusionBody,
    "Verify a confirmed conclusion, or return it (R 8.2.2)",
    errors.MalformedJsonError,
    errors.UnknownSessionError,
    qualification.NoConclusionError,
    qualification.NoSuchRulingError,
    qualification.SamePersonError,
    errors.BusyError,
)
def verify_conclusion(session_id: str, said: VerificationRequest) -> Reply:
    """Whoever judged it does not verify it."""
    made = qualifying.rule(platform(), caller(app), session_id, Step.VERIFICATION, said.reason, positive=said.verified)
    return web.answer(present.conclusion(made))


@web.on(
    app,
    routes.ADMIT,
    TeamStandingBody,
    "Admit a team to the final, or not (R 8.2.3)",
    errors.MalformedJsonError,
    people.UnknownTeamError,
    errors.BusyError,
)
def admit_team(team_id: str, said: AdmissionRequest) -> Reply:
    """A final that is planned without a list of teams takes the admitted ones."""
    made = qualifying.decide(platform(), caller(app), team_id, said.reason, admitted=said.admitted)
    return web.answer(present.team_standing(made))
