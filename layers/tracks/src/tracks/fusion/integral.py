"""The sum of the four and the minima (tracks.md §4; F, "Интегральная метрика" and "Призовой фонд").

Numbers are rounded as the decimals they are written as, halves up: 0.1245 is 0.125, whatever the binary fraction
nearest to it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from tracks.fusion.subtasks import Subtask

PLACES: Final = 3
"""Decimals of each contribution, and so of S (F, Si)."""
_THIRD: Final = Decimal(1).scaleb(-PLACES)
MINIMA: Final[Mapping[Subtask, Decimal]] = {
    Subtask.C2C: Decimal("0.2"),
    Subtask.HTR: Decimal("0.6"),
    Subtask.ZSOD: Decimal("0.15"),
    Subtask.VQA: Decimal("0.35"),
}
"""Least contributions of the subtasks (F, the minimal scores).

Clause: F minima
"""
LEAST_SUM: Final = Decimal("1.3")
"""Smin."""
Scores = Mapping[Subtask, float | None]
"""Scores as the subtasks give them: CodeBLEU from 0 to 100, the others from 0 to 1; None: undefined."""


def decimal(value: float) -> Decimal:
    """A number as the decimal in which JSON writes it."""
    return Decimal(repr(value))


def contribution(subtask: Subtask, score: float) -> Decimal:
    """What a score adds to S: CodeBLEU times 0.01, all rounded to three decimals, halves up (F, Si).

    Clause: F sum
    """
    return (decimal(score) / subtask.most).quantize(_THIRD, ROUND_HALF_UP)


def integral(scores: Scores) -> Decimal | None:
    """S, the sum of the four contributions; undefined while one of them is (F, S).

    Clause: F sum
    """
    sum_ = Decimal(0)
    for subtask in Subtask:
        score = scores.get(subtask)
        if score is None:
            return None
        sum_ += contribution(subtask, score)
    return sum_


def below_minimum(scores: Scores, minima: Mapping[Subtask, Decimal] = MINIMA) -> tuple[Subtask, ...]:
    """Subtasks whose contribution is below its minimum or undefined; a minimum that is met exactly is met.

    Clause: F minima
    """
    return tuple(
        each for each in Subtask if (score := scores.get(each)) is None or contribution(each, score) < minima[each]
    )
