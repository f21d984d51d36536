"""Errands: what somebody asks for and a worker does, because it takes longer than a request may."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from contest.domain.cycle.stages import Stage
from contest.domain.moments import MINUTE, Millis

LOST_AFTER: Final[Millis] = 30 * MINUTE
"""Longer than all tries of a job take together: what has no outcome then has no message either."""


class ErrandKind(StrEnum):
    """What is to be done."""

    VERIFY = "verify"
    """Rebuild the scores and the report of a session and compare every byte."""
    MARK = "mark"
    """Take in the experts' markups of a final."""


class ErrandState(StrEnum):
    """How far an errand is."""

    UNDER_WAY = "under_way"
    FAILED = "failed"
    """Its worker failed for good, or was lost; what is asked again may still do it."""
    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Errand:
    """What was asked for, by whom and when; ``subject`` is a session's or a run's name."""

    errand_id: str
    kind: ErrandKind
    subject: str
    who: str
    asked_at: Millis


@dataclass(frozen=True, slots=True)
class Verification:
    """Count what was rebuilt; name differences, what is missing, and the stage that keeps it off the board."""

    scores: int
    reports: int
    differences: tuple[str, ...]
    missing: tuple[str, ...]
    off_board: Stage | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an errand. ``refused``: code, English and Russian of a refusal; None where it was done."""

    refused: tuple[str, str, str] | None = None
    verification: Verification | None = None


def is_lost(errand: Errand, failed_at: Millis | None, now: Millis) -> bool:
    """Whether nobody is at an errand without an outcome: its job is a dead letter, or was asked for too long ago.

    Clause: platform §4 failed
    """
    return failed_at is not None or now > errand.asked_at + LOST_AFTER


def state_of(outcome: Outcome | None, *, lost: bool) -> ErrandState:
    """How far an errand with this outcome is; None: with none yet."""
    if outcome is None:
        return ErrandState.FAILED if lost else ErrandState.UNDER_WAY
    return ErrandState.DONE if outcome.refused is None else ErrandState.REFUSED
