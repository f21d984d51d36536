"""Aggregates and ranks of the exam track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from tracks.exam.summary import Mark, summarise
from tracks.exam.tasks import HUMAN_GRADE_NORM, HUMAN_POINTS, TASKS, VARIANT_POINTS
from tracks.protocol import Json, Outcome, Place, Standing

HUMAN: Final = {"grade_norm": HUMAN_GRADE_NORM, "points": HUMAN_POINTS, "of": VARIANT_POINTS}
"""The level that boards show beside the programs' (tracks.md §2)."""
_UNDEFINED: Final = -1.0
"""Sorts undefined results behind every defined one; points are never negative."""


def aggregate(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The result over all items handed out, missed ones with 0 points (tracks.md §2).

    A missed item without a record of its own is known by its group alone, the variant. In a variant of 30 items whose
    known tasks all differ the missed ones are the tasks that are left; of another variant they are not known, and of
    neither the type, so breakdowns by type are of items with a record.
    """
    found = asdict(summarise(_marks(outcomes)))
    return {
        **found,
        "complete": list(found["complete"]),
        "items": len(outcomes),
        "answered": sum(each.answered for each in outcomes),
        "human": HUMAN,
    }


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by grade_norm: 1 + the number of better results, so equal ones share a place."""
    values = {each.team: _value(each.aggregate) for each in standings}
    order = sorted(values, key=lambda team: (-values[team], team))
    return tuple(Place(team, 1 + sum(other > values[team] for other in values.values())) for team in order)


def _value(result: Json) -> float:
    return _UNDEFINED if result["grade_norm"] is None else float(result["grade_norm"])


def _marks(outcomes: Sequence[Outcome]) -> list[Mark]:
    variants: dict[str, list[Mark]] = {}
    for each in outcomes:
        record, group = each.score, each.item.group
        made = Mark(group, None, None, 0)
        if record is not None:
            made = Mark(group, record["task"], record["type"], record["score"])
        variants.setdefault(group, []).append(made)
    return [mark for name in sorted(variants) for mark in _completed(variants[name])]


def _completed(variant: list[Mark]) -> list[Mark]:
    """The variant's marks with the tasks of missed items where they follow from the others."""
    known = [mark for mark in variant if mark.task is not None]
    missing = sorted(set(TASKS) - {mark.task for mark in known}, key=TASKS.index)
    if len(variant) != len(TASKS) or len(missing) != len(variant) - len(known):
        return variant
    return known + [Mark(variant[0].variant, task, None, 0) for task in missing]
