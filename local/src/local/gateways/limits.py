"""The gateways' limits of requests a second, of a stage and of single routes, as the template has them.

They go by real time also while the clock is held: what they save is the machine, and a held clock fills no bucket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from local.clock import monotonic_s

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Limit(NamedTuple):
    """So many requests a second, and so many at once after a pause."""

    per_second: float
    burst: float

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Limit | None:
        """Return the limit that route settings have, None without one."""
        if "ThrottlingRateLimit" not in told or "ThrottlingBurstLimit" not in told:
            return None
        return cls(float(told["ThrottlingRateLimit"]), float(told["ThrottlingBurstLimit"]))


class _Bucket:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self._limit = limit
        self._left, self._seen_s = limit.burst, now_s

    def take(self, now_s: float) -> bool:
        self._left = min(self._limit.burst, self._left + (now_s - self._seen_s) * self._limit.per_second)
        self._seen_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Throttle:
    """Passes as many requests on as a stage allows. Routes without a limit of their own share the stage's."""

    def __init__(
        self, stage: Limit | None, routes: Mapping[str, Limit], now_s: Callable[[], float] = monotonic_s
    ) -> None:
        self._now_s = now_s
        self._stage = _Bucket(stage, now_s()) if stage else None
        self._routes = {key: _Bucket(limit, now_s()) for key, limit in routes.items()}

    def passes(self, route: str) -> bool:
        """Return whether a request for a route is passed on; it counts when it is."""
        bucket = self._routes.get(route, self._stage)
        return bucket is None or bucket.take(self._now_s())
