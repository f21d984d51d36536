"""Are two systems different? Paired tests over the essays that both have marked up.

**Which essays count**: those that both systems answered and that two experts have marked up, so that STAR and OTAR are
over the same essays; without any such, those that both answered and that an expert has, and OTAR is undefined.

For each measure (STAR, OTAR, each metric alone):

* the difference of the two systems' values, first minus second;
* its 95 % interval by the library's own paired bootstrap (:mod:`markup_core.bootstrap`), the same on every machine;
* ``p_bootstrap``, two-sided, of the same resamples: the share of them that, moved to have the mean 0, are at least as
  far from 0 as the difference itself. Resamples and one are counted, as in permutation tests, so that p is never 0;
* of scipy, where it is installed (the extra ``significance``): ``p_permutation`` of ``scipy.stats.permutation_test``,
  which exchanges the two systems within essays (all exchanges up to 13 essays, 9 999 drawn ones of more), and the BCa
  interval of ``scipy.stats.bootstrap``.

**Decision**: fewer than three essays have neither interval nor p. A value that is undefined for one counted essay
makes the measure undefined. Systems without any difference have the difference 0 and p = 1. Differences that are all
equal have no BCa interval, which needs their spread. OTAR divides by the experts' accuracy, which no exchange changes:
its p of exchanges is that of STAR. Nothing is corrected for the number of measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import fsum, isnan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markup_core import frames, tables
from markup_core.accuracy import EssayScore, Measure, metric_measure, ratio
from markup_core.bootstrap import DEFAULT_SEED, MIN_ESSAYS, RESAMPLES, Interval, ends, ratio_differences
from markup_core.extras import ExtraNeededError, needed
from markup_core.frames import Frame
from markup_core.params import METRICS

if TYPE_CHECKING:
    from markup_core.charts import Numbers, Picture

PERMUTATIONS: Final = 9_999
_BATCH: Final = 1 << 21
"""Most values of resamples that scipy holds at once."""


class Difference(NamedTuple):
    """One measure of two systems in per cent over the same essays; None where undefined or without scipy."""

    measure: str
    essays: int
    first: float | None
    second: float | None
    difference: float | None
    interval_95: Interval | None
    p_bootstrap: float | None
    bca_95: Interval | None = None
    p_permutation: float | None = None

    def mirrored(self) -> Difference:
        """Return the second system minus the first."""
        own, bca = (None if reach is None else (-reach[1], -reach[0]) for reach in (self.interval_95, self.bca_95))
        gap = None if self.difference is None else -self.difference
        return self._replace(first=self.second, second=self.first, difference=gap, interval_95=own, bca_95=bca)

    def to_dict(self) -> dict[str, Any]:
        """Return the library's own numbers as JSON; scipy's change with its versions and are no part of a record."""
        return {
            **{name: getattr(self, name) for name in ("measure", "essays", "first", "second", "difference")},
            "interval_95": None if self.interval_95 is None else list(self.interval_95),
            "p_bootstrap": self.p_bootstrap,
        }


@dataclass(frozen=True, slots=True)
class Systems:
    """Two systems' comparison, measure by measure; ``scipy`` is the version that made its numbers, None without it."""

    measures: tuple[Difference, ...]
    seed: int
    scipy: str | None
    fingerprint: dict[str, Any] | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the library's own numbers as JSON."""
        return {"measures": [tested.to_dict() for tested in self.measures]}

    def to_frame(self) -> Frame:
        """Return the differences with intervals, p and signatures, a row for each measure."""
        by_scipy = {"scipy": "none"} if self.scipy is None else {"scipy": self.scipy, "permutations": PERMUTATIONS}
        rows = [
            (
                *row[:5],
                *frames.ends_of(row.interval_95),
                row.p_bootstrap,
                *frames.ends_of(row.bca_95),
                row.p_permutation,
            )
            for row in self.measures
        ]
        return frames.of_differences(rows, self.fingerprint, {"seed": self.seed, "resamples": RESAMPLES, **by_scipy})

    def whiskers(self, title: str = "First system minus second, in points", numbers: Numbers | None = None) -> Picture:
        """Draw the differences with their intervals."""
        from markup_core import pictures  # nobody else draws

        return pictures.of_differences(self.to_frame(), title, numbers)

    def _repr_html_(self) -> str:
        headings = (
            "measure",
            "essays",
            "first",
            "second",
            "difference",
            "low",
            "high",
            "p, bootstrap",
            "p, permutation",
        )
        rows = [
            (
                *tested[:5],
                *(tested.interval_95 or (None, None)),
                tables.p_text(tested.p_bootstrap),
                tables.p_text(tested.p_permutation),
            )
            for tested in self.measures
        ]
        return tables.table("Two systems", headings, rows)


def compare_systems(
    first: Sequence[EssayScore],
    second: Sequence[EssayScore],
    seed: int = DEFAULT_SEED,
    fingerprint: dict[str, Any] | None = None,
    *,
    by_scipy: bool = True,
) -> Systems:
    """Compare two systems' scores of the same essays in the same order; the order itself does not matter.

    ``fingerprint`` is that of the inputs, for signatures. ``by_scipy``: with scipy's tests, where it is
    installed. Raises ValueError for scores of other essays.
    """
    if len(first) != len(second) or any(
        one.expert_accuracy != two.expert_accuracy for one, two in zip(first, second, strict=True)
    ):
        raise ValueError("two systems are compared over scores of the same essays in the same order")
    answered = [(a, b) for a, b in zip(first, second, strict=True) if a.answered and b.answered and a.experts]
    pairs = [(a, b) for a, b in answered if a.experts >= 2] or answered
    measures: dict[str, Measure] = {"STAR": lambda pair: pair.pair_accuracy}
    measures |= {name: metric_measure(name) for name in METRICS}
    columns = {name: _columns(pairs, measure) for name, measure in measures.items()}
    whole = [100.0] * len(pairs)
    experts = [a.expert_accuracy for a, _ in pairs]
    below = [value for value in experts if value is not None]
    stats, version = None, None
    if by_scipy:
        with suppress(ExtraNeededError):
            stats, version = needed("scipy.stats", "significance"), needed("scipy", "significance").__version__
    tested = {name: _tested(name, *column, whole, seed, stats) for name, column in columns.items()}
    complete = below if len(below) == len(experts) else []
    otar = _tested("OTAR", *columns["STAR"], complete, seed, stats)
    ordered = (tested.pop("STAR"), otar, *tested.values())
    return Systems(tuple(result._replace(essays=len(pairs)) for result in ordered), seed, version, fingerprint)


def _columns(pairs: Sequence[tuple[EssayScore, EssayScore]], measure: Measure) -> tuple[list[float], list[float]]:
    """Return both systems' values; none at all where one is undefined."""
    values = [(a.algorithm_side(measure), b.algorithm_side(measure)) for a, b in pairs]
    defined = [(one, two) for one, two in values if one is not None and two is not None]
    if len(defined) < len(values):
        return [], []
    return [one for one, _ in defined], [two for _, two in defined]


def _tested(
    measure: str, first: list[float], second: list[float], below: list[float], seed: int, stats: Any
) -> Difference:
    """Test one measure: the systems' means in per cent of the mean of ``below``."""
    if not first or len(first) != len(below) or not any(below):
        return Difference(measure, 0, None, None, None, None, None)
    rows, mirrored = sorted(zip(first, second, below, strict=True)), sorted(zip(second, first, below, strict=True))
    if mirrored < rows:  # one of the two ways round, so that exchanging the systems changes the signs alone
        return _tested(measure, second, first, below, seed, stats).mirrored()
    ours, theirs, under = ([row[part] for row in rows] for part in range(3))
    base = fsum(under) / len(under)
    one, two = (ratio(fsum(column) / len(column), base) for column in (ours, theirs))
    assert one is not None and two is not None  # noqa: PT018, S101 -- base is not 0
    gap = one - two
    if len(rows) < MIN_ESSAYS:
        return Difference(measure, len(rows), one, two, gap, None, None)
    drawn = ratio_differences(ours, theirs, under, seed)
    p = None
    if drawn:  # some resample had a denominator
        centre = fsum(drawn) / len(drawn)
        p = (sum(abs(value - centre) >= abs(gap) for value in drawn) + 1) / (len(drawn) + 1)
    own = Difference(measure, len(rows), one, two, gap, ends(drawn), p)
    return own if stats is None else own._replace(**_by_scipy(stats, ours, theirs, under, seed))


def _by_scipy(stats: Any, first: list[float], second: list[float], below: list[float], seed: int) -> dict[str, Any]:
    """Compute p of exchanges within essays, and the BCa interval, undefined where all essays differ alike."""
    batch = max(1, _BATCH // len(first))
    positive = seed & ((1 << 63) - 1)  # numpy takes no negative seed

    def gap(x: Any, y: Any, axis: int = -1) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    def gap_in_per_cent(x: Any, y: Any, under: Any, axis: int = -1) -> Any:
        return gap(x, y, axis) / under.mean(axis=axis) * 100.0

    permuted = stats.permutation_test(
        (first, second),
        gap,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=batch,
        rng=positive,
    )
    bca = None
    if len({one - two for one, two in zip(first, second, strict=True)}) > 1:
        columns = (first, second, below)
        drawn = stats.bootstrap(
            columns, gap_in_per_cent, paired=True, vectorized=True, n_resamples=RESAMPLES, batch=batch, rng=positive
        )
        low, high = map(float, drawn.confidence_interval)
        bca = None if isnan(low) or isnan(high) else (low, high)
    return {"p_permutation": float(permuted.pvalue), "bca_95": bca}
