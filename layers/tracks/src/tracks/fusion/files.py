"""The contest's files in folders: ``true_*.json`` and ``prediction_*.json`` (F, "Общий формат решения")."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markup_core.command.folder import UnreadableError, read_json
from tracks.fusion.subtasks import Subtask
from tracks.protocol import Json

_LATIN: Final = str.maketrans("С", "C")
"""F itself spells prediction_С2С.json with Cyrillic letters in places."""


@dataclass(frozen=True, slots=True)
class Files:
    """What a subtask's files hold; ``prediction`` is None where there is no file."""

    truth: Json
    prediction: Json | None


def read_files(true: Path, prediction: Path) -> dict[Subtask, Files]:
    """The subtasks whose truth is in the folder; raises UnreadableError, also where there is none at all."""
    truths, predictions = _found(true, "true"), _found(prediction, "prediction")
    if not truths:
        names = ", ".join(f"true_{each.value}.json" for each in Subtask)
        raise UnreadableError(
            f"{true}: none of the files {names} is in this folder", f"{true}: в этой папке нет ни одного файла {names}"
        )
    return {
        subtask: Files(read_json(truths[subtask]), read_json(predictions[subtask]) if subtask in predictions else None)
        for subtask in Subtask
        if subtask in truths
    }


def _found(folder: Path, prefix: str) -> dict[Subtask, Path]:
    if not folder.is_dir():
        raise UnreadableError(f"{folder}: there is no such folder", f"{folder}: такой папки нет")
    names = {f"{prefix}_{each.value}.json": each for each in Subtask}
    found: dict[Subtask, Path] = {}
    for path in sorted(folder.iterdir()):
        subtask = names.get(path.name.translate(_LATIN))
        if subtask in found:
            raise UnreadableError(
                f"{folder}: both {found[subtask].name} and {path.name} are there",
                f"{folder}: здесь есть и {found[subtask].name}, и {path.name}",
            )
        if subtask is not None:
            found[subtask] = path
    return found
