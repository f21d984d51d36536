"""Sets and submissions of the exam in the benchmark's published files (tracks-sessions U-1, U-4; tracks.md §2).

The forms are those of U, fields of the data set. A file of items is a JSON list, ``{"data": {split: list}}``, or JSON
Lines (suffix ``.jsonl``). A submission is ``{id: string}``, or a file of ``{"outputs", "meta": {"id"}}`` in one of
these three forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from markup_core.command.folder import UnreadableError, read_bytes, read_json
from markup_core.lazy import dataclass
from markup_core.reading.wire import Limits, MalformedInput, decode, short, writable
from markup_core.receipt import canonical_bytes
from tracks.capabilities import SubmissionRead, Unpacked
from tracks.exam.items import as_reason, fault, faults, instruction
from tracks.fields import REFERENCE, Unpacking, listed, read_lines, read_own_json, reason
from tracks.protocol import Json, Reason
from tracks.texts import tr, tr_in

JSON, LINES = ".json", ".jsonl"
_ANY_SPLIT: Final = "one"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One value of a published file, or why its line has none, and where it stands."""

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
    unpacking = Unpacking(files)
    for name in sorted(files):
        for entry in _entries(unpacking, name, files[name]):
            reasons = entry.broken or tuple(map(as_reason, faults(entry.value)))
            unpacking.refuse_all(reasons, name, entry.place)
            if not reasons:
                item = {key: value for key, value in entry.value.items() if key != "outputs"}
                item["instruction"] = instruction(item, parameters)
                gold = {1: {"outputs": entry.value["outputs"]}}
                unpacking.item(str(item["meta"]["id"]), item, gold, name, entry.place)
    return unpacking.result()


def _entries(unpacking: Unpacking, name: str, body: bytes) -> Iterator[_Entry]:
    """Yield the entries of a file in a published form; none of any other file."""
    if name.endswith(LINES):
        unpacking.take(name)
        yield from (_Entry(value, {"line": line}, broken) for line, value, broken in read_lines(body))
    if not name.endswith(JSON) or REFERENCE.fullmatch(name):
        return
    whole, broken = read_own_json(body)
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
    named = listed(sorted(splits))
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
        message = tr("nobody asked for {listed}", listed=listed(unknown))
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
    whole, broken = read_own_json(body)
    if broken:
        lines = list(read_lines(body))
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
        yield _Entry(None, {}, (reason("not_a_submission", "", message),))
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
        return _Entry(None, entry.place, (reason("invalid_answer", "", message),))
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
                ),
            )
        if str(ident) in answers:
            raise UnreadableError(
                tr("{path}: answer {number} is for {ident} a second time", path=path, number=number, ident=ident),
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
            tr('{path}: a list or {{"data": {{split: list}}}} is expected, not {whole}', path=path, whole=short(whole)),
        )
    return whole


def _split(path: Path, splits: Mapping[str, Any], split: str | None) -> Any:
    named = ", ".join(sorted(splits))
    if split is None and len(splits) != 1:
        raise UnreadableError(
            tr("{path}: there are the splits {named}; choose one", path=path, named=named),
        )
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
                    ),
                ) from None
