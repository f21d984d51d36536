"""How long experts take (platform §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median

from contest.domain.experts.assignment import Assignment, AssignmentState
from contest.domain.moments import SECOND
from markup_core.bootstrap import Interval, bounded_mean_interval


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds from opening to handing in of an expert's essays; the interval is of the mean, None below three."""

    expert_id: str
    essays: int
    median_s: float
    mean_s: float
    mean_95: Interval | None


def speeds(given: Sequence[Assignment], seed: int) -> tuple[Speed, ...]:
    """The speed of every expert who has handed something in, by id. What ran out says nothing of how long it takes.

    Clause: platform §5 progress
    """
    took: dict[str, list[float]] = {}
    for each in sorted(given, key=lambda one: one.assignment_id):
        if each.state is AssignmentState.HANDED_IN and each.opened_at is not None and each.ended_at is not None:
            took.setdefault(each.expert_id, []).append((each.ended_at - each.opened_at) / SECOND)
    return tuple(_speed(name, found, seed) for name, found in sorted(took.items()))


def _speed(name: str, took: list[float], seed: int) -> Speed:
    interval = bounded_mean_interval(took, 0.0, max(took) or 1.0, seed)
    return Speed(name, len(took), float(median(took)), fsum(took) / len(took), interval)
