"""Parameters of an essay contest: the scoring's own, the classifier, the languages, the limits of a markup."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Final

from markup_core.criteria import max_total
from markup_core.params import InvalidParams, ScoringParams
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.wire import Limits
from markup_core.receipt import canonical_json
from markup_core.said import told
from tracks.protocol import Json, Reason
from tracks.reasons import of_parameters, reason

DEFAULT_LANGUAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "rus": ("rus", "rus-free", "lit", "social", "hist"),
    "eng": ("eng", "eng-free"),
}
_SCORING: Final = ("weights", "hardness", "separate_groups", "paraphrase")
_KNOWN: Final = frozenset({*_SCORING, "classifier", "languages", "limits"})


@dataclass(frozen=True, slots=True)
class EssayParameters:
    """A cycle's parameters in the form in which they are used."""

    scoring: ScoringParams
    classifier: Classifier
    languages: Mapping[str, tuple[str, ...]]
    limits: Limits

    def language_of(self, subject: str) -> str | None:
        """The language whose list of subjects holds this one."""
        return next((language for language, subjects in self.languages.items() if subject in subjects), None)


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """The parameters with everything that was left out filled in, and why they cannot be used, if so."""
    given = raw if isinstance(raw, Mapping) else {}
    reasons = (*of_parameters(raw, _KNOWN), *_faults(given))
    if reasons:
        return {}, reasons
    scoring = ScoringParams.from_dict({name: given[name] for name in _SCORING if name in given})
    completed = {
        **scoring.to_dict(),
        "classifier": given.get("classifier", "default"),
        "languages": _languages(given),
        "limits": asdict(_limits(given.get("limits", {}))),
    }
    return completed, tuple(_undefined_grades(scoring, completed["languages"]))


def use(completed: Json) -> EssayParameters:
    """Parameters that :func:`complete` has filled in, ready for use."""
    return _used(canonical_json(completed))


@lru_cache(maxsize=32)
def _used(text: str) -> EssayParameters:
    completed = json.loads(text)
    return EssayParameters(
        scoring=ScoringParams.from_dict({name: completed[name] for name in _SCORING}),
        classifier=_classifier(completed["classifier"]),
        languages={language: tuple(subjects) for language, subjects in completed["languages"].items()},
        limits=Limits(**completed["limits"]),
    )


def _classifier(source: Json) -> Classifier:
    return Classifier.default() if source == "default" else Classifier.from_dict(source)


def _languages(given: Mapping[str, Json]) -> dict[str, list[str]]:
    return {name: list(subjects) for name, subjects in given.get("languages", DEFAULT_LANGUAGES).items()}


def _limits(given: Mapping[str, int]) -> Limits:
    return Limits(**given)


def _faults(given: Mapping[str, Json]) -> Iterator[Reason]:
    try:
        ScoringParams.from_dict({name: given[name] for name in _SCORING if name in given})
    except InvalidParams as error:
        for field, message in error.faults:
            yield reason("invalid_params", field, f"{field} {message}", f"{field}: {told(message, 'ru')}")
    yield from _limit_faults(given.get("limits", {}))
    yield from _classifier_faults(given)


def _limit_faults(limits: Json) -> Iterator[Reason]:
    """A cycle's limits may be tighter than the library's, never wider: every laptop must read what the cycle takes."""
    widest = asdict(Limits())
    whole = isinstance(limits, Mapping) and all(
        name in widest and type(value) is int and 0 < value <= widest[name] for name, value in limits.items()
    )
    if not whole:
        known = ", ".join(f"{name} ≤ {value}" for name, value in widest.items())
        yield reason(
            "invalid_limits",
            "limits",
            f"limits must give whole numbers above 0 for some of {known}",
            f"limits: нужны целые числа больше 0 для полей {known}",
        )


def _classifier_faults(given: Mapping[str, Json]) -> Iterator[Reason]:
    try:
        classifier = _classifier(given.get("classifier", "default"))
    except ClassifierError as error:
        for problem in error.problems:
            yield reason("invalid_classifier", "classifier", problem, f"классификатор: {told(problem, 'ru')}")
        return
    for language, subjects in _languages(given).items():
        for subject in subjects:
            if not classifier.has_subject(subject):
                yield reason(
                    "unknown_subject",
                    f"languages.{language}",
                    f"the classifier does not know the subject {subject}",
                    f"классификатор не знает предмета {subject}",
                )


def _undefined_grades(scoring: ScoringParams, languages: Mapping[str, list[str]]) -> Iterator[Reason]:
    """Clause: MS §1.2 own"""
    if not scoring.weights[0]:
        return
    for subject in (subject for subjects in languages.values() for subject in subjects):
        if max_total(subject) is None:
            yield reason(
                "undefined_metric",
                "weights[0]",
                f"{subject} has no grading formula, so M1 is undefined there: its weight must be 0,"
                f" not {scoring.weights[0]:g}",
                f"для предмета {subject} нет формулы оценки, M1 не определена: её вес должен быть 0,"
                f" а не {scoring.weights[0]:g}",
            )
