"""The declaration of a measure (a cycle's parameter ``measure``): read, completed, tried on the program's samples.

The measure's program is read from its file or wheel, without running it. Items, references and answers of a contest
with a declared measure are read, too.

An item is ``{"id", "language", "group", "content"}``: the content is what is handed out, any JSON object. A reference
is ``{"answer": …}``: an answer of a person, of the same form as the programs' answers, so that people can be measured
in the same way.

A form is a JSON Schema of the organizers, a value anybody's. So only keywords are taken whose check is linear in the
value: no patterns, no references. A keyword that is not checked is refused, because nobody would learn that it does
nothing.
"""

from __future__ import annotations

import ast
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any, Final

from markup_core.command.inputs import RefusedError
from markup_core.lazy import dataclass
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, broken_archive, short, writable
from markup_core.receipt import canonical_json, sha256_hex
from markup_core.texts import at
from tracks.base import GIVEN, Fields, is_number, of_parameters, of_refusal, read_body, reason, unknown_names
from tracks.custom import running
from tracks.custom.running import digest_of, is_image, tag_of
from tracks.protocol import ItemFacts, Json, Reason, Text, Verdict
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
"""Most characters of the schema of answers, which is published with the cycle."""
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
            faults.append(of_refusal(code, error))
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
    if not is_image(file) and not FILE.fullmatch(file):
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


def tried(raw: Mapping[str, Json], program: Program, runner: running.Runner) -> tuple[Reason, ...]:
    """Return the reasons why a program cannot be the measure: its failures on its own samples.

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


MOST_LEVELS: Final = 12
_MOST_NAMES: Final = 200
_MOST_FAULTS: Final = 20
"""Most faults of an answer that are reported."""
_NOTES: Final = frozenset({"title", "description", "examples", "$schema", "$comment"})


_TYPES: Final[Mapping[str, Callable[[Json], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: is_number(value) and float(value).is_integer(),
    "number": is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _is_list(value: Json) -> bool:
    return isinstance(value, list) and 0 < len(value) <= _MOST_NAMES


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in _TYPES for name in names)


_KEYWORDS: Final[Mapping[str, Callable[[Json], bool]]] = {
    "type": _is_type,
    "enum": _is_list,
    "const": lambda _: True,
    **dict.fromkeys(("minimum", "maximum"), is_number),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems"),
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    ),
    "required": lambda value: (
        isinstance(value, list) and len(value) <= _MOST_NAMES and all(isinstance(name, str) for name in value)
    ),
}
_SCHEMA_KEYWORDS: Final = frozenset({"items", "additionalProperties", "properties", "anyOf"})


def faults_of_schema(schema: Json, path: str, levels: int = MOST_LEVELS) -> Iterator[Reason]:
    """List the parts of a schema that cannot be checked. O(size of the schema)."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield _wrong(path, tr("{path} must be a schema, not {value}", path=path, value=short(schema)))
        return
    if not levels:
        yield _wrong(path, tr("{path} is nested too deeply", path=path))
        return
    for keyword in sorted(schema.keys() - _KEYWORDS.keys() - _SCHEMA_KEYWORDS - _NOTES):
        here = writable(f"{path}.{keyword}")
        yield _wrong(here, tr("{path} is not checked: leave the keyword out", path=here))
    for keyword, is_right in _KEYWORDS.items():
        if keyword in schema and not is_right(schema[keyword]):
            here = f"{path}.{keyword}"
            yield _wrong(here, tr("{path} cannot be {value}", path=here, value=short(schema[keyword])))
    yield from _faults_of_parts(schema, path, levels - 1)


def _faults_of_parts(schema: Mapping[str, Json], path: str, levels: int) -> Iterator[Reason]:
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from faults_of_schema(schema[keyword], f"{path}.{keyword}", levels)
    properties, choices = schema.get("properties", {}), schema.get("anyOf", [True])
    if not isinstance(properties, dict) or len(properties) > _MOST_NAMES:
        yield _wrong(f"{path}.properties", tr("{path} must be an object of schemas", path=path + ".properties"))
    else:
        for name, part in properties.items():
            yield from faults_of_schema(part, writable(f"{path}.properties.{name}"), levels)
    if not _is_list(choices):
        yield _wrong(f"{path}.anyOf", tr("{path} must be a list of schemas", path=path + ".anyOf"))
    else:
        for number, part in enumerate(choices):
            yield from faults_of_schema(part, f"{path}.anyOf[{number}]", levels)


def _wrong(path: str, message: str) -> Reason:
    return reason("measure_schema", path, message)


def faults_of_answer(value: Json, schema: Json) -> tuple[Reason, ...]:
    """Return the first faults by which a value is not of a checked schema's form; none if it is."""
    faults: list[Reason] = []
    for path, problem in _misfits(value, schema, ""):
        if len(faults) == _MOST_FAULTS:
            break
        faults.append(reason("not_of_the_form", path, at(path or "$", problem)))
    return tuple(faults)


def _misfits(value: Json, schema: Json, path: str) -> Iterator[tuple[str, Text]]:
    if isinstance(schema, bool):
        if not schema:
            yield path, tr("nothing may stand here")
        return
    names = schema.get("type", [])
    types = names if isinstance(names, list) else [names]
    if types and not any(_TYPES[name](value) for name in types):
        yield path, tr("must be {types}, not {value}", types="/".join(types), value=short(value))
        return
    if ("enum" in schema and not _is_among(value, schema["enum"])) or (
        "const" in schema and not _is_among(value, [schema["const"]])
    ):
        yield path, tr("{value} is none of the values that may stand here", value=short(value))
    yield from _out_of_bounds(value, schema, path)
    if "anyOf" in schema and all(next(_misfits(value, part, path), None) for part in schema["anyOf"]):
        yield path, tr("is of none of the forms that may stand here")
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from _misfits(part, schema.get("items", True), f"{path}[{number}]")
    elif isinstance(value, dict):
        yield from _misfits_of_object(value, schema, path)


def _misfits_of_object(value: Mapping[str, Json], schema: Mapping[str, Json], path: str) -> Iterator[tuple[str, Text]]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield path, tr("the field {name} is missing", name=writable(name))
    for name, part in value.items():
        here = writable(f"{path}.{name}" if path else name)
        if name not in properties and rest is False:
            yield here, tr("there is no such field")
        else:
            yield from _misfits(part, properties.get(name, rest), here)


def _is_among(value: Json, values: list[Json]) -> bool:
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)


def _out_of_bounds(value: Json, schema: Mapping[str, Json], path: str) -> Iterator[tuple[str, Text]]:
    if is_number(value):
        least, most, size = "minimum", "maximum", value
    elif isinstance(value, str):
        least, most, size = "minLength", "maxLength", len(value)
    elif isinstance(value, list):
        least, most, size = "minItems", "maxItems", len(value)
    else:
        return
    if least in schema and size < schema[least]:
        yield path, tr("{size} is less than {bound}", size=size, bound=schema[least])
    if most in schema and size > schema[most]:
        yield path, tr("{size} is more than {bound}", size=size, bound=schema[most])


_ITEM: Final = frozenset({"id", "language", "group", "content"})
_LONGEST_GROUP: Final = 64
_LONGEST_ID: Final = 200
MOST_BYTES: Final = 256 * 1024
"""Most bytes of an answer, and of a reference: a call has an answer and all references of its item."""
_LIMITS: Final = Limits(max_bytes=MOST_BYTES, max_depth=32)


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an item; list all its faults."""
    if not isinstance(raw, dict):
        return None, (reason("not_an_object", "", tr("an item is an object, not {raw}", raw=short(raw))),)
    faults = list(unknown_names(raw, _ITEM))
    fields, texts = Fields(raw), dict[str, str]()
    for name, most in (("id", _LONGEST_ID), ("language", _LONGEST_GROUP), ("group", _LONGEST_GROUP)):
        try:
            texts[name] = fields.text(name)
            if not 0 < len(texts[name]) <= most or SURROGATE.search(texts[name]):
                message = tr("{name} must have 1 to {most} whole characters", name=name, most=most)
                faults.append(reason("invalid_item", name, message))
        except RefusedError as error:
            faults.append(reason("invalid_item", name, error.message))
    if not isinstance(raw.get("content"), dict):
        message = tr("content must be an object, not {raw}", raw=short(raw.get("content")))
        faults.append(reason("invalid_item", "content", message))
    if faults:
        return None, tuple(faults)
    return ItemFacts(texts["id"], texts["language"], texts["group"]), ()


def read_reference(raw: Json, schema: Json) -> tuple[Reason, ...]:
    """Check a reference: an object with an answer of the declared form."""
    if not isinstance(raw, dict) or raw.keys() != {"answer"}:
        message = tr('a reference is an object {{"answer": …}}, not {raw}', raw=short(raw))
        return (reason("invalid_reference", "", message),)
    if len(canonical_json(raw["answer"]).encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return (reason("invalid_reference", "answer", tr("the answer has more than {most} bytes", most=MOST_BYTES)),)
    return faults_of_answer(raw["answer"], schema)


def text_of(item: Json) -> str:
    """Return the text of an item: its content's field ``text``, or the whole content."""
    text = item["content"].get("text")
    return text if isinstance(text, str) and text.strip() else canonical_json(item["content"])


def validate(body: bytes, schema: Json) -> Verdict:
    """Judge an answer as received by the declared form."""
    value, broken = read_body(body, _LIMITS)
    if broken:
        return Verdict(broken)
    if faults := faults_of_answer(value, schema):
        return Verdict(faults)
    try:
        canonical_json(value).encode("utf-8")
    except UnicodeEncodeError:
        message = tr("the answer has half a surrogate pair; whole characters are needed")
        return Verdict((reason("lone_surrogate", "", message),))
    return Verdict((), canonical=value)


MOST_PROGRAM_BYTES: Final = 256 * 1024
"""Most bytes of a program's file; with its request it goes through one call of a function (6 MB)."""
_MOST_UNPACKED: Final = 4 * MOST_PROGRAM_BYTES
_MOST_MEMBERS: Final = 500
GROUP: Final = "hurdle.measure"
"""Group of entry points in which a wheel names its module: ``measure = my_module``."""
FILE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,99}\.(?:py|whl)")
_MODULE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,39}")
_DEMANDED: Final = ("score", "aggregate", "SAMPLES")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that could be read; ``module`` is imported, ``version`` is its own, empty without one."""

    file: str
    content: bytes
    module: str
    version: str

    @property
    def sha256(self) -> str:
        """Return the hash that names the program in scores: the image's digest or the file's SHA-256."""
        return digest_of(self.file) or sha256_hex(self.content)


def read_program(file: str, content: bytes) -> tuple[Program | None, tuple[Reason, ...]]:
    """Read a program's file, or an image's name, without running it; None exactly when there are reasons."""
    if digest_of(file):
        return Program(file, file.encode(), "", tag_of(file)), ()
    if not FILE.fullmatch(file):
        return None, (_unreadable(tr("{file} is neither NAME.py nor NAME.whl", file=file)),)
    if len(content) > MOST_PROGRAM_BYTES:
        message = tr(
            "the program has {bytes} bytes, at most {most} are taken", bytes=len(content), most=MOST_PROGRAM_BYTES
        )
        return None, (_unreadable(message),)
    reader = _of_wheel if file.endswith(".whl") else _of_module
    try:
        return reader(file, content), ()
    except (ValueError, SyntaxError, KeyError, RecursionError, MemoryError) as error:
        return None, (_unreadable(tr("the program cannot be read: {error}", error=error)),)
    except broken_archive(ConfigError) as error:
        return None, (_unreadable(tr("the wheel cannot be read: {error}", error=error)),)


def _unreadable(message: str) -> Reason:
    return reason("measure_program", "measure.program", message)


def _of_module(file: str, content: bytes) -> Program:
    """Return the program of one module; ValueError, SyntaxError."""
    module = file.removesuffix(".py")
    if not module.isidentifier():
        raise ValueError(f"{module} is no name of a module")
    names = dict(_assigned(ast.parse(content)))
    if missing := [name for name in _DEMANDED if name not in names]:
        raise ValueError(f"it has no {', '.join(missing)}")
    version = names.get("__version__", "")
    return Program(file, content, module, version if _VERSION.fullmatch(version) else "")


def _assigned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module binds at its top, each with the text that it is bound to, if any."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ""
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name, "") for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            value = node.value.value if isinstance(node.value, ast.Constant) else ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, str(value)) for target in targets if isinstance(target, ast.Name))


def _of_wheel(file: str, content: bytes) -> Program:
    """Return the program of a wheel; ValueError, KeyError and what zipfile and configparser raise."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _MOST_UNPACKED:
            raise ValueError(f"unpacked it has more than {_MOST_MEMBERS} files or {_MOST_UNPACKED} bytes")
        if alien := [member.filename for member in members if member.filename.endswith((".so", ".pyd", ".dylib"))]:
            raise ValueError(f"it is not pure Python: {alien[0]}")
        entry_points = next(name for name in (*archive.namelist(), "") if name.endswith("entry_points.txt") or not name)
        if not entry_points:
            raise ValueError(f"it has no entry_points.txt with the group {GROUP}")
        parser = ConfigParser(delimiters=("=",))
        parser.read_string(archive.read(entry_points).decode("utf-8"))
        module = parser[GROUP]["measure"].strip()
    if not _MODULE.fullmatch(module):
        raise ValueError(f"{module} is no name of a module")
    version = file.split("-")[1] if file.count("-") >= 2 else ""
    return Program(file, content, module, version if _VERSION.fullmatch(version) else "")
