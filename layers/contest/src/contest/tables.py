"""Tables for people and for programs, written as CSV, JSON and XLSX, and shown on printable pages."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from markup_core.lazy import dataclass
from markup_core.rounding import PERCENT_PLACES
from tracks.protocol import Text

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With which a cell begins that a table's program would run, the full-width signs included that some take for them."""

Scalar = str | int | float | bool | None


class Kind(StrEnum):
    """Kind of a column's cells."""

    TEXT = "text"
    NUMBER = "number"
    MOMENT = "moment"
    """ISO 8601 in UTC with milliseconds, as everywhere."""
    CODE = "code"
    """A word of the platform: a state, a cause. Programs read it as it is, people in their language."""
    TRUTH = "truth"
    BOTH = "both"
    """What a contest names in both languages at once, ``STAR · СТАР``: people read it in theirs, files keep both."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``name`` is stable and for programs, ``title`` for people."""

    name: str
    title: Text
    kind: Kind = Kind.TEXT
    places: int = PERCENT_PLACES
    """Decimals with which people are told its fractions, halves up; files for programs have the whole value."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of scalars, one a column; None is an empty cell."""

    name: str
    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Scalar, ...], ...]

    def records(self) -> Iterator[dict[str, Scalar]]:
        """Return the rows as objects by the columns' names."""
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self.rows)


def harmless(cell: str) -> str:
    """Return a text that no table's program runs as a formula: one that would be has a ``'`` before it."""
    return f"'{cell}" if cell.startswith(FORMULAS) else cell


def column(name: str, title: Text, kind: Kind = Kind.TEXT) -> Column:
    """Make a column of this title."""
    return Column(name, title, kind)


def numbers(name: str, title: Text) -> Column:
    """Make a column of numbers."""
    return column(name, title, Kind.NUMBER)


def moments(name: str, title: Text) -> Column:
    """Make a column of moments."""
    return column(name, title, Kind.MOMENT)


def codes(name: str, title: Text) -> Column:
    """Make a column of the platform's words."""
    return column(name, title, Kind.CODE)


def picked(name: str, title: Text, columns: tuple[Column, ...], rows: Iterator[dict[str, Any]]) -> Table:
    """Make a table of objects that have more fields than it shows."""
    return Table(name, title, columns, tuple(tuple(row.get(column.name) for column in columns) for row in rows))
