"""Rescoring (platform §2) and independent recomputation of a final (platform §4).

A board has one rule: sessions and submissions stand on it beside each other and are scored anew alike. Both are named
by one kind of name; where a rescoring says sessions, it means either.

The recomputing package imports nothing of this one. Both agree on two things alone: the subject of a result, by whose
digest it is named, and the contents of a job (:class:`contest.results.rules.jobs.ShadowTask`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from contest.cycle.rules.cycle import Mode
from contest.results.rules import reports
from contest.run.rules import fate
from contest.session.rules.delivery import FileState
from contest.session.rules.session import Session, items_of
from contest.submissions.rules import Submission, SubmissionState
from contest.values import Millis, canonical, sha256_hex, utc_day
from markup_core.lazy import dataclass

if TYPE_CHECKING:
    from contest.results.rules.leaderboard import Entry
    from contest.results.rules.reports import Facts
    from contest.run.rules.fate import FileView
    from contest.run.rules.run import Run


MOST: int = 300
"""Maximum sessions and submissions of one rescoring: one request reads all its results."""
LONGEST_DAYS: int = 400
"""Longest period in days: sessions are listed by the day of their end for so long."""


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
    """Final that is rescored; empty for a rescoring of other sessions."""
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


# Clause: platform §2 rescoring
def is_selected(session: Session, selection: Selection) -> bool:
    """Return whether a selection takes a session.

    A final's sessions are scored together, for its board has one set of rules.
    """
    if session.closed_at is None or session.order.mode == Mode.FINAL or selection.run_id not in {"", session.run_id}:
        return False
    return _takes(selection, session, session.session_id, session.order.mode, session.closed_at)


# Clause: platform §2 rescoring
def is_selected_submission(submission: Submission, selection: Selection) -> bool:
    """Return whether a selection takes a submission: a scored one to a public test.
    A private test keeps its rules, as its board is made by them alone."""
    if submission.state is not SubmissionState.SCORED or submission.of or selection.run_id:
        return False
    name, mode, ended_at = submission.submission_id, submission.order.kind.value, submission.completed_at
    return ended_at is not None and _takes(selection, submission, name, mode, ended_at)


def _takes(selection: Selection, claimant: Session | Submission, name: str, mode: str, ended_at: Millis) -> bool:
    """Return whether a session or submission meets the conditions that both may meet."""
    day = utc_day(ended_at)
    return (
        (not selection.sessions or name in selection.sessions)
        and selection.team_id in {"", claimant.team_id}
        and selection.set_name in {"", claimant.order.set_name}
        and selection.mode in {"", mode}
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


# Clause: platform §2 rescoring
def run_rescored(run: Run, rescoring: Rescoring, conditions: Conditions) -> Run:
    """Return a final under a rescoring; its results await publication.

    The earlier results are stored under another name.
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


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Progress of a recomputation: ``recomputed`` of ``whole`` sessions or submissions, and the ``result`` of all."""

    whole: int
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


# Clause: R 8.3.1, R 7.7
def fates_of(facts: Facts, greatest: float) -> dict[str, Any]:
    """Return the platform's verdict on every file of a closed session, stored with its entry for recomputation."""
    files = reports.file_views(facts)
    solution = reports.whole_solution(files, greatest)
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
        "counts": asdict(fate.count_states(files)),
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
        "late": fate.is_late(view),
        "content_sha256": answer.content_sha256 if answer is not None and is_answered else None,
    }
