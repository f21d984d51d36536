"""Files of items and submissions in the benchmark's published forms (tracks.md §2; U, fields of the data set).

A file of items is a JSON list, ``{"data": {split: list}}``, or JSON Lines (suffix ``.jsonl``). A submission is
``{id: string}``, or a file of ``{"outputs", "meta": {"id"}}`` in one of these three forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from markup_core.command.folder import UnreadableError, read_bytes, read_json
from markup_core.reading.wire import Limits, MalformedInput, decode, short, short_ru
from markup_core.said import told
from tracks.protocol import Json

LINES: Final = ".jsonl"
_LINE: Final = Limits()


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
            raise UnreadableError(
                f"{path}: answer {number} must have outputs and meta.id, this is {short(entry)}",
                f"{path}: у ответа {number} должны быть outputs и meta.id, а это {short_ru(entry)}",
            )
        if str(ident) in answers:
            raise UnreadableError(
                f"{path}: answer {number} is for {ident} a second time",
                f"{path}: ответ {number} — второй для задания {ident}",
            )
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
        raise UnreadableError(
            f'{path}: a list or {{"data": {{split: list}}}} is expected, not {short(whole)}',
            f'{path}: ожидается список или {{"data": {{часть: список}}}}, а не {short_ru(whole)}',
        )
    return whole


def _split(path: Path, splits: Mapping[str, Any], wanted: str | None) -> Any:
    named = ", ".join(sorted(splits))
    if wanted is None and len(splits) != 1:
        raise UnreadableError(
            f"{path}: there are the splits {named}; choose one",
            f"{path}: в файле несколько частей, {named}; выберите одну",
        )
    name = next(iter(splits)) if wanted is None else wanted
    if name not in splits:
        raise UnreadableError(
            f"{path}: there is no split {name}; there are {named}", f"{path}: части {name} нет; есть {named}"
        )
    return splits[name]


def _lines(path: Path) -> Iterator[Any]:
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        if line.strip():
            try:
                yield decode(line, _LINE)
            except MalformedInput as error:
                raise UnreadableError(
                    f"{path}: line {number}, column {error.column}: {error.message}",
                    f"{path}: строка {number}, столбец {error.column}: {told(error.message, 'ru')}",
                ) from None
