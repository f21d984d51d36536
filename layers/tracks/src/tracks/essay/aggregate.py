"""A session's accuracies, the tables of its report, and the board (R 5.7, 6.5.1, 6.5.2, 6.10).

Essay contests made of annotated corpora: items and references of a document, and whether a barrier means something.

**Decision**, the rule of the human interval. The barrier is 100 % of what people reach against each other. Measured on
other texts of the same kind, people themselves would come to more or less than 100: to the 95 % interval of the expert
accuracy over the texts of the set, as a share of its mean. Where its ends lie farther than 10 from 100, the choice of
texts decides who overcomes the barrier, and where a program that marks nothing comes into it, so does chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markup_core.accuracy import metric_measure, score_essay
from markup_core.bootstrap import MIN_ESSAYS
from markup_core.model import Markup
from markup_core.params import METRICS
from markup_core.reading.wire import dump
from markup_core.record import score_of
from markup_core.rounding import PERCENT_PLACES, half_up
from markup_core.sample import accuracies, over_other_essays, summarise
from tracks.capabilities import FromCorpus, PeopleMeasured
from tracks.essay.items import EssayParameters
from tracks.protocol import Json, Outcome, Reason, Section, Text
from tracks.rules import LEAST_TOLD, BoardRules
from tracks.texts import tr

ACCURACIES: Final = ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")
_BARRIER: Final = 100.0
_BREAKDOWNS: Final = ("by_subject", "by_language", "by_metric")


# Clause: R 6.5.1, platform §4 abstention, R 7.6
def aggregate(outcomes: Sequence[Outcome], rules: EssayParameters, seed: int) -> dict[str, Any]:
    """Compute accuracies over the answered essays; missed ones are excluded (R 7.6), and counted as zeros beside.

    ``missed_as_zero`` is the abstention audit's number: the relative accuracy with every essay that was not
    answered counted as 0 on the algorithm's side. Expert accuracies of those essays are not known to the session,
    so the mean of the answered ones stands for them.
    """
    scores = [score_of(outcome.score) for outcome in outcomes if outcome.score is not None]
    languages = {subject: language for language, subjects in rules.languages.items() for subject in subjects}
    relative, missed = accuracies(scores).relative_accuracy, sum(not outcome.answered for outcome in outcomes)
    if relative is not None and missed:  # without a missed essay the very same number: x · n / n need not be x
        counted = sum(score.experts >= 2 for score in scores)
        relative = relative * counted / (counted + missed)
    return {
        **summarise(scores, seed, languages).to_dict(),
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "missed_as_zero": {"relative_accuracy": relative},
    }


# Clause: R 6.5.2
def measures(score: Json) -> dict[str, Any]:
    """Return STAR, STER, OTAR and M1…M7 of one essay over its experts, exact."""
    essay = score_of(score)
    metrics = {name: essay.algorithm_side(metric_measure(name)) for name in METRICS}
    return {**{name: getattr(essay, name) for name in ACCURACIES}, "metrics": metrics}


# Clause: R 2.7, R 6.5.2, R 6.5.3
def hidden_file_measures(score: Json) -> dict[str, Any]:
    """Return the measures of a hidden set's essay in whole per cent: no pair, no single expert, no grade, no hash."""
    exact = measures(score)
    metrics = {name: _whole(value) for name, value in exact["metrics"].items()}
    return {**{name: _whole(exact[name]) for name in ACCURACIES}, "metrics": metrics}


# Clause: R 2.7, R 6.5.3
def hidden_set_totals(aggregate: Json) -> dict[str, Any]:
    """Reduce a hidden set's aggregate to totals of ten essays and more, in steps that hide a single essay.

    A total of n essays has as many decimals as n has digits after its first: n steps are one per cent of an essay or
    more, so that two totals whose answers differ in one essay tell no more of it than its own whole per cents do.
    **Decision**: smaller groups are left out, and of fewer than ten essays in all every accuracy is undefined.
    """
    whole = _coarse(aggregate)
    groups = {
        key: {name: _coarse(group) for name, group in aggregate[key].items() if group["algorithm_essays"] >= LEAST_TOLD}
        for key in _BREAKDOWNS
    }
    missed = aggregate["missed_as_zero"]["relative_accuracy"]
    return {
        **aggregate,
        **whole,
        **groups,
        "missed_as_zero": {"relative_accuracy": _total(missed, aggregate["essays"])},
    }


def _coarse(group: Mapping[str, Any]) -> dict[str, Any]:
    """Round a group's accuracies and intervals; those of fewer than ten essays are undefined."""
    essays = {**dict.fromkeys(ACCURACIES, group["essays"]), "algorithm_accuracy_all": group["algorithm_essays"]}
    intervals = {}
    rounded = dict(group)
    for name, number in essays.items():
        ends = group["interval_95"][name] if number >= LEAST_TOLD else None
        intervals[name] = None if ends is None else [_total(end, number) for end in ends]
        rounded[name] = _total(group[name], number)
    return {**rounded, "interval_95": intervals}


def _whole(value: float | None) -> float | None:
    """Return a share in whole per cent, a half away from zero; undefined stays so."""
    return None if value is None else half_up(value, 0)


def _total(value: float | None, essays: int) -> float | None:
    """Return a total over so many essays in its steps; None for fewer than ten.

    **Decision**: a total below 100 never reads 100 but the step below: the board tells who overcame the barrier.
    """
    if value is None or essays < LEAST_TOLD:
        return None
    places = len(str(essays)) - 1  # one digit fewer than the number of essays has
    rounded = half_up(value, places)
    return half_up(_BARRIER - 10.0**-places, places) if value < _BARRIER <= rounded else rounded


_ACCURACIES: Final[Mapping[str, Text]] = {
    "algorithm_accuracy": tr("Algorithm accuracy (STAR), %"),
    "expert_accuracy": tr("Expert accuracy (STER), %"),
    "relative_accuracy": tr("Relative accuracy (OTAR), %"),
}
_SHORT: Final[Mapping[str, str]] = {
    "algorithm_accuracy": "STAR · СТАР",
    "expert_accuracy": "STER · СТЭР",
    "relative_accuracy": "OTAR · ОТАР",
}
_ALL: Final = "algorithm_accuracy_all"
_ESSAYS: Final = tr("Essays")
_INTERVAL: Final = (tr("95 % interval, from"), tr("to"))
_GROUPS: Final[Mapping[str, tuple[Text, Text]]] = {
    "by_subject": (tr("By type of essay"), tr("Type")),
    "by_language": (tr("By language"), tr("Language")),
    "by_metric": (tr("By metric"), tr("Metric")),
}
METRIC_NAMES: Final[Mapping[str, Text]] = {
    "M1": tr("M1 grade"),
    "M2": tr("M2 fragments found"),
    "M3": tr("M3 codes"),
    "M4": tr("M4 subtypes and comments"),
    "M5": tr("M5 localisation"),
    "M6": tr("M6 corrections"),
    "M7": tr("M7 explanations"),
}
_FILE_PLACES: Final = 1
"""Decimals of one file's per cent: of ten metrics beside one another more would say nothing."""


# Clause: R 6.5.1.1, R 6.5.2, platform §4 intervals
def sections(aggregate: Json, outcomes: Sequence[Outcome]) -> tuple[Section, ...]:
    """Build tables of overall accuracies, the breakdowns, and every file with every metric, in the files' order.

    Algorithm accuracy over more essays than the three that divide has a table of its own, where there is any.
    """
    columns = (tr("Measure"), tr("Value, %"), *_INTERVAL)
    rows = tuple((short, aggregate[name], *_ends(aggregate["interval_95"][name])) for name, short in _SHORT.items())
    overall = Section("overall", tr("The whole session"), columns, rows, least_places=PERCENT_PLACES)
    groups = (_group(aggregate, key) for key in _GROUPS)
    names = (tr("File"), tr("Type"), *_ACCURACIES.values(), *METRIC_NAMES.values())
    files = tuple((outcome.item.item_id, outcome.item.group, *_numbers(outcome.score)) for outcome in outcomes)
    by_file = Section("files", tr("Files"), names, files, least_places=_FILE_PLACES)
    return (overall, *groups, *_over_all(aggregate), by_file)


# Clause: R 6.5.1.2, R 6.5.1.3
def _group(aggregate: Json, key: str) -> Section:
    title, name = _GROUPS[key]
    columns = (name, _ESSAYS, *_ACCURACIES.values(), *_INTERVAL)
    rows = tuple(
        (
            group,
            values["essays"],
            *(values[measure] for measure in _ACCURACIES),
            *_ends(values["interval_95"]["relative_accuracy"]),
        )
        for group, values in sorted(aggregate[key].items())
    )
    return Section(key, title, columns, rows, least_places=PERCENT_PLACES)


def _over_all(aggregate: Json) -> Iterator[Section]:
    named = [("all · все", aggregate)]
    named += [pair for key in _GROUPS for pair in sorted(aggregate[key].items())]
    rows = tuple(
        (name, values["algorithm_essays"], values["algorithm_accuracy_all"], *_ends(values["interval_95"][_ALL]))
        for name, values in named
        if over_other_essays(values)
    )
    if rows:
        title = tr("Algorithm accuracy over all essays with an expert markup, not to be divided by that of the experts")
        columns = (tr("Group"), _ESSAYS, _ACCURACIES["algorithm_accuracy"], *_INTERVAL)
        yield Section(_ALL, title, columns, rows, least_places=PERCENT_PLACES)


def _numbers(score: Json) -> tuple[float | None, ...]:
    """Return a file's measures, from a score record or from the measures of a hidden set."""
    if score is None:
        return (None,) * (len(_ACCURACIES) + len(METRICS))
    values = measures(score) if "fingerprint" in score else score
    return (*(values[name] for name in _ACCURACIES), *(values["metrics"][name] for name in METRICS))


def _ends(interval: Sequence[float] | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval[0], interval[1])


# Clause: R 5.2, R 5.7, R 7.12
BARRIER: Final = 100.0
"""Relative accuracy, in per cent, from which the technological barrier is overcome (R 5.7)."""
BOARDS: Final = (
    BoardRules(
        key="relative_accuracy",
        title=tr("Relative accuracy"),
        measure=tr("Relative accuracy (OTAR), %"),
        least_share=0.95,
        barrier=BARRIER,
    ),
)
"""A session must have answered 95 % of the test set, or of its part in one language (R 6.10)."""


def value(aggregate: Json) -> float | None:
    """Return the relative accuracy in per cent."""
    accuracy: float | None = aggregate["relative_accuracy"]
    return accuracy


WIDEST: Final = 10.0
"""Per cent that the ends of the human interval may lie from 100."""
_FULL: Final = 100.0


def of_corpus(item_id: str, text: str, meta: Mapping[str, Any], markups: Mapping[int, Markup]) -> FromCorpus:
    """Return a document as an essay; a reference says its author's number, never the name that the corpus has."""
    essay = dump(Markup(text, (), {**meta, "id": item_id, "expert": ""}))
    references = {
        number: {**dump(markup), "meta": {**essay["meta"], "expert": f"{number:02}"}}
        for number, markup in markups.items()
    }
    return FromCorpus(essay, references)


def people_measured(items: Sequence[Sequence[Markup]], rules: EssayParameters, seed: int) -> PeopleMeasured:
    """Judge by the rule of the human interval whether a barrier means something on essays with these references."""
    compared = [markups for markups in items if len(markups) > 1]
    blanks = [Markup(markups[0].text, (), markups[0].meta) for markups in compared]
    scores = [score_essay(blank, markups, rules.scoring) for blank, markups in zip(blanks, compared, strict=True)]
    measured = accuracies(scores, seed)
    accuracy, ends = measured.expert_accuracy, measured.expert_interval
    interval = None if not accuracy or ends is None else (ends[0] / accuracy * _FULL, ends[1] / accuracy * _FULL)
    reasons = []
    if len(compared) < len(items):
        message = tr(
            "{count} of {items} texts have no second annotator: nobody can be compared with people there",
            count=len(items) - len(compared),
            items=len(items),
        )
        reasons.append(Reason("one_annotator", message, {}))
    if len(compared) < MIN_ESSAYS:
        message = tr("{count} texts with two annotators are too few for an interval", count=len(compared))
        reasons.append(Reason("too_few_texts", message, {}))
    if accuracy == 0:
        message = tr("annotators agree on nothing, so that nothing can be measured by them")
        reasons.append(Reason("no_agreement", message, {}))
    if interval is not None and max(_FULL - interval[0], interval[1] - _FULL) > WIDEST:
        message = tr(
            "on other texts people themselves would come to between {low} and {high} % of the barrier, more "
            "than {widest:g} away: the choice of the texts would decide; take more texts, or annotators who agree more",
            low=_percent(interval[0]),
            high=_percent(interval[1]),
            widest=WIDEST,
        )
        reasons.append(Reason("wide_interval", message, {}))
    blank = measured.relative_interval
    if interval is not None and blank is not None and blank[1] >= interval[0]:
        message = tr(
            "a program that marks nothing comes to {high:.1f} % of the barrier, people to {low:.1f} % and more: too "
            "little is annotated, or too differently",
            high=blank[1],
            low=interval[0],
        )
        reasons.append(Reason("empty_overcomes", message, {}))
    return PeopleMeasured(len(compared), accuracy, interval, measured.relative_accuracy, tuple(reasons))


def _percent(value: float) -> Text:
    english = f"{value:.1f}"
    return Text(english, english.replace(".", ","))
