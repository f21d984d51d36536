"""A system's edits against several annotators, and on context-dependent gold edits (tracks.md §3; G, Tables 4–7).

An annotator who found nothing to correct takes part with no edits. One without any line at a unit does not take part;
a unit without annotators was left as it is by annotator 0. Where the system has several annotators too, every one of
them meets every one of the reference's, and the best couple counts. The modes differ in what the best is:

- *unit*: the highest F of that unit, compared exactly; ties: more TP, fewer FP, fewer FN, lower id (of the system's,
  then of the reference's). The order of units never matters;
- *errant*: the highest F of the totals so far with this unit added, rounded to four decimals; ties: more TP, fewer FP,
  fewer FN of the unit, first in the file. The order of units matters, as it does in ERRANT 3.0.2: this mode exists to
  reproduce published numbers.

:func:`evaluate` counts gold edits that depend on a wide context, and the tables are about them (tracks.md §3; G, Tables
4–7). Only gold edits marked as context-dependent count: one that the system made is a TP, one that it did not make a
FN. The system's other edits are neither TP nor FP, so there is no FP and precision is 1; G says so and points to
recall. There is one annotation, so the total does not depend on how a text is cut into blocks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.formats.m2 import OR, AnyUnit, Edit, Fields, PlainUnit, same_text
from markup_core.lazy import dataclass
from markup_core.reading.wire import short
from markup_core.texts import at
from tracks.gec.counts import (
    DEFAULT_BETA,
    By,
    Counts,
    Detection,
    Labels,
    count,
    count_labels,
    f_measure,
    grouped,
    places,
    settled,
)
from tracks.texts import tr

_ERRANT_DECIMALS: Final = 4
_ROUNDED_AWAY: Final = 0.00011
"""Distance of two F from which on they differ when rounded, too; rounding takes as long as computing them."""
_LARGE: Final = 1 << 20
"""Characters of both texts from which on they are compared by columns."""

Couple = tuple[int, int, int, int, int]
"""TP, FP and FN of a couple of annotators at a unit, the id of the system's and the reference's."""
_Annotators = Mapping[int, Sequence[Fields]]
_UNTOUCHED: Final[_Annotators] = {0: ()}
"""A unit without annotators: left as it is by annotator 0."""


class Mode(Enum):
    """Choice of a unit's annotator."""

    UNIT = "unit"
    ERRANT = "errant"


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of comparing edits and of choosing an annotator."""

    mode: Mode = Mode.UNIT
    beta: float = DEFAULT_BETA
    detection: Detection = Detection.CORRECTION


DEFAULT_RULES: Final = Rules()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Totals over units, the same by whole label, and the couple ``(hypothesis id, reference id)`` of every unit with
    what it brought."""

    counts: Counts
    labels: Mapping[str, Counts]
    chosen: tuple[tuple[int, int], ...]
    units: tuple[Counts, ...]

    def by(self, categories: By) -> dict[str, Counts]:
        """Return totals by category, in alphabetical order."""
        return grouped(self.labels.items(), categories)

    def to_dict(self, beta: float, categories: By) -> dict[str, Any]:
        """Return the result of ``gec.compare`` (tracks.md §5)."""
        return {
            **self.counts.to_dict(beta),
            "by": {name: counts.to_dict(beta) for name, counts in self.by(categories).items()},
            "chosen": [list(couple) for couple in self.chosen],
        }


# Clause: G score 4, G score 5
def compare(
    reference: Iterable[AnyUnit], hypothesis: Iterable[AnyUnit], rules: Rules = DEFAULT_RULES, *, labels: bool = True
) -> Comparison:
    """Compute totals over the units' chosen couples (tracks.md §3), with ``labels`` also by label.

    Raises :class:`RefusedError` (``units_differ``, ``source_differs``) where the two are not of the same units. Holds
    one unit of each at a time. Linear in the edits of each couple.
    """
    tally = Tally(rules, labels=labels)
    for gold_unit, system_unit in side_by_side(reference, hypothesis):
        tally.add(gold_unit, system_unit)
    return tally.comparison()


def add_texts(
    tallies: Callable[[], Sequence[Tally]],
    texts: tuple[str, str],
    pairs: Callable[[], Iterable[tuple[AnyUnit, AnyUnit]]],
    left_out: Sequence[str] = (),
) -> Sequence[Tally]:
    """Add all units of a reference and a hypothesis in M2 to new tallies, less the edits whose label is ``left_out``.

    ``pairs`` are the same units one by one, for texts that are small or that have a fault, which they raise.
    """
    if sum(map(len, texts)) >= _LARGE:
        from tracks.gec import columns  # needs numpy, which takes longer to load than a small text to compare

        counted = tallies()
        if columns.add(*texts, counted, left_out):
            return counted
    counted = tallies()
    for gold_unit, system_unit in pairs():
        for tally in counted:
            tally.add(gold_unit, system_unit)
    return counted


class Tally:
    """Totals that grow unit by unit, by ``labels`` and by ``units`` where they are asked for."""

    def __init__(self, rules: Rules, *, labels: bool = True, units: bool = True) -> None:
        self.detection, self.by_label, self._by_unit = rules.detection, labels, units
        self._best = (_Running(rules.beta) if rules.mode is Mode.ERRANT else _Exact(rules.beta)).best
        self._tp = self._fp = self._fn = 0
        self.labels: Labels = {}
        self._chosen: list[Couple] = []

    def add(self, gold_unit: AnyUnit, system_unit: AnyUnit) -> None:
        """Add the counts of a unit's best couple."""
        gold, system = gold_unit.annotators or _UNTOUCHED, system_unit.annotators or _UNTOUCHED
        ((_, _, _, h, r),) = self.choose([_couples(system, gold, self.detection)])
        if self.by_label:
            count_labels(system[h], gold[r], self.detection, self.labels)

    def choose(self, units: Iterable[Sequence[Couple]]) -> list[Couple]:
        """Add the counts of the best of each unit's couples, which are at least one, and return the best ones."""
        chosen = []
        all_tp, all_fp, all_fn = self._tp, self._fp, self._fn
        for couples in units:
            best = couples[0] if len(couples) == 1 else self._best(couples, (all_tp, all_fp, all_fn))
            tp, fp, fn, _, _ = best
            all_tp, all_fp, all_fn = all_tp + tp, all_fp + fp, all_fn + fn
            chosen.append(best)
        self._tp, self._fp, self._fn = all_tp, all_fp, all_fn
        if self._by_unit:
            self._chosen.extend(chosen)
        return chosen

    def comparison(self) -> Comparison:
        """Return the totals of the units so far."""
        by_label = {name: Counts(*numbers) for name, numbers in self.labels.items()}
        totals = Counts(self._tp, self._fp, self._fn)
        ids, units = ((h, r) for _, _, _, h, r in self._chosen), (Counts(*couple[:3]) for couple in self._chosen)
        return Comparison(totals, by_label, tuple(ids), tuple(units))


def without(unit: AnyUnit, types: Sequence[str]) -> AnyUnit:
    """Return a unit less the edits whose whole label is one of ``types``, as ``errant_compare -filt`` takes them.

    An annotator all of whose edits are left out goes on taking part, without edits. Linear in the edits.
    """
    if not types:
        return unit
    source, annotators, line = unit
    counted = {number: [edit for edit in edits if edit[2] not in types] for number, edits in annotators.items()}
    return PlainUnit(source, counted, line)


def side_by_side(
    reference: Iterable[AnyUnit], hypothesis: Iterable[AnyUnit], name: str = ""
) -> Iterator[tuple[AnyUnit, AnyUnit]]:
    """Yield the units of both files; refuse files of different texts: nothing between them can be measured.

    ``name`` is the hypothesis's in the refusal.
    Faults of a file that is read here are raised first, those of the reference before those of the hypothesis.
    """
    golds, systems = iter(reference), iter(hypothesis)
    number, first, second = 0, next(golds, None), _next(systems, golds)
    while first is not None and second is not None:
        if first.source != second.source and not same_text(first.source.split(), second.source.split()):
            break
        yield first, second
        number, first, second = number + 1, next(golds, None), _next(systems, golds)
    counts = [number + (unit is not None) + sum(1 for _ in rest) for unit, rest in ((first, golds), (second, systems))]
    if first is not None and second is not None:
        code = "source_differs"
        message = tr(
            "unit {number} differs: the reference has {source} in line {line}, the hypothesis {source_2} "
            "in line {line_2}",
            number=number,
            source=short(first.source),
            line=first.line,
            source_2=short(second.source),
            line_2=second.line,
        )
        details = {"unit": number, "reference_line": first.line, "hypothesis_line": second.line}
    elif counts[0] != counts[1]:
        code = "units_differ"
        message = tr(
            "the reference has {reference} units, the hypothesis {hypothesis}; is one of them cut off?",
            reference=counts[0],
            hypothesis=counts[1],
        )
        details = {"reference": counts[0], "hypothesis": counts[1]}
    else:
        return
    raise RefusedError(code, at(name, message) if name else message, details)


def _next(systems: Iterator[AnyUnit], golds: Iterator[AnyUnit]) -> AnyUnit | None:
    """Return the next unit of the hypothesis; before its faults are raised the reference is read to its end."""
    try:
        return next(systems, None)
    except ValueError:  # an M2Error, or the refusal that names the input
        deque(golds, 0)
        raise


def _couples(system: _Annotators, gold: _Annotators, detection: Detection) -> list[Couple]:
    corrections = "\n".join([edit[3] for side in (system, gold) for edits in side.values() for edit in edits])
    if OR in corrections:
        return [
            (tp, fp, fn, h, r)
            for h, r in product(system, gold)
            for ours, theirs in [settled(system[h], gold[r])]
            for tp, fp, fn in count(places(ours, detection), [places(theirs, detection)])
        ]
    is_ascii = corrections.isascii()
    gold_places = [places(edits, detection, is_ascii=is_ascii) for edits in gold.values()]
    return [
        (tp, fp, fn, h, r)
        for h, edits in system.items()
        for r, (tp, fp, fn) in zip(gold, count(places(edits, detection, is_ascii=is_ascii), gold_places), strict=True)
    ]


class _Exact:
    """Takes the couple with the highest F of its unit; then more TP, fewer FP, fewer FN, lower ids (tracks.md §3).

    F is (1 + β²)·TP / ((1 + β²)·TP + FP + β²·FN), 1 for nothing to find and nothing found, compared in whole numbers;
    β is the decimal fraction it is written as.
    """

    def __init__(self, beta: float) -> None:
        square = Fraction(str(beta)) ** 2
        self._parts, self._whole = square.numerator, square.denominator

    # Clause: G score 3, tracks §3 ties
    def best(self, couples: Sequence[Couple], _totals: tuple[int, int, int]) -> Couple:
        """Choose the best of the couples, which are at least one."""
        best = couples[0]
        best_right, best_whole = self._f(best)
        for couple in couples[1:]:
            right, whole = self._f(couple)
            ahead = right * best_whole - best_right * whole
            if ahead > 0 or (ahead == 0 and _preference(couple) > _preference(best)):
                best, best_right, best_whole = couple, right, whole
        return best

    def _f(self, couple: Couple) -> tuple[int, int]:
        """Compute numerator and denominator of F."""
        tp, fp, fn, _, _ = couple
        right = (self._parts + self._whole) * tp
        whole = right + self._whole * fp + self._parts * fn
        return (right, whole) if whole else (1, 1)


# Clause: tracks §3 ties
def _preference(couple: Couple) -> tuple[int, ...]:
    tp, fp, fn, hypothesis, reference = couple
    return tp, -fp, -fn, -hypothesis, -reference


class _Running:
    """Takes the couple that ``errant_compare`` takes, with its floats and its rounding (tracks.md §3, mode errant)."""

    def __init__(self, beta: float) -> None:
        self._square = beta**2

    # Clause: tracks §3 errant
    def best(self, couples: Sequence[Couple], totals: tuple[int, int, int]) -> Couple:
        """Choose the first of the best couples, which are at least one."""
        best, best_f, best_rank = couples[0], -1.0, None
        all_tp, all_fp, all_fn = totals
        for couple in couples:
            tp, fp, fn, _, _ = couple
            f, rank = f_measure(all_tp + tp, all_fp + fp, all_fn + fn, self._square), None
            if -_ROUNDED_AWAY < f - best_f < _ROUNDED_AWAY:
                best_rank = best_rank or (round(best_f, _ERRANT_DECIMALS), best[0], -best[1], -best[2])
                rank = round(f, _ERRANT_DECIMALS), tp, -fp, -fn
                if rank <= best_rank:
                    continue
            elif f < best_f:
                continue
            best, best_f, best_rank = couple, f, rank
        return best


NOT_SAID: Final = "unknown"
"""A context that is not said."""
NEEDS: Final = ("detection", "detection_and_correction", "correction", NOT_SAID)
"""What a context is needed for."""
MORE: Final = 4
"""Distances above this one share a row (G, Table 6)."""


class Scope(Enum):
    """Place of the context: in another clause of the sentence, or in another sentence."""

    CLAUSE = "clause"
    SENTENCE = "sentence"


class Direction(Enum):
    """Side on which the context lies."""

    LEFT = "left"
    RIGHT = "right"
    EITHER = "either"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Context:
    """Context needed to find or mend an error (G, "Аннотация концентрированного датасета").

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


# Clause: G concentrated 2, G Table 7
def evaluate(
    gold: Iterable[GoldEdit], hypothesis: Sequence[Edit], detection: Detection = Detection.CORRECTION
) -> Comparison:
    """Count one unit (tracks.md §3): TP and FN over context-dependent gold edits, no FP."""
    ours: Sequence[Fields] = [gold_edit.edit for gold_edit in gold if gold_edit.context_dependent]
    system, ours = settled(hypothesis, ours)
    labels: Labels = {}
    count_labels(system, ours, detection, labels)
    counted = {name: Counts(tp, 0, fn) for name, (tp, _, fn) in labels.items() if tp or fn}
    ((tp, _, fn),) = count(places(system, detection), [places(ours, detection)])
    counts = Counts(tp, 0, fn)
    return Comparison(counts, counted, ((0, 0),), (counts,))


# Clause: G Table 4
def by_type(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """Count context-dependent edits by type, the most frequent first (G, Table 4)."""
    return _ranked(Counter(gold_edit.edit.type for gold_edit in gold if gold_edit.context_dependent))


# Clause: G App B
def among_all(gold: Iterable[GoldEdit]) -> dict[str, tuple[int, int]]:
    """Count edits of each type of error, and those of them that depend on context (G, Appendix B).

    The types with the largest share of such edits come first.
    """
    every: Counter[str] = Counter()
    dependent: Counter[str] = Counter()
    for gold_edit in gold:
        every[gold_edit.edit.type] += 1
        dependent[gold_edit.edit.type] += gold_edit.context_dependent
    order = sorted(every, key=lambda name: (-Fraction(dependent[name], every[name]), -every[name], name))
    return {name: (every[name], dependent[name]) for name in order}


# Clause: G Table 6
def by_context(gold: Iterable[GoldEdit]) -> dict[tuple[Direction, str], Mapping[Scope, int]]:
    """Count context-dependent edits by the context that they need, in the order of G's Table 6.

    A row is a direction and a distance, ``"1"`` to ``"4"`` and ``">4"``, or ``"1+2"`` for both sides. Edits without
    this metadata are in no row.
    """
    rows: dict[tuple[Direction, str], Counter[Scope]] = {}
    contexts = [
        gold_edit.context for gold_edit in gold if gold_edit.context_dependent and gold_edit.context is not None
    ]
    for context in sorted(
        contexts, key=lambda context: (list(Direction).index(context.direction), context.left, context.right)
    ):
        rows.setdefault((context.direction, _distance(context)), Counter())[context.scope] += 1
    return dict(rows)


# Clause: TS G-4
def parted(gold: Iterable[GoldEdit]) -> tuple[dict[str, list[GoldEdit]], dict[str, list[GoldEdit]]]:
    """Group context-dependent edits by direction and distance of their context ("left 1"), and by its purpose."""
    contexts: dict[str, list[GoldEdit]] = {}
    needs: dict[str, list[GoldEdit]] = {}
    for gold_edit in gold:
        if gold_edit.context_dependent:
            context = gold_edit.context
            side = NOT_SAID if context is None else f"{context.direction.value} {_distance(context)}"
            contexts.setdefault(side, []).append(gold_edit)
            needs.setdefault(_need(gold_edit.context), []).append(gold_edit)
    return contexts, needs


def context_order(name: str) -> tuple[int, int, str]:
    """Sort key of :func:`parted`'s names: left, right, either, both; near before far; unknown last."""
    direction, _, distance = name.partition(" ")
    sides = [side.value for side in Direction]
    far = distance.startswith(">")
    return (sides.index(direction) if direction in sides else len(sides), int(far), distance)


def by_need(gold: Iterable[GoldEdit]) -> dict[str, int]:
    """Count context-dependent edits by the need for context: detection, correction alone, or unknown."""
    needs = Counter(_need(gold_edit.context) for gold_edit in gold if gold_edit.context_dependent)
    return {name: needs[name] for name in NEEDS}


# Clause: G Table 5
def by_source(sources: Iterable[tuple[str, Sequence[GoldEdit]]]) -> dict[str, int]:
    """Count context-dependent edits by corpus, the largest first (G, Table 5)."""
    corpora: Counter[str] = Counter()
    for source, gold in sources:
        corpora[source] += sum(gold_edit.context_dependent for gold_edit in gold)
    return _ranked(corpora)


def _ranked(counted: Counter[str]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _need(context: Context | None) -> str:
    if context is None:
        return NOT_SAID
    if context.detection:
        return "detection_and_correction" if context.correction else "detection"
    return "correction"


# Clause: G Table 6
def _distance(context: Context) -> str:
    sides = [f">{MORE}" if side > MORE else str(side) for side in (context.left, context.right) if side]
    return "+".join(sides)
