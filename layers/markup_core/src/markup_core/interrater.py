"""Inter-annotator agreement on the same essays, and the rule that calls a third expert (R 7.10, markup-scoring §6).

Everything is counted from the library's own correspondence of fragments (:func:`markup_core.matching.match.match`) and
its pair accuracy, so that agreement and scoring never tell two stories; only alpha needs no correspondence.

**Krippendorff's alpha** (nominal, any number of annotators, Krippendorff 2011, «Computing Krippendorff's
Alpha-Reliability») is over words, the unit in which M5 measures borders. **Decision**: a word has the code of the
shortest fragment that touches it (of equally long ones the first by start, then by code), or none; fragments about the
whole text are left out, for they would touch every word. Alpha is undefined where all words have one code or none.

**Decision**: a couple of experts has no reference. Precision, recall and F are told with the expert of the lower number
as the reference; F is the same either way. Zero over zero is undefined, never 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markup_core import tables
from markup_core.accuracy import score_pair
from markup_core.comparable import fold
from markup_core.criteria import FORMULAS, grade
from markup_core.criteria.tally import Noun, russian_form
from markup_core.model import Fragment, Markup, check_markups, word_spans
from markup_core.params import DEFAULT, ScoringParams
from markup_core.reading.validation import dump
from markup_core.receipt import fingerprint
from markup_core.rounding import fixed
from markup_core.texts import Text, tr

if TYPE_CHECKING:
    from markup_core.charts import Picture
    from markup_core.frames import Frame

FULL: Final = 100.0
ERROR_TYPES: Final = ("agreed", "other code", "missed", "added")
Label = str | None
"""A code, or none."""


class CoupleAgreement(NamedTuple):
    """Two experts, by their numbers from 1: the essays of both, and the mean of their pair accuracies in per cent.

    An essay counts with the mean of its two directions, each expert's markup against the other's; None where one is
    undefined.
    """

    first: int
    second: int
    essays: int
    pair_accuracy: float | None


class CodeAgreement(NamedTuple):
    """One code in all couples: fragments of the reference, of the other, and matched ones in which both say it."""

    code: str
    reference: int
    other: int
    agreed: int

    @property
    def precision(self) -> float | None:
        """Return the share of the other's fragments that the reference has, in per cent."""
        return _share(self.agreed, self.other)

    @property
    def recall(self) -> float | None:
        """Return the share of the reference's fragments that the other has, in per cent."""
        return _share(self.agreed, self.reference)

    @property
    def f(self) -> float | None:
        """Return the harmonic mean of precision and recall, in per cent."""
        return _share(2 * self.agreed, self.reference + self.other)


class Confusion(NamedTuple):
    """Number of times that the reference has one code and the other markup another; None: no such fragment."""

    reference: str | None
    other: str | None
    times: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Inputs of an agreement, of which its fingerprint is computed on demand: numbered markups of each essay."""

    essays: Sequence[Sequence[tuple[int, Markup]]]
    params: ScoringParams

    def fingerprint(self) -> dict[str, Any]:
        """Return the fingerprint: that of the command for files in the contest's form."""
        sources = [[[number for number, _ in essay], *(dump(markup) for _, markup in essay)] for essay in self.essays]
        return fingerprint("agreement", self.params, sources)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement over essays that at least two experts have marked up; ``left_out`` counts the others.

    ``codes`` are in the alphabet's order; ``confusion`` has the most frequent first, the diagonal included.
    """

    essays: int
    left_out: int
    couples: tuple[CoupleAgreement, ...]
    alpha: float | None
    words: int
    codes: tuple[CodeAgreement, ...]
    confusion: tuple[Confusion, ...]
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the agreement as JSON."""
        return {
            "essays": self.essays,
            "left_out": self.left_out,
            "couples": [couple._asdict() for couple in self.couples],
            "alpha": self.alpha,
            "words": self.words,
            "codes": [
                {**code._asdict(), "precision": code.precision, "recall": code.recall, "f": code.f}
                for code in self.codes
            ],
            "confusion": [pair._asdict() for pair in self.confusion],
        }

    def to_frame(self, table: str = "couples") -> Frame:
        """Return a table: ``couples``, ``codes``, ``confusion`` or ``alpha``. KeyError for another one."""
        from markup_core import frames  # nobody else needs it

        signed = None if self.origin is None else self.origin.fingerprint()
        return frames.of_agreement(self.to_dict(), signed)[table]

    def heat_map(self, title: str = "Codes of one expert (rows) against the other's") -> Picture:
        """Draw how often each code of one stood against each of the other; a dash is no fragment."""
        from markup_core import charts

        return charts.draw_confusion(self.to_frame("confusion"), title)

    def error_types(self, title: str = "Fragments by code", parts: Sequence[str] = ERROR_TYPES) -> Picture:
        """Draw for each code of the reference: agreed, other code, missed, added. ``parts`` names these."""
        from markup_core import charts

        return charts.draw_error_types(self.to_frame("confusion"), title, parts)

    def _repr_html_(self) -> str:
        alpha = tables.UNDEFINED if self.alpha is None else fixed(self.alpha, 4)
        sizes = (self.essays, self.words)
        couples = [
            (f"{couple.first:02} – {couple.second:02}", couple.essays, couple.pair_accuracy) for couple in self.couples
        ]
        codes = [(*code, code.precision, code.recall, code.f) for code in self.codes]
        return "".join(
            (
                tables.table("Couples of experts", ("experts", "essays", "pair accuracy, %"), couples),
                tables.table("All experts", ("essays", "words", "Krippendorff's alpha"), [(*sizes, alpha)]),
                tables.table("Codes", ("code", "reference", "other", "agreed", "P, %", "R, %", "F1, %"), codes),
                tables.table("What stood against what", ("reference", "other", "times"), self.confusion),
            )
        )


def agreement(essays: Iterable[Sequence[Markup | None]], params: ScoringParams = DEFAULT) -> Agreement:
    """Measure agreement over essays, each given by its experts' markups in the experts' order, None for a missing one.

    Raises ValueError for markups of different texts or subjects, TypeError for what is no Markup. Time: two scorings a
    couple of markups, and O(n log n) in words and fragments.
    """
    accuracies: dict[tuple[int, int], list[float | None]] = defaultdict(list)
    tally, labels, left_out = _Tally(), _Coincidences(), 0
    sources: list[list[tuple[int, Markup]]] = []
    for essay in essays:
        present = [(number, markup) for number, markup in enumerate(essay, 1) if markup is not None]
        check_markups(*(markup for _, markup in present))
        sources.append(present)
        if len(present) < 2:
            left_out += 1
            continue
        for (first, one), (second, other) in combinations(present, 2):
            there = score_pair(one, other, params, x_is_expert=True)
            back = score_pair(other, one, params, x_is_expert=True)
            accuracies[first, second].append(_mean([there.pair_accuracy, back.pair_accuracy]))
            tally.add(one.fragments, other.fragments, there.matching.pairs)
        labels.add([word_labels(markup) for _, markup in present])
    couples = [CoupleAgreement(*who, len(values), _mean(values)) for who, values in sorted(accuracies.items())]
    return Agreement(
        essays=len(sources) - left_out,
        left_out=left_out,
        couples=tuple(couples),
        alpha=labels.alpha(),
        words=labels.units,
        codes=tally.codes(),
        confusion=tally.confusion(),
        origin=Origin(sources, params),
    )


def word_labels(markup: Markup) -> list[Label]:
    """Return the folded code of every word of the text; None for a word that no fragment touches."""
    words = word_spans(markup.text)
    starts, ends = [start for start, _ in words], [end for _, end in words]
    labels: list[Label] = [None] * len(words)
    located = [fragment for fragment in markup.fragments if not fragment.is_full_text]
    # The shortest is written last, and so stays.
    for fragment in sorted(located, key=lambda one: (one.end - one.start, one.start, fold(one.code)), reverse=True):
        for place in range(bisect_right(ends, fragment.start), bisect_left(starts, fragment.end)):
            labels[place] = fold(fragment.code)
    return labels


class _Tally:
    """Fragments of couples of markups by code, under the spelling that came first."""

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}
        self._counts: Counter[tuple[Label, Label]] = Counter()

    def add(self, ours: Sequence[Fragment], theirs: Sequence[Fragment], pairs: Iterable[tuple[int, int]]) -> None:
        """Add one couple, the reference first."""
        matched = [(ours[i], theirs[k]) for i, k in pairs]
        self._counts.update((self._name(x), self._name(y)) for x, y in matched)
        # In pairs both sides have one fragment each; what is left over stands against none.
        for name, number in (Counter(map(self._name, ours)) - Counter(self._name(x) for x, _ in matched)).items():
            self._counts[name, None] += number
        for name, number in (Counter(map(self._name, theirs)) - Counter(self._name(y) for _, y in matched)).items():
            self._counts[None, name] += number

    def _name(self, fragment: Fragment) -> str:
        return self._spelled.setdefault(fold(fragment.code), fragment.code.strip())

    def codes(self) -> tuple[CodeAgreement, ...]:
        """Return the agreement on every code that an expert used."""
        sides: tuple[Counter[Label], Counter[Label]] = (Counter(), Counter())
        for names, number in self._counts.items():
            for side, name in zip(sides, names, strict=True):
                side[name] += number
        return tuple(
            CodeAgreement(name, sides[0][name], sides[1][name], self._counts[name, name])
            for name in sorted(self._spelled.values())
        )

    def confusion(self) -> tuple[Confusion, ...]:
        """Return the pairs of differing codes; equally frequent ones by the alphabet, none last."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], *_last(item[0][0]), *_last(item[0][1])))
        return tuple(Confusion(reference, other, number) for (reference, other), number in ordered)


class _Coincidences:
    """Krippendorff's matrix of coincidences, for nominal values; exact fractions, so no order of essays matters."""

    def __init__(self) -> None:
        self._values: Counter[Label] = Counter()
        self._equal: Fraction = Fraction(0)
        self.units = 0

    def add(self, raters: Sequence[Sequence[Label]]) -> None:
        """Add one essay: every rater's labels of the same words; a word that a rater left unmarked has no label."""
        share = Fraction(1, len(raters) - 1)
        for values in zip(*raters, strict=True):
            counts = Counter(values)
            self._values.update(counts)
            self._equal += share * sum(number * (number - 1) for number in counts.values())
            self.units += 1

    def alpha(self) -> float | None:
        """Compute 1 − observed / expected disagreement; None without variation."""
        total = sum(self._values.values())
        expected = total * total - sum(number * number for number in self._values.values())
        return None if expected == 0 else float(1 - (total - 1) * (total - self._equal) / expected)


def _last(name: Label) -> tuple[bool, str]:
    return name is None, name or ""


def _share(part: int, whole: int) -> float | None:
    return None if whole == 0 else part * FULL / whole


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return None if len(defined) < len(values) or not values else fsum(defined) / len(defined)


class Reason(NamedTuple):
    """Why a third expert is needed, in two languages; ``code`` is stable: total, criterion, zero or count."""

    code: str
    message: Text


class Adjudication(NamedTuple):
    """The answer of the rule; ``reasons`` is empty exactly when no third expert is needed."""

    needed: bool
    reasons: tuple[Reason, ...]


class Thresholds(NamedTuple):
    """Differences of a subject from which a third expert is needed (each "by this much or more").

    ``criteria`` limits single criteria; ``zero`` names the criterion that must not be 0 for exactly one of the two;
    ``differing`` is the number of criteria that may not differ at once.
    """

    total: int
    criteria: Mapping[str, int] = MappingProxyType({})
    zero: str = ""
    differing: int | None = None


# Clause: MS §6 rus, MS §6 lit, MS §6 social, MS §6 hist, MS §6 eng, platform §5 third, R 7.10
LIMITS: Final[Mapping[str, Thresholds]] = MappingProxyType(
    {
        # K7 and K8 of rus cannot differ while spelling and punctuation are not marked up.
        "rus": Thresholds(8, {"K7": 2, "K8": 2}),
        "rus-free": Thresholds(8),
        "lit": Thresholds(7, dict.fromkeys(FORMULAS["lit"].names, 2), zero="K1"),
        "social": Thresholds(3, {"K2": 2, "K4": 2}, zero="K1"),
        "hist": Thresholds(5, {"K1": 2, "K2": 2, "K3": 2, "K6": 2}, differing=4),
        "eng": Thresholds(4),
        "eng-free": Thresholds(4),
    }
)

_CRITERION: Final = Noun("m", "критерий", "критерия", "критериев", "criterion", "criteria")


def third_expert(first: Markup, second: Markup) -> Adjudication:
    """Decide whether two valid expert markups of one essay call for a third expert, and why.

    The order of the two does not matter. A subject without a grading formula has no points that could differ: no
    third expert is needed. Raises ``ValueError`` when the markups are of different subjects.
    """
    check_markups(first, second)
    if first.subject != second.subject:
        raise ValueError(
            tr(
                "a third expert can be decided only for two markups of one essay: their subjects are "
                "{first!r} and {second!r}",
                first=first.subject,
                second=second.subject,
            )
        )
    one, other = grade(first), grade(second)
    if one is None or other is None:
        return Adjudication(needed=False, reasons=())
    return decide(first.subject, one.criteria, other.criteria)


def decide(subject: str, first: Mapping[str, int], second: Mapping[str, int]) -> Adjudication:
    """Decide on a third expert by two lists of criteria ``{"K1": 1, …}`` of a subject that has limits."""
    reasons = tuple(_reasons(LIMITS[subject], first, second))
    return Adjudication(needed=bool(reasons), reasons=reasons)


# Clause: MS §6 rus, MS §6 lit, MS §6 social, MS §6 hist, MS §6 eng
def _reasons(limits: Thresholds, first: Mapping[str, int], second: Mapping[str, int]) -> Iterator[Reason]:
    total = abs(sum(first.values()) - sum(second.values()))
    if total >= limits.total:
        sentence = tr("total differs by {points} (limit {limit})", points=total, limit=limits.total)
        yield Reason("total", sentence)
    gaps = {name: abs(points - second[name]) for name, points in first.items()}
    for name, limit in limits.criteria.items():
        if gaps[name] >= limit:
            sentence = tr("{name} differs by {points} (limit {limit})", name=name, points=gaps[name], limit=limit)
            yield Reason("criterion", sentence)
    if limits.zero and (first[limits.zero] == 0) != (second[limits.zero] == 0):
        yield Reason("zero", tr("exactly one has {name} = 0", name=limits.zero))
    differing = sum(gap > 0 for gap in gaps.values())
    if limits.differing is not None and differing >= limits.differing:
        criteria = Text(*(f"{differing} {form}" for form in ("criteria", russian_form(differing, _CRITERION))))
        yield Reason("count", tr("{criteria} differ (limit {limit})", criteria=criteria, limit=limits.differing))
