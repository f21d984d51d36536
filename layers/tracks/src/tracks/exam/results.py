"""Aggregates and ranks of the exam track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from tracks.exam.summary import Mark, summarise
from tracks.exam.tasks import HUMAN_GRADE_NORM, HUMAN_POINTS, VARIANT_POINTS
from tracks.protocol import Outcome, Place, Standing
from tracks.ranking import by_value

HUMAN: Final = {"grade_norm": HUMAN_GRADE_NORM, "points": HUMAN_POINTS, "of": VARIANT_POINTS}
"""The level that boards show beside the programs' (tracks.md §2)."""


def aggregate(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The result over the items with a record, missed ones among them with their 0 points (tracks.md §2).

    An item without a record was voided and counts for nobody: **Decision**: its variant is not complete then.
    """
    records = [each.score for each in outcomes if each.score is not None]
    marks = [Mark(record["variant"], record["task"], record["type"], record["score"]) for record in records]
    found = asdict(summarise(marks))
    return {
        **found,
        "complete": list(found["complete"]),
        "items": len(outcomes),
        "answered": sum(each.answered for each in outcomes),
        "human": HUMAN,
    }


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by grade_norm, highest first."""
    return by_value({each.team: each.aggregate["grade_norm"] for each in standings})
