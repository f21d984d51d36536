"""Values that every room uses: moments, canonical JSON, reasons, parts of uploads, tables.

JSON is written in one way, the scoring library's, so that equal values have equal bytes and hashes, and read into
dataclasses by the types of their fields. Moments are milliseconds since the epoch inside, ISO 8601 UTC with
milliseconds outside, days in a cycle's zone. A decision has the reason that a person gives for it. An upload comes in
parts, each announced by its SHA-256 and put at an address of its own (T13). Tables are for people and for programs:
they are written as CSV, JSON and XLSX, and shown on printable pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, StrEnum
from functools import cache, partial
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes as canonical
from markup_core.receipt import sha256_hex
from markup_core.rounding import PERCENT_PLACES
from tracks.protocol import Text

__all__ = ["canonical", "sha256_hex"]

Value = TypeVar("Value")
Millis = int
"""A moment or a duration in milliseconds."""

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


_HALVES: Final = ((0, 0), (0, 12), (1, 0))
"""Beginnings of the halves of a day, and of the next day, as day offset and hour."""


def iso(moment: Millis) -> str:
    """Write a moment as ``2026-11-21T03:57:32.123Z``."""
    return (_EPOCH + timedelta(milliseconds=moment)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment % 1000:03d}Z"


def iso_or_none(moment: Millis | None) -> str | None:
    """Write a moment as :func:`iso` does; None stays None."""
    return None if moment is None else iso(moment)


def iso_fields(**moments: Millis | None) -> dict[str, Any]:
    """Write moments by name as :func:`iso` does; None stays None."""
    return {name: None if moment is None else iso(moment) for name, moment in moments.items()}


def from_iso(text: str) -> Millis:
    """Read the form of :func:`iso`; :class:`ValueError` for any other, for a time zone is never guessed."""
    if not _ISO.fullmatch(text):
        raise ValueError(f"not a moment like 2026-11-21T03:57:32.123Z: {text[:40]!r}")
    whole = datetime.strptime(text[:19] + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    return round((whole - _EPOCH).total_seconds()) * SECOND + int(text[20:23])


def seconds_until(moment: Millis, now: Millis) -> int:
    """Compute the whole seconds to wait, rounded up, at least one: the value of ``Retry-After``."""
    return max(1, -(-(moment - now) // SECOND))


def next_attempt(now: Millis, attempts: int) -> Millis:
    """Compute when a sending that fails now is attempted again: in 30 s, and four times later after each attempt."""
    return now + 30 * SECOND * int(4**attempts)


def utc_day(moment: Millis) -> str:
    """Return the UTC day of a moment, ``2026-11-21``."""
    return iso(moment)[:10]


def utc_days(first: str, last: str) -> Iterator[str]:
    """List the UTC days from one to another, both included; none where the last one comes before the first."""
    day, end = date.fromisoformat(first), date.fromisoformat(last)
    while day <= end:
        yield day.isoformat()
        day += timedelta(days=1)


def local_day(moment: Millis, zone: str) -> str:
    """Return the calendar day of a moment in a time zone; the day over which a quota counts (platform §3)."""
    return datetime.fromtimestamp(moment / SECOND, ZoneInfo(zone)).date().isoformat()


def next_half_day(moment: Millis, zone: str) -> Millis:
    """Return the next 00:00 or 12:00 in a time zone, daylight saving included; a moment that is one is its own."""
    local = datetime.fromtimestamp(moment / SECOND, ZoneInfo(zone))
    ends = (datetime.combine(local.date() + timedelta(days=day), time(hour), ZoneInfo(zone)) for day, hour in _HALVES)
    return next(half_day for end in ends if (half_day := round(end.timestamp() * SECOND)) >= moment)


def next_local_day(moment: Millis, zone: str) -> Millis:
    """Return the beginning of the next calendar day in a time zone, daylight saving included."""
    tomorrow = datetime.fromtimestamp(moment / SECOND, ZoneInfo(zone)).date() + timedelta(days=1)
    return round(datetime.combine(tomorrow, time.min, ZoneInfo(zone)).timestamp() * SECOND)


LONGEST_REASON: Final = 4000
"""Most characters of a reason; one limit for all decisions, so that a page need not know the decision."""

PART: Final = 64 * 1024 * 1024
"""Bytes of every part but the last one."""


@dataclass(frozen=True, slots=True)
class Upload:
    """An announced upload: its bytes, its SHA-256, that of each of its parts, of :data:`PART` bytes but the last."""

    size: int
    sha256: str
    parts: tuple[str, ...]

    def is_whole(self) -> bool:
        """Return whether there are as many parts as the size needs."""
        return len(self.parts) == -(-self.size // PART)

    def size_of(self, number: int) -> int:
        """Return the bytes of part ``number``, from 1."""
        return min(PART, self.size - (number - 1) * PART)


def read_as(kind: type[Value], stored: Mapping[str, Any]) -> Value:
    """Return the dataclass that was stored as JSON by its fields' names; a field that is not there has its default.

    Objects become dataclasses or mappings, lists tuples or sets, names enumerations, as the field's type says.
    """
    readers = _readers(kind)  # type: ignore[arg-type]  # classes are hashable
    return kind(**{**stored, **{name: reader(stored[name]) for name, reader in readers.items() if name in stored}})


@cache
def _readers(kind: type) -> Mapping[str, Callable[[Any], Any]]:
    """Return the functions that read a dataclass's fields, but those that JSON holds as they are."""
    readers = {name: _reader(field) for name, field in get_type_hints(kind).items()}
    return {name: reader for name, reader in readers.items() if reader is not _same}


def _same(value: Any) -> Any:
    return value


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return the function that makes a value of a type from JSON."""
    origin, arguments = get_origin(kind), get_args(kind)
    inner = [_reader(argument) for argument in arguments if argument not in (NoneType, Ellipsis)]
    if NoneType in arguments:
        return _same if inner[0] is _same else lambda value: None if value is None else inner[0](value)
    if origin is Mapping:
        return _same if inner[1] is _same else lambda value: {name: inner[1](part) for name, part in value.items()}
    if origin is tuple and Ellipsis not in arguments:
        return lambda value: tuple(reader(part) for reader, part in zip(inner, value, strict=True))
    if origin in (tuple, Sequence, frozenset):
        return lambda value: (frozenset if origin is frozenset else tuple)(map(inner[0], value))
    if isinstance(kind, type) and is_dataclass(kind):
        return partial(read_as, kind)
    return kind if isinstance(kind, type) and issubclass(kind, Enum) else _same


FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of cells that spreadsheet programs would run, with the full-width signs that some treat alike."""

Scalar = str | int | float | bool | None


class CellKind(StrEnum):
    """Kind of a column's cells."""

    TEXT = "text"
    NUMBER = "number"
    MOMENT = "moment"
    """ISO 8601 in UTC with milliseconds, as everywhere."""
    CODE = "code"
    """Code of the platform: a state, a cause. Programs read it as it is, people in their language."""
    TRUTH = "truth"
    BOTH = "both"
    """Name in both languages at once, ``STAR · СТАР``: people read it in theirs, files keep both."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``name`` is stable and for programs, ``title`` for people."""

    name: str
    title: Text
    kind: CellKind = CellKind.TEXT
    places: int = PERCENT_PLACES
    """Decimals of its fractions as shown to people, halves rounded up; files for programs have the whole value."""


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


def in_one_line(names: Sequence[str], most: int = 20) -> str:
    """Return names in one line, the first of many."""
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def harmless(cell: str) -> str:
    """Return a text that no spreadsheet program runs as a formula: one that would be run gets a ``'`` before it."""
    return f"'{cell}" if cell.startswith(FORMULAS) else cell


def as_entered(cell: str) -> str:
    """Return a text without the ``'`` that :func:`harmless` puts before it; any other ``'`` is the text's own."""
    return cell[1:] if harmless(cell[1:]) == cell else cell


def column(name: str, title: Text, kind: CellKind = CellKind.TEXT) -> Column:
    """Make a column of this title."""
    return Column(name, title, kind)


def number_column(name: str, title: Text) -> Column:
    """Make a column of numbers."""
    return column(name, title, CellKind.NUMBER)


def moment_column(name: str, title: Text) -> Column:
    """Make a column of moments."""
    return column(name, title, CellKind.MOMENT)


def code_column(name: str, title: Text) -> Column:
    """Make a column of the platform's words."""
    return column(name, title, CellKind.CODE)


def table_of(name: str, title: Text, columns: tuple[Column, ...], rows: Iterator[dict[str, Any]]) -> Table:
    """Make a table of objects that have more fields than it shows."""
    return Table(name, title, columns, tuple(tuple(row.get(column.name) for column in columns) for row in rows))
