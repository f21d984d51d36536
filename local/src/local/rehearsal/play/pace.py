"""How virtual moments are reached: by moving a held clock, ticks of the minute timer on the way, or by waiting."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from local.cloud import FunctionError, LocalCloud
from local.rehearsal.moments import MINUTE, SECOND, Millis, to_text

_MINUTE_TIMER: Final = "FunctionsMinute"
_DRAIN_S: Final = 300.0
_NAP_S: Final = 0.05


class Tick(StrEnum):
    """What becomes of a tick of the minute timer."""

    ON_TIME = "on_time"
    MISSED = "tick_missed"
    DOUBLED = "tick_doubled"
    LATE = "tick_late"


class DrivenPace:
    """Moves a held clock. Before and after a tick queues and streams are emptied, so that scoring keeps up with the
    clock, and what the timer sends for is done at the timer's own time, however slow the machine is.

    With ``faulty`` ticks a third is missed, doubled or late, drawn from the seed. ``calm``: they are emptied before
    every moment, so that what is scored at which moment does not depend on the machine.
    """

    driven = True

    def __init__(
        self, cloud: LocalCloud, seed: int, injected: Callable[..., None], *, faulty: bool, calm: bool = False
    ) -> None:
        self._calm = calm
        self._cloud = cloud
        self._started_at = cloud.clock.now_ms()
        self._chance = random.Random(f"{seed}/ticks")  # noqa: S311 - reproducible, nothing secret
        self._injected = injected
        self._faulty = faulty
        self._late: list[tuple[Millis, Millis]] = []

    def now(self) -> Millis:
        """The held time."""
        return self._cloud.clock.now_ms()

    def reach(self, moment: Millis, begun: Callable[[], int]) -> None:
        """Move the clock there. RuntimeError while requests are under way: the clock stands for them."""
        if begun():
            raise RuntimeError("the clock does not move while requests are under way")
        if self._calm:
            self._cloud.drain(_DRAIN_S)
        while True:
            tick = self._next_tick()
            late_at, due = min(self._late, default=(moment + 1, 0))
            if min(tick, late_at) > moment:
                break
            if late_at < tick:
                self._late.remove((late_at, due))
                self._move(late_at)
                self._visit(due)
                self._cloud.drain(_DRAIN_S)
            else:
                self._tick(tick)
        self._move(moment)

    def heal(self) -> None:
        """Let every tick come on time from now on."""
        self._faulty = False

    def _next_tick(self) -> Millis:
        """The timer's rate counts from the start of the cloud."""
        return self._started_at + ((self.now() - self._started_at) // MINUTE + 1) * MINUTE

    def _tick(self, due: Millis) -> None:
        self._cloud.drain(_DRAIN_S)
        fate = self._fate()
        if fate in {Tick.MISSED, Tick.DOUBLED}:
            self._injected(fate.value, at=to_text(due))
        if fate is Tick.LATE:
            comes = due + self._chance.randint(5, 55) * SECOND
            self._injected(fate.value, at=to_text(due), comes=to_text(comes))
            self._late.append((comes, due))
        if fate in {Tick.MISSED, Tick.LATE}:
            self._cloud.clock.jump((due - self.now()) / SECOND)
        else:
            self._move(due)
        if fate is Tick.DOUBLED:
            twins = [threading.Thread(target=self._visit, args=(due,)) for _ in range(2)]
            for twin in twins:
                twin.start()
            for twin in twins:
                twin.join()
        self._cloud.drain(_DRAIN_S)

    def _fate(self) -> Tick:
        if not self._faulty:
            return Tick.ON_TIME
        return self._chance.choice((Tick.ON_TIME,) * 6 + (Tick.MISSED, Tick.DOUBLED, Tick.LATE))

    def _visit(self, due: Millis) -> None:
        event = {"source": "aws.scheduler", "time": to_text(due)}
        try:
            self._cloud.invoke(_MINUTE_TIMER, event)
        except FunctionError as error:
            self._injected("tick_failed", at=to_text(due), why=str(error).splitlines()[0])

    def _move(self, moment: Millis) -> None:
        if moment > self.now():
            self._cloud.clock.advance((moment - self.now()) / SECOND)


class RunningPace:
    """Waits on a clock that runs; the cloud's timers fire by themselves."""

    driven = False

    def __init__(self, cloud: LocalCloud) -> None:
        self._clock = cloud.clock
        self._never = threading.Event()

    def now(self) -> Millis:
        """The time."""
        return self._clock.now_ms()

    def reach(self, moment: Millis, begun: Callable[[], int]) -> None:
        """Wait until then."""
        del begun
        while (left := moment - self.now()) > 0:
            self._never.wait(min(left / SECOND, 1.0) or _NAP_S)
