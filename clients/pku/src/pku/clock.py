"""The machine's clock and sleep: the only module of the kit that asks the machine for them."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The machine's clock, by which everything here reads the time and waits; tests drive one of their own."""

    def now(self) -> float:
        """Return the seconds since 1970-01-01 UTC by the machine's wall clock."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait, less than zero not at all; a signal (Ctrl-C) ends it early."""
        time.sleep(max(0.0, seconds))


def parse_moment(text: str) -> float:
    """Return the seconds since 1970 of an ISO 8601 time with its zone; :class:`ValueError` for anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no time zone: {text}")
    return moment.timestamp()


def show_moment(seconds: float) -> str:
    """Write a moment as ISO 8601 in UTC with milliseconds and Z, as the platform writes times."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds to wait by a ``Retry-After`` header, whole seconds or an HTTP date (RFC 9110 §10.2.3).

    None without a header or with one that says nothing; a date in the past is no wait.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
