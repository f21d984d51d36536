"""Aggregation of points: a submission's result, its tables and its place (tracks.md §2; U, metrics, human level)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from markup_core.lazy import dataclass
from tracks.exam import tasks
from tracks.exam.items import Key
from tracks.protocol import Json, Outcome, Section, Text
from tracks.rules import BoardRules, Unit, told_groups
from tracks.texts import tr, tr_in

_TASKS: Final = sorted(tasks.TASKS)
# Clause: U human
HUMAN: Final = {"grade_norm": tasks.HUMAN_GRADE_NORM, "points": tasks.HUMAN_POINTS, "of": tasks.VARIANT_POINTS}
"""The level that boards show beside the programs' (tracks.md §2)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Points of one item, and where they count."""

    variant: str
    task: str
    kind: str
    points: int


def mark(key: Key, prediction: str | None) -> Mark:
    """Return an item's mark; None is no answer: 0 points."""
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


# Clause: U primary, U grade_norm, tracks §2 breakdown
def summarise(marks: Sequence[Mark]) -> Summary:
    """Compute points by variant, and grade_norm: the mean over the complete variants of points / 34 (tracks.md §2).

    A variant is complete if each of the exam's 30 tasks is in it once; without one grade_norm is undefined. Breakdowns
    are over all items, each group with its ``items``, ``points``, ``max`` and ``share`` = points / max. Independent of
    the order of the marks.
    """
    variants: dict[str, list[Mark]] = {}
    for item_mark in marks:
        variants.setdefault(item_mark.variant, []).append(item_mark)
    points = {name: sum(item_mark.points for item_mark in variants[name]) for name in sorted(variants, key=_by_number)}
    complete = tuple(name for name in points if sorted(item_mark.task for item_mark in variants[name]) == _TASKS)
    whole = sum(points[name] for name in complete)
    return Summary(
        grade_norm=whole / (tasks.VARIANT_POINTS * len(complete)) if complete else None,
        variants=points,
        complete=complete,
        by_task=_grouped(marks, lambda item_mark: item_mark.task, tasks.TASKS.index),
        by_section=_grouped(marks, lambda item_mark: tasks.SECTION_OF[item_mark.task], str),
        by_type=_grouped(marks, lambda item_mark: item_mark.kind, str),
    )


def aggregate(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Aggregate the items with a record, missed ones among them with their 0 points (tracks.md §2).

    An item without a record was voided and counts for nobody: **Decision**: its variant is not complete then.
    """
    records = [outcome.score for outcome in outcomes if outcome.score is not None]
    marks = [Mark(record["variant"], record["task"], record["type"], record["score"]) for record in records]
    result = asdict(summarise(marks))
    return {
        **result,
        "complete": list(result["complete"]),
        "items": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "human": HUMAN,
    }


# Clause: TS T10, TS U-6
def totals(result: Json) -> dict[str, Any]:
    """Reduce the aggregate to totals of a closed test: no variant, no group of fewer than ten items.

    ``complete`` becomes the number of complete variants: a variant by itself is a question to the right answers.
    """
    groups = {}
    for key in ("by_task", "by_section", "by_type"):
        large = told_groups({name: group["items"] for name, group in result[key].items()})
        groups[key] = {name: group for name, group in result[key].items() if name in large}
    return {
        "grade_norm": result["grade_norm"],
        "complete": len(result["complete"]),
        **groups,
        "items": result["items"],
        "answered": result["answered"],
        "human": result["human"],
    }


def _grouped(marks: Iterable[Mark], group_of: Callable[[Mark], str], order: Callable[[str], Any]) -> dict[str, Json]:
    groups: dict[str, list[Mark]] = {}
    for item_mark in marks:
        groups.setdefault(group_of(item_mark), []).append(item_mark)
    tallies = {}
    for name in sorted(groups, key=order):
        points = sum(item_mark.points for item_mark in groups[name])
        most = sum(tasks.maximum(item_mark.task) for item_mark in groups[name])
        tallies[name] = {"items": len(groups[name]), "points": points, "max": most, "share": points / most}
    return tallies


def _by_number(name: str) -> tuple[int, int, str]:
    """Sort key: numbers as numbers, before any other name."""
    plain = name.removeprefix("-")
    return (0, int(name), "") if plain.isascii() and plain.isdigit() else (1, 0, name)


_POINTS: Final = tr("Points")
_OF: Final = tr("of")
_SHARE: Final = tr("Share")
_ITEMS: Final = tr("Items")
_PEOPLE: Final = tr("People, the whole exam")
_GROUPS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_section": (tr("By section"), tr("Section")),
    "by_task": (tr("By task"), tr("Task")),
    "by_type": (tr("By type"), tr_in("aggregate", "Type")),
}
_NAMES: Final[Mapping[str, Mapping[str, Text]]] = {"by_section": tasks.SECTION_NAMES, "by_type": tasks.TYPE_NAMES}


def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build all tables; items in the given order, and no table of items without any."""
    return (*summary(aggregate), *([_files(outcomes)] if outcomes else []))


def summary(aggregate: Json) -> tuple[Section, ...]:
    """Build the table of the result beside the human level, and the breakdowns; of totals those that they have."""
    sections = [_overall(aggregate)]
    if "variants" in aggregate:
        complete, points = frozenset(aggregate["complete"]), aggregate["variants"].items()
        rows = tuple((name, value, "✓" if name in complete else None) for name, value in points)
        sections.append(Section("variants", tr("By variant"), (tr("Variant"), _POINTS, tr("Complete")), rows))
    return (*sections, *(_group(aggregate, key) for key in _GROUPS if aggregate[key]))


def _overall(aggregate: Json) -> Section:
    human = aggregate["human"]
    mean, complete = aggregate["grade_norm"], aggregate["complete"]
    whole = complete if isinstance(complete, int) else len(complete)
    columns = (tr("Result"), tr("grade_norm"), tr("Mean points of 34"), tr("Complete variants"))
    rows = (
        ("program · программа", mean, None if mean is None else mean * human["of"], whole),
        ("people · люди", human["grade_norm"], human["points"], None),
    )
    return Section("overall", tr_in("aggregate", "Result"), columns, rows, shares=(1,))


def _group(aggregate: Json, key: str) -> Section:
    """Build one breakdown; beside each share stands people's level of the whole exam, for none is known of a part."""
    title, name = _GROUPS[key]
    people = aggregate["human"]["grade_norm"]
    names = {group: f"{both.en} · {both.ru}" for group, both in _NAMES.get(key, {}).items()}  # one set of rows for both
    rows = tuple(
        (names.get(group, group), tally["items"], tally["points"], tally["max"], tally["share"], people)
        for group, tally in aggregate[key].items()
    )
    return Section(key, title, (name, _ITEMS, _POINTS, _OF, _SHARE, _PEOPLE), rows, shares=(5, 4))


def _files(outcomes: Sequence[Outcome]) -> Section:
    columns = (tr("File"), tr("Variant"), tr("Task"), tr_in("aggregate", "Type"), _POINTS, _OF)
    rows = (
        (
            outcome.item.item_id,
            outcome.item.group,
            *((outcome.score or {}).get(name) for name in ("task", "type", "score", "max")),
        )
        for outcome in outcomes
    )
    return Section("files", tr("Files"), columns, tuple(rows))


BOARDS: Final = (
    BoardRules(
        key="grade_norm",
        title=tr("Whole variants"),
        measure=tr("grade_norm"),
        unit=Unit.SHARE,
        whole_set=True,
        barrier=tasks.HUMAN_GRADE_NORM,
        levels=((tr("people (2019), 23.835 of 34"), tasks.HUMAN_GRADE_NORM),),
    ),
)


def value(aggregate: Json) -> float | None:
    """Return grade_norm of an aggregate or of its totals."""
    grade_norm: float | None = aggregate["grade_norm"]
    return grade_norm
