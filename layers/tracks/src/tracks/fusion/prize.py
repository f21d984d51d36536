"""Prize money of a multitask model (tracks.md §4; F, "Призовой фонд")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from tracks.fusion.integral import LEAST_SUM, MINIMA, Scores, below_minimum
from tracks.fusion.subtasks import Subtask

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PrizeParams:
    """Rules of the prizes: ``alpha``, ``fix`` and ``most`` of the places 1, 2, … in their order, in million roubles."""

    smin: Decimal = LEAST_SUM
    full: Decimal = Decimal("2.3")
    """S from which a place gets its MAX."""
    alpha: tuple[Decimal, ...] = (Decimal(2), Decimal(1), Decimal("0.6"))
    fix: tuple[Decimal, ...] = (Decimal(1), Decimal("0.5"), Decimal("0.2"))
    most: tuple[Decimal, ...] = (Decimal(3), Decimal("1.5"), Decimal("0.8"))
    minima: Mapping[Subtask, Decimal] = field(default_factory=lambda: MappingProxyType(MINIMA))


CONTEST: Final = PrizeParams()


def roubles(s: Decimal, place: int, params: PrizeParams = CONTEST, scores: Scores | None = None) -> Decimal:
    """The prize in roubles: 0 below Smin, MAX from ``full`` on, else FIX + α(S − Smin), never over MAX (F, the prize).

    0 also for a place without a prize and, where the ``scores`` are given, when one of them is below its minimum.

    Clause: F prize
    """
    if place > len(params.fix) or s < params.smin:
        return Decimal(0)
    if scores is not None and below_minimum(scores, params.minima):
        return Decimal(0)
    number = place - 1
    most = params.most[number]
    if s >= params.full:
        return most * _MILLION
    return min(most, params.fix[number] + params.alpha[number] * (s - params.smin)) * _MILLION
