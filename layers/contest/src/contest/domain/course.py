"""A session's course: what became of its files, why, and when it ends; in a run and outside of one.

Voids and causes are never stored. They are functions of facts (the run with its amendments, deliveries, first
arrivals), so that a timer, a report and a request that looks at the same session say the same (platform §3, R 8.3.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from contest.domain import delivery as way
from contest.domain import run as schedule
from contest.domain.channel import Attachment, away_at
from contest.domain.delivery import Cause, Delivery, FileState
from contest.domain.moments import Millis, iso
from contest.domain.run import AFTER_LAST, Run, Window
from contest.domain.session import IN_FLIGHT, State


class Fate(NamedTuple):
    """What became of a file, and why where it is void."""

    state: FileState
    cause: Cause | None = None
    evidence: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Course:
    """What is known of a session beside its deliveries. ``run`` is None in the algorithmic mode."""

    arrived: Mapping[int, Sequence[Millis]] = field(default_factory=dict)
    """By file, first arrivals of answers that nobody has judged."""
    run: Run | None = None
    team_id: str = ""
    joined_at: Millis = 0
    asked: Mapping[int, Millis] = field(default_factory=dict)
    """When each file was first asked for, from shortly before its opening."""
    attachment: Attachment | None = None
    """Of a client of the event channel."""

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """Windows of the run's files, by number; none in the algorithmic mode."""
        return schedule.windows(self.run) if self.run else ()

    @cached_property
    def annulled(self) -> Mapping[int, int]:
        """Files annulled for everybody, with the amendment."""
        return schedule.voided_for_all(self.run) if self.run else {}

    @cached_property
    def ruled(self) -> Mapping[int, tuple[Cause, int]]:
        """Files of this team that got another cause, with the amendment."""
        return schedule.rulings(self.run, self.team_id) if self.run else {}

    def asked_in_time(self, number: int) -> bool:
        """Whether a file of a run was asked for in time, whatever came of it."""
        asked = self.asked.get(number)
        return asked is not None and asked <= self.windows[number - 1].request_by


def fate(course: Course, number: int, delivery: Delivery | None, now: Millis, *, session_open: bool) -> Fate:
    """What became of a file by a moment; of a closed session by its end.

    What was annulled for everybody is void, answered or not. A ruling of the commission names the cause of whatever
    is void, and what the platform found by itself stays its evidence.
    """
    if number in course.annulled:
        found = Fate(FileState.VOIDED, Cause.ORGANIZER_DECISION, {"amendment": course.annulled[number]})
    else:
        found = _found(course, number, delivery, now, session_open=session_open)
    if found.state is not FileState.VOIDED or number not in course.ruled:
        return found
    cause, amendment = course.ruled[number]
    automatic = {"cause": found.cause, "evidence": dict(found.evidence)}
    return Fate(FileState.VOIDED, cause, {"amendment": amendment, "automatic": automatic})


def _found(course: Course, number: int, delivery: Delivery | None, now: Millis, *, session_open: bool) -> Fate:
    if delivery is None and course.run is not None and session_open:
        missed = now > _lost_after(course, number, None)
        state = FileState.VOIDED if missed else FileState.WAITING
    else:
        state = way.state_of(delivery, now, session_open=session_open)
    if state is not FileState.VOIDED:
        return Fate(state)
    if course.run is None:
        return Fate(state, *way.cause_of(delivery, course.arrived.get(number, ())))
    return Fate(state, *_cause(course, course.run, number, delivery))


def _lost_after(course: Course, number: int, delivery: Delivery | None) -> Millis:
    """The last moment in which a file of a run can come to something."""
    if delivery is not None:
        return delivery.answer_by
    window = course.windows[number - 1]
    return window.answer_by if course.asked_in_time(number) else window.request_by


def _cause(course: Course, run: Run, number: int, delivery: Delivery | None) -> tuple[Cause, Mapping[str, Any]]:
    """Why a file of a run is void, as far as facts say it."""
    stop = schedule.stop(run)
    if stop is not None and _lost_after(course, number, delivery) > stop.effective_at:
        return Cause.ORGANIZER_DECISION, {"amendment": stop.number}
    if delivery is not None:
        return way.cause_of(delivery, course.arrived.get(number, ()))
    asked = course.asked.get(number)
    if asked is None:
        return _never_asked(course, course.windows[number - 1])
    if course.asked_in_time(number):
        return Cause.PLATFORM, {"asked_at": iso(asked)}
    return Cause.TEAM_LATE, {"requested_late_by_ms": asked - course.windows[number - 1].request_by}


def _never_asked(course: Course, window: Window) -> tuple[Cause, Mapping[str, Any]]:
    if course.joined_at > window.request_by:
        return Cause.TEAM_LATE, {"joined_at": iso(course.joined_at)}
    absence = away_at(course.attachment, window.opens_at)
    if absence is not None:
        return Cause.NETWORK, {"disconnected_at": iso(absence.since)}
    return way.cause_of(None)


def settled(course: Course, deliveries: Sequence[Delivery], now: Millis) -> bool:
    """Whether nothing is left to wait for in a run: every file is answered, annulled or lost without doubt.

    A deadline is past only when no request that met it can be under way any more.
    """
    known = {each.number: each for each in deliveries}
    return all(
        window.opens_at <= now and (number in course.annulled or _done(course, number, known.get(number), now))
        for number, window in enumerate(course.windows, start=1)
    )


def _done(course: Course, number: int, delivery: Delivery | None, now: Millis) -> bool:
    answered = delivery is not None and delivery.answer is not None
    return answered or now > _lost_after(course, number, delivery) + IN_FLIGHT


def closes_at(course: Course, deliveries: Sequence[Delivery]) -> Millis:
    """When a session of a run will have ended by time at the latest.

    After the last possible deadline, and no later than :data:`AFTER_LAST` after the last opening, unless the run's
    own limits for an answer are longer than that.
    """
    deadlines = [window.answer_by for window in course.windows]
    own = [each.answer_by for each in deliveries]
    latest = max(course.windows[-1].opens_at + AFTER_LAST, max(deadlines) + IN_FLIGHT + 1)
    return min(max([*deadlines, *own]) + IN_FLIGHT + 1, latest)


def ends_by_time(
    course: Course, run: Run, deliveries: Sequence[Delivery], seen_at: Millis, idle: Millis, now: Millis
) -> State | None:
    """How a session of a run ends because of the time alone; the same for the timer and for any later request.

    ``idle`` is how long a program may be silent, with what a timer adds because a request may be under way.
    """
    stop = schedule.stopped_at(run)
    if stop is not None and now >= stop:
        return State.STOPPED
    if now >= closes_at(course, deliveries):
        return State.FINISHED
    passed = all(now > each.answer_by + IN_FLIGHT for each in deliveries)
    return State.TIMED_OUT if passed and schedule.silent_for(run, seen_at, now) >= idle else None


def may_be_over(run: Run, seen_at: Millis, idle: Millis, now: Millis) -> bool:
    """Whether a session of the run can have ended by time; what decides it costs reading its files."""
    stop = schedule.stopped_at(run)
    over = stop is not None and now >= stop
    return over or now > schedule.ends_at(run) or schedule.silent_for(run, seen_at, now) >= idle
