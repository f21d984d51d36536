"""Timers: EventBridge schedules of the template, asynchronous invocations, and delayed messages.

All schedules of the template are `rate(…)`. A rate counts from the start of the local cloud, the first time one period
later.

Lambda's asynchronous invocations: a failed event is run again, twice unless the template says how often, then
reported. The service waits a minute and then two before it runs an event again; here it is run again at once, and its
age is not checked.

Messages that sleep in queues wake at their time on a held clock, too, and are carried before the clock moves on.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from local.aws.template import TemplateError, function_arn
from local.clock import utc
from local.environment import ACCOUNT, REGION
from local.lambdas.pump import failure_queue_of
from local.lambdas.runtime import STOPPED, to_json
from local.texts import tr
from markup_core.texts import at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from local.aws.emulator import Emulator
    from local.aws.template import Deployment
    from local.clock import Clock
    from local.lambdas.pump import Pump
    from local.lambdas.runtime import InvocationResult

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
            tr(
                "{expression!r} is no rate of whole minutes, hours or days; no other schedule is known here",
                expression=expression,
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
    """Return the schedules of the template; TemplateError names an unknown expression or property."""
    schedules = []
    for resource in deployment.template.of_type(SCHEDULE_TYPE):
        where, target = resource.logical_id, resource.properties["Target"]
        unknown = sorted(set(resource.properties) - _KNOWN | set(target) - _KNOWN_OF_TARGET)
        if unknown:
            raise TemplateError(
                tr("{where}: of schedules {unknown} is not known here", where=where, unknown=", ".join(unknown))
            )
        expression = deployment.resolver.properties(resource, "ScheduleExpression")["ScheduleExpression"]
        try:
            period_ms = period_of(expression)
        except ValueError as error:
            raise TemplateError(at(where, error.args[0])) from error
        # Of the target only the function is evaluated: its role is nothing that exists locally.
        arn = deployment.resolver.value(target["Arn"], f"{where}.Target.Arn")
        schedules.append(Schedule(where, deployment.function_of(arn, f"{where}.Target.Arn"), period_ms, now_ms))
    return tuple(schedules)


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
                due, is_held = self.next_due_ms(), self._clock.state.held_ms is not None
                now = self._clock.now_ms()
                if is_held or due is None or due > now:
                    wait = None if is_held or due is None else (due - now) / 1000
                    self._clock.changed.wait(wait)
                    continue
            self.fire(now)


CONFIG_TYPE = "AWS::Lambda::EventInvokeConfig"
_DEFAULT_RETRIES = 2


@dataclass(eq=False)
class Asynchronous:
    """Runs functions for callers that do not wait, by the template's retry rules for each."""

    deployment: Deployment
    emulator: Emulator
    clock: Clock
    invoke: Callable[[str, bytes], InvocationResult]

    def __post_init__(self) -> None:
        self._rules: dict[str, tuple[int, str | None]] = {}
        for resource in self.deployment.template.of_type(CONFIG_TYPE):
            properties = self.deployment.resolver.properties(
                resource, "FunctionName", "MaximumRetryAttempts", "DestinationConfig"
            )
            retries = int(properties.get("MaximumRetryAttempts", _DEFAULT_RETRIES))
            queue = failure_queue_of(properties, self.deployment, resource.logical_id)
            self._rules[str(properties["FunctionName"])] = retries, queue

    def run(self, function: str, event: bytes) -> None:
        """Run a function until it succeeds, within its number of tries; report one that fails for good."""
        retries, failure_queue = self._rules.get(function, (_DEFAULT_RETRIES, None))
        for _ in range(1 + retries):
            result = self.invoke(function, event)
            if result.error in {None, STOPPED}:
                return
        if failure_queue is None:
            return
        note = {
            "version": "1.0",
            "timestamp": utc(self.clock.now_ms()).isoformat(),
            "requestContext": {
                "functionArn": function_arn(function),
                "condition": "RetriesExhausted",
                "approximateInvokeCount": 1 + retries,
            },
            "requestPayload": json.loads(event),
            "responseContext": {"statusCode": 200, "functionError": result.error},
            "responsePayload": json.loads(result.payload),
        }
        self.emulator.client("sqs").send_message(QueueUrl=failure_queue, MessageBody=json.dumps(note))


_CARRY_S = 60.0


class Delays:
    """Lets `Clock.advance` stop where a delayed or returned message wakes (a `clock.Timer`).

    What wakes is carried before the clock moves on: its function runs to its end at the message's own time. Streams,
    and messages that are sent without a delay, go on meanwhile; `LocalCloud.drain` waits for them. No message wakes
    while a function has it, however slow this machine is: the clock waits for the function first.
    """

    def __init__(self, emulator: Emulator, pump: Pump) -> None:
        self._emulator = emulator
        self._pump = pump
        self._due: dict[str, dict[str, Any]] = {}

    def next_due_ms(self) -> int | None:
        """Return when the next message wakes in a queue that has a function."""
        queues, own = self._emulator.call("due")["queues"], self._pump.queues()
        self._due = {name: due for name, due in queues.items() if name in own and due["at"] is not None}
        return min((round(due["at"]) for due in self._due.values()), default=None)

    def fire(self, now_ms: int) -> None:
        """Wait until the messages that have woken are carried."""
        woken = {name: due["ids"] for name, due in self._due.items() if due["at"] <= now_ms}
        if woken:
            self._pump.carry(woken, _CARRY_S)

    def skip(self, now_ms: int) -> None:
        """Do nothing: queues are no timers that could be dead; `drain` waits for the messages that have woken."""
