"""Items of the exam in their published form, their hand-out, sets and submissions in files (tracks.md §2; U-1, U-4).

An item is ``{"instruction", "inputs": {"task", "text", "choices", "additional_text"}, "outputs", "meta": {"id",
"id_task", "variant", "score", "type"}}``. A file of items is a JSON list, ``{"data": {split: list}}``, or JSON Lines
(suffix ``.jsonl``). A submission is ``{id: string}``, or a file of ``{"outputs", "meta": {"id"}}`` in one of these
three forms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from markup_core.command.inputs import RefusedError, UnreadableError, read_bytes, read_json
from markup_core.lazy import dataclass
from markup_core.reading.fragment_reader import SURROGATE
from markup_core.reading.wire import Limits, MalformedInput, decode, short, writable
from markup_core.receipt import canonical_bytes
from tracks import base
from tracks.capabilities import SubmissionRead, Unpacked
from tracks.exam import tasks
from tracks.protocol import ItemFacts, Json, Reason, Verdict
from tracks.texts import tr, tr_in

LANGUAGE: Final = "rus"
_SHOWN_META: Final = ("id_task", "score", "type")


def read_item(raw: Json) -> tuple[ItemFacts | None, tuple[Reason, ...]]:
    """Check an item in the published form. Its group is its variant; its reference alone may have its right answer."""
    apart = isinstance(raw, dict) and "outputs" not in raw
    problems = faults({**raw, "outputs": ""}, hidden=True) if apart else faults(raw)
    if problems:
        return None, tuple(base.of_refusal("invalid_item", problem) for problem in problems)
    return ItemFacts(str(raw["meta"]["id"]), LANGUAGE, str(raw["meta"]["variant"])), ()


def gold_of(item: Json, references: Sequence[Json]) -> str:
    """Return an item's right answer: its own, or if it has none, its reference's."""
    return str((item if "outputs" in item else references[0])["outputs"])


# Clause: U closed test
def hand_out(item: Json, file_id: str) -> Json:
    """Return a task's prompt, its parts and its kind, with nothing of the answer."""
    inputs = {place: item["inputs"][place] for place in tasks.PLACES}
    return {
        "id": file_id,
        "prompt": tasks.render(item["instruction"], inputs),
        "instruction": item["instruction"],
        "inputs": inputs,
        "meta": {name: item["meta"][name] for name in _SHOWN_META},
    }


@dataclass(frozen=True, slots=True)
class Key:
    """Key of an item: everything its scoring needs; ``gold`` is its right answer."""

    item_id: str
    task: str
    variant: int
    kind: str
    gold: str

    def score(self, prediction: str | None) -> int:
        """Compute the points of an answer; None is no answer."""
        return tasks.score(self.gold, prediction, self.task, self.kind)


def read_key(item: base.Fields) -> Key:
    """Read the right answer and the meta data of an item; the rest of it is ignored. Raises RefusedError."""
    meta = item.part("meta")
    task, kind, gold = meta.choice("id_task", tasks.TASKS), meta.choice("type", tasks.TYPES), item.text("outputs")
    check_gold(gold, task, kind, item.path("outputs"))
    return Key(str(meta.whole("id")), task, meta.whole("variant"), kind, gold)


def read_keys(items: Iterator[base.Fields]) -> tuple[Key, ...]:
    """Read the keys of a whole submission's items; two items must not have one id. Raises RefusedError."""
    keys: dict[str, Key] = {}
    for item in items:
        key = read_key(item)
        if key.item_id in keys:
            base.refuse(item.path("meta.id"), tr("is {item_id} a second time", item_id=key.item_id))
        keys[key.item_id] = key
    return tuple(keys.values())


def check_gold(gold: str, task: str, kind: str, path: str) -> None:
    """Check a right answer by :func:`tracks.exam.tasks.check`; a refusal becomes a RefusedError with the field."""
    try:
        tasks.check(gold, task, kind)
    except tasks.UnusableGoldError as error:
        base.refuse(path, tr("{problem}, not {gold}", problem=error.args[0], gold=short(gold)))


def faults(raw: Json, *, hidden: bool = False) -> tuple[RefusedError, ...]:
    """Return all faults of an item in the published form; ``hidden``: its outputs may be empty."""
    if not isinstance(raw, dict):
        message = tr("an item is an object, not {raw}", raw=short(raw))
        return (RefusedError("invalid_request", message, {"field": None}),)
    problems: list[RefusedError] = []
    for run_check in _checks(base.Fields(raw), hidden=hidden):
        try:
            run_check()
        except RefusedError as refused:
            if refused.message not in {earlier.message for earlier in problems}:
                problems.append(refused)
    return tuple(problems)


# Clause: U fields, U fields empty
def _checks(item: base.Fields, *, hidden: bool) -> Iterator[Callable[[], object]]:
    yield lambda: _check_instruction(item)
    for place in tasks.PLACES:
        yield lambda place=place: item.part("inputs").text(place)  # type: ignore[misc]  # a lambda with a default
    yield lambda: item.part("meta").whole("id")
    yield lambda: item.part("meta").choice("id_task", tasks.TASKS)
    yield lambda: item.part("meta").whole("variant")
    yield lambda: _check_type(item.part("meta"))
    yield lambda: _check_points(item.part("meta"))
    yield lambda: item.text("outputs")
    if not (hidden and item.values.get("outputs") == ""):
        yield lambda: read_key(item)


def _check_instruction(item: base.Fields) -> None:
    unknown = tasks.unknown_places(item.text("instruction"))
    if unknown:
        places = ", ".join(tasks.PLACES)
        base.refuse(
            item.path("instruction"),
            tr("has the place {{{unknown}}}; the places are {places}", unknown=unknown[0], places=places),
        )


def _check_type(meta: base.Fields) -> None:
    kind, task = meta.choice("type", tasks.TYPES), meta.choice("id_task", tasks.TASKS)
    if not tasks.usual(task, kind):
        base.refuse(
            meta.path("type"),
            tr("cannot be {kind} for task {task}: 16 is multiple choice, 26 alone is matching", kind=kind, task=task),
        )


# Clause: U tasks
def _check_points(meta: base.Fields) -> None:
    points, task = meta.whole("score"), meta.choice("id_task", tasks.TASKS)
    if points != tasks.maximum(task):
        base.refuse(
            meta.path("score"),
            tr(
                "must be {maximum} for task {task}, not {points}", maximum=tasks.maximum(task), task=task, points=points
            ),
        )


MOST_LETTERS: Final = 1000
"""Most code points of an answer; the longest right ones have some dozens."""
_LIMITS: Final = Limits(max_bytes=16 * 1024)
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "string",
    "title": "Answer",
    "description": "Numbers with commas and without blanks, or a word or words written together.",
    "maxLength": MOST_LETTERS,
}


def validate(body: bytes) -> Verdict:
    """Judge an answer as received: a JSON string, whatever it says."""
    raw, broken = base.read_body(body, _LIMITS)
    if broken:
        return Verdict(broken)
    refusal = fault(raw)
    return Verdict((refusal,)) if refusal else Verdict((), canonical=raw, kind="answer")


def fault(raw: Json) -> Reason | None:
    """Return the reason why a JSON value is no answer; None if it is one."""
    if not isinstance(raw, str):
        return base.reason("wrong_type", "", tr("an answer is a JSON string, not {value}", value=short(raw)))
    if len(raw) > MOST_LETTERS:
        message = tr(
            "the answer has {raw} characters, at most {most_letters} are taken", raw=len(raw), most_letters=MOST_LETTERS
        )
        return base.reason("text_too_long", "", message)
    if SURROGATE.search(raw):
        message = tr("the answer has half a surrogate pair; whole characters are needed")
        return base.reason("lone_surrogate", "", message)
    return None


SEED, PROMPTS = "prompt_seed", "prompts"
_KNOWN: Final = base.GIVEN | {SEED, PROMPTS}
_MOST: Final = 2**53 - 1
"""The largest whole number that every reader of JSON keeps."""


def complete(raw: Json) -> tuple[dict[str, Json], tuple[Reason, ...]]:
    """Complete ``prompt_seed``, a whole number from 0, and the ``prompts`` by type: by default three of each type.

    **Decision**: without a seed nothing is chosen, and there are no parameters: an item keeps the instruction with
    which it was published. A type without prompts keeps it, too.
    """
    reasons = list(base.of_parameters(raw, _KNOWN))
    parameters = raw if isinstance(raw, Mapping) else {}
    try:
        base.Fields(parameters).whole(SEED, None, low=0, high=_MOST)
    except RefusedError as error:
        reasons.append(base.reason("invalid_params", SEED, error.message))
    prompts: tasks.Prompts = tasks.DEFAULT
    if parameters.get(PROMPTS) is not None:
        prompts, problems = tasks.prompts_of_json(parameters[PROMPTS])
        reasons += [Reason("invalid_params", problem, {"field": PROMPTS}) for problem in problems]
        if parameters.get(SEED) is None:
            message = tr("prompts are chosen by prompt_seed, which is missing")
            reasons.append(base.reason("invalid_params", SEED, message))
    if reasons or parameters.get(SEED) is None:
        return {}, tuple(reasons)
    return {SEED: parameters[SEED], PROMPTS: {kind: list(texts) for kind, texts in prompts.items()}}, ()


# Clause: TS U-2
def instruction(item: Json, parameters: Mapping[str, Json]) -> str:
    """Return an item's instruction under these completed parameters: the chosen prompt, or the item's own."""
    own, meta = str(item["instruction"]), item["meta"]
    if SEED not in parameters:
        return own
    chosen = tasks.choose(parameters[PROMPTS], meta["type"], str(meta["id"]), parameters[SEED])
    return own if chosen is None else chosen


JSON, LINES = ".json", ".jsonl"
_ANY_SPLIT: Final = "one"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One value of a published file, or the reasons why its line has none, and its place."""

    value: Json
    place: Mapping[str, Json] = field(default_factory=dict)
    broken: tuple[Reason, ...] = ()


# Clause: TS U-1, TS T14, U splits
def unpack(files: Mapping[str, bytes], parameters: Json) -> Unpacked:
    """Convert a set in published files: a JSON list, ``{"data": {split: list}}``, or JSON Lines.

    An item goes by ``meta.id``; its right answer becomes its reference and stands nowhere else. A set is one split: of
    a file with several the one that the file's name says, as its last part before the ending (``test.json``,
    ``use.test.json``). Every file of the folder that has a published form belongs to the set.
    """
    unpacking = base.Unpacking(files)
    for name in sorted(files):
        for entry in _entries(unpacking, name, files[name]):
            reasons = entry.broken or tuple(base.of_refusal("invalid_item", fault) for fault in faults(entry.value))
            unpacking.refuse_all(reasons, name, entry.place)
            if not reasons:
                item = {key: value for key, value in entry.value.items() if key != "outputs"}
                item["instruction"] = instruction(item, parameters)
                gold = {1: {"outputs": entry.value["outputs"]}}
                unpacking.item(str(item["meta"]["id"]), item, gold, name, entry.place)
    return unpacking.result()


def _entries(unpacking: base.Unpacking, name: str, body: bytes) -> Iterator[_Entry]:
    """Yield the entries of a file in a published form; none of any other file."""
    if name.endswith(LINES):
        unpacking.take(name)
        yield from (_Entry(value, {"line": line}, broken) for line, value, broken in base.read_lines(body))
    if not name.endswith(JSON) or base.REFERENCE.fullmatch(name):
        return
    whole, broken = base.read_body(body)
    if broken:
        unpacking.take(name)
        yield _Entry(None, {}, broken)
    elif isinstance(whole, list):
        unpacking.take(name)
        yield from _numbered(whole)
    elif isinstance(whole, dict) and isinstance(whole.get("data"), dict):
        unpacking.take(name)
        split = name.removesuffix(JSON).rpartition(".")[2]
        yield from _split_entries(whole["data"], split)


def _numbered(entries: list[Json], **place: Json) -> Iterator[_Entry]:
    for number, value in enumerate(entries):
        yield _Entry(value, {**place, "item": number})


def _split_entries(splits: Mapping[str, Json], split: str) -> Iterator[_Entry]:
    """Yield the entries of the only split, or of the named one."""
    named = base.first_ids(sorted(splits))
    name = next(iter(splits)) if len(splits) == 1 else split
    if name not in splits:
        message = tr(
            "there are the splits {splits}, and a set is one: name the file after it, as test.json",
            splits=named or tr_in("splits", "none"),
        )
        yield _Entry(None, {}, (Reason("which_split", message, {"splits": sorted(map(writable, splits))}),))
    elif not isinstance(splits[name], list):
        message = tr("the split must be a list of items, not {value}", value=short(splits[name]))
        yield _Entry(None, {}, (Reason("invalid_split", message, {"split": writable(name)}),))
    else:
        yield from _numbered(splits[name], split=writable(name))


# Clause: TS U-4, tracks §2 missing
def read_submission(body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
    """Read answers to a whole set: ``{id: string}``, or entries ``{"outputs", "meta": {"id"}}`` in a published form.

    **Decision**: null is no answer, as a missing id is none. An id that nobody asked for refuses the file, and all of
    them are listed.
    """
    answers: dict[str, Json] = {}
    reasons: list[Reason] = []
    for entry in _id_answer_pairs(body):
        reasons += [Reason(problem.code, problem.message, {**entry.place, **problem.where}) for problem in entry.broken]
        if not entry.broken:
            ident, answer = entry.value
            if ident in answers:
                message = tr("{writable} is answered a second time", writable=writable(ident))
                reasons.append(Reason("repeated_id", message, {**entry.place, "id": writable(ident)}))
            answers[ident] = answer
    if unknown := [ident for ident in answers if ident not in items]:
        message = tr("nobody asked for {listed}", listed=base.first_ids(unknown))
        reasons.append(Reason("unknown_id", message, {"ids": [writable(ident) for ident in unknown]}))
    for ident, answer in answers.items():
        wrong = None if answer is None else fault(answer)
        if wrong is not None and ident in items:
            reasons.append(Reason(wrong.code, wrong.message, {"id": ident}))
    if reasons:
        return SubmissionRead({}, (), tuple(reasons))
    bodies = {ident: canonical_bytes(answers[ident]) for ident in items if answers.get(ident) is not None}
    return SubmissionRead(bodies, tuple(ident for ident in items if ident not in bodies), ())


def _id_answer_pairs(body: bytes) -> Iterator[_Entry]:
    """Yield pairs of an id and an answer, with their places in the file."""
    whole, broken = base.read_body(body)
    if broken:
        lines = list(base.read_lines(body))
        # A second line makes a file of several values; what the first one is says whether they are JSON Lines.
        if not lines or lines[0][2] or not isinstance(lines[0][1], dict):
            yield _Entry(None, {}, broken)
            return
        for line, value, wrong in lines:
            yield _pair(_Entry(value, {"line": line}, wrong))
    elif isinstance(whole, list):
        yield from map(_pair, _numbered(whole))
    elif not isinstance(whole, dict):
        message = tr(
            "a submission is an object of ids with strings, or a list of answers, not {whole}", whole=short(whole)
        )
        yield _Entry(None, {}, (base.reason("not_a_submission", "", message),))
    elif isinstance(whole.get("data"), dict):
        yield from map(_pair, _split_entries(whole["data"], _ANY_SPLIT))
    elif isinstance(whole.get("meta"), dict):
        yield _pair(_Entry(whole, {"item": 0}))
    else:
        yield from (_Entry((ident, answer)) for ident, answer in whole.items())


def _pair(entry: _Entry) -> _Entry:
    """Reduce a published entry to its id and its answer."""
    if entry.broken:
        return entry
    value = entry.value
    ident = value["meta"].get("id") if isinstance(value, dict) and isinstance(value.get("meta"), dict) else None
    if isinstance(ident, bool) or not isinstance(ident, int | str) or "outputs" not in value:
        message = tr("an answer has outputs and meta.id; this is {value}", value=short(value))
        return _Entry(None, entry.place, (base.reason("invalid_answer", "", message),))
    return _Entry((str(ident), value["outputs"]), entry.place)


JSON_LINES: Final = ".jsonl"
_LINE: Final = Limits()


def read_items(path: Path, split: str | None = None) -> list[Json]:
    """Return the items of a file unchecked; raises UnreadableError."""
    return _file_entries(path, split)


def read_submission_file(path: Path, split: str | None = None) -> dict[str, Json]:
    """Return the answers of a file by the items' ids, unchecked; raises UnreadableError."""
    if path.suffix.lower() != JSON_LINES:
        whole = read_json(path)
        if isinstance(whole, dict) and not isinstance(whole.get("data"), dict):
            return whole
    answers: dict[str, Json] = {}
    for number, entry in enumerate(_file_entries(path, split)):
        ident = entry["meta"].get("id") if isinstance(entry, dict) and isinstance(entry.get("meta"), dict) else None
        if isinstance(ident, bool) or not isinstance(ident, int | str) or "outputs" not in entry:
            raise UnreadableError(
                tr(
                    "{path}: answer {number} must have outputs and meta.id, this is {entry}",
                    path=path,
                    number=number,
                    entry=short(entry),
                )
            )
        if str(ident) in answers:
            raise UnreadableError(
                tr("{path}: answer {number} is for {ident} a second time", path=path, number=number, ident=ident)
            )
        answers[str(ident)] = entry["outputs"]
    return answers


def encode_items(items: Sequence[Json], *, lines: bool) -> bytes:
    """Encode a file of items: JSON Lines or a JSON list, in UTF-8, the fields in the order in which they are."""
    if lines:
        return b"".join(_utf8(item, indent=None) for item in items)
    return _utf8(items, indent=1)


def _utf8(value: Json, indent: int | None) -> bytes:
    try:
        return f"{json.dumps(value, ensure_ascii=False, indent=indent)}\n".encode()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 cannot hold
        return f"{json.dumps(value, indent=indent)}\n".encode()


def _file_entries(path: Path, split: str | None) -> list[Any]:
    if path.suffix.lower() == JSON_LINES:
        return list(_lines(path))
    whole = read_json(path)
    if isinstance(whole, dict) and isinstance(whole.get("data"), dict):
        whole = _split(path, whole["data"], split)
    if not isinstance(whole, list):
        raise UnreadableError(
            tr('{path}: a list or {{"data": {{split: list}}}} is expected, not {whole}', path=path, whole=short(whole))
        )
    return whole


def _split(path: Path, splits: Mapping[str, Any], split: str | None) -> Any:
    named = ", ".join(sorted(splits))
    if split is None and len(splits) != 1:
        raise UnreadableError(tr("{path}: there are the splits {named}; choose one", path=path, named=named))
    name = next(iter(splits)) if split is None else split
    if name not in splits:
        raise UnreadableError(
            tr("{path}: there is no split {name}; there are {named}", path=path, name=name, named=named)
        )
    return splits[name]


def _lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        if line.strip():
            try:
                yield decode(line, _LINE)
            except MalformedInput as error:
                raise UnreadableError(
                    tr(
                        "{path}: line {number}, column {column}: {problem}",
                        path=path,
                        number=number,
                        column=error.column,
                        problem=error.message,
                    )
                ) from None
