"""Values that were stored as JSON are read by the types of their fields."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import pytest

from contest.values import read_as


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Part:
    name: str
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Whole:
    part: Part
    parts: tuple[Part, ...]
    pair: tuple[str, int]
    names: frozenset[str]
    rows: Sequence[Mapping[str, Any]]
    by_name: Mapping[str, tuple[int, ...]]
    absent: Part | None
    colours: tuple[Colour, ...] | None = None
    anything: Any = None


def test_what_was_stored_as_json_is_read_back_as_it_was_and_what_was_not_has_its_default() -> None:
    part, rows = Part("a", Colour.BLUE), ({"b": [1, None]},)
    whole = Whole(part, (part, part), ("c", 2), frozenset({"d"}), rows, {"e": (1, 2)}, None, (Colour.RED,), [1.0, "f"])
    assert read_as(Whole, json.loads(json.dumps(asdict(whole) | {"names": sorted(whole.names)}))) == whole
    assert read_as(Part, {"name": "a"}) == Part("a")
    with pytest.raises(TypeError, match="shape"):
        read_as(Part, {"name": "a", "shape": "round"})
    with pytest.raises(ValueError, match="green"):
        read_as(Part, {"name": "a", "colour": "green"})
