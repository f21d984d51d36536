"""From pairs to accuracies: pair accuracy, STAR, STER, OTAR (R 5.2–5.8, R-App1, markup-scoring §3–4).

For one essay with expert markups E::

    algorithm side  a = H · mean M(A, E) + (1 − H) · max M(A, E)            over the experts
    expert side     e = H · mean M(E, E') + (1 − H) · min M(E, E')          over ordered pairs of experts

``algorithm_accuracy`` (STAR) and ``expert_accuracy`` (STER) of a sample are means of a and e over essays, and
``relative_accuracy`` (OTAR) is their ratio in per cent. Sums are exact before they are rounded, so no result depends
on the order of essays, experts or fragments, and no mean leaves the bounds of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from math import gcd
from operator import mul
from typing import Any, Final, NamedTuple

from markup_core.criteria import total
from markup_core.matching.match import Matching, match
from markup_core.metrics import Metrics, Ratings, pair_metrics
from markup_core.model import Markup, check_markups
from markup_core.params import DEFAULT, METRICS, ScoringParams
from markup_core.texts import tr

ALGORITHM: Final = "algorithm"
WHOLE: Final = 100.0
"""Per cent of a whole."""


class PairScore(NamedTuple):
    """One markup against another: metrics, their weighted mean (None where undefined), the correspondence."""

    metrics: Metrics
    pair_accuracy: float | None
    matching: Matching

    def _repr_html_(self) -> str:
        from markup_core.charts import Bar, Picture, bars  # a notebook alone draws

        title = "One markup against another, in per cent"
        values = {**self.metrics.to_dict(), "pair accuracy": self.pair_accuracy}
        return Picture.alone(title, bars(title, [Bar(*value) for value in values.items()], "pair", WHOLE)).svg


class EssayPair(NamedTuple):
    """A scored pair of an essay: ``x`` is the algorithm (None) or an expert's index, ``y`` an expert's index."""

    x: int | None
    y: int
    metrics: Metrics
    pair_accuracy: float | None
    pairs: tuple[tuple[int, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON."""
        return {
            "x": ALGORITHM if self.x is None else self.x,
            "y": self.y,
            "metrics": self.metrics.to_dict(),
            "pair_accuracy": self.pair_accuracy,
            "pairs": [list(pair) for pair in self.pairs],
        }

    @classmethod
    def from_dict(cls, source: Mapping[str, Any]) -> EssayPair:
        """Read what :meth:`to_dict` wrote."""
        metrics = Metrics(*(source["metrics"][name] for name in METRICS))
        pairs = tuple((i, k) for i, k in source["pairs"])
        x = None if source["x"] == ALGORITHM else source["x"]
        return cls(x, source["y"], metrics, source["pair_accuracy"], pairs)


@dataclass(frozen=True, slots=True)
class EssayScore:
    """All scored pairs of one essay. ``answered``: there is an algorithmic markup; ``experts``: how many of theirs."""

    subject: str
    answered: bool
    experts: int
    pairs: tuple[EssayPair, ...]
    hardness: float

    @property
    def algorithm_accuracy(self) -> float | None:
        """Return the algorithm's side a; None without a markup or without experts."""
        return self.algorithm_side(_accuracy)

    @property
    def expert_accuracy(self) -> float | None:
        """Return the experts' side e; None with fewer than two experts."""
        return self.expert_side(_accuracy)

    @property
    def relative_accuracy(self) -> float | None:
        """Return 100 · a / e; None where one of them is undefined or e = 0."""
        return ratio(self.algorithm_accuracy, self.expert_accuracy)

    def algorithm_side(self, measure: Measure) -> float | None:
        """Return the side a of one measure (pair accuracy or a single metric)."""
        return self._side([measure(pair) for pair in self.pairs if pair.x is None], max)

    def expert_side(self, measure: Measure) -> float | None:
        """Return the side e of one measure."""
        return self._side([measure(pair) for pair in self.pairs if pair.x is not None], min)

    # Clause: R 5.6, R-App1 OTAR, R-App1 STAR, R-App1 STER
    def _side(self, values: list[float | None], extreme: Callable[[list[float]], float]) -> float | None:
        defined = [value for value in values if value is not None]
        if not defined or len(defined) < len(values):
            return None
        # H = p/q in whole numbers: every value weighs p, the extreme one (q - p) times as much as all values together.
        p, q = self.hardness.as_integer_ratio()
        return exact_mean([*defined, extreme(defined)], [*[p] * len(defined), (q - p) * len(defined)])

    def to_dict(self) -> dict[str, Any]:
        """Return the three accuracies and the pairs as JSON (markup-scoring §8.1, ``essay``)."""
        return {
            "algorithm_accuracy": self.algorithm_accuracy,
            "expert_accuracy": self.expert_accuracy,
            "relative_accuracy": self.relative_accuracy,
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    @classmethod
    def from_dict(cls, subject: str, experts: int, source: Mapping[str, Any], hardness: float) -> EssayScore:
        """Rebuild the score of an answered essay from what :meth:`to_dict` wrote, without the markups."""
        return cls(subject, True, experts, tuple(EssayPair.from_dict(pair) for pair in source["pairs"]), hardness)


Measure = Callable[[EssayPair], float | None]


def _accuracy(pair: EssayPair) -> float | None:
    return pair.pair_accuracy


def metric_measure(name: str) -> Measure:
    """Return the measure of one metric alone; weights concentrated on the metric give the same."""
    index = METRICS.index(name)
    return lambda pair: pair.metrics[index]


# Clause: R 5.7, R-App1 OTAR, MS §4 undefined
def ratio(above: float | None, below: float | None) -> float | None:
    """Return ``above`` in per cent of ``below``; None where either is undefined or ``below`` is 0."""
    if above is None or not below:
        return None
    return above / below * 100.0


# Clause: R-App1 M, R 5.5
def weighted(metrics: Metrics, weights: Sequence[float]) -> float | None:
    """Pair accuracy Σ wM / Σ w; None when a metric that counts is undefined."""
    whole = _whole(tuple(weights))
    counted: list[Any] = list(compress(metrics, whole))
    return None if None in counted else exact_mean(counted, list(filter(None, whole)))


def exact_mean(values: Sequence[float], weights: Sequence[int]) -> float:
    """Compute the weighted mean in whole numbers, rounded once: always between the least and the greatest value.

    Weights are whole numbers ≥ 0, not all 0. O(number of values).
    """
    parts, common = _in_whole(values)
    above: int = sum(map(mul, weights, parts))
    return above / (common * sum(weights))


_FINE: Final = 1 << 60
"""A float from 1/256 on is a whole number of such parts."""


def _in_whole(values: Sequence[float]) -> tuple[list[int], int]:
    """Return floats as whole numbers over one denominator, exactly."""
    fine = [value * float(_FINE) for value in values]  # a power of two rounds nothing
    if all(map(float.is_integer, fine)):
        return list(map(int, fine)), _FINE
    ratios = [value.as_integer_ratio() for value in values]
    common = max(below for _, below in ratios)  # they are powers of two, so each divides the greatest
    return [part * (common // below) for part, below in ratios], common


@lru_cache(maxsize=64)
def _whole(weights: tuple[float, ...]) -> tuple[int, ...]:
    """Return the weights as the least whole numbers in the same proportions; one of them is above 0."""
    parts, _ = _in_whole(weights)
    return tuple([part // gcd(*parts) for part in parts])


# Clause: R-App2 §1.4
def score_pair(
    x: Markup, y: Markup, params: ScoringParams = DEFAULT, *, x_is_expert: bool = False, ratings: Ratings | None = None
) -> PairScore:
    """Score markup X against Y of the same text. Raises ValueError for markups of different texts or subjects."""
    check_markups(x, y)
    return _scored(_Graded.of(x), _Graded.of(y), params, x_is_expert=x_is_expert, ratings=ratings)


def score_essay(
    algorithm: Markup | None,
    experts: Sequence[Markup],
    params: ScoringParams = DEFAULT,
    *,
    ratings: Ratings | None = None,
) -> EssayScore:
    """Score one essay: the algorithm against every expert, every expert against every other.

    ``algorithm`` is None for an essay that is voided for this participant. Raises ValueError as :func:`score_pair`.
    """
    check_markups(*([] if algorithm is None else [algorithm]), *experts)
    first = algorithm if algorithm is not None else (experts[0] if experts else None)
    subject = first.subject if first is not None else ""
    graded = [_Graded.of(expert) for expert in experts]
    pairs = list(_expert_pairs(graded, params))
    if algorithm is not None:
        own = _Graded.of(algorithm)
        scores = [_scored(own, expert, params, x_is_expert=False, ratings=ratings) for expert in graded]
        pairs = [_essay_pair(None, number, score) for number, score in enumerate(scores)] + pairs
    return EssayScore(subject, algorithm is not None, len(experts), tuple(pairs), params.hardness)


class _Graded(NamedTuple):
    """A markup with its grade, which every pair it stands in needs."""

    markup: Markup
    total: int | None

    @classmethod
    def of(cls, markup: Markup) -> _Graded:
        return cls(markup, total(markup))


def _expert_pairs(experts: Sequence[_Graded], params: ScoringParams) -> Iterator[EssayPair]:
    """Score both directions of every pair of experts; the second one's correspondence is the first's, transposed."""
    backward: dict[tuple[int, int], Matching] = {}
    for i, x in enumerate(experts):
        for k, y in enumerate(experts):
            if i == k:
                continue
            score = _scored(x, y, params, backward.get((i, k)), x_is_expert=True)
            backward[k, i] = score.matching.transposed()
            yield _essay_pair(i, k, score)


def _scored(
    x: _Graded,
    y: _Graded,
    params: ScoringParams,
    matching: Matching | None = None,
    *,
    x_is_expert: bool,
    ratings: Ratings | None = None,
) -> PairScore:
    one, other = x.markup, y.markup
    if one.text != other.text:
        raise ValueError(tr("the markups are of different texts"))
    correspondence = match(one, other, params) if matching is None else matching
    metrics = pair_metrics(
        one, other, correspondence, params, x_is_expert=x_is_expert, ratings=ratings, totals=(x.total, y.total)
    )
    return PairScore(metrics, weighted(metrics, params.weights), correspondence)


def _essay_pair(x: int | None, y: int, score: PairScore) -> EssayPair:
    return EssayPair(x, y, score.metrics, score.pair_accuracy, score.matching.pairs)
