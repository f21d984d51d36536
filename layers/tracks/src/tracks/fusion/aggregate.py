"""A session's sum S and the four scores it is made of (tracks.md §4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracks.fusion.integral import Scores, below_minimum, contribution, integral
from tracks.fusion.parameters import FusionParameters
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json, Outcome


def aggregate(outcomes: Sequence[Outcome], rules: FusionParameters) -> dict[str, Json]:
    """S with the four; a subtask's score is the mean over its tests.

    A file that was not written is worth what its record says, 0 without one. A test that was answered but has no
    score (not scored yet, without anything to score) is left out; a subtask without any other leaves S undefined.
    """
    scores = {subtask: _mean(subtask, outcomes) for subtask in Subtask}
    return {
        **summary(scores, rules),
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
    }


def summary(scores: Scores, rules: FusionParameters) -> dict[str, Json]:
    """S, whether it reaches Smin with every minimum, and each subtask's share of it."""
    total, below = integral(scores), below_minimum(scores, rules.minima)
    subtasks = {}
    for subtask in Subtask:
        score = scores.get(subtask)
        subtasks[subtask.key] = {
            "score": score,
            "rounded": None if score is None else float(contribution(subtask, score)),
            "minimum": float(rules.minima[subtask]),
            "reached": subtask not in below,
        }
    reached = total is not None and total >= rules.smin and not below
    modes = {subtask.key: mode for subtask, mode in rules.modes.items() if mode is not None}
    return {
        **({"modes": modes} if modes else {}),
        "s": None if total is None else float(total),
        "smin": float(rules.smin),
        "reached": reached,
        "subtasks": subtasks,
    }


def _mean(subtask: Subtask, outcomes: Sequence[Outcome]) -> float | None:
    scores = []
    for outcome in outcomes:
        if outcome.item.group != subtask.value:
            continue
        if outcome.score is not None and outcome.score["score"] is not None:
            scores.append(float(outcome.score["score"]))
        elif not outcome.answered:
            scores.append(0.0)
    return math.fsum(scores) / len(scores) if scores else None
