"""A system's edits against those of several annotators, unit by unit (tracks.md §3).

An annotator who found nothing to correct takes part with no edits. One without any line at a unit does not take part;
a unit without annotators was left as it is by annotator 0. Where the system has several annotators too, every one of
them meets every one of the reference's, and the best couple counts. The modes differ in what the best is:

- *unit*: the highest F of that unit, compared exactly; ties: more TP, fewer FP, fewer FN, lower id (of the system's,
  then of the reference's). The order of units never matters;
- *errant*: the highest F of the totals so far with this unit added, rounded to four decimals; ties: more TP, fewer FP,
  fewer FN of the unit, first in the file. The order of units matters, as it does in ERRANT 3.0.2: this mode exists to
  reproduce published numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.reading.wire import short, short_ru
from markup_core.said import Said
from tracks.gec.counts import DEFAULT_BETA, Counts, f_measure
from tracks.gec.m2 import OR, Edit, Unit, same_text
from tracks.gec.places import By, Detection, Labels, Places, count, count_labels, grouped, places, settled

_ERRANT_DECIMALS: Final = 4

_Couple = tuple[Counts, int, int]
"""Counts of a couple of annotators at a unit, the id of the system's and the reference's."""
_Annotators = Mapping[int, Sequence[Edit]]
_UNTOUCHED: Final[_Annotators] = {0: ()}
"""A unit without annotators: left as it is by annotator 0."""


class Mode(Enum):
    """How the annotator of a unit is chosen."""

    UNIT = "unit"
    ERRANT = "errant"


@dataclass(frozen=True, slots=True)
class Rules:
    """How edits are compared and an annotator is chosen."""

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
        """Totals by category, in alphabetical order."""
        return grouped(self.labels.items(), categories)

    def to_dict(self, beta: float, categories: By) -> dict[str, Any]:
        """The result of ``gec.compare`` (tracks.md §5)."""
        return {
            **self.counts.to_dict(beta),
            "by": {name: counts.to_dict(beta) for name, counts in self.by(categories).items()},
            "chosen": [list(couple) for couple in self.chosen],
        }


def compare(
    reference: Sequence[Unit], hypothesis: Sequence[Unit], rules: Rules = DEFAULT_RULES, *, labels: bool = True
) -> Comparison:
    """Totals over the units' chosen couples (tracks.md §3), with ``labels`` also by label.

    Raises :class:`RefusedError` (``units_differ``, ``source_differs``) where the two are not of the same units. Linear
    in the edits of each couple.

    Clause: G score 4, G score 5
    """
    check_same_units(reference, hypothesis)
    judge = _Running(rules.beta) if rules.mode is Mode.ERRANT else _Exact(rules.beta)
    found: Labels = {}
    chosen: list[tuple[int, int]] = []
    brought: list[Counts] = []
    totals = Counts()
    for gold_unit, system_unit in zip(reference, hypothesis, strict=True):
        gold, system = gold_unit.annotators or _UNTOUCHED, system_unit.annotators or _UNTOUCHED
        counts, h, r = judge.best(_couples(system, gold, rules.detection), totals)
        totals = totals.plus(counts)
        chosen.append((h, r))
        brought.append(counts)
        if labels:
            count_labels(system[h], gold[r], rules.detection, found)
    by_label = {name: Counts(*numbers) for name, numbers in found.items()}
    return Comparison(totals, by_label, tuple(chosen), tuple(brought))


def without(units: Sequence[Unit], types: Sequence[str]) -> tuple[Unit, ...]:
    """The units less the edits whose whole label is one of ``types``, as ``errant_compare -filt`` takes them.

    An annotator all of whose edits are left out goes on taking part, without edits. Linear in the edits.
    """
    if not types:
        return tuple(units)
    unwanted = frozenset(types)
    return tuple(
        unit._replace(
            annotators={
                number: tuple(edit for edit in edits if edit.type not in unwanted)
                for number, edits in unit.annotators.items()
            }
        )
        for unit in units
    )


def check_same_units(reference: Sequence[Unit], hypothesis: Sequence[Unit]) -> None:
    """Refuse files of different texts: nothing between them can be measured."""
    for number, (one, other) in enumerate(zip(reference, hypothesis, strict=False)):
        if one.source != other.source and not same_text(one.tokens, other.tokens):
            message = Said(
                f"unit {number} differs: the reference has {short(one.source)} in line {one.line}, the hypothesis"
                f" {short(other.source)} in line {other.line}",
                f"блок {number} различается: в эталоне {short_ru(one.source)} в строке {one.line}, в ответе"
                f" {short_ru(other.source)} в строке {other.line}",
            )
            details = {"unit": number, "reference_line": one.line, "hypothesis_line": other.line}
            raise RefusedError("source_differs", message, details)
    if len(reference) != len(hypothesis):
        message = Said(
            f"the reference has {len(reference)} units, the hypothesis {len(hypothesis)}; is one of them cut off?",
            f"блоков в эталоне {len(reference)}, в ответе {len(hypothesis)}; один из файлов обрезан?",
        )
        raise RefusedError("units_differ", message, {"reference": len(reference), "hypothesis": len(hypothesis)})


def _couples(system: _Annotators, gold: _Annotators, detection: Detection) -> list[_Couple]:
    if any(OR in edit.correction for side in (system, gold) for edits in side.values() for edit in edits):
        return [
            (count(_places(made, detection), places(asked, detection)), h, r)
            for h, r, (made, asked) in (
                (h, r, settled(edits, listed)) for h, edits in system.items() for r, listed in gold.items()
            )
        ]
    asked = [(r, places(edits, detection)) for r, edits in gold.items()]
    found = []
    for h, edits in system.items():
        made = _places(edits, detection)
        found += [(count(made, each), h, r) for r, each in asked]
    return found


def _places(edits: Sequence[Edit], detection: Detection) -> Places:
    listed = places(edits, detection)
    return Places(listed, set(listed))


class _Exact:
    """Takes the couple with the highest F of its unit; then more TP, fewer FP, fewer FN, lower ids (tracks.md §3).

    F is (1 + β²)·TP / ((1 + β²)·TP + FP + β²·FN), 1 for nothing to find and nothing found, compared in whole numbers;
    β is the decimal fraction it is written as.
    """

    def __init__(self, beta: float) -> None:
        square = Fraction(str(beta)) ** 2
        self._parts, self._whole = square.numerator, square.denominator

    def best(self, couples: Sequence[_Couple], _totals: Counts) -> _Couple:
        """The best of the couples, which are at least one.

        Clause: G score 3, tracks §3 ties
        """
        best = couples[0]
        best_right, best_of = self._f(best[0])
        for couple in couples[1:]:
            right, of = self._f(couple[0])
            ahead = right * best_of - best_right * of
            if ahead > 0 or (ahead == 0 and _preference(couple) > _preference(best)):
                best, best_right, best_of = couple, right, of
        return best

    def _f(self, counts: Counts) -> tuple[int, int]:
        """Numerator and denominator of F."""
        tp, fp, fn = counts
        right = (self._parts + self._whole) * tp
        of = right + self._whole * fp + self._parts * fn
        return (right, of) if of else (1, 1)


def _preference(couple: _Couple) -> tuple[int, ...]:
    """Clause: tracks §3 ties"""
    (tp, fp, fn), hypothesis, reference = couple
    return tp, -fp, -fn, -hypothesis, -reference


class _Running:
    """Takes the couple that ``errant_compare`` takes, with its floats and its rounding (tracks.md §3, mode errant)."""

    def __init__(self, beta: float) -> None:
        self._square = beta**2

    def best(self, couples: Sequence[_Couple], totals: Counts) -> _Couple:
        """The first of the best couples, which are at least one.

        Clause: tracks §3 errant
        """
        best, best_rank = couples[0], (-1.0, 0, 0, 0)
        for couple in couples:
            tp, fp, fn = couple[0]
            f = f_measure(totals.tp + tp, totals.fp + fp, totals.fn + fn, self._square)
            rank = round(f, _ERRANT_DECIMALS), tp, -fp, -fn
            if rank > best_rank:
                best, best_rank = couple, rank
        return best
