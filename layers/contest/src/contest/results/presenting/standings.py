"""Conversion of conclusions and of teams' standings to bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from contest.results.wire import standings as wire

if TYPE_CHECKING:
    from contest.results.qualifying import TeamStanding
    from contest.results.rules.qualification import Conclusion


def conclusion(conclusion: Conclusion) -> wire.ConclusionBody:
    """Return a conclusion with its rulings. Their authors stay in the audit log."""
    return wire.ConclusionBody.from_value(
        conclusion,
        rulings=[
            wire.RulingBody.from_value(ruling, counts=ruling.report == conclusion.report)
            for ruling in conclusion.rulings
        ],
        possible=[wire.PossibleRulingBody(step=step, positive=positive) for step, positive in conclusion.possible()],
    )


def team_standing(standing: TeamStanding) -> wire.TeamStandingBody:
    """Return the body of a team's progress."""
    decided = standing.admission
    admission = wire.AdmissionBody.from_value(decided, by=standing.decided_by) if decided else None
    return wire.TeamStandingBody.from_value(standing, admission=admission)


def standings(teams: Sequence[TeamStanding]) -> wire.StandingsBody:
    """Return the teams on their way to the final."""
    return wire.StandingsBody(teams=[team_standing(team) for team in teams])
