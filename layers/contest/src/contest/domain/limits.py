"""How much a team may ask for: sessions a day (R 6.4), requests a second (D 12.8)."""

from __future__ import annotations

from contest.domain.moments import SECOND, Millis, local_day, next_local_day


def quota_day(now: Millis, zone: str) -> str:
    """The day a session opened now counts for: the cycle's calendar day."""
    return local_day(now, zone)


def quota_resets_at(now: Millis, zone: str) -> Millis:
    """When the next session may be opened after the day's last one."""
    return next_local_day(now, zone)


def rate_window(now: Millis) -> int:
    """The second in which a request counts."""
    return now // SECOND


def over_rate(requests_in_window: int, per_second: int) -> bool:
    """Whether the request that made the count what it is was one too many."""
    return requests_in_window > per_second


def seconds_until(moment: Millis, now: Millis) -> int:
    """Whole seconds to wait, rounded up, at least one: the value of ``Retry-After``."""
    return max(1, -(-(moment - now) // SECOND))
