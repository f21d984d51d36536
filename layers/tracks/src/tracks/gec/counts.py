"""True positives, false positives and false negatives, and what follows from them (tracks.md §3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

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
        """The sum over two units."""
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """TP / (TP + FP); 1 when there is no FP, also without any TP (tracks.md §3, ERRANT's convention).

        Clause: G F, tracks §3 empty
        """
        return self.tp / (self.tp + self.fp) if self.fp else 1.0

    @property
    def recall(self) -> float:
        """TP / (TP + FN); 1 when there is no FN, also without any TP (tracks.md §3, ERRANT's convention).

        Clause: G F, tracks §3 empty
        """
        return self.tp / (self.tp + self.fn) if self.fn else 1.0

    def f(self, beta: float = DEFAULT_BETA) -> float:
        """(1 + β²)·P·R / (β²·P + R), 0 when P and R are both 0 (tracks.md §3); unrounded."""
        return f_measure(self.tp, self.fp, self.fn, beta**2)

    def to_dict(self, beta: float = DEFAULT_BETA) -> dict[str, Any]:
        """Counts and fractions as JSON (tracks.md §5)."""
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f(beta),
        }


def f_measure(tp: int, fp: int, fn: int, square: float) -> float:
    """F of :meth:`Counts.f` by the square of β, in ERRANT's order of operations: a rounding may show the last bit.

    Clause: G F, G Table 3, G beta
    """
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    if not precision + recall:
        return 0.0
    return (1 + square) * precision * recall / (square * precision + recall)


def total(counts: Iterable[Counts]) -> Counts:
    """The sum over units; nothing to sum is 0, 0, 0."""
    tp = fp = fn = 0
    for one in counts:
        tp, fp, fn = tp + one.tp, fp + one.fp, fn + one.fn
    return Counts(tp, fp, fn)
