"""``python -m fusion_pilot``: write a prediction for every subtask that ``input/`` has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from .seeing import answers, boxes, word_of
from .translating import translated

Json = Any


SUBTASKS: Final[Mapping[str, Callable[[Path], Json]]] = {
    "C2C": lambda folder: {name: translated(program) for name, program in _read(folder / "requests.json").items()},
    "HTR": lambda folder: {image.name: word_of(image.read_bytes()) for image in sorted((folder / "images").iterdir())},
    "zsOD": lambda folder: {
        file: boxes((folder / "images" / file).read_bytes(), classes)
        for file, classes in _read(folder / "requests.json").items()
    },
    "VQA": lambda folder: answers(
        _read(folder / "questions.json"), lambda file: (folder / "images" / file).read_bytes()
    ),
}


def main(place: Path) -> int:
    """Answer what is below ``place``/input; a subtask that is not there is left out."""
    for name, solve in SUBTASKS.items():
        folder = place / "input" / name
        if not folder.is_dir():
            continue
        predictions = solve(folder)
        target = place / "output" / f"prediction_{name}.json"
        target.write_text(json.dumps(predictions, ensure_ascii=False), "utf-8")
        print(f"{name}: {len(predictions)}")
    return 0


def _read(path: Path) -> Json:
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
