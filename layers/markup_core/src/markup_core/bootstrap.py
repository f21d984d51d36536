"""Uncertainty by resampling essays (markup-scoring §4): 95 % intervals that every machine computes alike.

Two things make the intervals reproducible to the last bit:

* the random numbers are the library's own (SplitMix64, S. Vigna's published constants, indexed by position instead
  of run in sequence), not a generator that numpy may exchange;
* accuracies are turned into whole numbers (of the smallest unit in which 64 bits hold all sums) before they are
  summed: whole sums do not depend on the order in which a processor adds.

Interval: of the R resampled values in ascending order, the ⌈0.025·R⌉-th from below and from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES: Final = 2000
MIN_ESSAYS: Final = 3
"""Fewest essays with an interval: resampling one or two says nothing of the others (markup-scoring §4, Decision)."""
DEFAULT_SEED: Final = 0
_TAIL: Final = 40
"""Reciprocal of the share of resampled values outside the interval on each side: 1/40 = 2.5 %."""
_GOLDEN: Final = 0x9E3779B97F4A7C15
_MIX: Final = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_MASK: Final = (1 << 64) - 1
_CHUNK: Final = 1 << 20
"""Most random numbers drawn at once: 8 MiB, and as much for a column."""
_REMEMBERED: Final = 8
"""Most draws held in memory: the groups of a sample are resampled once for every measure, and of one size alike."""
_INTERVALS: Final = 128
"""Most intervals held in memory: boards, reports and archives are made one after the other from the same essays, and
a sample of one subject has the accuracies of all."""

Interval = tuple[float, float]


def scale(essays: int) -> float:
    """Return the units in one per cent for so many essays: a power of two; sums of values up to 100 stay below 2⁶²."""
    return 2.0 ** (55 - essays.bit_length())


def resampled_sums(columns: Sequence[Sequence[float]], seed: int, resamples: int = RESAMPLES) -> NDArray[np.int64]:
    """Sum each column over resampled essays, in units of 1 / :func:`scale`; shape (number of columns, resamples).

    All columns are resampled alike: row ``j`` of every column belongs to essay ``j``. Values lie between 0 and 100;
    the columns are equally long and not empty. O(columns · essays · resamples) time, vectorised.
    """
    import numpy as np  # a command that draws no intervals starts without it

    essays = len(columns[0])
    unit = scale(essays)
    values = np.array([[round(value * unit) for value in column] for column in columns], dtype=np.int64)
    sums = np.empty((len(columns), resamples), dtype=np.int64)
    rows = max(1, _CHUNK // essays)
    for first in range(0, resamples, rows):
        chosen = _draws(seed, first * essays, min(rows, resamples - first) * essays, essays)
        for place, column in enumerate(values):
            sums[place, first : first + rows] = column.take(chosen).reshape(-1, essays).sum(axis=1)
    return sums


# Clause: MS §4 interval
def mean_interval(column: Sequence[float], seed: int) -> Interval | None:
    """Compute the interval of a mean over essays; undefined (None) for fewer than :data:`MIN_ESSAYS`."""
    return None if len(column) < MIN_ESSAYS else _interval((tuple(column),), seed)


# Clause: MS §4 interval
def bounded_mean_interval(column: Sequence[float], least: float, greatest: float, seed: int) -> Interval | None:
    """Compute the interval of a mean of values between bounds other than 0 and 100; see :func:`mean_interval`."""
    width = greatest - least
    scaled_interval = mean_interval([(value - least) / width * 100.0 for value in column], seed)
    return (
        None
        if scaled_interval is None
        else (least + scaled_interval[0] / 100.0 * width, least + scaled_interval[1] / 100.0 * width)
    )


# Clause: MS §4 interval
def ratio_interval(above: Sequence[float], below: Sequence[float], seed: int) -> Interval | None:
    """Compute the interval of 100 · mean(above) / mean(below) over the same essays.

    Resamples whose denominator is 0 have no ratio and are left out; undefined (None) where none has one, and for
    fewer than :data:`MIN_ESSAYS`.
    """
    return None if len(above) < MIN_ESSAYS else _interval((tuple(above), tuple(below)), seed)


@lru_cache(maxsize=_INTERVALS)
def _interval(columns: tuple[tuple[float, ...], ...], seed: int) -> Interval | None:
    """Compute the interval of one column's mean, or of 100 times the ratio of two columns' means."""
    sums, essays = resampled_sums(columns, seed), len(columns[0])
    if len(columns) == 1:
        return ends(sums[0] / scale(essays) / essays)
    upper, lower = sums
    defined = lower != 0
    return ends(upper[defined] / lower[defined] * 100.0)


# Clause: MS §4 interval
def ratio_differences(
    first: Sequence[float], second: Sequence[float], below: Sequence[float], seed: int
) -> list[float]:
    """Resample the difference of two systems' ratios 100 · mean / mean(below) over the same essays (paired).

    Resamples whose denominator is 0 are left out; the columns are not empty.
    """
    one, two, lower = resampled_sums([first, second, below], seed)
    defined = lower != 0
    differences: list[float] = ((one[defined] - two[defined]) / lower[defined] * 100.0).tolist()
    return differences


# Clause: MS §4 interval
def ends(values: Sequence[float] | NDArray[np.float64]) -> Interval | None:
    """Return the interval of resampled values; undefined (None) without any."""
    import numpy as np

    ordered = np.sort(values)
    rank = -(-len(ordered) // _TAIL)
    return (float(ordered[rank - 1]), float(ordered[-rank])) if rank else None


# Clause: MS §8 same bytes
@lru_cache(maxsize=_REMEMBERED)
def _draws(seed: int, first: int, count: int, essays: int) -> NDArray[np.int64]:
    """Draw indices of essays for positions ``first`` to ``first + count``: upper halves of mixed words, scaled."""
    import numpy as np

    with np.errstate(over="ignore"):
        words = np.arange(first + 1, first + 1 + count, dtype=np.uint64) * np.uint64(_GOLDEN)
        # SplitMix64's output function, so that neighbouring seeds give unrelated streams.
        word = seed & _MASK
        word = ((word ^ (word >> 30)) * _MIX[0]) & _MASK
        word = ((word ^ (word >> 27)) * _MIX[1]) & _MASK
        words += np.uint64(word ^ (word >> 31))
        words = (words ^ (words >> np.uint64(30))) * np.uint64(_MIX[0])
        words = (words ^ (words >> np.uint64(27))) * np.uint64(_MIX[1])
        words ^= words >> np.uint64(31)
    scaled = (words >> np.uint64(32)) * np.uint64(essays) >> np.uint64(32)
    drawn = scaled.astype(np.int64)
    drawn.setflags(write=False)
    return drawn
