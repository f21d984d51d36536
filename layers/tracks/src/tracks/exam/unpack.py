"""Sets and submissions of the exam in the benchmark's published files (tracks-sessions U-1, U-4; U, fields)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from markup_core.reading.wire import short, writable
from markup_core.receipt import canonical_bytes
from tracks.beside import SubmissionRead, Unpacked
from tracks.exam.answers import fault
from tracks.exam.items import as_reason, faults
from tracks.exam.parameters import instruction
from tracks.own_files import REFERENCE, Unpacking, listed, read_json, read_lines
from tracks.protocol import Json, Reason, Text
from tracks.reasons import reason

JSON, LINES = ".json", ".jsonl"
_ANY_SPLIT: Final = "one"


@dataclass(frozen=True, slots=True)
class _Entry:
    """One value of a published file, or why its line has none, and where it stands."""

    value: Json
    place: Mapping[str, Json] = field(default_factory=dict)
    broken: tuple[Reason, ...] = ()


def unpack(files: Mapping[str, bytes], parameters: Json) -> Unpacked:
    """A set in published files: a JSON list, ``{"data": {split: list}}``, or JSON Lines.

    An item goes by ``meta.id``; its right answer becomes its reference and stands nowhere else. A set is one split: of
    a file with several the one that the file's name says, as its last part before the ending (``test.json``,
    ``use.test.json``). Every file of the folder that has a published form belongs to the set.

    Clause: TS U-1, TS T14, U splits
    """
    made = Unpacking(files)
    for name in sorted(files):
        for entry in _entries(made, name, files[name]):
            found = entry.broken or tuple(map(as_reason, faults(entry.value)))
            made.refuse_all(found, name, entry.place)
            if not found:
                item = {key: value for key, value in entry.value.items() if key != "outputs"}
                item["instruction"] = instruction(item, parameters)
                gold = {1: {"outputs": entry.value["outputs"]}}
                made.item(str(item["meta"]["id"]), item, gold, name, entry.place)
    return made.result()


def _entries(made: Unpacking, name: str, body: bytes) -> Iterator[_Entry]:
    """Entries of a file in a published form; none of any other file."""
    if name.endswith(LINES):
        made.take(name)
        yield from (_Entry(value, {"line": line}, broken) for line, value, broken in read_lines(body))
    if not name.endswith(JSON) or REFERENCE.fullmatch(name):
        return
    whole, broken = read_json(body)
    if broken:
        made.take(name)
        yield _Entry(None, {}, broken)
    elif isinstance(whole, list):
        made.take(name)
        yield from _numbered(whole)
    elif isinstance(whole, dict) and isinstance(whole.get("data"), dict):
        made.take(name)
        wanted = name.removesuffix(JSON).rpartition(".")[2]
        yield from _of_split(whole["data"], wanted)


def _numbered(entries: list[Json], **place: Json) -> Iterator[_Entry]:
    for number, value in enumerate(entries):
        yield _Entry(value, {**place, "item": number})


def _of_split(splits: Mapping[str, Json], wanted: str) -> Iterator[_Entry]:
    """The entries of the only split, or of the wanted one."""
    named = listed(sorted(splits))
    name = next(iter(splits)) if len(splits) == 1 else wanted
    if name not in splits:
        said = Text(
            en=f"there are the splits {named or 'none'}, and a set is one: name the file after it, as test.json",
            ru=f"в файле части {named or '(ни одной)'}, а выборка — одна из них: назовите файл по ней, как test.json",
        )
        yield _Entry(None, {}, (Reason("which_split", said, {"splits": sorted(map(writable, splits))}),))
    elif not isinstance(splits[name], list):
        en = f"the split must be a list of items, not {short(splits[name])}"
        said = Text(en=en, ru="часть файла должна быть списком заданий")
        yield _Entry(None, {}, (Reason("invalid_split", said, {"split": writable(name)}),))
    else:
        yield from _numbered(splits[name], split=writable(name))


def read_submission(body: bytes, items: Mapping[str, Json]) -> SubmissionRead:
    """Answers to a whole set: ``{id: string}``, or entries ``{"outputs", "meta": {"id"}}`` in a published form.

    **Decision**: null is no answer, as a missing id is none. An id that nobody asked for refuses the file, and all of
    them are listed.

    Clause: TS U-4, tracks §2 missing
    """
    answers: dict[str, Json] = {}
    reasons: list[Reason] = []
    for each in _given(body):
        reasons += [Reason(found.code, found.message, {**each.place, **found.where}) for found in each.broken]
        if not each.broken:
            ident, answer = each.value
            if ident in answers:
                en, ru = f"{writable(ident)} is answered a second time", f"второй ответ на {writable(ident)}"
                reasons.append(Reason("repeated_id", Text(en, ru), {**each.place, "id": writable(ident)}))
            answers[ident] = answer
    reasons += _of_strange([ident for ident in answers if ident not in items])
    for ident, answer in answers.items():
        wrong = None if answer is None else fault(answer)
        if wrong is not None and ident in items:
            reasons.append(Reason(wrong.code, wrong.message, {"id": ident}))
    if reasons:
        return SubmissionRead({}, (), tuple(reasons))
    bodies = {ident: canonical_bytes(answers[ident]) for ident in items if answers.get(ident) is not None}
    return SubmissionRead(bodies, tuple(ident for ident in items if ident not in bodies), ())


def _of_strange(ids: list[str]) -> Iterator[Reason]:
    if ids:
        said = Text(en=f"nobody asked for {listed(ids)}", ru=f"таких заданий в выборке нет: {listed(ids)}")
        yield Reason("unknown_id", said, {"ids": [writable(each) for each in ids]})


def _given(body: bytes) -> Iterator[_Entry]:
    """Pairs of an id and an answer, with their places in the file."""
    whole, broken = read_json(body)
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
        en = f"a submission is an object of ids with strings, or a list of answers, not {short(whole)}"
        ru = "нужен объект из id и строк или список ответов"
        yield _Entry(None, {}, (reason("not_a_submission", "", en, ru),))
    elif isinstance(whole.get("data"), dict):
        yield from map(_pair, _of_split(whole["data"], _ANY_SPLIT))
    elif isinstance(whole.get("meta"), dict):
        yield _pair(_Entry(whole, {"item": 0}))
    else:
        yield from (_Entry((ident, answer)) for ident, answer in whole.items())


def _pair(entry: _Entry) -> _Entry:
    """A published entry as its id with its answer."""
    if entry.broken:
        return entry
    value = entry.value
    ident = value["meta"].get("id") if isinstance(value, dict) and isinstance(value.get("meta"), dict) else None
    if isinstance(ident, bool) or not isinstance(ident, int | str) or "outputs" not in value:
        en = f"an answer has outputs and meta.id; this is {short(value)}"
        return _Entry(None, entry.place, (reason("invalid_answer", "", en, "у ответа должны быть outputs и meta.id"),))
    return _Entry((str(ident), value["outputs"]), entry.place)
