"""Ports of submissions; :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port, Queue

if TYPE_CHECKING:
    from contest.people.rules import Change
    from contest.session.rules.session import Key
    from contest.submissions.rules import Lane, Phase, RunOrder, Submission, SubmissionTask


class Submissions(Protocol):
    """Submissions, each team's one place for those under way, and the idempotency keys that a team has used."""

    def get(self, submission_id: str) -> Submission | None:
        """Return the submission as last written."""

    def of_team(self, team_id: str) -> Sequence[Submission]:
        """Return all of a team's submissions, in no order."""

    def listed(self) -> Sequence[Submission]:
        """Return all of the cycle's submissions, in no order."""

    def unfinished(self) -> Sequence[str]:
        """List the ids of all unfinished submissions, uploads included."""

    def begun_with(self, team_id: str, key_sha256: str) -> tuple[str, str] | None:
        """Return the hash of the request and the submission behind a team's key; None for an unused key."""

    def lane(self, team_id: str) -> Lane:
        """Return the team's one place for a submission under way."""

    def add(self, submission: Submission, key: Key | None) -> None:
        """Write a new submission, if there is none of its id and the key is unused."""

    def change(
        self, before: Submission, after: Submission, lane: Lane | None = None, change: Change | None = None
    ) -> None:
        """Write a submission if the one there is still as it was read; one that is final is no more unfinished.

        ``lane``: the team's place as it was read, where it is taken or left by this; on condition that it is still so.
        ``change``: None where a worker or a program did it.
        """


class Runner(Protocol):
    """Runner of submitted programs. It gets an order and is polled; the results are in the run's folder."""

    def start(self, order: RunOrder) -> None:
        """Start a run whose ``order.json`` is stored. A run that was started before is not started again."""

    def phase(self, run: str) -> Phase:
        """Return the phase of the run of this name."""

    def stop(self, run: str) -> None:
        """Stop a run that is under way. Its objects stay."""


class SubmissionPorts:
    """The platform's ports of submissions."""

    submissions: Port[Submissions] = Port()
    submission_tasks: Port[Queue[SubmissionTask]] = Port()
    runner: Port[Runner] = Port()
