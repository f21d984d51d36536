"""Simulated essays: what is truly wrong with each is known, so that everybody's noise can be told from it.

An essay is one of the demonstration's with a number as its last line, so that no two texts are equal. Its true markup
is a part, drawn by its number, of what the demonstration's experts marked in it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local.demonstration import FOLDER

Json = Any
_TRUE_SHARE: Final = 0.8
"""Of a source's fragments so many are true of an essay made of it; the draw makes essays of one source differ."""


@dataclass(frozen=True, slots=True)
class Essay:
    """An essay without fragments and its true fragments."""

    item: Mapping[str, Json]
    truth: tuple[Mapping[str, Json], ...]

    @property
    def text(self) -> str:
        """The essay's text, by which people and programs recognise it."""
        return str(self.item["text"])

    @property
    def subject(self) -> str:
        """The type of the essay."""
        return str(self.item["meta"]["subject"])


class Source:
    """Draws essays; the same ``seed`` and number draw the same one."""

    def __init__(self, seed: int, folder: Path = FOLDER) -> None:
        self._seed = seed
        self._known = tuple(_known(folder))

    def essay(self, number: int, name: str) -> Essay:
        """Essay ``number`` of this seed, called ``name``."""
        chance = random.Random(f"essay {self._seed} {number}")  # noqa: S311 - a reproducible essay, no secret
        item, marked = chance.choice(self._known)
        kept = tuple(each for each in marked if chance.random() < _TRUE_SHARE)
        meta = {**item["meta"], "id": name, "name": f"{name}.txt"}
        text = f"{item['text']}\n({self._seed}-{number})"
        return Essay({**item, "meta": meta, "text": text}, kept or marked[:1])

    def essays(self, count: int, name: str) -> tuple[Essay, ...]:
        """The first ``count`` essays, named ``name-0001`` and so on."""
        return tuple(self.essay(number, f"{name}-{number:04d}") for number in range(1, count + 1))


def _known(folder: Path) -> Sequence[tuple[Json, Json]]:
    found = []
    for path in sorted(folder.glob("*/*_exp01.json")):
        item = _read(path.with_name(path.name.replace("_exp01", "")))
        found.append((item, _read(path)["selections"]))
    return found


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))
