"""EventBridge schedules: `rate(…)` and `cron(…)` expressions, and the timers that invoke their functions.

A rate counts from the start of the local cloud, the first time one period later. A cron expression has
the six fields of AWS (minutes hours day-of-month month day-of-week year) with lists, ranges, steps and names;
`L`, `W` and `#` are not known here. `at(…)` fires once.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from local.clock import utc
from local.runtime import to_json
from local.template import ACCOUNT, REGION, TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from local.clock import Clock
    from local.resources import Deployment

SCHEDULE_TYPE = "AWS::Scheduler::Schedule"
_UNITS = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\(([^()]+)\)")
_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
# name, least, greatest, names of the values from the least on
_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minutes", 0, 59, ()),
    ("hours", 0, 23, ()),
    ("day-of-month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day-of-week", 1, 7, _DAYS),
    ("year", 1970, 2199, ()),
)
_HORIZON = timedelta(days=366 * 5)


@dataclass(frozen=True)
class Rate:
    """Fires every `period_ms` from `anchor_ms` on, not at the anchor itself."""

    period_ms: int
    anchor_ms: int

    def next_after(self, now_ms: int) -> int | None:
        """Return the first due time after `now_ms`."""
        passed = max(0, now_ms - self.anchor_ms) // self.period_ms
        return self.anchor_ms + (passed + 1) * self.period_ms


@dataclass(frozen=True)
class Once:
    """Fires once."""

    at_ms: int

    def next_after(self, now_ms: int) -> int | None:
        """Return the due time while it is still to come."""
        return self.at_ms if self.at_ms > now_ms else None


@dataclass(frozen=True)
class Cron:
    """Fires at the minutes whose six fields are among the allowed values, in the zone's local time."""

    fields: tuple[frozenset[int], ...]
    zone: ZoneInfo

    def next_after(self, now_ms: int) -> int | None:
        """Return the first due time after `now_ms`, None when there is none for five years.

        A local time that a clock change skips does not fire; one that it repeats fires once, the first time.
        """
        minutes, hours, days, months, weekdays, years = self.fields
        start = utc(now_ms).astimezone(self.zone).replace(second=0, microsecond=0, tzinfo=None)
        day = start.replace(hour=0, minute=0)
        while day - start < _HORIZON:
            weekday = day.isoweekday() % 7 + 1
            if day.day in days and day.month in months and weekday in weekdays and day.year in years:
                for hour in sorted(hours):
                    for minute in sorted(minutes):
                        due = self._epoch_ms(day.replace(hour=hour, minute=minute))
                        if due is not None and due > now_ms:
                            return due
            day += timedelta(days=1)
        return None

    def _epoch_ms(self, local: datetime) -> int | None:
        moment = local.replace(tzinfo=self.zone)
        epoch_ms = round(moment.timestamp() * 1000)
        skipped = utc(epoch_ms).astimezone(self.zone).replace(tzinfo=None) != local
        return None if skipped else epoch_ms


def parse(expression: str, zone: str, now_ms: int) -> Rate | Cron | Once:
    """Return the timetable of an expression; ValueError tells what is wrong with it."""
    if match := _RATE.fullmatch(expression):
        period = int(match[1]) * _UNITS[match[2]]
        if period == 0:
            raise ValueError(f"{expression}: a rate must be at least 1")
        return Rate(period, now_ms)
    if match := _AT.fullmatch(expression):
        return Once(round(datetime.fromisoformat(match[1]).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000))
    if match := _CRON.fullmatch(expression):
        texts = match[1].split()
        if len(texts) != len(_FIELDS):
            raise ValueError(f"{expression}: a cron expression has {len(_FIELDS)} fields, not {len(texts)}")
        return Cron(tuple(_values(text, i) for i, text in enumerate(texts)), ZoneInfo(zone))
    raise ValueError(f"{expression!r} is no rate(…), cron(…) or at(…) expression known here")


def _values(text: str, index: int) -> frozenset[int]:
    name, least, greatest, names = _FIELDS[index]

    def number(word: str) -> int:
        value = names.index(word.upper()) + least if word.upper() in names else int(word)
        if not least <= value <= greatest:
            raise ValueError(word)
        return value

    found: set[int] = set()
    try:
        for part in text.split(","):
            span, _, step = part.partition("/")
            if span in ("*", "?"):
                first, last = least, greatest
            elif "-" in span:
                first, last = (number(word) for word in span.split("-"))
            else:
                first = number(span)
                last = greatest if step else first
            found.update(range(first, last + 1, int(step or 1)))
    except ValueError as error:
        raise ValueError(f"cron field {name}: {text!r} is not understood here") from error
    return frozenset(found)


@dataclass
class Schedule:
    """One schedule of the template and when it is due next."""

    name: str
    function: str
    input: str | None
    timetable: Rate | Cron | Once
    due_ms: int | None = field(default=None)

    def event(self, due_ms: int) -> bytes:
        """Return the event for a due time, with the scheduler's `<aws.scheduler.…>` words replaced."""
        arn = f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/{self.name}"
        time = utc(due_ms).strftime("%Y-%m-%dT%H:%M:%SZ")
        execution = f"{self.name}-{due_ms}"
        if self.input is None:
            told: dict[str, Any] = {
                "version": "0",
                "id": execution,
                "detail-type": "Scheduled Event",
                "source": "aws.scheduler",
                "account": ACCOUNT,
                "time": time,
                "region": REGION,
                "resources": [arn],
                "detail": "{}",
            }
            return to_json(told)
        text = self.input.replace("<aws.scheduler.scheduled-time>", time)
        text = text.replace("<aws.scheduler.schedule-arn>", arn).replace("<aws.scheduler.execution-id>", execution)
        return text.replace("<aws.scheduler.attempt-number>", "1").encode()


def schedules_of(deployment: Deployment, now_ms: int) -> tuple[Schedule, ...]:
    """Return the enabled schedules of the template; TemplateError names what is not understood."""
    found = []
    for resource in deployment.template.of_type(SCHEDULE_TYPE):
        resolver, where = deployment.resolver, resource.logical_id
        told = resolver.properties(resource, "ScheduleExpression", "ScheduleExpressionTimezone", "State")
        # Of the target only what matters here is evaluated: its role is nothing that exists locally.
        target = {
            name: resolver.value(resource.properties["Target"][name], f"{where}.Target.{name}")
            for name in ("Arn", "Input")
            if name in resource.properties["Target"]
        }
        if told.get("State", "ENABLED") != "ENABLED":
            continue
        try:
            zone = told.get("ScheduleExpressionTimezone", "UTC")
            timetable = parse(told["ScheduleExpression"], zone, now_ms)
            json.loads(target.get("Input", "null"))
        except (ValueError, KeyError) as error:
            raise TemplateError(f"{where}: {error}") from error
        function = deployment.function_of(target["Arn"], f"{where}.Target.Arn")
        found.append(Schedule(where, function, target.get("Input"), timetable, timetable.next_after(now_ms)))
    return tuple(found)


class Timers:
    """Fires schedules: by itself while the clock runs, from `Clock.advance` while it is held (a `clock.Timer`).

    A schedule whose run fails is not run again before its next time.
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
        return min((schedule.due_ms for schedule in self._schedules if schedule.due_ms is not None), default=None)

    def fire(self, now_ms: int) -> None:
        """Run every schedule that is due, one after the other; several missed times of one are one run."""
        for schedule in self._schedules:
            due = schedule.due_ms
            if due is not None and due <= now_ms:
                schedule.due_ms = schedule.timetable.next_after(now_ms)
                self._run(schedule, schedule.event(due))

    def skip(self, now_ms: int) -> None:
        """Move every due time past `now_ms`."""
        for schedule in self._schedules:
            schedule.due_ms = schedule.timetable.next_after(now_ms)

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
