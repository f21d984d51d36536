"""True positives, false positives and false negatives of edits, and the measures made of them (tracks.md §3).

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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from markup_core.formats.m2 import OR, Fields, alternatives

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
"""The type of what is detected and not corrected."""

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
