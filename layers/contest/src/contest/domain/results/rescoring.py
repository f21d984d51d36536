"""Rescoring: what was selected, by what it is scored anew, what was decided of it (platform §2).

A board has one rule: sessions and submissions stand on it beside each other and are scored anew alike. Both are named
by one kind of name; where a rescoring says sessions, it means either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from contest.domain.cycle.cycle import Mode
from contest.domain.moments import Millis, utc_day
from contest.domain.results.leaderboard import Entry
from contest.domain.run.run import Run
from contest.domain.session.session import Session
from contest.domain.submissions.submission import Submission, SubmissionState

MOST: int = 300
"""Sessions and submissions of one rescoring: what it tells is read by one request."""
LONGEST_DAYS: int = 400
"""Of a period: so long sessions are found by the day of their end."""


class Decided(StrEnum):
    """What was decided of a rescoring."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which closed sessions and scored submissions are scored anew: those to which everything applies that is said.

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
    """A rescoring; its results lie in objects of their own. ``boards``: how boards compared when it was decided."""

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
    """Under what a final is scored anew, beside the parameters. ``before``: the board beside which it is put.

    ``refused``: why its markups cannot be taken in, as code, English and Russian; the rest is empty then.
    """

    before: str = ""
    markups: tuple[tuple[str, str], ...] = ()
    ratings: str = ""
    refused: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class RescoringTask:
    """Work on one session of a rescoring; what it is follows from what was decided. Without a session, on a final as a
    whole: its markups are taken in. Copies do what one does."""

    rescoring_id: str
    session_id: str = ""


def is_selected(session: Session, selection: Selection) -> bool:
    """Whether a session is scored anew by itself: a final's are together, for its board has one set of rules.

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


def is_selected_submission(found: Submission, selection: Selection) -> bool:
    """Return whether a submission is scored anew: a scored one to a public test. A private test keeps its rules, as its
    board is made by them alone.

    Clause: platform §2 rescoring
    """
    if found.state is not SubmissionState.SCORED or found.completed_at is None or found.of or selection.run_id:
        return False
    day = utc_day(found.completed_at)
    return (
        (not selection.sessions or found.submission_id in selection.sessions)
        and selection.team_id in {"", found.team_id}
        and selection.set_name in {"", found.order.set_name}
        and selection.mode in {"", found.order.kind.value}
        and (not selection.since or selection.since <= day)
        and (not selection.until or day <= selection.until)
    )


def mark_of(found: Session | Submission) -> int | str:
    """Return what changes of a session or submission with every rescoring: two begun on one mark exclude each other.

    A submission is also written by its team, which may name or declare it; none of that changes its score.
    """
    return found.version if isinstance(found, Session) else found.rescored


def as_rescored(session: Session, rescoring: Rescoring, manifest: str) -> Session:
    """A session as it is scored anew: by other parameters, and by the references of another list of its set."""
    return replace(
        session,
        parameters_version=rescoring.parameters_version,
        manifest=manifest,
        rescored=rescoring.rescoring_id,
        version=session.version + 1,
    )


def run_rescored(run: Run, rescoring: Rescoring, conditions: Conditions) -> Run:
    """A final as its results go by a rescoring: they are to be published anew. What they were before is stored under
    another name.

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
    """Whether a selection says a run and nothing else."""
    return bool(selection.run_id) and selection == Selection(run_id=selection.run_id)


def metrics(old: Any, new: Any) -> dict[str, dict[str, float | None]]:
    """The numbers of two aggregates side by side, by name, with the difference where both are defined.

    Those of a group of the aggregate's own, as precision and recall of a contest in correction, are called
    ``correction.recall``. **Decision**: what lies deeper, by type, corpus or subject, is the report's business.
    """
    sides = [_numbers(each) for each in (old, new)]
    found = {}
    for name in sorted({name for side in sides for name in side}):
        before, after = (side.get(name) for side in sides)
        difference = None if before is None or after is None else after - before
        found[name] = {"old": before, "new": after, "difference": difference}
    return found


def claims(known: Entry | None, entries: Sequence[Entry], rescored: Sequence[str]) -> list[Entry]:
    """A team's claims to a place under a rescoring: the new entries of its sessions, and the one that it has unless
    that is one of theirs."""
    kept = [known] if known is not None and known.session_id not in rescored else []
    return [*kept, *entries]


def _numbers(aggregate: Any) -> dict[str, float]:
    if not isinstance(aggregate, Mapping):
        return {}
    groups = ((f"{name}.", value) for name, value in aggregate.items() if isinstance(value, Mapping))
    parts = (("", aggregate), *groups)
    return {f"{group}{name}": value for group, part in parts for name, value in part.items() if _is_number(value)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
