"""M1…M7 of one pair of markups."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from markup_core.comparable import text_key
from markup_core.criteria import max_total, total
from markup_core.matching.candidates import folded
from markup_core.matching.match import Matching
from markup_core.metrics.ratings import Ratings
from markup_core.model import Fragment, Markup, fold
from markup_core.params import DEFAULT, METRICS, ScoringParams
from markup_core.paraphrase import JUDGES
from markup_core.said import Said
from markup_core.words import touched, touched_among, word_spans

Couples = Sequence[tuple[Fragment, Fragment]]
Totals = tuple[int | None, int | None]
FULL = 100.0


class Metrics(NamedTuple):
    """The seven metrics in per cent; None where undefined."""

    m1: float | None
    m2: float
    m3: float
    m4: float
    m5: float
    m6: float
    m7: float | None

    def to_dict(self) -> dict[str, float | None]:
        """By their published names."""
        return dict(zip(METRICS, self, strict=True))


def pair_metrics(
    x: Markup,
    y: Markup,
    matching: Matching,
    params: ScoringParams = DEFAULT,
    *,
    x_is_expert: bool = False,
    ratings: Ratings | None = None,
    totals: Totals | None = None,
) -> Metrics:
    """Metrics of X against Y under their matching. Linear in fragments, but for finding words by bisection.

    ``ratings`` are those of X's explanations (:func:`markup_core.metrics.read_ratings`); an expert's explanations
    need none. ``totals`` are the grades of both where they are known already: a markup stands in several pairs, and
    is graded once. Raises ValueError for markups of different subjects.

    Clause: R-App1 M2, MS §3 empty
    """
    if x.subject != y.subject:
        raise ValueError(
            Said(
                f"the markups are of different subjects, {x.subject!r} and {y.subject!r}",
                f"разметки относятся к разным предметам: {x.subject!r} и {y.subject!r}",
            )
        )
    m1 = _grade_accuracy(x.subject, totals or (total(x), total(y)))
    m7 = FULL if x_is_expert else _explanations(x, ratings or {})
    fragments, others = x.fragments, y.fragments
    if not fragments or not others:
        shared = FULL if len(fragments) == len(others) else 0.0
        return Metrics(m1, shared, shared, shared, shared, shared, m7)
    couples = [(fragments[i], others[k]) for i, k in matching.pairs]
    size = len(fragments)
    return Metrics(
        m1,
        2 * len(couples) * FULL / (size + len(others)),
        _equal_codes(couples) * FULL / size,
        _agreeing_subtypes(couples, params) * FULL / size,
        fsum(_word_overlap(couples, x.text)) * FULL / size,
        _corrections(fragments, others, couples),
        m7,
    )


def _grade_accuracy(subject: str, totals: Totals) -> float | None:
    """M1: undefined for a subject without a grading formula.

    Clause: R-App1 M1
    """
    greatest = max_total(subject)
    first, second = totals
    if greatest is None or first is None or second is None:
        return None
    return (greatest - abs(first - second)) * FULL / greatest


def _equal_codes(couples: Couples) -> int:
    """Clause: R-App1 M3"""
    return sum(x.code == y.code or folded(x.code) == folded(y.code) for x, y in couples)


def _agreeing_subtypes(couples: Couples, params: ScoringParams) -> int:
    """M4: equal non-empty subtypes, or comments that are paraphrases, or neither side has any of the two.

    Clause: R-App1 M4, MS §3 M4
    """
    judge = JUDGES[params.paraphrase]
    agreeing = 0
    for x, y in couples:
        if not (x.subtype or y.subtype or x.comment or y.comment):
            agreeing += 1
            continue
        subtype, other = fold(x.subtype), fold(y.subtype)
        if subtype and subtype == other:
            agreeing += 1
            continue
        comment, remark = text_key(x.comment), text_key(y.comment)
        if comment and remark:
            agreeing += judge(comment, remark)
        else:
            agreeing += not (subtype or other or comment or remark)
    return agreeing


def _word_overlap(couples: Couples, text: str) -> list[float]:
    """M5: Jaccard measure in words. Fragments without any word: 1 for equal spans, else 0.

    Matched spans that differ overlap. So a word that touches both of them touches what they share, and a word that
    touches one of them touches the span from the first start to the last end.

    Clause: R-App1 M5, MS §3 M5
    """
    differing = [
        ((max(x[0], y[0]), min(x[1], y[1])), (min(x[0], y[0]), max(x[1], y[1]))) for x, y in couples if x[:2] != y[:2]
    ]
    # To find every word of the text costs about as much as to look at spans of twice its length.
    if sum([last - first for _, (first, last) in differing]) > 2 * len(text):
        words = word_spans(text)
        counts = [(touched_among(words, *shared), touched_among(words, *united)) for shared, united in differing]
    else:
        counts = [touched(text, shared, united) for shared, united in differing]
    equal = [1.0] * (len(couples) - len(differing))
    return equal + [shared / united if united else 0.0 for shared, united in counts]


def _corrections(fragments: Sequence[Fragment], others: Sequence[Fragment], couples: Couples) -> float:
    """M6: with no correction in X it is 100 if Y has none either, else 0.

    Clause: R-App1 M6
    """
    corrected = sum(1 for fragment in fragments if fragment.correction and text_key(fragment.correction))
    if not corrected:
        return 0.0 if any(text_key(fragment.correction) for fragment in others) else FULL
    given = [(x.correction, y.correction) for x, y in couples if x.correction and y.correction]
    same = sum(1 for one, other in given if (key := text_key(one)) and key == text_key(other))
    return same * FULL / corrected


def _explanations(x: Markup, ratings: Ratings) -> float | None:
    """M7 of an algorithm: 0 without explanations, undefined while none of them is rated.

    Clause: R-App1 M7, MS §3 M7
    """
    explained = [str(fragment.id) for fragment in x.fragments if fragment.explanation.strip()]
    if not explained:
        return 0.0
    rated = [ratings[name] for name in explained if name in ratings]
    return fsum(rated) / len(rated) if rated else None
