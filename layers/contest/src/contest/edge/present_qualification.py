"""Conclusions, rulings and admission as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import qualification
from contest.domain.moments import iso
from contest.domain.results.qualification import Conclusion
from contest.services.results.qualifying import TeamStanding


def conclusion(found: Conclusion) -> qualification.ConclusionBody:
    """A conclusion with its rulings. Who ruled stays in the audit log."""
    return qualification.ConclusionBody(
        session_id=found.session_id,
        team_id=found.team_id,
        kind=found.kind,
        ready=found.ready,
        standing=found.standing,
        closed_at=iso(found.closed_at),
        annulled=found.annulled or None,
        rulings=[
            qualification.RulingBody(
                step=each.step,
                positive=each.positive,
                reason=each.reason,
                at=iso(each.at),
                counts=each.report == found.report,
            )
            for each in found.rulings
        ],
        possible=[
            qualification.PossibleRulingBody(step=step, positive=positive) for step, positive in found.possible()
        ],
    )


def team_standing(found: TeamStanding) -> qualification.TeamStandingBody:
    """How far a team has come."""
    decided = found.admission
    return qualification.TeamStandingBody(
        team_id=found.team.team_id,
        name=found.team.name,
        qualified=found.is_qualified,
        claims=[
            qualification.ClaimBody(kind=each.kind, session_id=each.session_id, standing=each.standing)
            for each in found.claims
        ],
        admission=None
        if decided is None
        else qualification.AdmissionBody(
            admitted=decided.admitted,
            reason=decided.reason,
            at=iso(decided.at),
            qualified=decided.qualified,
            by=found.decided_by,
        ),
    )


def standings(found: Sequence[TeamStanding]) -> qualification.StandingsBody:
    """Teams on their way to the final."""
    return qualification.StandingsBody(teams=[team_standing(each) for each in found])
