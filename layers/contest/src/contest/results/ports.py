"""Ports of runs, submissions and results: :mod:`contest.ports` states the promises of all ports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from contest.ports import Port, Queue

if TYPE_CHECKING:
    from contest.cycle.rules.cycle import Mode
    from contest.cycle.rules.notices import Announcement
    from contest.people.rules import Change
    from contest.results.rules.jobs import AuditJob, SettlingTask, ShadowTask
    from contest.results.rules.leaderboard import BoardState, Point
    from contest.results.rules.qualification import Admission, Annulment, Claim, Conclusion, QualificationKind
    from contest.results.rules.rescoring import Rescoring, RescoringTask
    from contest.run.rules.fate import Watch
    from contest.run.rules.run import Action, Run
    from contest.run.rules.schedule import Proposal, Release
    from contest.session.rules.session import Key
    from contest.submissions.rules import Lane, Phase, RunOrder, Submission, SubmissionTask
    from contest.values import Millis


class Arming(Protocol):
    """Executions of functions that are kept running, and the moments from which others are."""

    def kept(self) -> Mapping[str, int]:
        """Return the number of executions requested for each function by now."""

    def planned(self) -> Sequence[Action]:
        """List the scheduled actions, and the past ones that are still stored."""

    def put(self, action: Action) -> None:
        """Schedule an action, in the place of one of the same function and moment."""

    def remove(self, action: Action) -> None:
        """Take an action back; one that is gone is no error."""


class Runs(Protocol):
    """Scheduled runs, their release records, and which sessions take part."""

    def get(self, run_id: str, earlier: Run | None = None) -> Run | None:
        """Return the run as last written; ``earlier``, which the caller has read, if nothing was written since."""

    def add(self, run: Run, change: Change | None, announced: Announcement | None = None) -> None:
        """Write a new run unless it exists, with its pointers among the active ones and those of its mode, and with its
        announcement ``announced``.

        ``change`` None: a timer planned it.
        """

    def change(self, before: Run, after: Run, change: Change) -> None:
        """Write the changed run if it is still as ``before``; its start and mode are the same.

        A closed one is among the unsettled from then on.
        """

    def close(self, before: Run, after: Run) -> None:
        """Write the closed run if it is still as ``before`` and move it from the active ones to the unsettled."""

    def settled(self, run: Run) -> None:
        """Take a closed run from the unsettled ones, if nobody has changed it since.

        Losing the race changes nothing and is no error: the timer looks at the run again.
        """

    def unsettled_ids(self) -> Sequence[str]:
        """List all closed runs that changed since all their results were made."""

    def active_ids(self) -> Sequence[str]:
        """List all runs whose record is still to be made."""

    def of_mode(self, mode: Mode, limit: int, before: Millis | None = None) -> Sequence[str]:
        """List ids of runs of a mode, the latest start first, that start before a moment."""

    def sessions_of(self, run_id: str) -> Sequence[tuple[str, str]]:
        """List team and session of all participants, by team."""

    def release(self, run_id: str, number: int) -> Release | None:
        """Return the release record of a file, None while nobody has written it."""

    def releases(self, run_id: str, first: int = 1) -> Sequence[Release]:
        """Return all release records from a file on, by number."""

    def arm(self, run_id: str, release: Release, before: Release | None) -> None:
        """Write a release record if the one there is still ``before`` (None: there is none)."""

    def propose(self, run_id: str, proposal: Proposal, change: Change | None) -> None:
        """Write the proposal on a mass failure if the one there is of the version before (1: there is none).

        ``change`` None: a timer made it.
        """

    def proposal(self, run_id: str) -> Proposal | None:
        """Return the latest proposal on a mass failure."""

    def watch(self, run_id: str) -> Watch:
        """Return the timer's facts about the files of a run; an empty watch before its first visit."""

    def keep_watch(self, run_id: str, watch: Watch) -> None:
        """Write the timer's facts if the stored ones are of the version before."""


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


class Boards(Protocol):
    """Organizers' decisions about boards, and the history of places."""

    def state(self, cycle: str, board: str) -> BoardState | None:
        """Return the state as last written; None before the first decision."""

    def decide(self, cycle: str, before: BoardState | None, after: BoardState, change: Change) -> None:
        """Write a state if the one there is still ``before`` (None: there is none)."""

    def points(self, cycle: str, board: str, scope: str, most: int) -> Sequence[Point]:
        """Return the latest ``most`` points of the history of a board's part (a language, a nomination), the latest
        first."""

    def latest_points(self, cycle: str, parts: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Point]:
        """Return the latest points of the histories of boards' parts (board, scope) that have one, read together."""

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
    """The platform's ports of runs, submissions and results."""

    runs: Port[Runs] = Port()
    arming: Port[Arming] = Port()
    submissions: Port[Submissions] = Port()
    submission_tasks: Port[Queue[SubmissionTask]] = Port()
    runner: Port[Runner] = Port()
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
