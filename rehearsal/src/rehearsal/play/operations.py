"""Operations of the interface that a rehearsal asked for, by the interface's own document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from rehearsal.play.wire import Wire

Json = Any
METHODS: Final = ("get", "put", "post", "patch", "delete")
_PARAMETER: Final = re.compile(r"\\{(\w+)\\?\+?\\}")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the interface, and how often it was answered with success and with a refusal."""

    name: str
    answered: int
    refused: int


def operations(document: Mapping[str, Json], answers: Mapping[tuple[str, str, int], int]) -> list[Operation]:
    """Return the operations of a document with the numbers of their answers, by method, path and status.

    A path belongs to the operation with the fewest parameters that fits.
    """
    names = [
        (method.upper(), path) for path, methods in document["paths"].items() for method in METHODS if method in methods
    ]
    names.sort(key=lambda name: name[1].count("{"))
    patterns = [(method, re.compile(_PARAMETER.sub("[^/]+", re.escape(path))), path) for method, path in names]
    answered, refused = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (method, path, status), times in answers.items():
        fitting = (name for verb, pattern, name in patterns if verb == method and pattern.fullmatch(path))
        name = next(fitting, None)
        if name is not None:
            (refused if status >= 400 else answered)[method, name] += times
    return [
        Operation(f"{method} {path}", answered[method, path], refused[method, path])
        for path, method in sorted((path, method) for method, path in names)
    ]


def written(wire: Wire) -> list[dict[str, Json]]:
    """Return the operations of the document that a platform has of itself, for the history."""
    return [asdict(operation) for operation in operations(wire.get("/v1/openapi.json").json(), wire.asked)]
