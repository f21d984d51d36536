"""The board of an essay contest: places by relative accuracy, the barrier at 100 % (R 5.7, 6.10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tracks.protocol import Json, Place, Standing, Text
from tracks.ranking import by_value
from tracks.rules import BoardRules

BARRIER: Final = 100.0
"""Relative accuracy, in per cent, from which the technological barrier is overcome (R 5.7).

Clause: R 5.2, R 5.7, R 7.12
"""
BOARDS: Final = (
    BoardRules(
        key="relative_accuracy",
        title=Text(en="Relative accuracy", ru="Относительная точность"),
        measure=Text(en="Relative accuracy (OTAR), %", ru="Относительная точность (ОТАР), %"),
        least_share=0.95,
        barrier=BARRIER,
    ),
)
"""A session must have answered 95 % of the test set, or of its part in one language (R 6.10)."""


def value(aggregate: Json) -> float | None:
    """Relative accuracy in per cent."""
    found: float | None = aggregate["relative_accuracy"]
    return found


def overcame(aggregate: Json) -> bool | None:
    """Whether a result overcomes the technological barrier: 100 % does (R 5.7, 7.12).

    Clause: R 5.2, R 5.7, R 7.12, R 4.8
    """
    found = value(aggregate)
    return None if found is None else found >= BARRIER


def rank(standings: Sequence[Standing]) -> tuple[Place, ...]:
    """Places by relative accuracy, highest first."""
    return by_value({each.team: value(each.aggregate) for each in standings})
