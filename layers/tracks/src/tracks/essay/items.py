"""Items, references and answers of the track, checked against a contest's parameters (R 11.6)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from markup_core.criteria import max_total
from markup_core.lazy import dataclass
from markup_core.metrics import usual_weights
from markup_core.notation import NotationError, parse
from markup_core.params import InvalidParams, ScoringParams
from markup_core.reading import validation
from markup_core.reading.classifier import Classifier, ClassifierError
from markup_core.reading.fragment_reader import Fault
from markup_core.reading.recognition import described, foreign_text
from markup_core.reading.validation import validate
from markup_core.reading.wire import Limits, MalformedInput, decode, dump
from markup_core.receipt import canonical_json
from tracks.fields import of_json, of_parameters, reason
from tracks.protocol import ItemFacts, Json, Reason, Verdict
from tracks.texts import tr

_LISTED: Final = "GET /v1/classifier"
"""Where the platform lists the cycle's codes."""


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
    """Complete the parameters by defaults; return the reasons if they cannot be used."""
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
"""What a participant may know of an essay besides its text (platform.md §3)."""


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

    What is no JSON is always called so, also where the tool is named that wrote it: whoever keeps drafts goes by that.
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
