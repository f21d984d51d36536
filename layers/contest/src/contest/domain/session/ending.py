"""How a session ends: by itself, by time, by a request (platform §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from contest.domain.cycle.cycle import Parameters
from contest.domain.moments import SECOND, Millis
from contest.domain.session.delivery import Delivery
from contest.domain.session.session import IN_FLIGHT, Session, State


@dataclass(frozen=True, slots=True)
class Activity:
    """What happened in a session so far: its deliveries and the time of its last request."""

    deliveries: Sequence[Delivery]
    seen_at: Millis
    """Latest request, and the opening where there was none."""


def close(session: Session, state: State, now: Millis) -> Session:
    """The session in a final state."""
    return replace(session, state=state, closed_at=now, version=session.version + 1)


def ends_on_request(session: Session, activity: Activity, now: Millis) -> State | None:
    """How the session ends because its program asks for the next file: all is handed out and settled.

    Clause: platform §3 end
    """
    if len(activity.deliveries) < session.files:
        return None
    settled = all(each.answer or _past(each, now) for each in activity.deliveries)
    return State.FINISHED if settled else None


def ends_by_time(
    session: Session, activity: Activity, parameters: Parameters, now: Millis, unseen: Millis = 0
) -> State | None:
    """How the session ends because of the time alone; the same for the timer and for any later request.

    Finished when everything is handed out and every deadline has passed (until then a better answer may replace
    an earlier one), timed out when the program was silent for the idle time and no answer can be under way.
    ``unseen`` is how long a request may have been under way without a trace: :data:`IN_FLIGHT` for a timer.

    Clause: platform §3 end, platform §3 silence, R-App2 §2 algorithmic
    """
    passed = all(_past(each, now) for each in activity.deliveries)
    if passed and len(activity.deliveries) == session.files:
        return State.FINISHED
    silent = now >= activity.seen_at + parameters.idle_timeout_s * SECOND + unseen
    return State.TIMED_OUT if silent and passed else None


def closes_at(deadlines: Iterable[Millis]) -> Millis:
    """When a session with nothing left to hand out will have ended at the latest, by its files' deadlines."""
    return max(deadlines) + IN_FLIGHT + 1


def _past(delivery: Delivery, now: Millis) -> bool:
    return now > delivery.answer_by + IN_FLIGHT
