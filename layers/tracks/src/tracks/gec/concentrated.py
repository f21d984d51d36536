"""Evaluation on gold edits that depend on a wide context, and the tables about them (tracks.md §3; G, Tables 4–7).

Only gold edits marked as context-dependent count: one that the system made is a TP, one that it did not make a FN. What
else the system did is neither TP nor FP, so there is no FP and precision is 1; G says so and points to recall. There is
one annotation, so the total does not depend on how a text is cut into blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from tracks.gec.comparison import Comparison
from tracks.gec.counts import Counts
from tracks.gec.m2 import Edit
from tracks.gec.places import Detection, Labels, Places, count, count_labels, places, settled

UNKNOWN: Final = "unknown"
"""A context that is not said."""
NEEDS: Final = ("detection", "detection_and_correction", "correction", UNKNOWN)
"""What a context is needed for."""
MORE: Final = 4
"""Distances above this one share a row (G, Table 6)."""


class Scope(Enum):
    """Where the context lies: in another clause of the sentence, or in another sentence."""

    CLAUSE = "clause"
    SENTENCE = "sentence"


class Direction(Enum):
    """On which side the context lies."""

    LEFT = "left"
    RIGHT = "right"
    EITHER = "either"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Context:
    """What it takes to find or mend an error (G, "Аннотация концентрированного датасета").

    ``left`` and ``right`` are distances in clauses or sentences, as ``scope`` says; 0 on a side that is not needed.
    """

    detection: bool
    correction: bool
    scope: Scope
    direction: Direction
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class GoldEdit:
    """A gold edit with its metadata; ``group`` names the interdependent edits of its item that it belongs to."""

    edit: Edit
    context_dependent: bool
    context: Context | None = None
    group: str | None = None


def evaluate(
    gold: Iterable[GoldEdit], hypothesis: Sequence[Edit], detection: Detection = Detection.CORRECTION
) -> Comparison:
    """Counts of one unit (tracks.md §3): TP and FN over context-dependent gold edits, no FP.

    Clause: G concentrated 2, G Table 7
    """
    ours: Sequence[Edit] = [each.edit for each in gold if each.context_dependent]
    hypothesis, ours = settled(hypothesis, ours)
    listed = places(hypothesis, detection)
    labels: Labels = {}
    count_labels(hypothesis, ours, detection, labels)
    counted = {name: Counts(tp, 0, fn) for name, (tp, _, fn) in labels.items() if tp or fn}
    found = count(Places(listed, set(listed)), places(ours, detection))
    found = found._replace(fp=0)
    return Comparison(found, counted, ((0, 0),), (found,))


def by_type(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """How many context-dependent edits there are of each type, the most frequent first (G, Table 4).

    Clause: G Table 4
    """
    return _ranked(Counter(each.edit.type for each in gold if each.context_dependent))


def among_all(gold: Iterable[GoldEdit]) -> dict[str, tuple[int, int]]:
    """Of each type of error how many edits there are, and how many of them depend on context (G, Appendix B).

    The types with the largest share of such edits come first.

    Clause: G App B
    """
    every: Counter[str] = Counter()
    dependent: Counter[str] = Counter()
    for each in gold:
        every[each.edit.type] += 1
        dependent[each.edit.type] += each.context_dependent
    order = sorted(every, key=lambda name: (-Fraction(dependent[name], every[name]), -every[name], name))
    return {name: (every[name], dependent[name]) for name in order}


def by_context(gold: Iterable[GoldEdit]) -> dict[tuple[Direction, str], Mapping[Scope, int]]:
    """How many context-dependent edits need which context, in the order of G's Table 6.

    A row is a direction and a distance, ``"1"`` to ``"4"`` and ``">4"``, or ``"1+2"`` for both sides. Edits without
    this metadata are in no row.

    Clause: G Table 6
    """
    found: dict[tuple[Direction, str], Counter[Scope]] = {}
    contexts = [each.context for each in gold if each.context_dependent and each.context is not None]
    for context in sorted(contexts, key=_order):
        found.setdefault((context.direction, _distance(context)), Counter())[context.scope] += 1
    return dict(found)


def parted(gold: Iterable[GoldEdit]) -> tuple[dict[str, list[GoldEdit]], dict[str, list[GoldEdit]]]:
    """The context-dependent edits by direction and distance of their context ("left 1"), and by what it is needed for.

    Clause: TS G-4
    """
    contexts: dict[str, list[GoldEdit]] = {}
    needs: dict[str, list[GoldEdit]] = {}
    for each in gold:
        if each.context_dependent:
            contexts.setdefault(_placed(each.context), []).append(each)
            needs.setdefault(_need(each.context), []).append(each)
    return contexts, needs


def context_order(name: str) -> tuple[int, int, str]:
    """In which order names of :func:`parted` stand: left, right, either, both; near before far; unknown last."""
    direction, _, distance = name.partition(" ")
    known = [each.value for each in Direction]
    far = distance.startswith(">")
    return (known.index(direction) if direction in known else len(known), int(far), distance)


def _placed(context: Context | None) -> str:
    return UNKNOWN if context is None else f"{context.direction.value} {_distance(context)}"


def by_need(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """How many context-dependent edits need their context for detection, for correction alone, and what is not said."""
    found = Counter(_need(each.context) for each in gold if each.context_dependent)
    return {name: found[name] for name in NEEDS}


def by_source(sources: Iterable[tuple[str, Sequence[GoldEdit]]]) -> dict[str, int]:
    """How many context-dependent edits come from each corpus, the largest first (G, Table 5).

    Clause: G Table 5
    """
    found: Counter[str] = Counter()
    for source, gold in sources:
        found[source] += sum(each.context_dependent for each in gold)
    return _ranked(found)


def _ranked(counted: Counter[str]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _need(context: Context | None) -> str:
    if context is None:
        return UNKNOWN
    if context.detection:
        return "detection_and_correction" if context.correction else "detection"
    return "correction"


def _order(context: Context) -> tuple[int, int, int]:
    return list(Direction).index(context.direction), context.left, context.right


def _distance(context: Context) -> str:
    """Clause: G Table 6"""
    sides = [f">{MORE}" if side > MORE else str(side) for side in (context.left, context.right) if side]
    return "+".join(sides)
