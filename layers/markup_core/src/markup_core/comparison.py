"""Two markups side by side: matched fragments, the cost of each difference, and the fragments behind each number.

The numbers are those of the scoring (:func:`markup_core.accuracy.score_pair`), to the last bit, with their parts
(R 2.21, platform §4). A viewer adds nothing up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from markup_core.accuracy import PairScore, score_pair
from markup_core.criteria import FORMULAS, Grade, grade
from markup_core.metrics import Couple, Loss, Ratings, Share, couple, loss_of, shares
from markup_core.model import Fragment, Markup, words_of
from markup_core.params import DEFAULT, METRICS, ScoringParams


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
