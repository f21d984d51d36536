"""From points of answers to a submission's result: grade_norm and the breakdowns (tracks.md §2; U, metrics)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tracks.exam.items import Key
from tracks.exam.tasks import HUMAN_GRADE_NORM, HUMAN_POINTS, SECTION_OF, TASKS, VARIANT_POINTS, maximum
from tracks.protocol import Json, Outcome
from tracks.rules import told_groups

_TASKS: Final = sorted(TASKS)
HUMAN: Final = {"grade_norm": HUMAN_GRADE_NORM, "points": HUMAN_POINTS, "of": VARIANT_POINTS}
"""The level that boards show beside the programs' (tracks.md §2).

Clause: U human
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """Points of one item, and where they count."""

    variant: str
    task: str
    kind: str
    points: int


def mark(key: Key, prediction: str | None) -> Mark:
    """An item's mark; None is no answer: 0 points."""
    return Mark(str(key.variant), key.task, key.kind, key.score(prediction))


@dataclass(frozen=True, slots=True)
class Summary:
    """A submission's result; ``complete`` lists the variants that grade_norm is made of."""

    grade_norm: float | None
    variants: Mapping[str, int]
    complete: tuple[str, ...]
    by_task: Mapping[str, Json]
    by_section: Mapping[str, Json]
    by_type: Mapping[str, Json]


def summarise(marks: Sequence[Mark]) -> Summary:
    """Points by variant, and grade_norm: the mean over the complete variants of points / 34 (tracks.md §2).

    A variant is complete if each of the exam's 30 tasks is in it once; without one grade_norm is undefined. Breakdowns
    are over all items, each group with its ``items``, ``points``, ``max`` and ``share`` = points / max. Independent of
    the order of the marks.

    Clause: U primary, U grade_norm, tracks §2 breakdown
    """
    variants: dict[str, list[Mark]] = {}
    for each in marks:
        variants.setdefault(each.variant, []).append(each)
    points = {name: sum(each.points for each in variants[name]) for name in sorted(variants, key=_by_number)}
    complete = tuple(name for name in points if sorted(each.task for each in variants[name]) == _TASKS)
    whole = sum(points[name] for name in complete)
    return Summary(
        grade_norm=whole / (VARIANT_POINTS * len(complete)) if complete else None,
        variants=points,
        complete=complete,
        by_task=_grouped(marks, lambda each: each.task, TASKS.index),
        by_section=_grouped(marks, lambda each: SECTION_OF[each.task], str),
        by_type=_grouped(marks, lambda each: each.kind, str),
    )


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


def totals(found: Json) -> dict[str, Any]:
    """Of :func:`aggregate` what may be told of a closed test: no variant, no group of fewer than ten items.

    ``complete`` becomes the number of complete variants: a variant by itself is a question to the right answers.

    Clause: TS T10, TS U-6
    """
    groups = {key: _large(found[key]) for key in ("by_task", "by_section", "by_type")}
    return {
        "grade_norm": found["grade_norm"],
        "complete": len(found["complete"]),
        **groups,
        "items": found["items"],
        "answered": found["answered"],
        "human": found["human"],
    }


def _large(groups: Mapping[str, Json]) -> dict[str, Json]:
    told = told_groups({name: each["items"] for name, each in groups.items()})
    return {name: each for name, each in groups.items() if name in told}


def _grouped(marks: Iterable[Mark], group_of: Callable[[Mark], str], order: Callable[[str], Any]) -> dict[str, Json]:
    groups: dict[str, list[Mark]] = {}
    for each in marks:
        groups.setdefault(group_of(each), []).append(each)
    return {name: _tally(groups[name]) for name in sorted(groups, key=order)}


def _tally(marks: Sequence[Mark]) -> dict[str, Json]:
    points = sum(each.points for each in marks)
    most = sum(maximum(each.task) for each in marks)
    return {"items": len(marks), "points": points, "max": most, "share": points / most}


def _by_number(name: str) -> tuple[int, int, str]:
    """Numbers as numbers, before any other name."""
    plain = name.removeprefix("-")
    return (0, int(name), "") if plain.isascii() and plain.isdigit() else (1, 0, name)
