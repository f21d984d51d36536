"""Ports of results: boards and their histories, annulments, rescorings, qualification.

:mod:`contest.ports` states the promises of all ports. Each change of a rescoring carries its condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port, Queue

if TYPE_CHECKING:
    from contest.people.rules import Change
    from contest.results.rules.jobs import AuditJob, SettlingTask, ShadowTask
    from contest.results.rules.leaderboard import BoardState, Point
    from contest.results.rules.qualification import Admission, Annulment, Claim, Conclusion, QualificationKind
    from contest.results.rules.rescoring import Rescoring, RescoringTask
    from contest.run.rules.run import Run
    from contest.values import Millis


class Boards(Protocol):
    """Organizers' decisions about boards, and the history of places."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        """Return the state as last written; None before the first decision."""

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        """Write a state if the one there is still ``before`` (None: there is none)."""

    def points(self, cycle: str, board: str, scope: str) -> Sequence[Point]:
        """Return all points of the history of a board's part (a language, a nomination), the earliest first."""

    def add_point(
        self, cycle: str, board: str, scope: str, before: Point | None, after: Point, dropped: Millis | None
    ) -> None:
        """Write a point if the latest one is still ``before``, and give up the one of the moment ``dropped``."""


class Annulments(Protocol):
    """Annulments by organizers; they are few, so they are read together."""

    def all(self, cycle: str) -> Sequence[Annulment]:
        """Return the last decision about every subject, revoked annulments included; by subject."""

    def decide(self, cycle: str, before: Annulment | None, after: Annulment, change: Change) -> None:
        """Write a decision if the one about its subject is still ``before`` (None: there is none)."""


class Rescorings(Protocol):
    """Rescorings of one deployed cycle."""

    def add(self, rescoring: Rescoring, change: Change) -> None:
        """Write a new rescoring; :class:`contest.ports.LostRaceError` if its name is used."""

    def get(self, rescoring_id: str) -> Rescoring | None:
        """Return a rescoring as last written."""

    def change(self, before: Rescoring, after: Rescoring, change: Change, run: tuple[Run, Run] | None = None) -> None:
        """Write a rescoring if it is unchanged since it was read, together with a final's run, before and after."""

    def all(self) -> Sequence[Rescoring]:
        """Return all rescorings, the latest first."""


class Qualification(Protocol):
    """Conclusions, the claims that follow from them, and admissions."""

    def conclusion(self, cycle: str, team_id: str, kind: QualificationKind, session_id: str) -> Conclusion | None:
        """Return the conclusion on a session."""

    def conclusions_of(self, cycle: str, team_id: str, kind: QualificationKind) -> Sequence[Conclusion]:
        """Return a team's conclusions of a kind, by session."""

    def claims(self, cycle: str) -> Sequence[Claim]:
        """Return all claims of a cycle, by team and kind."""

    def claims_of(self, cycle: str, team_id: str) -> Sequence[Claim]:
        """Return a team's claims, by kind."""

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
        """Return the decision about a team."""

    def admissions(self, cycle: str) -> Sequence[Admission]:
        """Return all decisions of a cycle, by team."""

    def admit(self, cycle: str, before: Admission | None, after: Admission, change: Change) -> None:
        """Write a decision about a team if the one there is still as it was read."""


class ResultPorts:
    """The platform's ports of results."""

    annulments: Port[Annulments] = Port()
    boards: Port[Boards] = Port()
    qualification: Port[Qualification] = Port()
    rescorings: Port[Rescorings] = Port()
    rescoring_tasks: Port[Queue[RescoringTask]] = Port()
    settling: Port[Queue[SettlingTask]] = Port()
    """Queue of closed runs whose results are to be made."""
    shadows: Port[Queue[ShadowTask]] = Port()
    """Queue of independent recomputations."""
    audits: Port[Queue[AuditJob]] = Port()
