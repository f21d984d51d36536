"""The library's operations on plain JSON values.

The library's answers (markup-scoring §8.1) are made here once: those of ``markup-core batch``, those that the commands
print with ``--json`` and those that ``verify`` recomputes. Every operation takes the fields of a request and raises
:class:`RefusedError` for a request that it cannot serve.

Codes of refusals: ``invalid_request`` (details: field), ``unknown_op``, ``invalid_markup`` (details: every error with
the input it is in), ``notation_error`` (details: line and column), ``invalid_params``, ``invalid_ratings``,
``text_differs``, ``subject_differs``, ``no_grading_formula``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from markup_core.bootstrap import DEFAULT_SEED
from markup_core.command.inputs import RefusedError, bad_field, invalid, unexpected
from markup_core.model import Markup
from markup_core.notation import NotationError, parse, render
from markup_core.params import InvalidParams, ScoringParams
from markup_core.reading.classifier import Classifier
from markup_core.reading.validation import dump, validate
from markup_core.reading.wire import Written, short
from markup_core.receipt import canonical_bytes, canonical_json, fingerprint
from markup_core.texts import tr

if TYPE_CHECKING:
    from markup_core.accuracy import EssayScore
    from markup_core.metrics import Ratings
    from markup_core.sample import Systems

Fields = Mapping[str, Any]
Names = Mapping[str, str]
Progress = Callable[[int, int], None]
_MOST_EXPERTS: Final = 999
"""The greatest number of an expert in an agreement; every couple of numbers is a row."""
_NO_NAMES: Final[Names] = MappingProxyType({})


class Request(dict[str, Any]):
    """Fields of a request, with the canonical JSON that reading has already written of them."""

    def __init__(self, fields: Fields, written: Written) -> None:
        super().__init__(fields)
        self.written = written


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of an operation and the fingerprint by which anybody can recompute it.

    ``floats``: all floats in both, and None among them, where the operation lists them.
    """

    result: dict[str, Any]
    fingerprint: dict[str, Any]
    floats: Sequence[float | None] | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """The fields of one request, read one by one.

    ``where`` is the path of the object they stand in; ``names`` says how an error names a field by its path, where
    another name (a file's) is better than the path.
    """

    fields: Fields
    classifier: Classifier | None = None
    where: str = ""
    names: Names = field(default_factory=lambda: _NO_NAMES)

    @property
    def written(self) -> Written:
        """Return the canonical JSON that reading has already written of the fields."""
        return self.fields.written if isinstance(self.fields, Request) else {}

    def path(self, name: str) -> str:
        """Return a field's name for error messages."""
        path = f"{self.where}.{name}" if self.where else name
        return self.names.get(path, path)

    def raw(self, name: str) -> Any:
        """Return the value of a required field, null included."""
        if name not in self.fields:
            path = self.path(name)
            raise bad_field(path, tr("the field {path} is missing", path=path))
        return self.fields[name]

    def text(self, name: str) -> str:
        """Return the string of a required field."""
        value = self.raw(name)
        if not isinstance(value, str):
            raise unexpected(self.path(name), tr("a string"), value)
        return value

    def items(self, name: str) -> list[Any]:
        """Return the list of a required field."""
        value = self.raw(name)
        if not isinstance(value, list):
            raise unexpected(self.path(name), tr("a list"), value)
        return value

    def flag(self, name: str) -> bool:
        """Return a field's true or false; absent and null are false."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, bool):
            raise unexpected(self.path(name), tr("true or false"), value)
        return bool(value)

    def seed(self) -> int:
        """Return the seed, any whole number; absent and null are the library's own seed."""
        value = self.fields.get("seed")
        if value is None:
            return DEFAULT_SEED
        if isinstance(value, bool) or not isinstance(value, int):
            raise unexpected("seed", tr("a whole number"), value)
        return value

    def params(self) -> ScoringParams:
        """Return the scoring parameters; absent and null are the default ones."""
        try:
            return ScoringParams.from_dict(self.fields.get("params"))
        except InvalidParams as error:
            faults = [{"field": field, "message": message} for field, message in error.faults]
            raise RefusedError("invalid_params", error.message, faults) from None

    def params_for(self, markups: Iterable[Markup]) -> ScoringParams:
        """Return the scoring parameters for markups; weights that the request does not give are usual for them."""
        params = self.params()
        if self.classifier is None or "weights" in (self.fields.get("params") or {}):
            return params
        subjects = {markup.subject for markup in markups}
        if not subjects:
            return params
        from markup_core.metrics import usual_weights  # each operation loads what it needs

        return replace(params, weights=usual_weights(self.classifier, subjects))

    def ratings(self) -> Ratings:
        """Return the ratings of explanations; absent and null are none."""
        if self.fields.get("ratings") is None:
            return {}
        from markup_core.metrics import InvalidRatings, read_ratings

        try:
            return read_ratings(self.fields["ratings"])
        except InvalidRatings as error:
            raise RefusedError("invalid_ratings", error.message, {"field": self.path("ratings")}) from None

    # Clause: MS §1 invalid
    def markups(self, named: Iterable[tuple[str, Any]]) -> list[Markup]:
        """Return valid markups of the named values; all errors of all of them are reported at once."""
        markups, faults = [], []
        written = self.written
        for name, value in named:
            if isinstance(value, Markup):  # read with its types, where nothing was wrong with it
                markups.append(value)
                continue
            judged = validate(value, classifier=self.classifier, written=written.get(id(value)))
            faults += [{"input": name, **fault.to_dict()} for fault in judged.errors]
            if judged.markup is not None:
                markups.append(judged.markup)
        if faults:
            raise invalid(faults)
        return markups

    def markup(self, name: str) -> Markup:
        """Return one valid markup of a required field."""
        return self.markups([(self.path(name), self.raw(name))])[0]

    def fingerprint(self, op: str, params: ScoringParams | None, sources: Sequence[Any]) -> dict[str, Any]:
        """Return the data by which the answer can be recomputed."""
        return fingerprint(op, params, sources, self.classifier, self.written)

    def couple(self, first: str, second: str) -> tuple[Markup, Markup]:
        """Return two valid markups of one essay."""
        names = (self.path(first), self.path(second))
        one, other = self.markups([(names[0], self.raw(first)), (names[1], self.raw(second))])
        check_same_essay(names, (one, other))
        return one, other


@dataclass(frozen=True, slots=True)
class Essay:
    """One essay of a request: the algorithm's markup (None: voided), the experts', and the values they came from."""

    algorithm: Markup | None
    experts: list[Markup]
    ratings: Ratings
    sources: list[Any]

    @classmethod
    def read(cls, inputs: Inputs) -> Essay:
        """Read ``algorithm`` (a markup or null), ``experts`` and, optionally, ``ratings``."""
        algorithm, experts = inputs.raw("algorithm"), inputs.items("experts")
        names = [inputs.path(f"experts[{number}]") for number in range(len(experts))]
        named = list(zip(names, experts, strict=True))
        if algorithm is not None:
            named.insert(0, (inputs.path("algorithm"), algorithm))
        ratings = inputs.ratings()
        markups = inputs.markups(named)
        check_same_essay([name for name, _ in named], markups)
        sources = [algorithm, *experts]
        if inputs.fields.get("ratings") is not None:
            sources.append(inputs.fields["ratings"])
        if algorithm is None:
            return cls(None, markups, ratings, sources)
        return cls(markups[0], markups[1:], ratings, sources)

    @property
    def markups(self) -> list[Markup]:
        """Return all markups, the algorithm's first."""
        return self.experts if self.algorithm is None else [self.algorithm, *self.experts]

    def score(self, params: ScoringParams) -> EssayScore:
        """Score all pairs of the essay."""
        from markup_core.accuracy import score_essay

        return score_essay(self.algorithm, self.experts, params, ratings=self.ratings)


def check_same_essay(names: Sequence[str], markups: Sequence[Markup]) -> None:
    """Refuse markups of different texts or subjects: nothing between them can be measured."""
    for name, other in zip(names[1:], markups[1:], strict=True):
        first = markups[0]
        details = {"inputs": [names[0], name]}
        if other.text != first.text:
            pairs = enumerate(zip(first.text, other.text, strict=False))
            least = min(len(first.text), len(other.text))
            place = next((at for at, (one, two) in pairs if one != two), least)
            message = tr(
                "{names} and {name} are markups of different texts: they differ from character {place} on",
                names=names[0],
                name=name,
                place=place,
            )
            raise RefusedError("text_differs", message, {**details, "position": place})
        if other.subject != first.subject:
            message = tr(
                "{names} and {name} are of different subjects: {subject} and {subject_2}",
                names=names[0],
                name=name,
                subject=short(first.subject),
                subject_2=short(other.subject),
            )
            raise RefusedError("subject_differs", message, details)


def answer(op: str, fields: Fields, classifier: Classifier | None = None, names: Names = _NO_NAMES) -> Answer:
    """Do one operation; raises :class:`RefusedError`."""
    operation = OPERATIONS.get(op)
    if operation is None:
        ops = list(OPERATIONS)
        message = tr("there is no op {op}; the ops are {ops}", op=short(op), ops=", ".join(ops))
        raise RefusedError("unknown_op", message, {"known": ops})
    return operation(Inputs(fields, classifier, names=names))


def judge(source: Any, classifier: Classifier | None = None, essay_text: str | None = None) -> Answer:
    """List every error and warning of a value as a markup, of the essay's text if one is given."""
    judged = validate(source, classifier=classifier, essay_text=essay_text)
    result = {
        "errors": [fault.to_dict() for fault in judged.errors],
        "warnings": [fault.to_dict() for fault in judged.warnings],
    }
    sources = [source] if essay_text is None else [source, essay_text]
    return Answer(result, fingerprint("validate", None, sources, classifier))


def _parse(inputs: Inputs) -> Answer:
    text = inputs.text("text")
    try:
        markup = parse(text)
    except NotationError as error:
        place = {"line": error.line, "column": error.column}
        raise RefusedError("notation_error", error.message, place) from None
    return Answer({"markup": dump(markup)}, inputs.fingerprint("parse", None, [text]))


def _render(inputs: Inputs) -> Answer:
    markup = inputs.markup("markup")
    return Answer({"text": render(markup)}, inputs.fingerprint("render", None, [inputs.raw("markup")]))


def _grade(inputs: Inputs) -> Answer:
    from markup_core.criteria import grade

    graded = grade(markup := inputs.markup("markup"))
    if graded is None:
        named, subject = inputs.path("markup"), short(markup.subject)
        message = tr(
            "{named}: the subject {subject} has no grading formula, so there is no grade", named=named, subject=subject
        )
        raise RefusedError("no_grading_formula", message, {"subject": markup.subject})
    return Answer(graded.to_dict(), inputs.fingerprint("grade", None, [inputs.raw("markup")]))


def _match(inputs: Inputs) -> Answer:
    from markup_core.matching.match import match

    params = inputs.params()
    matching = match(*inputs.couple("x", "y"), params)
    result = {
        "pairs": [list(pair) for pair in matching.pairs],
        "q": float(matching.q),
        "unmatched_x": list(matching.unmatched_x),
        "unmatched_y": list(matching.unmatched_y),
    }
    return Answer(result, inputs.fingerprint("match", params, [inputs.raw("x"), inputs.raw("y")]))


def _pair(inputs: Inputs) -> Answer:
    from markup_core.accuracy import score_pair

    inputs.params()
    expert, ratings = inputs.flag("x_is_expert"), inputs.ratings()
    x, y = inputs.couple("x", "y")
    params = inputs.params_for([x])
    score = score_pair(x, y, params, x_is_expert=expert, ratings=ratings)
    result = {
        "metrics": score.metrics.to_dict(),
        "pair_accuracy": score.pair_accuracy,
        "pairs": [list(pair) for pair in score.matching.pairs],
    }
    sources = [inputs.raw("x"), inputs.raw("y"), expert, inputs.fields.get("ratings")]
    floats = (*score.metrics, score.pair_accuracy, *params.weights, params.hardness)
    return Answer(result, inputs.fingerprint("pair", params, sources), floats)


def _essay(inputs: Inputs) -> Answer:
    inputs.params()
    essay = Essay.read(inputs)
    params = inputs.params_for(essay.markups)
    return Answer(essay.score(params).to_dict(), inputs.fingerprint("essay", params, essay.sources))


def sample(inputs: Inputs, progress: Progress | None = None) -> Answer:
    """Compute accuracies over essays with every breakdown; ``progress`` gets how many of how many are scored."""
    from markup_core.sample import summarise

    inputs.params()
    seed, sources = inputs.seed(), inputs.items("essays")
    essays = _essays(inputs, sources)
    params = inputs.params_for(markup for essay in essays for markup in essay.markups)
    scores = []
    for number, essay in enumerate(essays, start=1):
        scores.append(essay.score(params))
        if progress is not None:
            progress(number, len(essays))
    result = summarise(scores, seed).to_dict()
    result["by_essay"] = [score.to_dict() for score in scores]
    return Answer(result, inputs.fingerprint("sample", params, [*(essay.sources for essay in essays), seed]))


def systems(inputs: Inputs, progress: Progress | None = None, *, by_scipy: bool = False) -> Systems:
    """Compare two systems over essays, each of ``algorithm``, ``other`` and ``experts``; ratings do not count."""
    from markup_core.sample import compare_systems

    params, seed, sources = inputs.params(), inputs.seed(), inputs.items("essays")
    own = _essays(inputs, [_of_one_system(source, "algorithm") for source in sources])
    paths = [f"essays[{number}]" for number in range(len(sources))]
    named = {f"{path}.algorithm": inputs.path(f"{path}.other") for path in paths}
    renamed = replace(inputs, names={**inputs.names, **named})
    others = _essays(renamed, [_of_one_system(source, "other") for source in sources])
    scores: tuple[list[EssayScore], list[EssayScore]] = ([], [])
    for number, essays in enumerate(zip(own, others, strict=True), start=1):
        for scored, essay in zip(scores, essays, strict=True):
            scored.append(essay.score(params))
        if progress is not None:
            progress(number, len(own))
    hash_inputs = [[one.sources[0], *other.sources] for one, other in zip(own, others, strict=True)]
    signed = inputs.fingerprint("systems", params, [*hash_inputs, seed])
    return compare_systems(*scores, seed, signed, by_scipy=by_scipy)


def _systems(inputs: Inputs) -> Answer:
    compared = systems(inputs)
    return Answer(compared.to_dict(), compared.fingerprint or {})


def _of_one_system(source: Any, name: str) -> Any:
    """Return an essay with one of its two systems as the algorithm, without ratings; other values as they are."""
    if not isinstance(source, dict):
        return source
    return {field: source[own] for field, own in (("algorithm", name), ("experts", "experts")) if own in source}


def agree(inputs: Inputs, progress: Progress | None = None) -> Answer:
    """Measure how far the experts of essays agree; each essay has ``experts`` and, optionally, their ``numbers``."""
    from markup_core.interrater import agreement

    inputs.params()
    sources = inputs.items("essays")
    essays = _essays(
        inputs, [{**source, "algorithm": None} if isinstance(source, dict) else source for source in sources]
    )
    params = inputs.params_for(markup for essay in essays for markup in essay.experts)
    numbers = [
        _numbers(inputs.path(f"essays[{place}].numbers"), source, len(essay.experts))
        for place, (source, essay) in enumerate(zip(sources, essays, strict=True))
    ]

    def placed() -> Iterator[list[Markup | None]]:
        for done, (listed, essay) in enumerate(zip(numbers, essays, strict=True), start=1):
            by_number = dict(zip(listed, essay.experts, strict=True))
            yield [by_number.get(number) for number in range(1, max(listed, default=0) + 1)]
            if progress is not None:
                progress(done, len(essays))

    hash_inputs = [[listed, *essay.sources[1:]] for listed, essay in zip(numbers, essays, strict=True)]
    return Answer(agreement(placed(), params).to_dict(), inputs.fingerprint("agreement", params, hash_inputs))


def _numbers(path: str, source: Any, experts: int) -> list[int]:
    """Return the experts' numbers, which identify an expert over several essays; by default 1, 2 …"""
    numbers = source.get("numbers")
    if numbers is None:
        return list(range(1, experts + 1))
    whole = isinstance(numbers, list) and all(type(number) is int and 0 < number <= _MOST_EXPERTS for number in numbers)
    if not whole or len(numbers) != experts or len(set(numbers)) != experts:
        message = tr(
            "{path} must be as many different whole numbers from 1 to {most_experts} as there are experts",
            path=path,
            most_experts=_MOST_EXPERTS,
        )
        raise bad_field(path, message)
    return list(numbers)


def _essays(inputs: Inputs, sources: list[Any]) -> list[Essay]:
    """Return all essays; invalid markups of all of them are reported at once."""
    essays, faults = [], []
    for number, source in enumerate(sources):
        where = f"essays[{number}]"
        if not isinstance(source, dict):
            raise unexpected(where, tr("an object with algorithm and experts"), source)
        try:
            essays.append(Essay.read(Inputs(source, inputs.classifier, where, inputs.names)))
        except RefusedError as refused:
            if refused.code != "invalid_markup":
                raise
            faults += refused.details
    if faults:
        raise invalid(faults)
    return essays


def _third_expert(inputs: Inputs) -> Answer:
    from markup_core.interrater import third_expert

    adjudication = third_expert(*inputs.couple("first", "second"))
    result = {"needed": adjudication.needed, "reasons": [reason.message.en for reason in adjudication.reasons]}
    return Answer(result, inputs.fingerprint("third_expert", None, [inputs.raw("first"), inputs.raw("second")]))


def _nominations(inputs: Inputs) -> Answer:
    from markup_core.sample import nominations

    params, essay = inputs.params(), Essay.read(inputs)
    scores = nominations(essay.algorithm, essay.experts, params)
    result = {name: None if score is None else score.to_dict() for name, score in scores.items()}
    return Answer(result, inputs.fingerprint("nominations", params, essay.sources))


OPERATIONS: Final[Mapping[str, Callable[[Inputs], Answer]]] = MappingProxyType(
    {
        "validate": lambda inputs: judge(inputs.raw("markup"), inputs.classifier),
        "parse": _parse,
        "render": _render,
        "grade": _grade,
        "match": _match,
        "pair": _pair,
        "essay": _essay,
        "sample": sample,
        "third_expert": _third_expert,
        "nominations": _nominations,
        "agreement": agree,
        "systems": _systems,
    }
)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def encode(value: Any, floats: Sequence[float | None] | None = None) -> bytes:
    """Write a JSON value as canonical UTF-8 on one line; half a surrogate pair, which has no UTF-8, as its escape.

    ``floats``: all floats in the value, where the caller knows them.
    """
    try:
        return canonical_bytes(value, floats)
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", canonical_json(value)).encode("utf-8")
