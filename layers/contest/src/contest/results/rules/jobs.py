"""Background jobs: scoring, settlement, audit, recomputation, rescoring, errands.

Audit: jobs for one piece each. Errands: requests of people that a worker does because they take longer than one
request. Scoring: the identity of scores, and the intervals at which missing ones are requested again (platform §4).
Settlement: the record and board of a run after its last answer, made in steps by workers.

Independent recomputation of a final (platform §4): the request and the use of its result. The recomputing package
imports nothing of this one. Both agree on two things alone: the subject of a result, by whose digest it is named, and
the contents of a job.

Rescoring (platform §2): the selection, the conditions of the new scores, the decision. A board has one rule: sessions
and submissions stand on it beside each other and are scored anew alike. Both are named by one kind of name; where a
rescoring says sessions, it means either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from contest.cycle.rules.cycle import Mode
from contest.cycle.rules.stages import Stage
from contest.results.rules import readiness, reports
from contest.results.rules.leaderboard import Entry
from contest.results.rules.readiness import FileView
from contest.results.rules.reports import Facts
from contest.run.rules.run import Run
from contest.session.rules.delivery import FileState
from contest.session.rules.session import Session, items_of
from contest.submissions.rules import Submission, SubmissionState
from contest.texts import tr, tr_in
from contest.values import HOUR, MINUTE, Millis, canonical, sha256_hex, utc_day


@dataclass(frozen=True, slots=True)
class AuditJob:
    """Session to audit; without one, the boards of finals, which every round has: it shows that audits work."""

    session_id: str = ""
    errand_id: str = ""
    """Somebody's errand of which this audit is the work; without one it is the timer's."""


LOST_AFTER: Final[Millis] = 30 * MINUTE
"""Longer than all tries of a job take together: what has no outcome then has no message either."""


class ErrandKind(StrEnum):
    """Kind of an errand."""

    VERIFY = "verify"
    """Rebuild the scores and the report of a session and compare every byte."""
    MARK = "mark"
    """Take in the experts' markups of a final."""


class ErrandState(StrEnum):
    """State of an errand."""

    UNDER_WAY = "under_way"
    FAILED = "failed"
    """Its worker failed for good, or was lost; what is asked again may still do it."""
    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Errand:
    """Errand with its author and moment; ``subject`` is a session's or a run's name."""

    errand_id: str
    kind: ErrandKind
    subject: str
    who: str
    asked_at: Millis


@dataclass(frozen=True, slots=True)
class Verification:
    """Counts of rebuilt objects, differences, missing ones, and the stage that keeps the result off the board."""

    scores: int
    reports: int
    differences: tuple[str, ...]
    missing: tuple[str, ...]
    off_board: Stage | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of an errand. ``refused``: code, English and Russian of a refusal; None where it was done."""

    refused: tuple[str, str, str] | None = None
    verification: Verification | None = None


def is_lost(errand: Errand, failed_at: Millis | None, now: Millis) -> bool:
    """Return whether no worker has an errand without an outcome: its job is a dead letter, or was sent too long ago.

    Clause: platform §4 failed
    """
    return failed_at is not None or now > errand.asked_at + LOST_AFTER


def state_of(outcome: Outcome | None, *, lost: bool) -> ErrandState:
    """Return the state of an errand with this outcome; None: with none yet."""
    if outcome is None:
        return ErrandState.FAILED if lost else ErrandState.UNDER_WAY
    return ErrandState.DONE if outcome.refused is None else ErrandState.REFUSED


MISSED: Final = "missed"
"""In the place of an answer's SHA-256: the file has none that counts, and is scored without one."""
STALE: Final[Millis] = MINUTE
"""After this the minute timer puts an unscored answer into the queue again: none is stuck longer than two minutes."""


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """Key of a stored score; scoring again under the same key gives the same bytes.

    ``answer_sha256`` is :data:`MISSED` of a file that is scored without an answer.
    """

    number: int
    answer_sha256: str
    conditions: str


@dataclass(frozen=True, slots=True)
class Job:
    """One answer, or one missed file, to score. Any number of copies of a job have the effect of one."""

    session_id: str
    number: int
    content_sha256: str


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A job that may still be undone."""

    job: Job
    enqueued_at: Millis
    enqueued: int


def conditions(
    references: Sequence[str], parameters_version: int, track: str, scorer_version: str, ratings: Any = None
) -> str:
    """Return the key of a score's conditions: everything but the answer and its item.

    ``ratings`` are those of this answer.

    Clause: platform §2 parameters
    """
    parts: dict[str, Any] = {
        "references": list(references),
        "parameters_version": parameters_version,
        "track": track,
        "scorer": scorer_version,
    }
    return sha256_hex(canonical(parts if ratings is None else {**parts, "ratings": ratings}))


def due_again(entry: OutboxEntry, now: Millis) -> bool:
    """Return whether an entry is queued again: after 1, 2, 4 … minutes, then every hour.

    The pause grows so that an answer which always fails does not flood the dead-letter queue.

    Clause: platform §4 failed
    """
    return now >= entry.enqueued_at + _pause(entry.enqueued)


def unscored_for(entry: OutboxEntry, now: Millis) -> Millis:
    """Return for how long at least an entry has waited: since it was queued last, and the pauses before that."""
    return now - entry.enqueued_at + sum(map(_pause, range(1, entry.enqueued)))


def _pause(enqueued: int) -> Millis:
    """Return the pause after so many enqueuings."""
    return min(STALE << min(enqueued - 1, 10), HOUR)


@dataclass(frozen=True, slots=True)
class SettlingTask:
    """Work on one session of a run, or, without a session, on the whole run.

    Any number of copies have the effect of one.

    ``archive``: towards the archive of published results.
    """

    run_id: str
    session_id: str = ""
    archive: bool = False
    errand_id: str = ""
    """Somebody's errand about the run, done instead of a step."""


class Settled(StrEnum):
    """State of a run's results, with the reason of a wait."""

    RUNNING = "running"
    RECORD = "making_record"
    NO_RESULTS = "no_results"
    UNMARKED = "waiting_for_markups"
    SCORING = "scoring"
    ENTRIES = "making_board"
    VERIFYING = "verifying"
    DIFFERENT = "differences_found"
    READY = "ready"
    PUBLISHED = "published"


REASONS = {
    Settled.RUNNING: tr("sessions may still be open"),
    Settled.RECORD: tr("the record is being made"),
    Settled.NO_RESULTS: tr("this run has a record and no results"),
    Settled.UNMARKED: tr("the experts' markups are not taken in"),
    Settled.SCORING: tr("answers wait for their scores"),
    Settled.ENTRIES: tr("the teams' results and the board are being made"),
    Settled.VERIFYING: tr("the results are being recomputed independently"),
    Settled.DIFFERENT: tr("the independent recomputation has found differences; contest run shadow RUN shows them"),
    Settled.READY: tr("everything is made and recomputed without a difference; the results can be published"),
    Settled.PUBLISHED: tr_in("jobs", "the results are published"),
}
"""Why a run stands where it stands, in English and in Russian."""


@dataclass(frozen=True, slots=True)
class SettlingState:
    """State of a run: of ``teams`` sessions ``finished`` have the present part, ``unscored`` answers wait."""

    state: Settled
    teams: int = 0
    finished: int = 0
    unscored: int = 0


@dataclass(frozen=True, slots=True)
class ShadowTask:
    """Recompute a session of a final, or a submission; without either, collect the results of all sessions.

    ``again``: even if it was done before under the same facts. Any number of copies have the effect of one.
    """

    run_id: str
    session_id: str = ""
    again: bool = False
    submission_id: str = ""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Progress of a final's recomputation: of ``teams`` sessions ``recomputed`` are done; ``result`` when all are."""

    teams: int
    recomputed: int
    result: Mapping[str, Any] | None

    @property
    def is_clean(self) -> bool:
        """Return whether everything was recomputed and nothing differs."""
        return self.result is not None and not self.result["total"]


def facts_of(run: Run, board: bytes | None) -> str:
    """Digest the subject of a result: another decision, annotation, rating or board changes it."""
    decided = [
        [amendment.number, amendment.kind.value, amendment.effective_at, dict(amendment.details)]
        for amendment in run.amendments
    ]
    facts = {
        "run_id": run.run_id,
        "files": run.files,
        "starts_at": run.starts_at,
        "interval": run.interval,
        "limits": asdict(run.limits),
        "trial": run.trial,
        "closed_at": run.closed_at,
        "parameters_version": run.parameters_version,
        "markups": [list(pair) for pair in run.markups],
        "ratings": run.ratings,
        "amendments": decided,
        "board": None if board is None else sha256_hex(board),
        **({"rescored": run.rescored} if run.rescored else {}),
    }
    return sha256_hex(canonical(facts))


def fates_of(facts: Facts, greatest: float) -> dict[str, Any]:
    """Return the platform's verdict on every file of a closed session, stored with its entry for recomputation.

    Clause: R 8.3.1, R 7.7
    """
    files = reports.views(facts)
    solution = reports.solution(files, greatest)
    counting = reports.run_outcomes(facts)
    return {
        "files": [_fate(view) for view in files],
        "completeness": {
            "answered": sum(
                all(files[number - 1].state is FileState.ANSWERED for number in item.numbers)
                for item in items_of(facts.plan)
            ),
            "whole": len(counting),
        },
        "counts": asdict(readiness.count(files)),
        "voided_share": solution["voided_share"],
        "solution_voided": solution["voided"],
    }


def _fate(view: FileView) -> dict[str, Any]:
    answer = view.delivery.answer if view.delivery else None
    is_answered = view.state is FileState.ANSWERED
    return {
        "number": view.number,
        "state": view.state.value,
        "cause": view.cause.value if view.cause else None,
        "late": readiness.is_late(view),
        "content_sha256": answer.content_sha256 if answer is not None and is_answered else None,
    }


MOST: int = 300
"""Sessions and submissions of one rescoring: what it tells is read by one request."""
LONGEST_DAYS: int = 400
"""Of a period: so long sessions are found by the day of their end."""


class Decided(StrEnum):
    """Decision on a rescoring."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Selection:
    """Closed sessions and scored submissions to score anew: those that meet every given condition.

    ``since`` and ``until`` are UTC days on which they were closed or handed in, both included. A submission is of no
    run; its mode is its kind.
    """

    sessions: tuple[str, ...] = ()
    team_id: str = ""
    run_id: str = ""
    set_name: str = ""
    mode: str = ""
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Rescoring; its results lie in objects of their own. ``boards``: comparison of the boards at the decision."""

    rescoring_id: str
    begun_at: Millis
    who: str
    reason: str
    selection: Selection
    parameters_version: int
    sessions: tuple[str, ...]
    state: Decided = Decided.OPEN
    decided_at: Millis | None = None
    decided_by: str = ""
    decided_reason: str = ""
    boards: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    final: str = ""
    """The final of which it is; empty for one of other sessions."""
    version: int = 1


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions of a final's rescoring beside the parameters. ``before``: the board for comparison.

    ``refused``: why its markups cannot be taken in, as code, English and Russian; the rest is empty then.
    """

    before: str = ""
    markups: tuple[tuple[str, str], ...] = ()
    ratings: str = ""
    refused: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class RescoringTask:
    """Work on one session of a rescoring; its kind follows from the decision.

    Without a session, it is work on a final as a whole: its annotations are imported. Copies have the effect of one.
    """

    rescoring_id: str
    session_id: str = ""


def is_selected(session: Session, selection: Selection) -> bool:
    """Return whether a selection takes a session.

    A final's sessions are scored together, for its board has one set of rules.

    Clause: platform §2 rescoring
    """
    if session.closed_at is None or session.order.mode == Mode.FINAL:
        return False
    day = utc_day(session.closed_at)
    return (
        (not selection.sessions or session.session_id in selection.sessions)
        and selection.team_id in {"", session.team_id}
        and selection.run_id in {"", session.run_id}
        and selection.set_name in {"", session.order.set_name}
        and selection.mode in {"", session.order.mode}
        and (not selection.since or selection.since <= day)
        and (not selection.until or day <= selection.until)
    )


def is_selected_submission(submission: Submission, selection: Selection) -> bool:
    """Return whether a selection takes a submission: a scored one to a public test.
    A private test keeps its rules, as its board is made by them alone.

    Clause: platform §2 rescoring
    """
    if (
        submission.state is not SubmissionState.SCORED
        or submission.completed_at is None
        or submission.of
        or selection.run_id
    ):
        return False
    day = utc_day(submission.completed_at)
    return (
        (not selection.sessions or submission.submission_id in selection.sessions)
        and selection.team_id in {"", submission.team_id}
        and selection.set_name in {"", submission.order.set_name}
        and selection.mode in {"", submission.order.kind.value}
        and (not selection.since or selection.since <= day)
        and (not selection.until or day <= selection.until)
    )


def mark_of(claimant: Session | Submission) -> int | str:
    """Return the mark that every rescoring changes: of two rescorings begun on one mark only one is accepted.

    A submission is also written by its team, which may name or declare it; none of that changes its score.
    """
    return claimant.version if isinstance(claimant, Session) else claimant.rescored


def as_rescored(session: Session, rescoring: Rescoring, manifest: str) -> Session:
    """Return a session under a rescoring: by other parameters, and by the references of another list of its set."""
    return replace(
        session,
        parameters_version=rescoring.parameters_version,
        manifest=manifest,
        rescored=rescoring.rescoring_id,
        version=session.version + 1,
    )


def run_rescored(run: Run, rescoring: Rescoring, conditions: Conditions) -> Run:
    """Return a final under a rescoring; its results await publication.

    The earlier results are stored under another name.

    Clause: platform §2 rescoring
    """
    return replace(
        run,
        parameters_version=rescoring.parameters_version,
        started_with=run.started_with or run.parameters_version,
        markups=conditions.markups,
        ratings=conditions.ratings,
        rescored=rescoring.rescoring_id,
        published_at=None,
        version=run.version + 1,
    )


def names_only_run(selection: Selection) -> bool:
    """Return whether a selection names a run and nothing else."""
    return bool(selection.run_id) and selection == Selection(run_id=selection.run_id)


def metrics(old: Any, new: Any) -> dict[str, dict[str, float | None]]:
    """Return the numbers of two aggregates side by side, by name, with the difference where both are defined.

    Those of a group of the aggregate's own, as precision and recall of a contest in correction, are called
    ``correction.recall``. **Decision**: what lies deeper, by type, corpus or subject, is the report's business.
    """
    sides = [_numbers(aggregate) for aggregate in (old, new)]
    figures = {}
    for name in sorted({name for side in sides for name in side}):
        before, after = (side.get(name) for side in sides)
        difference = None if before is None or after is None else after - before
        figures[name] = {"old": before, "new": after, "difference": difference}
    return figures


def claims(present: Entry | None, entries: Sequence[Entry], rescored: Sequence[str]) -> list[Entry]:
    """Return a team's claims to a place under a rescoring.

    These are the new entries of its sessions, and the present one unless it is of one of them.
    """
    staying = [present] if present is not None and present.session_id not in rescored else []
    return [*staying, *entries]


def _numbers(aggregate: Any) -> dict[str, float]:
    if not isinstance(aggregate, Mapping):
        return {}
    groups = ((f"{name}.", value) for name, value in aggregate.items() if isinstance(value, Mapping))
    parts = (("", aggregate), *groups)
    return {
        f"{group}{name}": value
        for group, part in parts
        for name, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
