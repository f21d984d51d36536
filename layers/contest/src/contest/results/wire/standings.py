"""Bodies of conclusions, rulings and admissions: teams' standings on their way to the final."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.results.rules.qualification import QualificationKind, Standing, Step
from contest.wire import EMPTY_IS_NULL, DecisionReason, Moment, ReplyBody, RequestBody, SessionId, attribute


class JudgementRequest(RequestBody):
    """A judge's ruling on a positive automatic conclusion (R 8.2.1)."""

    confirmed: bool
    reason: DecisionReason


class VerificationRequest(RequestBody):
    """The commission's ruling on a confirmed conclusion (R 8.2.2); `false` returns it to the judges."""

    verified: bool
    reason: DecisionReason


class AdmissionRequest(RequestBody):
    """The organizers' decision on a team's part in the final (R 8.2.3)."""

    admitted: bool
    reason: DecisionReason


class RulingBody(ReplyBody):
    """A step of judges or commission."""

    step: Step
    positive: bool
    reason: str
    at: Moment
    counts: bool = Field(description="Whether it is about the report that holds now")


class PossibleRulingBody(ReplyBody):
    """A possible ruling; the rights of its step's route say who may make it."""

    step: Step
    positive: bool


class ConclusionBody(ReplyBody):
    """The conclusion on a session, automatic and by people."""

    session_id: SessionId
    team_id: str
    kind: QualificationKind
    ready: bool = Field(description="What the report concludes by itself")
    standing: Standing
    closed_at: Moment
    annulled: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="Why the organizers have annulled the session or its data set"
    )
    rulings: list[RulingBody]
    possible: list[PossibleRulingBody] = Field(description="The rulings that can be made where it stands")


class ClaimBody(ReplyBody):
    """The furthest of a team's conclusions of a kind."""

    kind: QualificationKind
    session_id: SessionId
    standing: Standing


class AdmissionBody(ReplyBody):
    """The decision on a team's part in the final."""

    admitted: bool
    reason: str
    at: Moment
    qualified: bool = Field(description="Whether the team had qualified then")
    by: str | None = Field(None, description="Who decided; the team is not told")


class TeamStandingBody(ReplyBody):
    """Progress of a team towards the final."""

    team_id: str = attribute("team.team_id")
    name: str = attribute("team.name")
    qualified: bool = attribute(
        "is_qualified", description="Whether a conclusion of each of the contest's kinds is verified (R 6.9, D 7.8)"
    )
    claims: list[ClaimBody]
    admission: AdmissionBody | None


class StandingsBody(ReplyBody):
    """Teams on their way to the final, by id."""

    teams: list[TeamStandingBody]
