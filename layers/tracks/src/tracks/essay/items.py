"""Checks of items and answers against a contest's parameters, and the aggregation of their scores (R 11.6).

A session's scores are aggregated to accuracies, the tables of its report and the board (R 5.7, 6.5.1, 6.5.2, 6.10).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from markup_core.accuracy import metric_measure, score_of
from markup_core.criteria import max_total
from markup_core.lazy import dataclass
from markup_core.metrics import usual_weights
from markup_core.notation import NotationError, parse
from markup_core.params import METRICS, InvalidParams, ScoringParams
from markup_core.reading import validation
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.fragment_reader import Fault
from markup_core.reading.validation import described, foreign_text, validate
from markup_core.reading.wire import Limits, MalformedInput, decode, dump
from markup_core.receipt import canonical_json
from markup_core.rounding import PERCENT_PLACES, half_up
from markup_core.sample import accuracies, over_other_essays, summarise
from tracks.base import of_json, of_parameters, reason
from tracks.protocol import ItemFacts, Json, Outcome, Reason, Section, Text, Verdict
from tracks.rules import LEAST_TOLD, BoardRules
from tracks.texts import tr

_LISTED: Final = "GET /v1/classifier"
"""API request for the list of the cycle's codes."""


def of_markup(fault: Fault) -> Reason:
    """Convert a fault of a markup to a reason; ``where`` names fragment, field and suggestion if there are any."""
    where = {"fragment": fault.fragment, "field": fault.field, "suggestion": fault.suggestion}
    if fault.code != "unknown_code":
        return Reason(fault.code, fault.message, _present(where))
    # The library knows no platform, whose cycle may have a classifier of its own.
    message = tr("{problem}; the cycle's codes: {listed}", problem=fault.message, listed=_LISTED)
    return Reason(fault.code, message, _present(where))


def of_another_tool(body: bytes) -> Reason | None:
    """Name the tool or format of an unreadable text; None for an unknown one."""
    tool = foreign_text(body.decode("utf-8", "replace"))
    if tool is None:
        return None
    return Reason("another_format", described(tool), {})


def another_subject(subject: str, expected: str) -> Reason:
    """Return the reason for a markup of another subject than the essay's."""
    message = tr("the subject is {subject}, the essay's is {expected}", subject=subject, expected=expected)
    return reason("subject_differs", "meta.subject", message)


def _present(where: Mapping[str, int | str | None]) -> dict[str, int | str]:
    return {name: value for name, value in where.items() if value is not None}


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
        """Return the language whose list of subjects holds this one."""
        return next((language for language, subjects in self.languages.items() if subject in subjects), None)

    def subject_of(self, item: Json) -> str:
        """Return the subject of an essay, which need not name it where the classifier has one alone."""
        return str(item["meta"].get("subject") or self.classifier.sole_subject)


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete the parameters by defaults; return the reasons if they cannot be used.

    A weight of M1 is refused for a subject without a grading formula.
    """
    parameters = raw if isinstance(raw, Mapping) else {}
    reasons = (*of_parameters(raw, _KNOWN), *_faults(parameters))
    if reasons:
        return {}, reasons
    named, languages = parameters.get("classifier", "default"), _languages(parameters)
    chosen = {name: parameters[name] for name in _SCORING if name in parameters}
    subjects = [subject for listed in languages.values() for subject in listed]
    scoring = ScoringParams.from_dict({"weights": usual_weights(_classifier(named), subjects), **chosen})
    completed = {
        **scoring.to_dict(),
        "classifier": named,
        "languages": languages,
        "limits": asdict(Limits(**parameters.get("limits", {}))),
    }
    return completed, tuple(_undefined_grades(scoring, subjects))


def use(completed: Json) -> EssayParameters:
    """Convert parameters that :func:`complete` has filled in to the form in which they are used."""
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


def _languages(parameters: Mapping[str, Json]) -> dict[str, list[str]]:
    return {name: list(subjects) for name, subjects in parameters.get("languages", DEFAULT_LANGUAGES).items()}


def _faults(parameters: Mapping[str, Json]) -> Iterator[Reason]:
    try:
        ScoringParams.from_dict({name: parameters[name] for name in _SCORING if name in parameters})
    except InvalidParams as error:
        for field, message in error.faults:
            yield reason("invalid_params", field, tr("{path} {problem}", path=field, problem=message))
    yield from _limit_faults(parameters.get("limits", {}))
    yield from _classifier_faults(parameters)


def _limit_faults(limits: Json) -> Iterator[Reason]:
    """Check that limits are not wider than the library's: every laptop must read every markup that the cycle takes."""
    widest = asdict(Limits())
    whole = isinstance(limits, Mapping) and all(
        name in widest and type(value) is int and 0 < value <= widest[name] for name, value in limits.items()
    )
    if not whole:
        bounds = ", ".join(f"{name} ≤ {value}" for name, value in widest.items())
        yield reason(
            "invalid_limits", "limits", tr("limits must give whole numbers above 0 for some of {bounds}", bounds=bounds)
        )


def _classifier_faults(parameters: Mapping[str, Json]) -> Iterator[Reason]:
    try:
        classifier = _classifier(parameters.get("classifier", "default"))
    except ClassifierError as error:
        for problem in error.problems:
            yield reason("invalid_classifier", "classifier", tr("the classifier: {problem}", problem=problem))
        return
    for language, subjects in _languages(parameters).items():
        for subject in subjects:
            if not classifier.has_subject(subject):
                yield reason(
                    "unknown_subject",
                    f"languages.{language}",
                    tr("the classifier does not know the subject {subject}", subject=subject),
                )


# Clause: MS §1.2 own
def _undefined_grades(scoring: ScoringParams, subjects: Sequence[str]) -> Iterator[Reason]:
    for subject in subjects:
        if scoring.weights[0] and max_total(subject) is None:
            yield reason(
                "undefined_metric",
                "weights[0]",
                tr(
                    "{subject} has no grading formula, so M1 is undefined there: its weight must be 0, not {weights:g}",
                    subject=subject,
                    weights=scoring.weights[0],
                ),
            )


_SHOWN_META: Final = ("theme", "taskText", "class", "year", "subject", "test", "category")
"""Fields of an essay's meta that participants may see besides its text (platform.md §3)."""


def read_item(raw: Json, rules: EssayParameters) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an unmarked essay: a valid markup without fragments, with an id, in a language of the cycle."""
    result = validate(raw, classifier=rules.classifier, limits=rules.limits)
    if result.markup is None:
        return None, tuple(of_markup(fault) for fault in result.errors)
    reasons = tuple(_item_faults(result.markup.meta, len(result.markup.fragments), result.markup.text))
    language = rules.language_of(result.markup.subject)
    if language is None:
        reasons += (_unlisted(result.markup.subject, rules),)
    if reasons or language is None:
        return None, reasons
    return ItemFacts(str(result.markup.meta["id"]), language, result.markup.subject), ()


# Clause: platform §3 hand-out, R 2.7, R 2.8
def hand_out(item: Json, file_id: str) -> Json:
    """Return the essay as a markup without fragments under its opaque name; nothing else of it."""
    meta = {name: item["meta"][name] for name in _SHOWN_META if name in item["meta"]}
    return {"meta": {"id": file_id, **meta}, "criteria": {}, "selections": [], "text": item["text"]}


def _item_faults(meta: Mapping[str, Any], fragments: int, text: str) -> list[Reason]:
    reasons = []
    if not str(meta.get("id") or "").strip():
        reasons.append(reason("missing_id", "meta.id", tr("the essay has no meta.id")))
    if fragments:
        message = tr("an essay to hand out has no fragments, this one has {fragments}", fragments=fragments)
        reasons.append(reason("marked_essay", "selections", message))
    if not text.strip():
        reasons.append(reason("empty_text", "text", tr("the essay's text is empty")))
    return reasons


def _unlisted(subject: str, rules: EssayParameters) -> Reason:
    """Refuse an essay's subject, with the line of the cycle's file that would list it."""
    languages = {language: list(subjects) for language, subjects in rules.languages.items()}
    usual = next((language for language, subjects in DEFAULT_LANGUAGES.items() if subject in subjects), subject)
    languages.setdefault(usual, []).append(subject)
    line = f'"languages": {json.dumps(languages, ensure_ascii=False)}'
    message = tr(
        "no language of the cycle lists the subject {subject}; if it is meant, write into the cycle's file: {line}",
        subject=subject,
        line=line,
    )
    return reason("unlisted_subject", "meta.subject", message)


_STRING: Final = {"type": "string"}
_SELECTION: Final[Mapping[str, Json]] = {
    "type": "object",
    "required": ["startSelection", "endSelection", "type"],
    "properties": {
        "id": {"type": ["integer", "string"]},
        "startSelection": {"type": "integer", "minimum": 0, "description": "first code point, from 0"},
        "endSelection": {"type": "integer", "minimum": 0, "description": "code point after the last; 0, 0: whole text"},
        "type": {"type": "string", "description": "code of the classifier"},
        **dict.fromkeys(("subtype", "comment", "explanation", "correction", "tag"), _STRING),
        "group": {"type": "string", "enum": ["meaning", "error"], "description": "follows from the code"},
    },
}
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "title": "MarkupSent",
    "description": "A markup in the contest's published form; the text is the one that was handed out.",
    "required": ["meta", "selections", "text"],
    "properties": {
        "meta": {"type": "object", "properties": {"id": _STRING, "subject": _STRING}},
        "criteria": {"type": "object", "additionalProperties": {"type": "integer"}},
        "selections": {"type": "array", "items": _SELECTION, "maxItems": 2000},
        "text": _STRING,
    },
}


# Clause: R 11.6
def validate_answer(item: Json, body: bytes, rules: EssayParameters) -> Verdict:
    """Judge a markup as received; another text or subject than the essay's is refused (R 11.6).

    Invalid JSON is always reported as such, also beside the name of the tool that wrote it: drafts rely on it.
    """
    try:
        raw = decode(body, rules.limits)
    except MalformedInput as error:
        foreign = of_another_tool(body)
        return Verdict((of_json(error),) if foreign is None else (foreign, of_json(error)))
    result = validation.validate(raw, classifier=rules.classifier, essay_text=item["text"], limits=rules.limits)
    warnings = tuple(of_markup(fault) for fault in result.warnings)
    if result.markup is None:
        return Verdict(tuple(of_markup(fault) for fault in result.errors), warnings)
    if result.markup.subject != (subject := rules.subject_of(item)):
        return Verdict((another_subject(result.markup.subject, subject),), warnings)
    return Verdict((), warnings, dump(result.markup), kind="markup")


def read_text(body: bytes, rules: EssayParameters) -> Verdict:
    """Read a file in the notation as a markup; an unreadable place has its line and column, from 1.

    The markup is there whenever the file could be read, with everything that is wrong with it.
    """
    try:
        markup = parse(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Verdict((reason("wrong_encoding", "", tr("byte {start} is not UTF-8", start=error.start)),))
    except NotationError as error:
        places = {"line": error.line, "column": error.column, "excerpt": error.excerpt}
        place = tr(
            "line {line}, column {column}: {message}", line=error.line, column=error.column, message=error.message
        )
        return Verdict((of_another_tool(body) or Reason("notation_error", place, places),))
    canonical = dump(markup)
    result = validate(canonical, classifier=rules.classifier, limits=rules.limits)
    return Verdict(
        tuple(map(of_markup, result.errors)), tuple(map(of_markup, result.warnings)), canonical, kind="markup"
    )


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
    """Return the measures of a hidden set's essay in whole per cent (R 6.5.2): no pair, expert, grade or hash."""
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
    """Build tables of overall accuracies, breakdowns, and every file with every metric (R 6.5.1, 6.5.2), in order.

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
