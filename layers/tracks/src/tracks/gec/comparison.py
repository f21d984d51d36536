"""A system's edits against several annotators: TP, FP and FN, and the measures made of them (tracks.md §3).

Two annotators' edits are counted against each other by the key that makes two edits the same, as ERRANT 3.0.2 compares
them (``errant_compare``, with ``-ds`` and ``-dt``):

- *correction*: an edit is right when span and correction are those of a gold edit; types do not matter. Corrections
  are compared in NFC, so that й is й however it is encoded (ERRANT compares code points). Edits of the type ``UNK``
  (detected, not corrected) do not count here;
- *span*: when the span is that of a gold edit;
- *token*: each token of an edit is counted for itself; an insertion counts as the token on its right.

Several edits of one annotator at one place (equal keys) are one place with as many types: where the other has it too,
each **gold** type is a TP; where the system has not, each is a FN; a place of the system without a counterpart gives a
FP for each type of the **system's**. So doubling an edit costs a system nothing where it is right.

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

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from markup_core.command.inputs import RefusedError
from markup_core.formats.m2 import OR, AnyUnit, Fields, PlainUnit, alternatives, same_text
from markup_core.lazy import dataclass
from markup_core.reading.wire import short
from markup_core.texts import at
from tracks.texts import tr

DEFAULT_BETA: Final = 0.5
MIN_BETA: Final = 0.001
MAX_BETA: Final = 1000.0
"""Bounds of beta: at 0, F of a recall of 0 would be 0/0."""


class Counts(NamedTuple):
    """Edits of a system that are right, that are wrong, and gold edits that it missed."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def plus(self, other: Counts) -> Counts:
        """Add the counts of two units."""
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    # Clause: G F, tracks §3 empty
    @property
    def precision(self) -> float:
        """TP / (TP + FP); 1 when there is no FP, also without any TP (tracks.md §3, ERRANT's convention)."""
        return self.tp / (self.tp + self.fp) if self.fp else 1.0

    # Clause: G F, tracks §3 empty
    @property
    def recall(self) -> float:
        """TP / (TP + FN); 1 when there is no FN, also without any TP (tracks.md §3, ERRANT's convention)."""
        return self.tp / (self.tp + self.fn) if self.fn else 1.0

    def f(self, beta: float = DEFAULT_BETA) -> float:
        """Compute (1 + β²)·P·R / (β²·P + R), 0 when P and R are both 0 (tracks.md §3); unrounded."""
        return f_measure(self.tp, self.fp, self.fn, beta**2)

    def to_dict(self, beta: float = DEFAULT_BETA) -> dict[str, Any]:
        """Return counts and fractions as JSON (tracks.md §5)."""
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f(beta),
        }


# Clause: G F, G Table 3, G beta
def f_measure(tp: int, fp: int, fn: int, square: float) -> float:
    """Compute :meth:`Counts.f` by the square of β, in ERRANT's order of operations: rounding may show the last bit."""
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    weighted = square * precision + recall
    return (1 + square) * precision * recall / weighted if weighted else 0.0


def total(counts: Iterable[Counts]) -> Counts:
    """Add up counts over units; nothing to sum is 0, 0, 0."""
    tp = fp = fn = 0
    for one in counts:
        tp, fp, fn = tp + one.tp, fp + one.fp, fn + one.fn
    return Counts(tp, fp, fn)


UNKNOWN: Final = "UNK"
"""Type of an error that is detected and not corrected."""

_OPERATIONS: Final = ("M:", "R:", "U:")
Key = tuple[Any, ...]
Labels = dict[str, list[int]]
"""TP, FP and FN by whole label, added up in place."""


class Detection(Enum):
    """Criterion by which two edits are the same."""

    CORRECTION = "correction"
    SPAN = "span"
    TOKEN = "token"  # noqa: S105 - a word of a sentence


class By(Enum):
    """Categories of edits."""

    NONE = "none"
    TYPE = "type"
    OPERATION = "operation"
    FULL = "full"


def settled(system: Sequence[Fields], gold: Sequence[Fields]) -> tuple[Sequence[Fields], Sequence[Fields]]:
    """Return both with one correction an edit: of alternatives the first that the other side has, else the first.

    An edit is right when any of its alternatives is one of a gold edit's. Without alternatives both stay as they are.
    """
    if not any(OR in edit[3] for edit in (*system, *gold)):
        return system, gold
    chosen = _settled(gold, _corrected_places(system))
    return _settled(system, _corrected_places(chosen)), chosen


def _corrected_places(edits: Sequence[Fields]) -> set[Key]:
    return {
        (start, end, normalize("NFC", alternative))
        for start, end, _, correction, _ in edits
        for alternative in alternatives(correction)
    }


def _settled(edits: Sequence[Fields], theirs: AbstractSet[Key]) -> list[Fields]:
    corrected_edits: list[Fields] = []
    for start, end, label, correction, note in edits:
        listed = alternatives(correction)
        common = (alternative for alternative in listed if (start, end, normalize("NFC", alternative)) in theirs)
        corrected_edits.append((start, end, label, next(common, listed[0]), note))
    return corrected_edits


# Clause: tracks §3 by
def places(
    edits: Sequence[Fields], detection: Detection = Detection.CORRECTION, *, is_ascii: bool = False
) -> list[Key]:
    """List the place of every edit that counts; linear in the edits, for tokens in the tokens of their spans.

    ``is_ascii``: whether all corrections are known to be ASCII.
    """
    if detection is Detection.CORRECTION:
        return [
            (start, end, correction if is_ascii or correction.isascii() else normalize("NFC", correction))
            for start, end, label, correction, _ in edits
            if label != UNKNOWN
        ]
    return [place for place, _ in labelled(edits, detection)]


def labelled(edits: Sequence[Fields], detection: Detection) -> Iterator[tuple[Key, str]]:
    """Yield the place and the type of every edit that counts."""
    return _LABELLED[detection](edits)


# Clause: G score 2
def count(listed: Sequence[Key], references: Iterable[Sequence[Key]]) -> Iterator[tuple[int, int, int]]:
    """Yield TP, FP, FN of a system's places against those of each annotator (tracks.md §3)."""
    distinct, size = set(listed), len(listed)
    is_ours = distinct.__contains__
    for gold in references:
        hits = list(filter(is_ours, gold))
        right, covered = len(hits), set(hits)
        wrong = size - len(covered) if len(distinct) == size else sum(place not in covered for place in listed)
        yield right, wrong, len(gold) - right


def count_labels(system: Sequence[Fields], gold: Sequence[Fields], detection: Detection, labels: Labels) -> None:
    """Add TP, FP and FN under their labels: TP and FN under the gold type, FP under the system's."""
    system, gold = settled(system, gold)
    system_places, gold_places = list(labelled(system, detection)), list(labelled(gold, detection))
    ours, theirs = {place for place, _ in gold_places}, {place for place, _ in system_places}
    for place, label in system_places:
        if place not in ours:
            _add(labels, label, 1)
    for place, label in gold_places:
        _add(labels, label, 0 if place in theirs else 2)


def judged(system: Sequence[Fields], gold: Sequence[Fields]) -> list[tuple[str, Fields]]:
    """List every edit that counts at correction, as :func:`count` does: ``TP`` and ``FN`` are gold edits, ``FP`` the
    system's; by their spans. Linear in the edits but for the sorting."""
    system, gold = settled(system, gold)
    ours, theirs = set(places(gold)), set(places(system))
    gold_rows = [("TP" if place in theirs else "FN", edit) for place, edit in _placed(gold)]
    wrong = [("FP", edit) for place, edit in _placed(system) if place not in ours]
    return sorted(gold_rows + wrong, key=lambda row: row[1][:2])


def _placed(edits: Sequence[Fields]) -> Iterator[tuple[Key, Fields]]:
    counted = [edit for edit in edits if edit[2] != UNKNOWN]
    return zip(places(counted), counted, strict=True)


def category(label: str, by: By) -> str | None:
    """Return the category of a label (tracks.md §5); None for a label without an operation, by operations.

    ``type`` is what stands after the first colon, the whole label where there is none (ERRANT cuts off two characters
    there); ``operation`` is the letter before it, M, R or U. **Decision**: ``Prep`` and ``Spelling`` name no operation
    (ERRANT takes their first letter). ``UNK`` is a category of its own in both, as in ERRANT.
    """
    if by is By.FULL or label == UNKNOWN:
        return label
    if by is By.OPERATION:
        return label[0] if label[:2] in _OPERATIONS else None
    _, colon, rest = label.partition(":")
    return rest if colon else label


# Clause: tracks §3 by
def grouped(labels: Iterable[tuple[str, Counts]], by: By) -> dict[str, Counts]:
    """Sum counts by category, in alphabetical order.

    Nothing by :attr:`By.NONE`, nor by operation where there are gold edits and none has an operation.
    """
    categories: dict[str, Counts] = {}
    gold = named = 0
    if by is not By.NONE:
        for label, counts in labels:
            name, expected = category(label, by), counts.tp + counts.fn
            gold += expected
            if name is not None:
                named += expected
                categories[name] = categories.get(name, Counts()).plus(counts)
    return {} if gold and not named else dict(sorted(categories.items()))


def _corrections(edits: Sequence[Fields]) -> Iterator[tuple[Key, str]]:
    for start, end, label, correction, _ in edits:
        if label != UNKNOWN:
            yield (start, end, correction if correction.isascii() else normalize("NFC", correction)), label


def _add(labels: Labels, label: str, column: int) -> None:
    if label not in labels:
        labels[label] = [0, 0, 0]
    labels[label][column] += 1


_LABELLED: Final[Mapping[Detection, Callable[[Sequence[Fields]], Iterator[tuple[Key, str]]]]] = {
    Detection.CORRECTION: _corrections,
    Detection.SPAN: lambda edits: ((edit[:2], edit[2]) for edit in edits),
    Detection.TOKEN: lambda edits: (
        ((token,), label) for start, end, label, _, _ in edits for token in range(start, max(end, start + 1))
    ),
}


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
    its counts."""

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
    """Chooser of the couple with the highest F of its unit; then more TP, fewer FP, fewer FN, lower ids (tracks.md §3).

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
    """Chooser of the couple that ``errant_compare`` takes, with its floats and rounding (tracks.md §3, mode errant)."""

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
