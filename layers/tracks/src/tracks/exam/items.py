"""Items and submissions of the exam in their published JSON form (tracks.md §2; U, fields of the data set).

An item is ``{"instruction", "inputs": {"task", "text", "choices", "additional_text"}, "outputs", "meta": {"id",
"id_task", "variant", "score", "type"}}``. A file of items is a JSON list, ``{"data": {split: list}}``, or JSON Lines
(suffix ``.jsonl``). A submission is ``{id: string}``, or a file of ``{"outputs", "meta": {"id"}}`` in one of these
three forms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markup_core.folder import UnreadableError, read_bytes, read_json
from markup_core.operations import RefusedError
from markup_core.wire import Limits, MalformedInput, decode, short
from tracks.exam.prompts import PLACES, unknown_places
from tracks.exam.scoring import UnusableGoldError, check, score, usual
from tracks.exam.tasks import TASKS, TYPES, maximum
from tracks.fields import Fields, refuse
from tracks.protocol import Json

LINES: Final = ".jsonl"
_LINE: Final = Limits()


@dataclass(frozen=True, slots=True)
class Key:
    """What of an item its scoring needs; ``gold`` is its right answer."""

    item_id: str
    task: str
    variant: int
    kind: str
    gold: str

    def score(self, prediction: str | None) -> int:
        """Points of an answer; None is no answer."""
        return score(self.gold, prediction, self.task, self.kind)


def read_key(item: Fields) -> Key:
    """The right answer and the meta data of an item; the rest of it is not looked at. Raises RefusedError."""
    meta = item.part("meta")
    task, kind, gold = meta.choice("id_task", TASKS), meta.choice("type", TYPES), item.text("outputs")
    check_gold(gold, task, kind, item.path("outputs"))
    return Key(str(meta.whole("id")), task, meta.whole("variant"), kind, gold)


def read_keys(items: Iterator[Fields]) -> tuple[Key, ...]:
    """The keys of a whole submission's items; two items must not have one id. Raises RefusedError."""
    keys: dict[str, Key] = {}
    for item in items:
        key = read_key(item)
        if key.item_id in keys:
            refuse(item.path("meta.id"), f"is {key.item_id} a second time")
        keys[key.item_id] = key
    return tuple(keys.values())


def check_gold(gold: str, task: str, kind: str, path: str) -> None:
    """:func:`tracks.exam.scoring.check`, its refusal as RefusedError that names the field."""
    try:
        check(gold, task, kind)
    except UnusableGoldError as error:
        refuse(path, f"{error}, not {short(gold)}")


def faults(raw: Json, *, hidden: bool = False) -> tuple[RefusedError, ...]:
    """Everything that is wrong with an item in the published form; ``hidden``: its outputs may be empty."""
    if not isinstance(raw, dict):
        return (RefusedError("invalid_request", f"an item is an object, not {short(raw)}", {"field": None}),)
    found: list[RefusedError] = []
    for each in _checks(Fields(raw), hidden=hidden):
        try:
            each()
        except RefusedError as refused:
            if refused.message not in {known.message for known in found}:
                found.append(refused)
    return tuple(found)


def _checks(item: Fields, *, hidden: bool) -> Iterator[Callable[[], object]]:
    yield lambda: _check_instruction(item)
    for place in PLACES:
        yield lambda place=place: item.part("inputs").text(place)  # type: ignore[misc]  # a lambda with a default
    yield lambda: item.part("meta").whole("id")
    yield lambda: item.part("meta").choice("id_task", TASKS)
    yield lambda: item.part("meta").whole("variant")
    yield lambda: _check_type(item.part("meta"))
    yield lambda: _check_points(item.part("meta"))
    yield lambda: item.text("outputs")
    if not (hidden and item.values.get("outputs") == ""):
        yield lambda: read_key(item)


def _check_instruction(item: Fields) -> None:
    unknown = unknown_places(item.text("instruction"))
    if unknown:
        refuse(item.path("instruction"), f"has the place {{{unknown[0]}}}; the places are {', '.join(PLACES)}")


def _check_type(meta: Fields) -> None:
    kind, task = meta.choice("type", TYPES), meta.choice("id_task", TASKS)
    if not usual(task, kind):
        refuse(meta.path("type"), f"cannot be {kind} for task {task}: 16 is multiple choice, 26 alone is matching")


def _check_points(meta: Fields) -> None:
    points, task = meta.whole("score"), meta.choice("id_task", TASKS)
    if points != maximum(task):
        refuse(meta.path("score"), f"must be {maximum(task)} for task {task}, not {points}")


def read_items(path: Path, split: str | None = None) -> list[Json]:
    """The items of a file as they stand there, unchecked; raises UnreadableError."""
    return _entries(path, split)


def read_submission(path: Path, split: str | None = None) -> dict[str, Json]:
    """The answers of a file by the items' ids, unchecked; raises UnreadableError."""
    if path.suffix.lower() != LINES:
        whole = read_json(path)
        if isinstance(whole, dict) and not isinstance(whole.get("data"), dict):
            return whole
    answers: dict[str, Json] = {}
    for number, entry in enumerate(_entries(path, split)):
        ident = entry["meta"].get("id") if isinstance(entry, dict) and isinstance(entry.get("meta"), dict) else None
        if isinstance(ident, bool) or not isinstance(ident, int | str) or "outputs" not in entry:
            shown = short(entry)
            raise UnreadableError(f"{path}: answer {number} must have outputs and meta.id, this is {shown}")
        if str(ident) in answers:
            raise UnreadableError(f"{path}: answer {number} is for {ident} a second time")
        answers[str(ident)] = entry["outputs"]
    return answers


def written(items: Sequence[Json], *, lines: bool) -> bytes:
    """A file of items: JSON Lines or a JSON list, in UTF-8, the fields in the order in which they are."""
    if lines:
        return b"".join(_utf8(item, indent=None) for item in items)
    return _utf8(items, indent=1)


def _utf8(value: Json, indent: int | None) -> bytes:
    try:
        return f"{json.dumps(value, ensure_ascii=False, indent=indent)}\n".encode()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 cannot hold
        return f"{json.dumps(value, indent=indent)}\n".encode()


def _entries(path: Path, split: str | None) -> list[Any]:
    if path.suffix.lower() == LINES:
        return list(_lines(path))
    whole = read_json(path)
    if isinstance(whole, dict) and isinstance(whole.get("data"), dict):
        whole = _split(path, whole["data"], split)
    if not isinstance(whole, list):
        raise UnreadableError(f'{path}: a list or {{"data": {{split: list}}}} is expected, not {short(whole)}')
    return whole


def _split(path: Path, splits: Mapping[str, Any], wanted: str | None) -> Any:
    named = ", ".join(sorted(splits))
    if wanted is None and len(splits) != 1:
        raise UnreadableError(f"{path}: there are the splits {named}; choose one")
    name = next(iter(splits)) if wanted is None else wanted
    if name not in splits:
        raise UnreadableError(f"{path}: there is no split {name}; there are {named}")
    return splits[name]


def _lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        if line.strip():
            try:
                yield decode(line, _LINE)
            except MalformedInput as error:
                raise UnreadableError(f"{path}: line {number}, column {error.column}: {error.message}") from None
