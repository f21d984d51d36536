"""The platform's one rounding of numbers for people: half away from zero, on the number as it is written.

A float is taken in the shortest decimal form that reads back, so that 2.125 is 2.13 and 1.005 is 1.01. How many
decimals a value has is said by its measure or its board; beside a limit it has as many more as it takes to show on
which side of the limit it lies. The site does the same (``web/src/ui/numbers.ts``); both are tested with the cases of
``tests/rounding.json``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decimal import Context, Decimal

PERCENT_PLACES: Final = 2
"""Decimals of accuracies in per cent."""
SHARE_PLACES: Final = 3
"""Decimals of shares from 0 to 1, and of points."""
MOST_PLACES: Final = 12
"""Most decimals in a comparison: further ones are the noise of binary fractions."""
_WHOLE: Final = 2.0**53
"""Least number from which on floats have no decimals."""


# Clause: D-App1а 1 rounding
def half_up(value: float, places: int) -> float:
    """Return a number rounded to so many decimals, halves away from zero: 0.905 to two is 0.91, though its float lies
    below."""
    if abs(value) >= _WHOLE:
        return float(value)
    return float(_rounded(value, places))


def fixed(value: float, places: int) -> str:
    """Return a number with exactly so many decimals behind a point; what rounds to zero has no minus."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= _WHOLE:
        return f"{value:.{places}f}"
    rounded = _rounded(value, places)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"


def places_apart(values: Iterable[float | None], limits: Iterable[float | None] = (), least: int = 0) -> int:
    """Return the number of decimals, ``least`` or more, with which different values differ and lie on their side of
    each limit. None is left out; O(n log n) for each number of decimals, :data:`MOST_PLACES` at most.
    """
    defined = sorted({value for value in values if value is not None})
    bounds = [limit for limit in limits if limit is not None]
    return next((places for places in range(least, MOST_PLACES) if _is_apart(defined, bounds, places)), MOST_PLACES)


# Clause: R 6.5.4, R 7.7
def percent(share: float, *limits: float, least: int = 0) -> str:
    """Return a share in per cent without the sign, with as many decimals as put it on its side of each limit.

    A limit itself is its own limit, and has all its decimals: ``percent(0.125, 0.125)`` is ``12.5``.
    """
    hundredfold, *bounds = (float(_exact(part) * 100) for part in (share, *limits))
    return fixed(hundredfold, places_apart([hundredfold], bounds, least))


def places_of(value: float) -> int:
    """Return how many decimals a number has as it is written."""
    exponent = _exact(value).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _rounded(value: float, places: int) -> Decimal:
    return _exact(value).quantize(_unit(places), context=_half_up())


def _exact(value: float) -> Decimal:
    """Return a number as it is written: the shortest decimal form that reads back."""
    from decimal import Decimal  # takes 3 ms to load; many a process rounds nothing

    return Decimal(repr(value))


@cache
def _unit(places: int) -> Decimal:
    """Return one of the last of so many decimals."""
    from decimal import Decimal

    return Decimal(1).scaleb(-places)


@cache
def _half_up() -> Context:
    from decimal import ROUND_HALF_UP, Context

    return Context(prec=50, rounding=ROUND_HALF_UP)


def _is_apart(values: list[float], bounds: list[float], places: int) -> bool:
    displayed = [half_up(value, places) for value in values]
    same_side = all(
        (value < limit, value == limit) == (rounded < limit, rounded == limit)
        for limit in bounds
        for value, rounded in zip(values, displayed, strict=True)
    )
    return same_side and all(first < second for first, second in pairwise(displayed))
