"""Count a system's edits in large M2 texts: arrays over hundreds of units, not sets of each (tracks.md §3).

:mod:`tracks.gec.comparison` says which edits are the same, and what places with several edits count. Here numpy counts
the same, which tests/tracks/gec/test_properties.py compares on generated texts. Both choose by :meth:`Tally.choose`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from markup_core.command.inputs import RefusedError
from markup_core.formats import m2_columns
from markup_core.formats.m2 import M2Error, PlainUnit, units
from markup_core.formats.m2_columns import BITS, Columns, Ints, OtherFormError, Texts
from tracks.gec.comparison import UNKNOWN, Detection, Tally, side_by_side, without

_MOST_PAIRS: Final = 8
"""Pairs of edits at the same place, for each edit, that are compared here."""
_HALF: Final = 32
"""Bits of the lower of two numbers in one."""


def add(reference: str, hypothesis: str, tallies: Sequence[Tally], left_out: Sequence[str]) -> bool:
    """Add all units of two texts to the tallies, less the edits whose label is ``left_out``.

    False where a text has a fault or the texts differ: the tallies are not to be used then, and reading unit by unit
    tells what is wrong.
    """
    gold, system = _Side(reference), _Side(hypothesis)
    try:
        while gold.is_open() & system.is_open():
            count = min(gold.left, system.left)
            evaluations = _evaluations(gold.columns(count), system.columns(count), tallies, left_out)
            for tally, evaluation in zip(tallies, evaluations, strict=False):
                _add(tally, evaluation)
            for pair in () if evaluations else side_by_side(gold.units(count), system.units(count)):
                one, other = (without(unit, left_out) for unit in pair)
                for tally in tallies:
                    tally.add(one, other)
            gold.left, system.left = gold.left - count, system.left - count
    except (M2Error, RefusedError, OtherFormError):
        return False
    return gold.left == system.left


class _Side:
    """A text, a portion at a time; ``left`` of its units are still to be counted."""

    def __init__(self, text: str) -> None:
        self._portions = m2_columns.portions(text)
        self._portion = ""
        self._columns: Columns | None = None
        self._units: list[PlainUnit] = []
        self._count = self.left = 0

    def is_open(self) -> bool:
        """Return whether a unit is left; read the next portion where none is left of the last."""
        if not self.left and (portion := next(self._portions, None)) is not None:
            self._portion, self._columns, self._units = portion, m2_columns.columns(portion), []
            sentences = self._read_units() if self._columns is None else self._columns.sources
            self._count = self.left = len(sentences)
        return self.left > 0

    def columns(self, count: int) -> Columns | None:
        """Return the next units as columns; None where the portion cannot be read so."""
        first = self._count - self.left
        return self._columns and self._columns.part(first, first + count)

    def units(self, count: int) -> list[PlainUnit]:
        """Return the next units; their lines are counted from the portion's first."""
        first = self._count - self.left
        return self._read_units()[first : first + count]

    def _read_units(self) -> list[PlainUnit]:
        self._units = self._units or list(units(self._portion))
        return self._units


class _Annotators(NamedTuple):
    """The annotators of every unit, in the order of the text; of a unit without any, annotator 0, without edits."""

    of_edits: Ints
    number: Ints
    first: Ints
    """The place of each unit's first annotator among all."""
    size: Ints
    """The number of annotators of each unit."""


class _Couples(NamedTuple):
    """Couples of annotators, unit by unit: the system's first with each of the reference's, then its next."""

    first: Ints
    """The first couple of each unit."""
    system: Ints
    gold: Ints
    numbers: tuple[list[int], list[int]]
    """The annotators' numbers in the texts, the system's and the reference's."""


class _Places(NamedTuple):
    """Places of edits that count: one of each edit, or one for each of its tokens."""

    side: Columns
    edit: Ints
    annotator: Ints
    key: Ints
    """Unit and span, or unit and token."""


class _Evaluation(NamedTuple):
    """Places in one kind of evaluation; of each pair of equal ones the system's place, the gold place, the couple."""

    couples: _Couples
    system: _Places
    gold: _Places
    same: tuple[Ints, Ints, Ints]


def _evaluations(
    gold: Columns | None, system: Columns | None, tallies: Sequence[Tally], left_out: Sequence[str]
) -> list[_Evaluation]:
    """Pair equal places in each tally's kind of evaluation.

    Empty where columns do not serve: a text is not in their form, sentences differ by a byte, an annotator's edits
    stand apart in a unit, or one place has many edits on both sides.
    """
    if gold is None or system is None or gold.sources != system.sources:
        return []
    ours, theirs = _annotators(system), _annotators(gold)
    if ours is None or theirs is None:
        return []
    couples = _couples(ours, theirs)
    evaluations = []
    for tally in tallies:
        system_places = _places(system, ours, tally.detection, left_out)
        gold_places = _places(gold, theirs, tally.detection, left_out)
        same = _same(system_places, gold_places, tally.detection)
        if same is None:
            return []
        one, other = same
        unit = gold.unit[gold_places.edit[other]]
        row = system_places.annotator[one] - ours.first[unit]
        couple = couples.first[unit] + row * theirs.size[unit] + gold_places.annotator[other] - theirs.first[unit]
        evaluations.append(_Evaluation(couples, system_places, gold_places, (one, other, couple)))
    return evaluations


def _annotators(side: Columns) -> _Annotators | None:
    """Return the annotators of all units; None where one's edits do not stand together."""
    code = side.unit << BITS | side.annotator
    is_first = np.diff(code, prepend=-1) != 0
    codes = code[is_first]
    if not np.diff(np.sort(codes)).all():
        return None
    size = np.bincount(codes >> BITS, minlength=len(side.sources))
    with_all = np.concatenate((codes, np.flatnonzero(size == 0) << BITS))
    order = np.argsort(with_all >> BITS, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    size = np.maximum(size, 1)
    numbers = with_all[order] & ((1 << BITS) - 1)
    return _Annotators(place[np.cumsum(is_first) - 1], numbers, np.cumsum(size) - size, size)


def _couples(system: _Annotators, gold: _Annotators) -> _Couples:
    size = system.size * gold.size
    first = np.cumsum(size) - size
    row, column = np.divmod(np.arange(size.sum()) - np.repeat(first, size), np.repeat(gold.size, size))
    ours, theirs = row + np.repeat(system.first, size), column + np.repeat(gold.first, size)
    return _Couples(first, ours, theirs, (system.number[ours].tolist(), gold.number[theirs].tolist()))


def _places(side: Columns, annotators: _Annotators, detection: Detection, left_out: Sequence[str]) -> _Places:
    counts = side.start >= 0
    for label in [*left_out, *([UNKNOWN] if detection is Detection.CORRECTION else [])]:
        counts &= ~side.content.are(side.label, label)
    edit = np.flatnonzero(counts)
    if detection is Detection.TOKEN:
        size = np.maximum(side.end - side.start, 1)[edit]
        token = np.arange(size.sum()) + np.repeat(side.start[edit] - np.cumsum(size) + size, size)
        edit = np.repeat(edit, size)
        key = side.unit[edit] << BITS | token
    else:
        key = (side.unit[edit] << BITS | side.start[edit]) << BITS | side.end[edit]
    return _Places(side, edit, annotators.of_edits[edit], key)


def _same(system: _Places, gold: _Places, detection: Detection) -> tuple[Ints, Ints] | None:
    """Pair the system's places with equal gold places; None where one place has too many edits."""
    order = np.argsort(system.key, kind="stable")
    keys = system.key[order]
    at, behind = (np.searchsorted(keys, gold.key, side) for side in ("left", "right"))
    count = behind - at
    if count.sum() > _MOST_PAIRS * (len(system.key) + len(gold.key)):
        return None
    other = np.repeat(np.arange(len(count)), count)
    one = order[np.arange(len(other)) + np.repeat(at - np.cumsum(count) + count, count)]
    if detection is Detection.CORRECTION:
        is_same = m2_columns.equal(system.side, system.edit[one], gold.side, gold.edit[other])
        one, other = one[is_same], other[is_same]
    return one, other


def _add(tally: Tally, evaluation: _Evaluation) -> None:
    """Add every unit's best couple."""
    couples, system, gold, (one, other, couple) = evaluation
    tp, covered = (_distinct(couple, places, len(couples.gold)) for places in (other, one))
    fp, fn = _sizes(system, couples.system) - covered, _sizes(gold, couples.gold) - tp
    listed = list(zip(tp.tolist(), fp.tolist(), fn.tolist(), *couples.numbers, strict=True))
    options = [listed[first:behind] for first, behind in pairwise([*couples.first.tolist(), len(listed)])]
    chosen = tally.choose(options)
    if tally.by_label:
        is_chosen = np.zeros(len(couples.gold), np.bool_)
        is_chosen[couples.first + [unit.index(best) for unit, best in zip(options, chosen, strict=True)]] = True
        pairs = is_chosen[couple]
        right, missed = _labels(gold, couples.gold[is_chosen], other[pairs])
        _, wrong = _labels(system, couples.system[is_chosen], one[pairs])
        for column, labels in enumerate((right, wrong, missed)):
            for label, number in Counter(labels).items():
                tally.labels.setdefault(label.decode("utf-8", "surrogatepass"), [0, 0, 0])[column] += number


def _distinct(couple: Ints, place: Ints, couples: int) -> Ints:
    """Count the different places of each couple."""
    codes = np.sort(couple << _HALF | place)  # np.unique takes longer
    return np.bincount(codes[np.diff(codes, prepend=-1) > 0] >> _HALF, minlength=couples)


def _sizes(places: _Places, annotators: Ints) -> Ints:
    """Count the places of each of the annotators."""
    return np.bincount(places.annotator, minlength=int(annotators.max()) + 1)[annotators]


def _labels(places: _Places, annotators: Ints, paired: Ints) -> tuple[Iterator[bytes], Iterator[bytes]]:
    """Yield the labels of these annotators' places that are paired, and of those that are not."""
    is_wanted = np.bincount(annotators, minlength=int(places.annotator.max(initial=0)) + 1) > 0
    is_counted, is_paired = is_wanted[places.annotator], np.zeros(len(places.edit), np.bool_)
    is_paired[paired] = True
    content, (at, size) = places.side.content, places.side.label
    edits = (places.edit[is_counted & is_paired], places.edit[is_counted & ~is_paired])
    right, wrong = (content.pieces(Texts(at[edit], size[edit])) for edit in edits)
    return right, wrong
