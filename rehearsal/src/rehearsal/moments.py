"""Moments as the checker reads them: milliseconds since the epoch. Its own code, so that it shares no mistake."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

Millis = int
SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def from_text(text: str) -> Millis:
    """Return the milliseconds of ``2026-11-21T03:57:32.123Z``; ValueError for a moment without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no time zone: {text}")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def to_text(moment: Millis) -> str:
    """Return a moment in ISO 8601, in UTC with milliseconds."""
    return (_EPOCH + timedelta(milliseconds=moment)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
