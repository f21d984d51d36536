"""The port of qualification; see :mod:`contest.ports` for what all ports promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contest.domain.people.teams import Change
from contest.domain.results.qualification import Admission, Claim, Conclusion, QualificationKind


class Qualification(Protocol):
    """Conclusions, the claims that follow from them, and admissions."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        """The conclusion on a session."""

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        """A team's conclusions of a kind, by session."""

    def claims(self, cycle: str) -> Sequence[Claim]:
        """All claims of a cycle, by team and kind."""

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        """A team's claims, by kind."""

    def conclude(
        self,
        before: Conclusion | None,
        after: Conclusion,
        claim_before: Claim | None,
        claim_after: Claim,
        change: Change | None,
    ) -> None:
        """Write a conclusion and its team's claim if both are still as they were read (None: there is none).

        ``change``: None where no person did it.
        """

    def admission(self, cycle: str, team_id: str) -> Admission | None:
        """The decision about a team."""

    def admissions(self, cycle: str) -> Sequence[Admission]:
        """All decisions of a cycle, by team."""

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        """Write a decision about a team if the one there is still as it was read."""
