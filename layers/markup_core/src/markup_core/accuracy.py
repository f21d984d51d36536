"""From pairs to accuracies: pair accuracy, STAR, STER, OTAR (R 5.2–5.8, R-App1, markup-scoring §3–4).

For one essay with expert markups E::

    algorithm side  a = H · mean M(A, E) + (1 − H) · max M(A, E)            over the experts
    expert side     e = H · mean M(E, E') + (1 − H) · min M(E, E')          over ordered pairs of experts

``algorithm_accuracy`` (STAR) and ``expert_accuracy`` (STER) of a sample are means of a and e over essays, and
``relative_accuracy`` (OTAR) is their ratio in per cent. Sums are exact before they are rounded once
(:func:`math.fsum`), so no result depends on the order of essays, experts or fragments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final, NamedTuple

from markup_core.matching import Matching, match
from markup_core.metrics import Metrics, Ratings, pair_metrics
from markup_core.model import Markup
from markup_core.params import DEFAULT, METRICS, ScoringParams

ALGORITHM: Final = "algorithm"


class PairScore(NamedTuple):
    """One markup against another: metrics, their weighted mean (None where undefined), the correspondence."""

    metrics: Metrics
    pair_accuracy: float | None
    matching: Matching


class EssayPair(NamedTuple):
    """A scored pair of an essay: ``x`` is the algorithm (None) or an expert's index, ``y`` an expert's index."""

    x: int | None
    y: int
    metrics: Metrics
    pair_accuracy: float | None
    pairs: tuple[tuple[int, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """The pair as JSON."""
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
        """The algorithm's side a; None without a markup or without experts."""
        return self.algorithm_side(_accuracy)

    @property
    def expert_accuracy(self) -> float | None:
        """The experts' side e; None with fewer than two experts."""
        return self.expert_side(_accuracy)

    @property
    def relative_accuracy(self) -> float | None:
        """100 · a / e; None where one of them is undefined or e = 0."""
        return ratio(self.algorithm_accuracy, self.expert_accuracy)

    def algorithm_side(self, measure: Measure) -> float | None:
        """The side a of one measure (pair accuracy or a single metric)."""
        return self._side([measure(pair) for pair in self.pairs if pair.x is None], max)

    def expert_side(self, measure: Measure) -> float | None:
        """The side e of one measure."""
        return self._side([measure(pair) for pair in self.pairs if pair.x is not None], min)

    def _side(self, values: list[float | None], extreme: Callable[[list[float]], float]) -> float | None:
        defined = [value for value in values if value is not None]
        if not defined or len(defined) < len(values):
            return None
        mean = fsum(defined) / len(defined)
        return self.hardness * mean + (1 - self.hardness) * extreme(defined)

    def to_dict(self) -> dict[str, Any]:
        """The three accuracies and the pairs as JSON (markup-scoring §8.1, ``essay``)."""
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
    """The measure that is one metric alone, which is what weights concentrated on it give."""
    index = METRICS.index(name)
    return lambda pair: pair.metrics[index]


def ratio(above: float | None, below: float | None) -> float | None:
    """Per cent of ``below`` that ``above`` is; None where either is undefined or ``below`` is 0."""
    if above is None or not below:
        return None
    return above / below * 100.0


def weighted(metrics: Metrics, weights: Sequence[float]) -> float | None:
    """Pair accuracy Σ wM / Σ w; None when a metric that counts is undefined."""
    counted = [(weight, value) for weight, value in zip(weights, metrics, strict=True) if weight]
    if any(value is None for _, value in counted):
        return None
    above = fsum(weight * value for weight, value in counted if value is not None)
    return above / fsum(weight for weight, _ in counted)


def score_pair(
    x: Markup,
    y: Markup,
    params: ScoringParams = DEFAULT,
    *,
    x_is_expert: bool = False,
    ratings: Ratings | None = None,
) -> PairScore:
    """Score markup X against Y of the same text. Raises ValueError for markups of different texts or subjects."""
    if x.text != y.text:
        raise ValueError("the markups are of different texts")
    return _scored(x, y, match(x, y, params), params, x_is_expert=x_is_expert, ratings=ratings)


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
    first = algorithm if algorithm is not None else (experts[0] if experts else None)
    subject = first.subject if first is not None else ""
    pairs = list(_expert_pairs(experts, params))
    if algorithm is not None:
        scores = [score_pair(algorithm, expert, params, ratings=ratings) for expert in experts]
        pairs = [_essay_pair(None, number, score) for number, score in enumerate(scores)] + pairs
    return EssayScore(subject, algorithm is not None, len(experts), tuple(pairs), params.hardness)


def _expert_pairs(experts: Sequence[Markup], params: ScoringParams) -> Iterator[EssayPair]:
    """Both directions of every pair of experts; the second one's correspondence is the first one's, transposed."""
    backward: dict[tuple[int, int], Matching] = {}
    for i, x in enumerate(experts):
        for k, y in enumerate(experts):
            if i == k:
                continue
            if i < k:
                score = score_pair(x, y, params, x_is_expert=True)
                backward[k, i] = score.matching.transposed()
            else:
                score = _scored(x, y, backward[i, k], params, x_is_expert=True)
            yield _essay_pair(i, k, score)


def _scored(
    x: Markup,
    y: Markup,
    matching: Matching,
    params: ScoringParams,
    *,
    x_is_expert: bool,
    ratings: Ratings | None = None,
) -> PairScore:
    metrics = pair_metrics(x, y, matching, params, x_is_expert=x_is_expert, ratings=ratings)
    return PairScore(metrics, weighted(metrics, params.weights), matching)


def _essay_pair(x: int | None, y: int, score: PairScore) -> EssayPair:
    return EssayPair(x, y, score.metrics, score.pair_accuracy, score.matching.pairs)
