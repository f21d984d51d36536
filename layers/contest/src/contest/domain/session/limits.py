"""How much a team may ask for: sessions a day (R 6.4), requests a second (D 12.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contest.domain.cycle.cycle import Parameters, SetKind
from contest.domain.moments import SECOND, Millis, local_day, next_local_day
from contest.domain.session.delivery import Bodies, Delivery
from contest.domain.session.session import IN_FLIGHT


def quota_day(now: Millis, zone: str) -> str:
    """The day a session opened now counts for: the cycle's calendar day.

    Clause: R 6.4, D 7.13
    """
    return local_day(now, zone)


@dataclass(frozen=True, slots=True)
class DayQuota:
    """How many sessions a team may open on a day, and under which name they are counted."""

    name: str
    most: int


def quota_of(mode: str, kind: SetKind, parameters: Parameters) -> DayQuota:
    """The quota of sessions over a kind of set; one with a number of its own is counted by itself.

    Clause: R 6.4, TS T6
    """
    own = parameters.sessions_per_day_on.get(kind)
    return DayQuota(mode, parameters.sessions_per_day) if own is None else DayQuota(f"{mode}:{kind.value}", own)


def quota_resets_at(now: Millis, zone: str) -> Millis:
    """When the next session may be opened after the day's last one."""
    return next_local_day(now, zone)


def rate_window(now: Millis) -> int:
    """The second in which a request counts."""
    return now // SECOND


def over_rate(requests_in_window: int, per_second: int) -> bool:
    """Whether the request that made the count what it is was one too many.

    Clause: D 12.8, platform §3 rate
    """
    return requests_in_window > per_second


SLOW_BODY: Final[Millis] = SECOND
"""From its headers to its work an answer is given this much whatever its length; what takes longer is shown."""
START: Final[Millis] = 10 * SECOND
"""What the start of a function's process may take; its first request has waited for that, not for its body alone."""


def body_allowance(size: int, parameters: Parameters, *, starts: bool) -> Millis:
    """Compute how long a body of ``size`` bytes may be under way without counting as later than its headers.

    It follows the bytes: whoever holds a small body back gains :data:`SLOW_BODY` and nothing more. ``starts``: the
    process has worked on nothing before.

    Clause: platform §3 body
    """
    line = SLOW_BODY - (-size * SECOND // parameters.body_bytes_per_s)
    return min(min(line, parameters.body_s * SECOND) + (START if starts else 0), IN_FLIGHT)


def counted_arrival(arrival: Millis, begun: Millis, allowance: Millis) -> Millis:
    """Compute when a request with a body counts as arrived: with its headers at the gateway, but no earlier than its
    allowance before the platform had it whole and began to work on it.

    Clause: platform §3 body
    """
    return max(arrival, begun - allowance)


def body_took(times: tuple[Millis, Millis] | None) -> Millis | None:
    """Return how long a body came after its headers where that is longer than :data:`SLOW_BODY`, else None.

    Clause: platform §3 body
    """
    took = times[1] - times[0] if times is not None else 0
    return took if took > SLOW_BODY else None


def may_exceed_rate(delivery: Delivery | None, bodies: Bodies, arrival: Millis, *, sends: int, refusals: int) -> bool:
    """Whether an answer to a file is taken whatever its team's rate is: the file is open, and of the bodies that have
    come for it at most ``sends`` were valid and ``refusals`` were not.

    Clause: platform §3 rate
    """
    if delivery is None or arrival > delivery.answer_by:
        return False
    return delivery.sends + bodies.repeated <= sends and bodies.refused <= refusals


def seconds_until(moment: Millis, now: Millis) -> int:
    """Whole seconds to wait, rounded up, at least one: the value of ``Retry-After``."""
    return max(1, -(-(moment - now) // SECOND))
