"""Conclusions and admission as answers on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import qualification
from contest.domain.results.qualification import Conclusion
from contest.services.results.qualifying import TeamStanding


def conclusion(found: Conclusion) -> qualification.ConclusionBody:
    """Return a conclusion with its rulings. Who ruled stays in the audit log."""
    return qualification.ConclusionBody.from_value(
        found,
        rulings=[
            qualification.RulingBody.from_value(each, counts=each.report == found.report) for each in found.rulings
        ],
        possible=[
            qualification.PossibleRulingBody(step=step, positive=positive) for step, positive in found.possible()
        ],
    )


def team_standing(found: TeamStanding) -> qualification.TeamStandingBody:
    """Return how far a team has come."""
    decided = found.admission
    admission = qualification.AdmissionBody.from_value(decided, by=found.decided_by) if decided else None
    return qualification.TeamStandingBody.from_value(found, admission=admission)


def standings(found: Sequence[TeamStanding]) -> qualification.StandingsBody:
    """Return the teams on their way to the final."""
    return qualification.StandingsBody(teams=[team_standing(each) for each in found])
