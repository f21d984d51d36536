"""From pairs to accuracies: pair accuracy, STAR, STER, OTAR (R 5.2–5.8, R-App1, markup-scoring §3–4).

For one essay with expert markups E::

    algorithm side  a = H · mean M(A, E) + (1 − H) · max M(A, E)            over the experts
    expert side     e = H · mean M(E, E') + (1 − H) · min M(E, E')          over ordered pairs of experts

``algorithm_accuracy`` (STAR) and ``expert_accuracy`` (STER) of a sample are means of a and e over essays, and
``relative_accuracy`` (OTAR) is their ratio in per cent. Sums are exact before they are rounded, so no result depends
on the order of essays, experts or fragments, and no mean leaves the bounds of its values.

A comparison (:func:`compare`) shows two markups side by side: matched fragments, the cost of each difference, and the
fragments behind each number. Its numbers are those of the scoring, to the last bit, with their parts (R 2.21,
platform §4); a viewer adds nothing up. A score record (:func:`score_record`) holds the score of one answer, and anybody
who has the inputs can verify it (markup-scoring §8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from math import gcd
from operator import mul
from typing import Any, Final, NamedTuple

from markup_core.criteria import FORMULAS, Grade, grade, total
from markup_core.matching.match import Matching, match
from markup_core.metrics import (
    Couple,
    Loss,
    Metrics,
    Ratings,
    Share,
    couple,
    loss_of,
    pair_metrics,
    read_ratings,
    shares,
)
from markup_core.model import Fragment, Markup, check_markups, words_of
from markup_core.params import DEFAULT, METRICS, ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import load
from markup_core.receipt import differences, fingerprint
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


@dataclass(frozen=True, slots=True)
class Near:
    """Two overlapping fragments that are left over: they differ in start and code (or group), so L ≥ 2."""

    x: int
    y: int
    loss: Loss
    group_differs: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON."""
        return {"x": self.x, "y": self.y, **self.loss.to_dict(), "group_differs": self.group_differs}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pair of markups: the score, the matched pairs in full, near misses, both grades, each metric by fragments."""

    score: PairScore
    couples: tuple[Couple, ...]
    near: tuple[Near, ...]
    grades: tuple[Grade | None, Grade | None]
    shares: Mapping[str, Share]
    weights: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON; indices are into the markups' selections."""
        one, other = self.grades
        differing = []
        if one is not None and other is not None:
            differing = [name for name, points in one.criteria.items() if points != other.criteria[name]]
        whole = sum(map(Fraction, self.weights))
        metrics = {}
        for name, weight in zip(METRICS, self.weights, strict=True):
            share = self.shares[name]
            # weight · value / sum of the weights, exact, then rounded
            part = None if share.value is None else float(Fraction(weight) * Fraction(share.value) / whole)
            metrics[name] = {**share.to_dict(), "weight": weight, "part_of_pair_accuracy": part}
        grades: dict[str, dict[str, Any] | None] = {}
        for side, result in zip(("x", "y"), self.grades, strict=True):
            grades[side] = None
            if result is not None:
                formula = FORMULAS[result.subject]
                grades[side] = {**result.to_dict(), "maxima": dict(zip(formula.names, formula.maxima, strict=True))}
        return {
            "pair_accuracy": self.score.pair_accuracy,
            "q": self.score.matching.q,
            "pairs": [matched.to_dict() for matched in self.couples],
            "unmatched_x": list(self.score.matching.unmatched_x),
            "unmatched_y": list(self.score.matching.unmatched_y),
            "near": [pair.to_dict() for pair in self.near],
            "metrics": metrics,
            "grades": grades,
            "differing_criteria": differing,
        }


def compare(
    x: Markup, y: Markup, params: ScoringParams = DEFAULT, *, x_is_expert: bool = False, ratings: Ratings | None = None
) -> Comparison:
    """Compare two markups of one text. Raises ValueError for markups of different texts or subjects.

    Time: that of the scoring, and O(n·m) steps of numpy for what is left over on both sides.
    """
    score = score_pair(x, y, params, x_is_expert=x_is_expert, ratings=ratings)
    words, grades = words_of(x.text), (grade(x), grade(y))
    couples = tuple(
        couple(pair, x.fragments[pair[0]], y.fragments[pair[1]], words, params) for pair in score.matching.pairs
    )
    totals = (None if grades[0] is None else grades[0].total, None if grades[1] is None else grades[1].total)
    return Comparison(
        score=score,
        couples=couples,
        near=_near(x.fragments, y.fragments, score.matching.unmatched_x, score.matching.unmatched_y),
        grades=grades,
        shares=shares(x, y, couples, totals, x_is_expert=x_is_expert, ratings=ratings),
        weights=params.weights,
    )


def _near(
    fragments: Sequence[Fragment], others: Sequence[Fragment], left_x: Sequence[int], left_y: Sequence[int]
) -> tuple[Near, ...]:
    """Pair each unmatched fragment of X with the unmatched one of Y that shares most characters with it."""
    located = [k for k in left_y if not others[k].is_full_text]
    if not located:
        return ()
    import numpy as np  # scoring starts without it

    starts, ends = (np.array([others[k][part] for k in located]) for part in (0, 1))
    pairs = []
    for i in left_x:
        one = fragments[i]
        common = np.minimum(ends, one.end) - np.maximum(starts, one.start)
        best = int(np.argmax(common))
        if common[best] > 0 and not one.is_full_text:
            other = others[located[best]]
            pairs.append(Near(i, located[best], loss_of(one, other), one.group != other.group))
    return tuple(pairs)


Json = Any


def score_record(
    answer: Json,
    references: Sequence[Json],
    params: ScoringParams,
    classifier: Classifier | None = None,
    ratings: Json = None,
) -> dict[str, Any]:
    """Return the record of an answer against all expert markups: every number, the grade, and the fingerprint.

    ``answer`` and ``references`` are markups as JSON values, ``ratings`` those of the answer's explanations, if there
    are any (:func:`markup_core.metrics.read_ratings`); they are what the fingerprint hashes. Raises
    :class:`markup_core.reading.validation.InvalidMarkup`, :class:`markup_core.metrics.InvalidRatings`, and ValueError
    for markups of different texts or subjects.
    """
    algorithm = load(answer, classifier=classifier)
    experts = [load(reference, classifier=classifier) for reference in references]
    score = score_essay(algorithm, experts, params, ratings=read_ratings(ratings))
    points = grade(algorithm)
    sources = [answer, *references] if ratings is None else [answer, *references, ratings]
    return {
        "subject": algorithm.subject,
        "experts": len(experts),
        "fragments": len(algorithm.fragments),
        "grade": None if points is None else points.to_dict(),
        **score.to_dict(),
        "fingerprint": fingerprint("essay", params, sources, classifier),
    }


def score_of(record: Mapping[str, Any]) -> EssayScore:
    """Read the essay's score from its record, for summaries that do not read the markups again."""
    hardness = record["fingerprint"]["parameters"]["hardness"]
    return EssayScore.from_dict(record["subject"], record["experts"], record, hardness)


# Clause: MS §8 verify
def verify(
    record: Mapping[str, Any],
    answer: Json,
    references: Sequence[Json],
    classifier: Classifier | None = None,
    ratings: Json = None,
    params: ScoringParams | None = None,
) -> list[str]:
    """Recompute a record from its inputs and list every difference; empty when it is right to the last bit.

    ``params`` are those the record has to be made with, the cycle's for one: a record that is right by others than
    these differs. Without them it is recomputed by those that it names itself. Raises as :func:`score_record`,
    ValueError for a record that names no parameters, and InvalidParams for ones that cannot be used.
    """
    named = record.get("fingerprint")
    if not isinstance(named, Mapping) or not isinstance(named.get("parameters"), Mapping):
        raise ValueError("this is no score record: it has no fingerprint that names the parameters")  # noqa: TRY004
    used = params or ScoringParams.from_dict(named["parameters"])
    return list(differences(record, score_record(answer, references, used, classifier, ratings)))
