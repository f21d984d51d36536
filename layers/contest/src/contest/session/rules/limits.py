"""Limits of a team's sessions and requests, and the end of a session.

Sessions are limited per day (R 6.4), requests per second (D 12.8). A session ends by itself, by time or by a request
(platform §3). Of a team's requests the counts of the latest seconds are kept (D 12.8), and the time of the latest
request about each of its sessions (R 6.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from contest.cycle.rules.cycle import Parameters, SetKind
from contest.session.rules.delivery import Bodies, Delivery
from contest.session.rules.session import IN_FLIGHT, Session, State
from contest.values import SECOND, Millis, local_day, next_local_day
from markup_core.lazy import dataclass


def quota_day(now: Millis, zone: str) -> str:
    """Return the day for which a session opened now counts: the cycle's calendar day.

    Clause: R 6.4, D 7.13
    """
    return local_day(now, zone)


@dataclass(frozen=True, slots=True)
class DayQuota:
    """A team's number of sessions a day, and the name under which they are counted."""

    name: str
    most: int


def quota_of(mode: str, kind: SetKind, parameters: Parameters) -> DayQuota:
    """Return the quota of sessions over a kind of set; one with a number of its own is counted by itself.

    Clause: R 6.4, TS T6
    """
    own = parameters.sessions_per_day_on.get(kind)
    return DayQuota(mode, parameters.sessions_per_day) if own is None else DayQuota(f"{mode}:{kind.value}", own)


def quota_resets_at(now: Millis, zone: str) -> Millis:
    """Return the moment from which a session may be opened after the day's last one."""
    return next_local_day(now, zone)


def rate_window(arrival: Millis, before: TeamRequests | None = None) -> int:
    """Return the second in which a request counts: that of its arrival, but none older than those still counted."""
    return arrival // SECOND if before is None else max(arrival // SECOND, before.second - 1)


def over_rate(requests_in_window: int, per_second: int) -> bool:
    """Say whether the last counted request is one too many.

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
    """Say whether an answer to a file is taken whatever its team's rate is: the file is open, and at most ``sends`` of
    its bodies were valid and ``refusals`` were not.

    Clause: platform §3 rate
    """
    if delivery is None or arrival > delivery.answer_by:
        return False
    return delivery.sends + bodies.repeated <= sends and bodies.refused <= refusals


@dataclass(frozen=True, slots=True)
class Activity:
    """Activity in a session so far: its deliveries and the time of its last request."""

    deliveries: Sequence[Delivery]
    seen_at: Millis
    """Latest request, and the opening where there was none."""


def close(session: Session, state: State, now: Millis) -> Session:
    """Return the session in a final state."""
    return replace(session, state=state, closed_at=now, version=session.version + 1)


def is_settled(session: Session, deliveries: Sequence[Delivery], now: Millis) -> bool:
    """Say whether every file is handed out, and answered or past its time.

    Clause: platform §3 end
    """
    return len(deliveries) == session.files and all(delivery.answer or _past(delivery, now) for delivery in deliveries)


def ends_by_time(
    session: Session, activity: Activity, parameters: Parameters, now: Millis, unseen: Millis = 0
) -> State | None:
    """Return how a session without a schedule ends by time; the last answer, the timer and any later request get the
    same.

    Finished at once when every file is settled: a better answer replaces an earlier one while another file is without
    one (in a run, where R 11.5 gives ten sends, while its time lasts). Timed out when the program was silent for the
    idle time and no answer can be under way. ``unseen`` is how long a request may have been under way without a trace:
    :data:`IN_FLIGHT` for a timer.

    Clause: platform §3 end, platform §3 silence, R-App2 §2 algorithmic
    """
    if is_settled(session, activity.deliveries, now):
        return State.FINISHED
    silent = now >= activity.seen_at + parameters.idle_timeout_s * SECOND + unseen
    passed = all(_past(delivery, now) for delivery in activity.deliveries)
    return State.TIMED_OUT if silent and passed else None


def closes_at(deadlines: Iterable[Millis]) -> Millis:
    """Return the latest end of a session with nothing left to hand out, by its files' deadlines."""
    return max(deadlines) + IN_FLIGHT + 1


def _past(delivery: Delivery, now: Millis) -> bool:
    return now > delivery.answer_by + IN_FLIGHT


@dataclass(frozen=True, slots=True)
class Key:
    """An ``Idempotency-Key`` with the hash of its request: route, path and body."""

    key_sha256: str
    asked_sha256: str


@dataclass(frozen=True, slots=True)
class Used:
    """The use of a team's key and its result: a session, or the receipt of an answer in one."""

    asked_sha256: str
    session_id: str
    receipt: str | None = None
    """The receipt's name in the session's store."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest request about a session. A team has one open session of a mode, so one is kept for each mode."""

    session_id: str
    at: Millis
    until: Millis
    """``at``, and as much longer as the platform was seen to work on it: from when its body was there to an answer's
    receipt, or to the noting of anything else."""


@dataclass(frozen=True, slots=True)
class TeamRequests:
    """Stored facts of a team's requests: counts of the latest second and of the one before, nothing older."""

    second: int = 0
    """The latest second with a request that counted, since the epoch; 0 before any."""
    count: int = 0
    count_before: int = 0
    """In the second before, for requests that were overtaken by later ones."""
    latest: Mapping[str, Latest] = field(default_factory=dict)
    """By mode."""

    def count_in(self, second: int) -> int:
        """Return the count of requests of a second. A second older than those stored has this one request alone."""
        return {self.second: self.count, self.second - 1: self.count_before}.get(second, 1)

    def is_over_rate(self, second: int, per_second: int) -> bool:
        """Say whether the request counted last in a second is one too many."""
        return over_rate(self.count_in(second), per_second)

    def is_at_rate(self, second: int, per_second: int) -> bool:
        """Say whether one more request in a second would be one too many, as far as its requests are stored."""
        return over_rate({self.second: self.count, self.second - 1: self.count_before}.get(second, 0) + 1, per_second)

    def seen_at(self, session: Session) -> Millis | None:
        """Return the time of the latest request about a session; None before the first."""
        latest = self.latest_of(session)
        return latest.at if latest is not None else None

    def latest_of(self, session: Session) -> Latest | None:
        """Return the latest request about a session; None before the first."""
        latest = self.latest.get(session.order.mode)
        return latest if latest is not None and latest.session_id == session.session_id else None


def counted(before: TeamRequests | None, second: int) -> TeamRequests:
    """Return the requests with one more in a second. One older than those stored changes nothing."""
    earlier = before or TeamRequests()
    if second > earlier.second:
        return TeamRequests(second, 1, earlier.count if second == earlier.second + 1 else 0, earlier.latest)
    if second == earlier.second:
        return TeamRequests(second, earlier.count + 1, earlier.count_before, earlier.latest)
    if second == earlier.second - 1:
        return TeamRequests(earlier.second, earlier.count, earlier.count_before + 1, earlier.latest)
    return earlier


def heard_of(before: TeamRequests | None, session: Session, at: Millis, until: Millis) -> TeamRequests:
    """Return the requests with one more about a session; one that is not later than the latest changes nothing."""
    earlier = before or TeamRequests()
    seen_at = earlier.seen_at(session)
    if seen_at is not None and seen_at >= at:
        return earlier
    latest = {**earlier.latest, session.order.mode: Latest(session.session_id, at, until)}
    return TeamRequests(earlier.second, earlier.count, earlier.count_before, latest)
