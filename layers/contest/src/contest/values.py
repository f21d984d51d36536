"""Values that every room uses: moments, canonical JSON, reasons, parts of uploads.

JSON is written in one way, the scoring library's, so that equal values have equal bytes and hashes, and read into
dataclasses by the types of their fields. Moments are
milliseconds since the epoch inside, ISO 8601 UTC with milliseconds outside, days in a cycle's zone. A decision has the
reason that a person gives for it. An upload comes in parts, each announced by its SHA-256 and put at an address of its
own (T13).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes as canonical
from markup_core.receipt import sha256_hex

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
"""Day and hour of the halves of a day."""


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
"""Characters; one limit wherever a reason is asked for, so that a page need not know which decision takes how many."""

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
    types = _types(kind)  # type: ignore[arg-type]  # classes are hashable
    return kind(**{name: _read(types[name], value) for name, value in stored.items()})


@cache
def _types(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if value is None:
        return None
    if NoneType in arguments:  # the type beside None comes first
        return _read(arguments[0], value)
    if origin is Mapping:
        return {name: _read(arguments[1], member) for name, member in value.items()}
    if origin in (tuple, Sequence, frozenset):
        kinds = arguments if origin is tuple and arguments[-1] is not Ellipsis else arguments[:1] * len(value)
        members = (_read(*pair) for pair in zip(kinds, value, strict=True))
        return frozenset(members) if origin is frozenset else tuple(members)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return read_as(kind, value) if isinstance(kind, type) and is_dataclass(kind) else value
