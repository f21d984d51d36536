"""EventBridge schedules of the template, all of them `rate(…)`, and the timers that invoke their functions.

A rate counts from the start of the local cloud, the first time one period later.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.aws.template import TemplateError
from local.clock import utc
from local.environment import ACCOUNT, REGION
from local.lambdas.runtime import to_json
from markup_core.said import Said, at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from local.aws.resources import Deployment
    from local.clock import Clock

SCHEDULE_TYPE = "AWS::Scheduler::Schedule"
_UNITS = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_RATE = re.compile(r"rate\(([1-9]\d*) (minute|hour|day)s?\)")
_KNOWN = {"ScheduleExpression", "FlexibleTimeWindow", "Target"}
# Of the scheduler's own retries and dead letters nothing is played: handing a run over never fails here.
_KNOWN_OF_TARGET = {"Arn", "RoleArn", "DeadLetterConfig", "RetryPolicy"}


def period_of(expression: str) -> int:
    """Return a rate's milliseconds; ValueError for any other expression."""
    match = _RATE.fullmatch(expression)
    if match is None:
        raise ValueError(
            Said(
                f"{expression!r} is no rate of whole minutes, hours or days; no other schedule is known here",
                f"{expression!r} — не период в целых минутах, часах или днях; другие расписания здесь неизвестны",
            )
        )
    return int(match[1]) * _UNITS[match[2]]


@dataclass
class Schedule:
    """One schedule of the template: every `period_ms` from `anchor_ms` on, and when it is due next."""

    name: str
    function: str
    period_ms: int
    anchor_ms: int
    due_ms: int = 0

    def __post_init__(self) -> None:
        self.skip(self.anchor_ms)

    def skip(self, now_ms: int) -> None:
        """Be due at the first time after `now_ms`, never at the anchor itself."""
        passed = max(0, now_ms - self.anchor_ms) // self.period_ms
        self.due_ms = self.anchor_ms + (passed + 1) * self.period_ms

    def event(self, due_ms: int) -> bytes:
        """Return the scheduler's event for a due time."""
        return to_json(
            {
                "version": "0",
                "id": f"{self.name}-{due_ms}",
                "detail-type": "Scheduled Event",
                "source": "aws.scheduler",
                "account": ACCOUNT,
                "time": utc(due_ms).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "region": REGION,
                "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/{self.name}"],
                "detail": "{}",
            }
        )


def schedules_of(deployment: Deployment, now_ms: int) -> tuple[Schedule, ...]:
    """Return the schedules of the template; TemplateError names what is not understood."""
    found = []
    for resource in deployment.template.of_type(SCHEDULE_TYPE):
        where, target = resource.logical_id, resource.properties["Target"]
        unknown = sorted(set(resource.properties) - _KNOWN | set(target) - _KNOWN_OF_TARGET)
        if unknown:
            raise TemplateError(
                Said(
                    f"{where}: of schedules {', '.join(unknown)} is not known here",
                    f"{where}: в расписаниях здесь неизвестно {', '.join(unknown)}",
                )
            )
        expression = deployment.resolver.properties(resource, "ScheduleExpression")["ScheduleExpression"]
        try:
            period_ms = period_of(expression)
        except ValueError as error:
            raise TemplateError(at(where, error.args[0])) from error
        # Of the target only the function is evaluated: its role is nothing that exists locally.
        arn = deployment.resolver.value(target["Arn"], f"{where}.Target.Arn")
        found.append(Schedule(where, deployment.function_of(arn, f"{where}.Target.Arn"), period_ms, now_ms))
    return tuple(found)


class Timers:
    """Fires schedules: by itself while the clock runs, from `Clock.advance` while it is held (a `clock.Timer`).

    What becomes of a run that fails is Lambda's to decide (`asynchronous`).
    """

    def __init__(self, schedules: Sequence[Schedule], clock: Clock, run: Callable[[Schedule, bytes], None]) -> None:
        self._schedules = schedules
        self._clock = clock
        self._run = run
        self._stopping = False
        self._thread = threading.Thread(target=self._tick, name="timers", daemon=True)

    def start(self) -> None:
        """Begin to fire."""
        self._clock.add_timer(self)
        self._thread.start()

    def stop(self) -> None:
        """Fire nothing more; a run that is under way must have been ended."""
        with self._clock.changed:
            self._stopping = True
            self._clock.changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def next_due_ms(self) -> int | None:
        """Return the earliest due time of any schedule."""
        return min((schedule.due_ms for schedule in self._schedules), default=None)

    def fire(self, now_ms: int) -> None:
        """Run every schedule that is due, one after the other; several missed times of one are one run."""
        for schedule in self._schedules:
            due = schedule.due_ms
            if due <= now_ms:
                schedule.skip(now_ms)
                self._run(schedule, schedule.event(due))

    def skip(self, now_ms: int) -> None:
        """Move every due time past `now_ms`."""
        for schedule in self._schedules:
            schedule.skip(now_ms)

    def _tick(self) -> None:
        while True:
            with self._clock.changed:
                if self._stopping:
                    return
                due, held = self.next_due_ms(), self._clock.state.held_ms is not None
                now = self._clock.now_ms()
                if held or due is None or due > now:
                    wait = None if held or due is None else (due - now) / 1000
                    self._clock.changed.wait(wait)
                    continue
            self.fire(now)
