"""Error matrices, sensitivity, specificity, lower bounds and generalised quality (D-App1а, D-App1б).

Numbers are computed exactly, or in 50 decimal digits, and become floats at the end: sums and products do not depend
on the order of epicrises, and a result that is a short decimal, such as 0.905, is that very float. Undefined is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

from markup_core.lazy import dataclass

# Clause: D-App1а (8)
Z: Final = 1.64
"""Quantile of the normal distribution for a one-sided interval of 95 % (D-App1а 2)."""
SHOWN_PLACES: Final = 3
COMPARED_PLACES: Final = 2
_PRECISE: Final = Context(prec=50)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers of epicrises of one nosology in each cell (D-App1а, figure 1)."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0

    @property
    def ill(self) -> int:
        """Epicrises of ill patients (n1)."""
        return self.tp + self.fn

    @property
    def healthy(self) -> int:
        """Epicrises of patients without the disease (n0)."""
        return self.fp + self.tn


def share(part: int, whole: int) -> float | None:
    """Divide, unrounded; return None if the whole is 0."""
    return part / whole if whole else None


# Clause: D-App1а (2), D 8.5.1
def sensitivity(matrix: Matrix) -> float | None:
    """Compute Se = TP / (TP + FN) (D-App1а, formula 2)."""
    return share(matrix.tp, matrix.ill)


# Clause: D-App1а (3), D 8.5.1
def specificity(matrix: Matrix) -> float | None:
    """Compute Sp = TN / (TN + FP) (D-App1а, formula 3)."""
    return share(matrix.tn, matrix.healthy)


# Clause: D-App1а (8), D-App1б 3
def lower_bound(successes: int, n: int, z: float = Z) -> float | None:
    """Compute a share's one-sided lower bound by Wilson's score, without continuity correction (D-App1а, formula 8).

    ``(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`` with ``p = successes / n``; None when ``n`` is 0.

    The regulation gives z = 1.64 for the one-sided interval of 95 %. Table 1 of its D-App1б shows 83.73 % for a share
    of 92.00 % and 76.66 % for 88.89 %: these are 69 of 75 and 40 of 45 with z ≈ 1.94, between the one-sided 1.64
    (which gives 85.29 % and 78.92 %) and the two-sided 1.96. The rule in the text holds, the example does not.

    Raises ValueError unless ``0 ≤ successes ≤ n`` and ``z`` is a finite number from 0 on.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    if not 0 <= z < float("inf"):
        raise ValueError(f"z must be a finite number from 0 on, not {z}")
    if n == 0:
        return None
    with localcontext(_PRECISE):
        quantile, square = Decimal(repr(z)), Decimal(repr(z)) ** 2
        root = (square + Decimal(4 * successes * (n - successes)) / n).sqrt()
        return max(0.0, float((2 * successes + square - quantile * root) / (2 * (n + square))))


# Clause: TS D-6, D-App1в table
def upper_bound(successes: int, n: int, z: float = Z) -> float | None:
    """Compute the upper bound of the same score interval, which is shown beside the lower one and never compared.

    **Decision**: the regulation gives no formula of CI_max, and its example (92.00 % → 94.22 %) fits none; it is the
    lower bound's mirror image: of the misses. None when ``n`` is 0.
    """
    missed = lower_bound(n - successes, n, z)
    return None if missed is None else 1.0 - missed


# Clause: D-App1б (14), D-App1б (15), D-App1в (17), D-App1в (18), D 6.6
def generalised_quality(matrices: Iterable[Matrix]) -> float | None:
    """Compute Sk = √(geometric mean of Se · geometric mean of Sp) (D-App1б, formulas 14 and 15).

    Over the matrices of all six nosologies, or over one for the partial barrier (D-App1в). None when one of the
    shares is undefined, and for no matrices.
    """
    counted = tuple(matrices)
    if not all(matrix.ill and matrix.healthy for matrix in counted):
        return None
    shares = [Fraction(matrix.tp, matrix.ill) for matrix in counted] + [
        Fraction(matrix.tn, matrix.healthy) for matrix in counted
    ]
    return _geometric_mean(shares)


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Compute the geometric mean of numbers from 0 on; None if one is undefined, and of nothing."""
    exact = [None if value is None else Fraction(repr(value)) for value in values]
    defined = [value for value in exact if value is not None]
    return _geometric_mean(defined) if len(defined) == len(exact) else None


def _geometric_mean(values: list[Fraction]) -> float | None:
    if not values:
        return None
    product = Fraction(1)
    for value in values:
        product *= value
    with localcontext(_PRECISE):
        return float((Decimal(product.numerator) / product.denominator) ** (Decimal(1) / len(values)))


def exact_sum(values: Iterable[float]) -> float:
    """Sum numbers as they are written: 0.1 + 0.2 is 0.3, in whatever order."""
    return float(sum((Fraction(repr(value)) for value in values), Fraction(0)))
