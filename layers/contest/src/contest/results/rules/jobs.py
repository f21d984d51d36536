"""Background jobs: scoring, settlement, audit, recomputation, errands.

Audit: jobs for one piece each. Errands: requests of people that a worker does because they take longer than one
request. Scoring: the identity of scores, and the intervals at which missing ones are requested again (platform §4).
Settlement: the record and board of a run after its last answer, made in steps by workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final

from contest.cycle.rules.stages import Stage
from contest.texts import tr, tr_in
from contest.values import HOUR, MINUTE, Millis, canonical, sha256_hex
from markup_core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class AuditJob:
    """Session to audit; without one, the boards of finals, which every round has: it shows that audits work."""

    session_id: str = ""
    errand_id: str = ""
    """Id of a person's errand that this audit fulfils; empty for the timer's audits."""


LOST_AFTER: Final[Millis] = 30 * MINUTE
"""Milliseconds, longer than all tries of a job together: a job without an outcome then has no message either."""


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
    """Its worker failed for good, or was lost; a repeated request may still do it."""
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


# Clause: platform §4 failed
def is_lost(errand: Errand, failed_at: Millis | None, now: Millis) -> bool:
    """Return whether no worker has an errand without an outcome: its job is a dead letter, or was sent too long ago."""
    return failed_at is not None or now > errand.asked_at + LOST_AFTER


def state_of(outcome: Outcome | None, *, lost: bool) -> ErrandState:
    """Return the state of an errand with this outcome; None: with none yet."""
    if outcome is None:
        return ErrandState.FAILED if lost else ErrandState.UNDER_WAY
    return ErrandState.DONE if outcome.refused is None else ErrandState.REFUSED


MISSED: Final = "missed"
"""Placeholder for an answer's SHA-256: the file has no answer that counts, and is scored without one."""
STALE: Final[Millis] = MINUTE
"""Milliseconds after which the minute timer queues an unscored answer again: none is stuck longer than two minutes."""


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


# Clause: platform §2 parameters
def conditions(
    references: Sequence[str], parameters_version: int, track: str, scorer_version: str, ratings: Any = None
) -> str:
    """Return the key of a score's conditions: everything but the answer and its item.

    ``ratings`` are those of this answer.
    """
    parts: dict[str, Any] = {
        "references": list(references),
        "parameters_version": parameters_version,
        "track": track,
        "scorer": scorer_version,
    }
    return sha256_hex(canonical(parts if ratings is None else {**parts, "ratings": ratings}))


# Clause: platform §4 scoring, platform §4 failed
def entries_due(entries: Iterable[OutboxEntry], now: Millis) -> dict[str, list[OutboxEntry]]:
    """Return the entries that are due to be put into the queue again, by session."""
    by_session: dict[str, list[OutboxEntry]] = {}
    for entry in entries:
        if due_again(entry, now):
            by_session.setdefault(entry.job.session_id, []).append(entry)
    return by_session


# Clause: platform §4 failed
def due_again(entry: OutboxEntry, now: Millis) -> bool:
    """Return whether an entry is queued again: after 1, 2, 4 … minutes, then every hour.

    The pause grows so that an answer which always fails does not flood the dead-letter queue.
    """
    return now >= entry.enqueued_at + _pause(entry.enqueued)


def unscored_for(entries: Iterable[OutboxEntry], now: Millis) -> Millis:
    """Return for how long at least the oldest entry has waited: since it was queued last, and the pauses before that;
    0 without an entry."""
    times = (now - entry.enqueued_at + sum(map(_pause, range(1, entry.enqueued))) for entry in entries)
    return max(times, default=0)


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
    """Id of a person's errand about the run, done instead of a step; empty without one."""


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
"""Reasons for the states of a run's results, in English and in Russian."""


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
