"""What differs between two versions of something that is told as JSON: field by field, by its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final


class Absent(Enum):
    """What a field has that is not there; None is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field, ``final.interval_s``, before and after; :data:`ABSENT` where it is not there."""

    field: str
    before: Any
    after: Any


def changes(before: Any, after: Any) -> tuple[FieldChange, ...]:
    """Every field that differs, by its path, in the order of the paths. Lists are one value. O(fields)."""
    return tuple(sorted(_changes("", before, after), key=lambda each: each.field))


def _changes(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in {*before, *after}:
            place = f"{path}.{name}" if path else str(name)
            yield from _changes(place, before.get(name, ABSENT), after.get(name, ABSENT))
    elif before != after:
        yield FieldChange(path, before, after)
