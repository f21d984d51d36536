"""The declaration of a measure (a cycle's parameter ``measure``): read, completed, tried on the program's samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from markup_core.command.complaints import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.wire import short, writable
from markup_core.receipt import canonical_json
from markup_core.texts import at
from tracks.custom import running
from tracks.custom.images import digest_of, is_image
from tracks.custom.items import faults_of_answer, faults_of_schema
from tracks.fields import GIVEN, Fields, of_parameters, reason, unknown_names
from tracks.protocol import Json, Reason, Text
from tracks.rules import Unit
from tracks.texts import tr

MEASURE: Final = "measure"
PEOPLE: Final = "people"
"""The barrier of people measured in the same way: each reference against the item's other ones."""
HIGHER, LOWER = "higher", "lower"
UNPINNED: Final = "measure_image_unpinned"
TRIAL_S: Final = 5
"""Seconds that a program's samples may take when it is tried, waiting included: nobody waits longer for a fault."""
_MIB: Final = 1024 * 1024
_MOST_SCHEMA: Final = 20_000
"""Characters of the schema of answers, which is told with the cycle."""
_LONGEST_NAME: Final = 200
_MOST_SAMPLES: Final = 100
_KNOWN: Final = frozenset({"program", "name", "unit", "better", "barrier", "answer", "names", "seconds", "memory_mib"})
_TAKEN_IN: Final = frozenset({"file", "sha256", "bytes", "version"})


def complete(raw: Json) -> tuple[Json, tuple[Reason, ...]]:
    """Complete and check a cycle's parameters: the one parameter ``measure``."""
    faults = list(of_parameters(raw, GIVEN | {MEASURE}))
    declared = raw.get(MEASURE) if isinstance(raw, Mapping) else None
    if not isinstance(declared, dict):
        message = tr("the contest needs a measure: an object with program, name and answer")
        return None, (*faults, reason("invalid_params", MEASURE, message))
    faults += unknown_names(declared, _KNOWN, MEASURE)
    completed: dict[str, Json] = {}
    for name, reader in _readers(Fields(declared, MEASURE)):
        try:
            completed[name] = reader()
        except RefusedError as error:
            code = error.code if error.code == UNPINNED else "invalid_params"
            faults.append(reason(code, str(error.details["field"]), error.message))
    if "answer" in completed:
        faults += _faults_of_form(completed["answer"])
    return (None if faults else {MEASURE: completed}), tuple(faults)


def _readers(fields: Fields) -> Iterator[tuple[str, Callable[[], Json]]]:
    yield "program", lambda: _program(fields)
    yield "name", lambda: _in_both(fields.part("name"))
    yield "unit", lambda: fields.choice("unit", [unit.value for unit in Unit], Unit.SHARE.value)
    yield "better", lambda: fields.choice("better", (HIGHER, LOWER), HIGHER)
    yield "barrier", lambda: _barrier(fields)
    yield "answer", lambda: fields.mapping("answer")
    yield "names", lambda: _names(fields)
    yield "seconds", lambda: fields.whole("seconds", 5, low=1, high=10)
    yield "memory_mib", lambda: fields.whole("memory_mib", 256, low=64, high=512)


def _program(fields: Fields) -> Json:
    """Read the program: its file's name, or the description of one that is taken in."""
    value = fields.raw("program")
    part, name = (fields.part("program"), "file") if isinstance(value, dict) else (fields, "program")
    file, path = part.text(name), part.path(name)
    if is_image(file) and not digest_of(file):
        message = tr("must name the image by its digest, NAME@sha256:…; docker image ls --digests tells it")
        _refused(path, message, UNPINNED)
    if not is_image(file) and not running.FILE.fullmatch(file):
        _refused(path, tr("must be NAME.py, NAME.whl or an image by its digest"))
    if isinstance(value, dict) and (value.keys() != _TAKEN_IN or not _is_digest(value["sha256"])):
        _refused(fields.path("program"), tr("must name a file beside the cycle's, or a program that is there"))
    return dict(value) if isinstance(value, dict) else {"file": value}


def _is_digest(value: Json) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _refused(path: str, problem: Text, code: str = "invalid_request") -> None:
    raise RefusedError(code, tr("{path} {problem}", path=path, problem=problem), {"field": path})


def _in_both(fields: Fields) -> dict[str, str]:
    texts = {language: fields.text(language) for language in ("en", "ru")}
    for language, text in texts.items():
        if not 0 < len(text.strip()) <= _LONGEST_NAME:
            _refused(fields.path(language), tr("must have 1 to {most} characters", most=_LONGEST_NAME))
    return texts


def _barrier(fields: Fields) -> Json:
    value = fields.raw("barrier", None)
    return value if value in (None, PEOPLE) else fields.number("barrier")


def _names(fields: Fields) -> dict[str, dict[str, str]]:
    named = fields.mapping("names", {})
    if len(named) > running.MOST_COUNTS:
        _refused(fields.path("names"), tr("must have at most {most} names", most=running.MOST_COUNTS))
    part = Fields(named, fields.path("names"))
    return {name: _in_both(part.part(name)) for name in sorted(named)}


def _faults_of_form(schema: Json) -> Iterator[Reason]:
    path = f"{MEASURE}.answer"
    if schema.get("type") not in ("object", "array"):
        message = tr(
            "{path} must have the type object or array, not {value}", path=path, value=short(schema.get("type"))
        )
        yield reason("measure_schema", f"{path}.type", message)
    if len(canonical_json(schema)) > _MOST_SCHEMA:
        yield reason("measure_schema", path, tr("{path} has more than {most} characters", path=path, most=_MOST_SCHEMA))
        return
    yield from faults_of_schema(schema, path)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A completed declaration: a cycle's parameter ``measure``."""

    raw: Mapping[str, Any]

    @property
    def name(self) -> Text:
        """Name of the measure."""
        return Text(self.raw["name"]["en"], self.raw["name"]["ru"])

    def named(self, key: str) -> Text:
        """Return the name of a count or a further value: the declared one, or the key itself."""
        both = self.raw["names"].get(key)
        return Text(key, key) if both is None else Text(both["en"], both["ru"])

    @property
    def is_lower_better(self) -> bool:
        """Is true when the lower of two values is the better one."""
        return bool(self.raw["better"] == LOWER)

    @property
    def name_with_direction(self) -> Text:
        """Name of the measure wherever values are compared: it says so where the lower one is the better one."""
        return tr("{name} (lower is better)", name=self.name) if self.is_lower_better else self.name

    @property
    def asks_people(self) -> bool:
        """Is true when the barrier is people's own value."""
        return bool(self.raw["barrier"] == PEOPLE)

    @property
    def limits(self) -> dict[str, int]:
        """Bounds of the program: processor seconds of a call, bytes of memory."""
        return {"seconds": self.raw["seconds"], "memory": self.raw["memory_mib"] * _MIB}


def tried(raw: Mapping[str, Json], program: running.Program, runner: running.Runner) -> tuple[Reason, ...]:
    """Return the reasons why a program cannot be the measure: what it does on its own samples.

    A sample is an object of ``answer`` (null: a missed item), ``references`` and the ``counts`` that are expected.
    """
    declared = Declaration(raw)

    limits = {**declared.limits, "wall": TRIAL_S}

    def ask(calls: list[Json], judge: Callable[[Json], running.Failure | None]) -> list[Json | running.Failure]:
        return running.results_of(runner, running.request_of(program, limits, calls), judge)

    (samples,) = ask([{"op": "samples"}], _judged_samples)
    if isinstance(samples, running.Failure):
        return (_failed("SAMPLES", samples),)
    for number, sample in enumerate(samples):
        for value in [*([] if sample["answer"] is None else [sample["answer"]]), *sample["references"]]:
            if faults := faults_of_answer(value, raw["answer"]):
                message = at(f"SAMPLES[{number}]", faults[0].message)
                return (reason("measure_sample", "measure.program", message),)
    counted = ask(
        [{"op": "score", **{name: sample[name] for name in ("answer", "references")}} for sample in samples],
        running.judged_counts,
    )
    for number, (sample, counts) in enumerate(zip(samples, counted, strict=True)):
        if isinstance(counts, running.Failure):
            return (_failed(f"SAMPLES[{number}]", counts),)
        if "counts" in sample and sample["counts"] != counts:
            message = tr(
                "SAMPLES[{number}]: the program counts {counts}, but its sample expects {expected}",
                number=number,
                counts=_differing(counts, sample["counts"]),
                expected=_differing(sample["counts"], counts),
            )
            return (reason("measure_sample", "measure.program", message),)
    (value,) = ask([{"op": "aggregate", "counts": counted}], running.judged_value)
    return (_failed("aggregate(SAMPLES)", value),) if isinstance(value, running.Failure) else ()


def _differing(counts: Json, others: Json) -> Text | str:
    """Return the counts that differ from others as JSON, cut at a line's length."""
    if not isinstance(counts, dict) or not isinstance(others, dict):
        return short(counts)
    differing = {name: count for name, count in counts.items() if name not in others or others[name] != count}
    return writable(canonical_json(differing))


def _judged_samples(samples: Json) -> running.Failure | None:
    fits = isinstance(samples, list) and 0 < len(samples) <= _MOST_SAMPLES
    if not fits or not all(
        isinstance(sample, dict) and "answer" in sample and isinstance(sample.get("references"), list)
        for sample in samples
    ):
        return running.Failure("measure_shape", "SAMPLES")
    return None


def _failed(place: str, failure: running.Failure) -> Reason:
    sentence = failure.sentence
    if failure.code == "measure_time":
        sentence = tr("the program has not ended after {seconds} s; a sample is a small case", seconds=TRIAL_S)
    return reason(failure.code, "measure.program", at(place, sentence))


def is_better(value: float, other: float, *, lower: bool) -> bool:
    """Check whether a value is better than another, not equal to it."""
    return value < other if lower else value > other


def reaches(value: float, barrier: float, *, lower: bool, strictly: bool) -> bool:
    """Check whether a value overcomes a barrier: a number by reaching it, people's by being better than theirs.

    **Decision**: equal to people is not better than people (as in TS U-5); a number is what has to be reached.
    """
    return is_better(value, barrier, lower=lower) or (not strictly and value == barrier)
