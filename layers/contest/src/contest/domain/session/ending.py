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


def is_settled(session: Session, deliveries: Sequence[Delivery], now: Millis) -> bool:
    """Whether every file is handed out, and answered or past its time.

    Clause: platform §3 end
    """
    return len(deliveries) == session.files and all(each.answer or _past(each, now) for each in deliveries)


def ends_by_time(
    session: Session, activity: Activity, parameters: Parameters, now: Millis, unseen: Millis = 0
) -> State | None:
    """How a session without a schedule ends, whoever asks: the last answer, the timer, any later request.

    Finished at once when every file is settled: a better answer replaces an earlier one while another file is without
    one (in a run, where R 11.5 gives ten sends, while its time lasts). Timed out when the program was silent for the
    idle time and no answer can be under way. ``unseen`` is how long a request may have been under way without a trace:
    :data:`IN_FLIGHT` for a timer.

    Clause: platform §3 end, platform §3 silence, R-App2 §2 algorithmic
    """
    if is_settled(session, activity.deliveries, now):
        return State.FINISHED
    silent = now >= activity.seen_at + parameters.idle_timeout_s * SECOND + unseen
    passed = all(_past(each, now) for each in activity.deliveries)
    return State.TIMED_OUT if silent and passed else None


def closes_at(deadlines: Iterable[Millis]) -> Millis:
    """When a session with nothing left to hand out will have ended at the latest, by its files' deadlines."""
    return max(deadlines) + IN_FLIGHT + 1


def _past(delivery: Delivery, now: Millis) -> bool:
    return now > delivery.answer_by + IN_FLIGHT
