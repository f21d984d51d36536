"""Accuracies of a sample of essays with breakdowns and intervals, and nominations (R 5.7, 6.5.1, scoring §4, §7).

Which essays count: relative accuracy takes those that have an algorithmic markup (are not voided) and at least two
expert markups, the same above and below, and the algorithm and expert accuracies beside it are over these essays, so
that they divide. The algorithm accuracy over all answered essays with an expert stands apart under a name of its own.
**Decision**: with essays of two experts none of which is answered, the expert accuracy is over them and the algorithm
accuracy undefined; without any, there is nothing to divide by, and the algorithm accuracy is over all. An essay that
counts but whose accuracy is undefined makes the mean undefined: the mean of the others would be that of another sample.

**Are two systems different?** Paired tests are over the essays that both have marked up. **Which essays count**: those
that both systems answered and that two experts have marked up, so that STAR and OTAR are over the same essays; without
any such, those that both answered and that an expert has, and OTAR is undefined.

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

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import fsum, isnan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markup_core import bootstrap, frames, tables
from markup_core.accuracy import EssayScore, Measure, metric_measure, ratio, score_essay
from markup_core.bootstrap import DEFAULT_SEED, MIN_ESSAYS, RESAMPLES, Interval, ends, ratio_differences
from markup_core.comparable import MEANING, fold
from markup_core.extras import ExtraNeededError, needed
from markup_core.frames import Frame
from markup_core.metrics import Ratings
from markup_core.model import Fragment, Markup, check_markups
from markup_core.params import DEFAULT, METRICS, ScoringParams
from markup_core.reading.validation import dump
from markup_core.receipt import fingerprint

if TYPE_CHECKING:
    from markup_core.charts import Numbers, Picture
    from markup_core.frames import Frame

LANGUAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("rus", "rus-free", "lit", "social", "hist"), "rus"),
    **dict.fromkeys(("eng", "eng-free"), "eng"),
}
"""Language of each of the contest's subjects; a subject that is not listed is a language of its own."""


class Accuracies(NamedTuple):
    """STAR, STER and OTAR in per cent, each with its 95 % interval; None where undefined.

    ``essays`` is the number of essays behind the three. ``algorithm_accuracy_all`` is STAR over all
    ``algorithm_essays`` that are answered and have an expert; where these are others, it must not be divided by STER.
    """

    essays: int
    algorithm_essays: int
    algorithm_accuracy: float | None
    algorithm_accuracy_all: float | None
    expert_accuracy: float | None
    relative_accuracy: float | None
    algorithm_interval: Interval | None
    algorithm_interval_all: Interval | None
    expert_interval: Interval | None
    relative_interval: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """Return the accuracies as JSON."""
        names, values, intervals = self._fields[:6], self[:6], map(_listed, self[6:])
        return {
            **dict(zip(names, values, strict=True)),
            "interval_95": dict(zip(names[2:], intervals, strict=True)),
        }


# Clause: MS §4 common
def over_other_essays(accuracies: Mapping[str, Any]) -> bool:
    """Return whether STAR over all essays has other essays than the three accuracies; ``accuracies`` as JSON."""
    common = accuracies["essays"] if accuracies["algorithm_accuracy"] is not None else 0
    return accuracies["algorithm_accuracy_all"] is not None and accuracies["algorithm_essays"] != common


class EssayInput(NamedTuple):
    """An essay of a sample: the algorithm's markup (None: voided), the experts', ratings of the explanations."""

    algorithm: Markup | None
    experts: Sequence[Markup]
    ratings: Ratings | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Inputs of a sample, of which its fingerprint is computed on demand."""

    essays: Sequence[EssayInput]
    params: ScoringParams
    seed: int

    def sources(self) -> list[list[Any]]:
        """Return the hashed inputs of each essay: its markups in the contest's form, and ratings if there are any."""
        return [
            [
                None if essay.algorithm is None else dump(essay.algorithm),
                *map(dump, essay.experts),
                *([dict(essay.ratings)] if essay.ratings else []),
            ]
            for essay in self.essays
        ]

    def fingerprint(self) -> dict[str, Any]:
        """Return the fingerprint: that of the command for files in the contest's form (and without ratings)."""
        return fingerprint("sample", self.params, [*self.sources(), self.seed])


@dataclass(frozen=True, slots=True)
class SampleScore:
    """A sample's accuracies: over all essays, by subject, by language, by metric; and each essay's own, as given."""

    overall: Accuracies
    by_subject: Mapping[str, Accuracies]
    by_language: Mapping[str, Accuracies]
    by_metric: Mapping[str, Accuracies]
    by_essay: tuple[EssayScore, ...] = field(default=(), compare=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the sample as JSON (markup-scoring §8.1, ``sample``), without the essays, which have own records."""
        return {
            **self.overall.to_dict(),
            "by_subject": {name: group.to_dict() for name, group in self.by_subject.items()},
            "by_language": {name: group.to_dict() for name, group in self.by_language.items()},
            "by_metric": {name: group.to_dict() for name, group in self.by_metric.items()},
        }

    def to_frame(self, table: str = "accuracies", essays: Sequence[str] = ()) -> Frame:
        """Return a table: ``accuracies``, ``essays`` or ``pairs``; ``essays`` names the essays, by default 1, 2 …

        Scores without their markups (of :func:`summarise`) have no signature. KeyError for another table.
        """
        result = {**self.to_dict(), "by_essay": [score.to_dict() for score in self.by_essay]}
        if self.origin is None:
            return frames.of_sample(result, None, DEFAULT_SEED, essays)[table]
        return frames.of_sample(result, self.origin.fingerprint(), self.origin.seed, essays)[table]

    def against(self, other: SampleScore) -> Systems:
        """Test the difference to another system's sample, with the seed of this one (:func:`compare_systems`).

        ``other`` is of the same essays in the same order, else it is a ValueError.
        """
        if self.origin is None or other.origin is None:
            return compare_systems(self.by_essay, other.by_essay)
        pairs = zip(self.origin.sources(), other.origin.sources(), strict=False)
        sources = [[ours[0], *theirs] for ours, theirs in pairs]
        signed = fingerprint("systems", self.origin.params, [*sources, self.origin.seed])
        return compare_systems(self.by_essay, other.by_essay, self.origin.seed, signed)

    def whiskers(self, title: str = "OTAR in per cent, with the barrier at 100") -> Picture:
        """Draw OTAR of all essays, of each subject and of each metric with its 95 % interval."""
        from markup_core import charts

        frame = self.to_frame()
        return charts.draw_accuracies(frame, "OTAR", title)

    def _repr_html_(self) -> str:
        groups = {"all": self.overall, **self.by_subject, **self.by_metric}
        rows = [
            (name, group.essays, group.algorithm_accuracy, group.expert_accuracy, group.relative_accuracy)
            for name, group in groups.items()
        ]
        headings = ("of", "essays", "STAR", "STER", "OTAR")
        return tables.table("Accuracies in per cent", headings, rows) + self.whiskers().svg


def score_sample(
    essays: Sequence[EssayInput], params: ScoringParams = DEFAULT, seed: int = DEFAULT_SEED
) -> SampleScore:
    """Score all essays and summarise them; the order of the essays does not matter. TypeError for other values."""
    for essay in essays:
        if not isinstance(essay, EssayInput):
            raise TypeError(
                f"an EssayInput is expected, not {type(essay).__name__}: markup_core.load_folder(path).values() has a"
                " folder's, markup_core.sample.EssayInput(markup, expert_markups) makes one"
            )
    scores = [score_essay(essay.algorithm, essay.experts, params, ratings=essay.ratings) for essay in essays]
    return replace(summarise(scores, seed), origin=Origin(tuple(essays), params, seed))


# Clause: MS §4 breakdowns
def summarise(
    scores: Sequence[EssayScore], seed: int = DEFAULT_SEED, languages: Mapping[str, str] = LANGUAGES
) -> SampleScore:
    """Compute the accuracies of scored essays. ``languages``: each subject's language."""
    return SampleScore(
        overall=accuracies(scores, seed),
        by_subject=_grouped(scores, [score.subject for score in scores], seed),
        by_language=_grouped(scores, [languages.get(score.subject, score.subject) for score in scores], seed),
        by_metric={name: accuracies(scores, seed, metric_measure(name)) for name in METRICS},
        by_essay=tuple(scores),
    )


# Clause: R 5.3, R 5.4, MS §4 common
def accuracies(
    scores: Sequence[EssayScore], seed: int = DEFAULT_SEED, measure: Measure = lambda pair: pair.pair_accuracy
) -> Accuracies:
    """Compute accuracies of one group of essays by one measure; the module's docstring says which essays count."""
    answered = [score for score in scores if score.answered and score.experts]
    both = [score for score in answered if score.experts >= 2]
    compared = both or [score for score in scores if score.experts >= 2]
    every = _column([score.algorithm_side(measure) for score in answered])
    whole = len(both) == len(answered) or not compared
    above = every if whole else _column([score.algorithm_side(measure) for score in both])
    below = _column([score.expert_side(measure) for score in compared])
    paired = sorted(zip(above, below, strict=True)) if above and below else []
    interval = bootstrap.mean_interval(sorted(above), seed)
    return Accuracies(
        essays=len(compared or answered),
        algorithm_essays=len(answered),
        algorithm_accuracy=_mean(above),
        algorithm_accuracy_all=_mean(every),
        expert_accuracy=_mean(below),
        relative_accuracy=ratio(_mean(above), _mean(below)),
        algorithm_interval=interval,
        algorithm_interval_all=interval if whole else bootstrap.mean_interval(sorted(every), seed),
        expert_interval=bootstrap.mean_interval(sorted(below), seed),
        relative_interval=bootstrap.ratio_interval([a for a, _ in paired], [e for _, e in paired], seed),
    )


def _grouped(scores: Sequence[EssayScore], names: Sequence[str], seed: int) -> dict[str, Accuracies]:
    groups: dict[str, list[EssayScore]] = {}
    for score, name in zip(scores, names, strict=True):
        if score.answered or score.experts:  # of an essay without a markup not even the subject is known
            groups.setdefault(name, []).append(score)
    return {name: accuracies(groups[name], seed) for name in sorted(groups)}


def _column(values: Sequence[float | None]) -> list[float]:
    """Return the values, or none at all where one is undefined."""
    defined = [value for value in values if value is not None]
    return defined if len(defined) == len(values) else []


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


WEIGHTS: Final = (0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0)
NAMES: Final = ("logic", "structure")
Choice = Callable[[Fragment], bool]

_LOGIC: Final[Mapping[str, frozenset[str]]] = {
    subject: frozenset(map(fold, codes))
    for subject, codes in {
        "lit": ("С.послед", "С.неразв"),
        "social": ("О.рассужд", "О.вывод"),
        "hist": ("И.лДейств", "И.причин", "И.следств", "И.излож"),
    }.items()
}
_LOGIC_OF_RUS: Final = fold("Л.")


def nominations(
    algorithm: Markup | None, experts: Sequence[Markup], params: ScoringParams = DEFAULT
) -> dict[str, EssayScore | None]:
    """Score of each nomination for one essay; None where the subject has none.

    The nomination's weights replace the cycle's; hardness, groups and the judge stay. A nomination of which no
    markup has a fragment agrees perfectly, as two empty markups do.
    """
    markups = [*([] if algorithm is None else [algorithm]), *experts]
    check_markups(*markups)
    subject = markups[0].subject if markups else ""
    own = replace(params, weights=WEIGHTS)
    return {
        name: _score(choice, algorithm, experts, own) for name, choice in zip(NAMES, _choices(subject), strict=True)
    }


# Clause: MS §7 logic
def _choices(subject: str) -> tuple[Choice | None, Choice | None]:
    if subject == "rus":
        return (lambda fragment: fold(fragment.code).startswith(_LOGIC_OF_RUS)), _is_structure
    codes = _LOGIC.get(subject)
    if codes is None:
        return None, None
    return (lambda fragment: fold(fragment.code) in codes), _is_structure


# Clause: MS §7 structure
def _is_structure(fragment: Fragment) -> bool:
    return fragment.group == MEANING


def _score(
    choice: Choice | None, algorithm: Markup | None, experts: Sequence[Markup], params: ScoringParams
) -> EssayScore | None:
    if choice is None:
        return None
    selected = None if algorithm is None else _only(algorithm, choice)
    return score_essay(selected, [_only(expert, choice) for expert in experts], params)


def _only(markup: Markup, choice: Choice) -> Markup:
    return replace(markup, fragments=tuple(filter(choice, markup.fragments)))


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
        from markup_core import charts  # nobody else draws

        return charts.draw_differences(self.to_frame(), title, numbers)

    def _repr_html_(self) -> str:
        headings = (*"measure essays first second difference low high".split(), "p, bootstrap", "p, permutation")
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
