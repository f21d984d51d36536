"""The folder of a cycle of simulated essays, as ``contest cycle load`` reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local import demonstration
from local.simulation.essays import Essay, Source
from local.simulation.programs import Cast

Json = Any
TRAIN, TEST, FINAL, RESERVE = "train", "test", "final", "reserve"
_KINDS: Final = {TRAIN: "training", TEST: "test", FINAL: "final", RESERVE: "reserve"}
_MARKED: Final = (TRAIN, TEST)
"""Sets whose experts' markups are there from the beginning; a final has none while it runs (R 7.3)."""
_RESERVE_FILES: Final = 5


@dataclass(frozen=True, slots=True)
class Material:
    """The cycle's essays by set, and who marks them up."""

    sets: Mapping[str, tuple[Essay, ...]]
    cast: Cast

    @classmethod
    def drawn(cls, seed: int, files: int, qualifying: int) -> Material:
        """Draw a cycle whose final has so many files, and so many each of its qualifications."""
        sizes = {TRAIN: qualifying, TEST: qualifying, FINAL: files, RESERVE: _RESERVE_FILES}
        source, first, sets = Source(seed), 1, {}
        for name, size in sizes.items():
            sets[name] = tuple(source.essay(first + place, f"{name}-{place + 1:04d}") for place in range(size))
            first += size
        return cls(sets, Cast(seed))

    def by_text(self) -> Mapping[str, Essay]:
        """Every essay by its text, the only thing of it that everybody is given."""
        return {each.text: each for essays in self.sets.values() for each in essays}


def write(folder: Path, material: Material, parameters: Mapping[str, Json]) -> None:
    """Write ``cycle.json`` and a folder for each set."""
    head = json.loads((demonstration.FOLDER / "cycle.json").read_text("utf-8"))
    sets = {name: {"folder": name, "kind": kind} for name, kind in _KINDS.items()}
    folder.mkdir(parents=True)
    head.pop("$schema")
    _write(folder / "cycle.json", {**head, "parameters": dict(parameters), "sets": sets})
    for name, essays in material.sets.items():
        (folder / name).mkdir()
        for essay in essays:
            _write_essay(folder / name, essay, material.cast if name in _MARKED else None)


def _write_essay(folder: Path, essay: Essay, cast: Cast | None) -> None:
    name = essay.item["meta"]["id"]
    _write(folder / f"{name}.json", essay.item)
    markups: Sequence[Json] = [each.markup(essay.item, essay) for each in cast.experts()] if cast else []
    for number, markup in enumerate(markups, start=1):
        _write(folder / f"{name}_exp{number:02d}.json", markup)


def _write(path: Path, value: Json) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False) + "\n", "utf-8")
