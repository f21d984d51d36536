"""A session's accuracies: which of the library's numbers make them (R 6.5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markup_core.accuracy import EssayScore, metric_measure
from markup_core.params import METRICS
from markup_core.record import score_of
from markup_core.rounding import half_up
from markup_core.sample import accuracies, summarise
from tracks.essay.parameters import EssayParameters
from tracks.protocol import Json, Outcome
from tracks.rules import LEAST_TOLD

ACCURACIES: Final = ("algorithm_accuracy", "expert_accuracy", "relative_accuracy")
_BARRIER: Final = 100.0
_BREAKDOWNS: Final = ("by_subject", "by_language", "by_metric")


def aggregate(outcomes: Sequence[Outcome], rules: EssayParameters, seed: int) -> dict[str, Any]:
    """Accuracies over the answered essays; missed ones are excluded (R 7.6), and shown as zeros beside.

    ``missed_as_zero`` is the abstention audit's number: the relative accuracy with every essay that was not
    answered counted as 0 on the algorithm's side. Expert accuracies of those essays are not known to the session,
    so the mean of the answered ones stands for them.

    Clause: R 6.5.1, platform §4 abstention, R 7.6
    """
    scores = [score_of(outcome.score) for outcome in outcomes if outcome.score is not None]
    languages = {subject: language for language, subjects in rules.languages.items() for subject in subjects}
    return {
        **summarise(scores, seed, languages).to_dict(),
        "files": len(outcomes),
        "answered": sum(outcome.answered for outcome in outcomes),
        "missed_as_zero": {
            "relative_accuracy": _missed_as_zero(scores, sum(not outcome.answered for outcome in outcomes))
        },
    }


def _missed_as_zero(scores: Sequence[EssayScore], missed: int) -> float | None:
    counted = sum(score.experts >= 2 for score in scores)
    relative = accuracies(scores).relative_accuracy
    if relative is None or not missed:  # without a missed essay the very same number: x · n / n need not be x
        return relative
    return relative * counted / (counted + missed)


def measures(score: Json) -> dict[str, Any]:
    """Return STAR, STER, OTAR and M1…M7 of one essay over its experts, exact.

    Clause: R 6.5.2
    """
    essay = score_of(score)
    metrics = {name: essay.algorithm_side(metric_measure(name)) for name in METRICS}
    return {**{name: getattr(essay, name) for name in ACCURACIES}, "metrics": metrics}


def told_of_hidden_file(score: Json) -> dict[str, Any]:
    """Return the measures of a hidden set's essay in whole per cent: no pair, no single expert, no grade, no hash.

    Clause: R 2.7, R 6.5.2, R 6.5.3
    """
    exact = measures(score)
    metrics = {name: _whole(value) for name, value in exact["metrics"].items()}
    return {**{name: _whole(exact[name]) for name in ACCURACIES}, "metrics": metrics}


def told_of_hidden_set(aggregate: Json) -> dict[str, Any]:
    """Return of a hidden set's aggregate the totals of ten essays and more, in steps that hide a single essay.

    A total of n essays has as many decimals as n has digits after its first: n steps are one per cent of an essay or
    more, so that two totals whose answers differ in one essay tell no more of it than its own whole per cents do.
    **Decision**: smaller groups are left out, and of fewer than ten essays in all every accuracy is undefined.

    Clause: R 2.7, R 6.5.3
    """
    whole = _coarse(aggregate)
    groups = {
        key: {name: _coarse(each) for name, each in aggregate[key].items() if each["algorithm_essays"] >= LEAST_TOLD}
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
    told = dict(group)
    for name, number in essays.items():
        ends = group["interval_95"][name] if number >= LEAST_TOLD else None
        intervals[name] = None if ends is None else [_total(end, number) for end in ends]
        told[name] = _total(group[name], number)
    return {**told, "interval_95": intervals}


def _decimals(essays: int) -> int:
    """Return the decimals of a total over so many essays: one digit fewer than their number has."""
    return len(str(essays)) - 1


def _whole(value: float | None) -> float | None:
    """Return a share in whole per cent, a half away from zero; undefined stays so."""
    return None if value is None else half_up(value, 0)


def _total(value: float | None, essays: int) -> float | None:
    """Return a total over so many essays in its steps; None for fewer than ten.

    **Decision**: a total below 100 never reads 100 but the step below: the board tells who overcame the barrier.
    """
    if value is None or essays < LEAST_TOLD:
        return None
    places = _decimals(essays)
    rounded = half_up(value, places)
    return half_up(_BARRIER - 10.0**-places, places) if value < _BARRIER <= rounded else rounded
