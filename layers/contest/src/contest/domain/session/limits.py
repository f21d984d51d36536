"""How much a team may ask for: sessions a day (R 6.4), requests a second (D 12.8)."""

from __future__ import annotations

from dataclasses import dataclass

from contest.domain.cycle.cycle import Parameters, SetKind
from contest.domain.moments import SECOND, Millis, local_day, next_local_day
from contest.domain.session.delivery import Bodies, Delivery


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


def counted_arrival(arrival: Millis, begun: Millis, body_s: int) -> Millis:
    """When a request with a body counts as arrived: at the gateway, when it began to come, but no earlier than the
    time for a body before the platform had it whole and began to work on it.

    Clause: platform §3 body
    """
    return max(arrival, begun - body_s * SECOND)


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
