"""The metrics M1…M7 of one markup X against another Y of the same text, with their parts (R-App1, markup-scoring §3).

All are percentages, 0 to 100; None where undefined. Shares are of **X's** fragments, so M(X, Y) is not M(Y, X).
With both markups empty M2…M6 are 100, with exactly one empty they are 0; so M_i(X, X) = 100 for i = 1…6, always.

The facts behind M3…M6 and the loss are the common fields of each matched pair of fragments (R-App1, R-App2).
:func:`pair_metrics` counts the same without keeping it, because scoring has little time.

Every metric of a pair has a numerator, a denominator, and each fragment's gain of the numerator. A viewer explains a
number by the fragments that gained or lost it, and computes nothing: for M2…M6::

    value = fsum(everything gained) * 100 / denominator          to the last bit

M1 compares two grades, so no fragment gains any of it: its numerator is the greatest total less the difference. The
gain of M7 is in per cent already: ``value = fsum(gained) / denominator``. Where a value follows from a rule for a case
in which there is nothing to divide, ``because`` says which; ``gained`` is None for a fragment that does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final, Literal, NamedTuple

from markup_core.comparable import JUDGES, fold, folded, text_key
from markup_core.criteria import max_total, total
from markup_core.matching.match import Matching
from markup_core.model import Columns, Fragment, Markup, Span, Words, words_of
from markup_core.params import DEFAULT, DEFAULT_WEIGHTS, METRICS, ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.texts import Text, tr


# Clause: MS §1.2 own
def usual_weights(classifier: Classifier, subjects: Iterable[str]) -> tuple[float, ...]:
    """Return the weights that hold for subjects of a classifier where nobody has chosen any.

    **Decision**: a metric to which the label set gives nothing weighs 0: M1 where one of the subjects has no grading
    formula (it is undefined there), M6 where none of their codes takes a correction (it would be 100 for everybody).
    The weights are the same for all subjects, so that one number means one thing.
    """
    named = list(subjects)
    grade, *others, corrections, explanations = DEFAULT_WEIGHTS
    if any(max_total(subject) is None for subject in named):
        grade = 0.0
    if not any(code.correction for subject in named for code in classifier.codes(subject)):
        corrections = 0.0
    return (grade, *others, corrections, explanations)


QUESTIONS: Final = 5

Ratings = Mapping[str, float]
"""Mean rating of each rated explanation in per cent, by the fragment's id as a string."""


class InvalidRatings(ValueError):  # noqa: N818  the name says what the ratings are; callers read it so
    """Ratings that cannot be read; the text, ``message`` in both languages, names the fragment and the rater."""

    code: Final = "invalid_ratings"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


# Clause: R-App1 M7
def read_ratings(raw: Any) -> Ratings:
    """Read ``{fragment id: [[yes/no × 5], … one list per rater]}``; a fragment without a rater is not rated.

    Yes is 20 per cent; several raters are averaged. Yes and no are booleans or 1 and 0. Raises InvalidRatings.
    """
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise InvalidRatings(tr("ratings must be an object from fragment ids to lists of raters' answers"))
    ratings = {}
    for fragment, raters in ((str(name), answers) for name, answers in raw.items() if answers):
        if not isinstance(raters, list | tuple):
            raise InvalidRatings(tr("fragment {fragment}: expected a list with one list per rater", fragment=fragment))
        points = [_points(fragment, number, answers) for number, answers in enumerate(raters, start=1)]
        ratings[fragment] = fsum(points) / len(points) * (100 / QUESTIONS)
    return ratings


def _points(fragment: str, rater: int, answers: Any) -> int:
    whole = isinstance(answers, list | tuple) and len(answers) == QUESTIONS
    if not whole or any(type(answer) not in (bool, int) or answer not in (0, 1) for answer in answers):
        message = tr(
            "fragment {fragment}, rater {rater}: expected {questions} answers, each yes or no",
            fragment=fragment,
            rater=rater,
            questions=QUESTIONS,
        )
        raise InvalidRatings(message)
    return sum(answers)


Pairs = Sequence[tuple[int, int]]
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
        """Return the metrics by their published names."""
        return dict(zip(METRICS, self, strict=True))


# Clause: R-App1 M2, R-App1 M3, MS §3 empty
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
    """Compute the metrics of X against Y under their matching. Linear in fragments, but for finding words by bisection.

    ``ratings`` are those of X's explanations (:func:`read_ratings`); an expert's explanations
    need none. ``totals`` are the grades of both where they are known already: a markup stands in several pairs, and
    is graded once. Raises ValueError for markups of different subjects.
    """
    if x.subject != y.subject:
        raise ValueError(
            tr(
                "the markups are of different subjects, {subject!r} and {subject_2!r}",
                subject=x.subject,
                subject_2=y.subject,
            )
        )
    m1 = _grade_accuracy(x.subject, totals or (total(x), total(y)))
    one, other = x.columns, y.columns
    m7 = FULL if x_is_expert else _explanations(one, ratings or {})
    size, others = len(one.ids), len(other.ids)
    if not size or not others:
        shared = FULL if size == others else 0.0
        return Metrics(m1, shared, shared, shared, shared, shared, m7)
    pairs = matching.pairs
    return Metrics(
        m1,
        2 * len(pairs) * FULL / (size + others),
        sum([one.keys[i] == other.keys[k] for i, k in pairs]) * FULL / size,
        _agreeing_subtypes(one, other, pairs, params) * FULL / size,
        fsum(_word_overlap(one, other, pairs, x.text)) * FULL / size,
        _corrections(one, other, pairs),
        m7,
    )


# Clause: R-App1 M1
def _grade_accuracy(subject: str, totals: Totals) -> float | None:
    """Compute M1: undefined for a subject without a grading formula."""
    greatest = max_total(subject)
    first, second = totals
    if greatest is None or first is None or second is None:
        return None
    return (greatest - abs(first - second)) * FULL / greatest


# Clause: R-App1 M4, MS §3 M4
def _agreeing_subtypes(x: Columns, y: Columns, pairs: Pairs, params: ScoringParams) -> int:
    """Compute M4: equal non-empty subtypes, or comments that are paraphrases, or neither side has any of the two."""
    judge = JUDGES[params.paraphrase]
    subtypes_x, subtypes_y, comments_x, comments_y = x.subtypes, y.subtypes, x.comments, y.comments
    agreeing = 0
    for i, k in pairs:
        subtype, other = subtypes_x[i], subtypes_y[k]
        if subtype or other:
            if subtype != other or subtype.isspace():
                subtype, other = fold(subtype), fold(other)
            if subtype and subtype == other:
                agreeing += 1
                continue
        comment, remark = comments_x[i], comments_y[k]
        if comment or remark:
            if comment == remark and not comment.isspace():
                agreeing += 1
                continue
            comment, remark = text_key(comment), text_key(remark)
            if comment and remark:
                agreeing += comment == remark or judge(comment, remark)
                continue
        agreeing += not (subtype or other or comment or remark)
    return agreeing


# Clause: R-App1 M5, MS §3 M5
def _word_overlap(x: Columns, y: Columns, pairs: Pairs, text: str) -> list[float]:
    """Compute M5: Jaccard measure in words. Fragments without any word: 1 for equal spans, else 0.

    Matched spans that differ overlap. So a word that touches both of them touches what they share, and a word that
    touches one of them touches the span from the first start to the last end.
    """
    starts_x, ends_x, starts_y, ends_y = x.starts, x.ends, y.starts, y.ends
    touching = words_of(text).touching
    parts = []
    for i, k in pairs:
        a, b, c, d = starts_x[i], ends_x[i], starts_y[k], ends_y[k]
        if a == c and b == d:
            parts.append(1.0)
            continue
        united = touching(a if a < c else c, b if b > d else d)
        parts.append(touching(c if a < c else a, d if b > d else b) / united if united else 0.0)
    return parts


# Clause: R-App1 M6
def _corrections(x: Columns, y: Columns, pairs: Pairs) -> float:
    """Compute M6: with no correction in X it is 100 if Y has none either, else 0."""
    corrections, others = x.corrections, y.corrections
    corrected = len(corrections) - corrections.count("") - sum(map(str.isspace, corrections))
    if not corrected:
        return FULL if all(not correction or correction.isspace() for correction in others) else 0.0
    same = sum(
        [
            not one.isspace() and (one == other or text_key(one) == text_key(other))
            for i, k in pairs
            if (one := corrections[i]) and (other := others[k])
        ]
    )
    return same * FULL / corrected


# Clause: R-App1 M7, MS §3 M7
def _explanations(x: Columns, ratings: Ratings) -> float | None:
    """Compute M7 of an algorithm: 0 without explanations, undefined while none of them is rated."""
    if not any(x.explanations):
        return 0.0
    explained = [str(ident) for ident, text in zip(x.ids, x.explanations, strict=True) if text and not text.isspace()]
    if not explained:
        return 0.0
    rated = [ratings[name] for name in explained if name in ratings]
    return fsum(rated) / len(rated) if rated else None


Likeness = Literal["equal", "paraphrase", "differs", "absent"]
"""Comparison of two short texts; ``absent``: neither side has one."""


class Loss(NamedTuple):
    """Cost of a pair (R-App2 §3): J = ``apart`` / ``union`` in characters, 1 more where it is 1, and 1 for each of
    start and code that differs."""

    apart: int
    union: int
    start_differs: bool
    code_differs: bool

    @property
    def j(self) -> float:
        """Return the Jaccard distance, 0…1."""
        return self.apart / self.union

    @property
    def loss(self) -> float:
        """Return L, 0…4."""
        return self.j + (self.apart == self.union) + self.start_differs + self.code_differs

    def to_dict(self) -> dict[str, Any]:
        """Return the costs as JSON."""
        return {"j": self.j, "start_differs": self.start_differs, "code_differs": self.code_differs, "loss": self.loss}


class Couple(NamedTuple):
    """A matched pair: indices into both markups, its loss, and how its fields agree."""

    x: int
    y: int
    loss: Loss
    subtype: Likeness
    comment: Likeness
    correction: Likeness
    common_words: int
    all_words: int
    same_span: bool

    @property
    def agrees(self) -> bool:
        """Return whether M4 counts the pair: an equal subtype, a comment that says the same, or neither anywhere."""
        return (
            self.subtype == "equal"
            or self.comment in {"equal", "paraphrase"}
            or (self.subtype == "absent" and self.comment == "absent")
        )

    @property
    def overlap(self) -> float:
        """Return the Jaccard measure in words, as M5 takes it."""
        if self.same_span:
            return 1.0
        return self.common_words / self.all_words if self.all_words else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON."""
        return {
            "x": self.x,
            "y": self.y,
            **self.loss.to_dict(),
            "subtype": self.subtype,
            "comment": self.comment,
            "correction": self.correction,
            "subtype_or_comment_agrees": self.agrees,
            "common_words": self.common_words,
            "all_words": self.all_words,
            "words_overlap": self.overlap,
        }


def loss_of(x: Fragment, y: Fragment) -> Loss:
    """Compute the loss of a pair; two full-text fragments coincide, a full-text and a located one share nothing."""
    first, second = _characters(x), _characters(y)
    common = max(0, min(first[1], second[1]) - max(first[0], second[0]))
    union = first[1] - first[0] + second[1] - second[0] - common
    return Loss(union - common, union, first[0] != second[0], folded(x.code) != folded(y.code))


def couple(pair: tuple[int, int], x: Fragment, y: Fragment, words: Words, params: ScoringParams) -> Couple:
    """Compare one matched pair. ``words``: those of the whole text. O(log words + lengths of the fields)."""
    common, united = _words(x, y, words)
    one, other = text_key(x.comment), text_key(y.comment)
    comments = _likeness(one, other)
    if comments == "differs" and one and other and JUDGES[params.paraphrase](one, other):
        comments = "paraphrase"
    return Couple(
        x=pair[0],
        y=pair[1],
        loss=loss_of(x, y),
        subtype=_likeness(fold(x.subtype), fold(y.subtype)),
        comment=comments,
        correction=_likeness(text_key(x.correction), text_key(y.correction)),
        common_words=common,
        all_words=united,
        same_span=x[:2] == y[:2],
    )


def _characters(fragment: Fragment) -> Span:
    """Return the span as the matcher counts it: one of the whole text coincides with its like alone."""
    return (-1, 0) if fragment.is_full_text else (fragment.start, fragment.end)


def _words(x: Fragment, y: Fragment, words: Words) -> tuple[int, int]:
    if x.is_full_text or y.is_full_text:
        return (words.total, words.total) if x.is_full_text and y.is_full_text else (0, words.total)
    shared, united = (max(x.start, y.start), min(x.end, y.end)), (min(x.start, y.start), max(x.end, y.end))
    return words.touching(*shared), words.touching(*united)


def _likeness(one: str, other: str) -> Likeness:
    if not one and not other:
        return "absent"
    return "equal" if one == other else "differs"


BECAUSE: Final[dict[str, Text]] = {
    "both_empty": tr("neither markup has a fragment: they agree"),
    "one_empty": tr("one of the markups has no fragment"),
    "no_corrections": tr("neither markup has a correction: they agree"),
    "corrections_only_in_y": tr("only the other markup has corrections"),
    "expert": tr("an expert's explanations count in full"),
    "no_explanations": tr("there is no explanation"),
    "not_rated": tr("no explanation has been rated yet"),
    "no_formula": tr("the subject has no grading formula"),
}
"""Reasons for a value where there is nothing to divide, by their codes, in English and in Russian."""
Gained = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """One metric: ``gained_x`` by index of X's fragments, ``gained_y`` of Y's where they count too."""

    value: float | None
    numerator: float
    denominator: float
    gained_x: Gained = ()
    gained_y: Gained = ()
    because: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as JSON."""
        return {
            "value": self.value,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "gained_x": list(self.gained_x),
            "gained_y": list(self.gained_y),
            "because": {"code": self.because, "en": BECAUSE[self.because].en, "ru": BECAUSE[self.because].ru}
            if self.because
            else None,
        }


def shares(
    x: Markup,
    y: Markup,
    couples: Sequence[Couple],
    totals: Totals,
    *,
    x_is_expert: bool = False,
    ratings: Ratings | None = None,
) -> dict[str, Share]:
    """Return M1…M7 of X against Y by their names; equal to those of :func:`pair_metrics`.

    ``couples`` are the matched pairs, ``totals`` the grades of both. Linear in the fragments.
    """
    m7 = Share(FULL, 0.0, 0.0, because="expert") if x_is_expert else _gained_explanations(x.fragments, ratings or {})
    m1 = Share(None, 0.0, 0.0, because="no_formula")
    greatest, (first, second) = max_total(x.subject), totals
    if greatest is not None and first is not None and second is not None:
        common = greatest - abs(first - second)
        m1 = Share(common * FULL / greatest, common, greatest)
    return {"M1": m1, **_of_fragments(x.fragments, y.fragments, couples), "M7": m7}


def _of_fragments(
    fragments: Sequence[Fragment], others: Sequence[Fragment], couples: Sequence[Couple]
) -> dict[str, Share]:
    if not fragments or not others:
        empty = len(fragments) == len(others)
        none: Gained = (0.0,) * len(fragments)
        share = Share(FULL if empty else 0.0, 0.0, 0.0, none, (), "both_empty" if empty else "one_empty")
        return dict.fromkeys(("M2", "M3", "M4", "M5", "M6"), share)
    size = len(fragments)
    matched = _spread(size, {pair.x: 1.0 for pair in couples})
    return {
        "M2": _ratio(size + len(others), matched, _spread(len(others), {pair.y: 1.0 for pair in couples})),
        "M3": _ratio(size, _spread(size, {pair.x: float(not pair.loss.code_differs) for pair in couples})),
        "M4": _ratio(size, _spread(size, {pair.x: float(pair.agrees) for pair in couples})),
        "M5": _ratio(size, _spread(size, {pair.x: pair.overlap for pair in couples})),
        "M6": _gained_corrections(fragments, others, couples),
    }


def _spread(size: int, gained: dict[int, float]) -> Gained:
    return tuple(gained.get(index, 0.0) for index in range(size))


def _ratio(denominator: int, gained_x: Gained, gained_y: Gained = ()) -> Share:
    numerator = fsum(gain for gain in (*gained_x, *gained_y) if gain is not None)
    return Share(numerator * FULL / denominator, numerator, denominator, gained_x, gained_y)


def _gained_corrections(fragments: Sequence[Fragment], others: Sequence[Fragment], couples: Sequence[Couple]) -> Share:
    corrected = [index for index, fragment in enumerate(fragments) if text_key(fragment.correction)]
    if not corrected:
        nothing: Gained = (None,) * len(fragments)
        theirs = any(text_key(fragment.correction) for fragment in others)
        because = "corrections_only_in_y" if theirs else "no_corrections"
        return Share(0.0 if theirs else FULL, 0.0, 0.0, nothing, (), because)
    same = {pair.x: float(pair.correction == "equal") for pair in couples}
    counted = {index: same.get(index, 0.0) for index in corrected}
    return _ratio(len(corrected), tuple(counted.get(index) for index in range(len(fragments))))


def _gained_explanations(fragments: Sequence[Fragment], ratings: Ratings) -> Share:
    names = [str(fragment.id) if fragment.explanation.strip() else None for fragment in fragments]
    gained = tuple(None if name is None else ratings.get(name) for name in names)
    rated = [rating for rating in gained if rating is not None]
    if not any(name is not None for name in names):
        return Share(0.0, 0.0, 0.0, gained, because="no_explanations")
    if not rated:
        return Share(None, 0.0, 0.0, gained, because="not_rated")
    return Share(fsum(rated) / len(rated), fsum(rated), len(rated), gained)
