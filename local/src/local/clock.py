"""The local cloud's clock: the system's, shifted or held. The only reader of system time here.

The gateway's request times, schedules, the authorizer's cache and the queues' delays all go by one
`Clock`. Worker processes read it from a file whose path is in `HURDLE_CLOCK_FILE`:

    {"held_ms": int | null, "offset_ms": int, "rate": 1}

A reader takes `held_ms` when it is not null, else its own system time in epoch milliseconds plus
`offset_ms`. `rate` is always 1. The file is replaced as a whole at every change, before the call that
changed the clock returns, so it can be read at any moment and never half-written. Where the variable is not set
(that is, in the cloud) there is no such file and the system's time holds.
"""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

CLOCK_FILE_VARIABLE = "HURDLE_CLOCK_FILE"


def system_ms() -> int:
    """Return the system's time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def monotonic_s() -> float:
    """Return seconds of a clock that never goes back, for time-outs of real work."""
    return time.monotonic()


def utc(epoch_ms: int) -> datetime:
    """Return the moment as an aware UTC `datetime`."""
    return datetime.fromtimestamp(epoch_ms / 1000, UTC)


class ClockState(NamedTuple):
    """The state of a clock: `held_ms` (epoch milliseconds) if held, else the system's time plus `offset_ms`."""

    held_ms: int | None = None
    offset_ms: int = 0

    def now_ms(self) -> int:
        """Return the time this state shows now, in epoch milliseconds."""
        return self.held_ms if self.held_ms is not None else system_ms() + self.offset_ms

    def write(self, path: Path) -> None:
        """Replace the clock file that workers read."""
        fresh, state = f"{path}.new", {"held_ms": self.held_ms, "offset_ms": self.offset_ms, "rate": 1}
        # A rehearsal moves its clock thousands of times: a path and a stream of text would take two thirds of each.
        with open(fresh, "wb", buffering=0) as file:  # noqa: PTH123
            file.write(json.dumps(state).encode())
        os.replace(fresh, path)  # noqa: PTH105


class Timer(Protocol):
    """Something with due times, fired by a held clock that moves past them."""

    def next_due_ms(self) -> int | None:
        """Return the earliest due time, or None when nothing is ever due."""

    def fire(self, now_ms: int) -> None:
        """Run everything due at `now_ms`; return when it has run."""

    def skip(self, now_ms: int) -> None:
        """Drop everything that was due up to `now_ms`."""


class Clock:
    """The clock of one local cloud; it runs with the system's until it is held.

    `Clock(held_ms)` starts held. Listeners hear of every change before the changing call returns.
    """

    def __init__(self, held_ms: int | None = None) -> None:
        self._state = ClockState(held_ms)
        self._listeners: list[Callable[[ClockState], None]] = []
        self._timers: list[Timer] = []
        self.changed = threading.Condition()

    @property
    def state(self) -> ClockState:
        """Return the clock's state, as an immutable value."""
        return self._state

    def now_ms(self) -> int:
        """Return the time in epoch milliseconds."""
        return self._state.now_ms()

    def hold(self, at_ms: int | None = None) -> None:
        """Stop the clock at `at_ms` (at what it shows now when None); timers do not fire for the jump."""
        self._set(ClockState(self.now_ms() if at_ms is None else at_ms))

    def release(self) -> None:
        """Let a held clock run on from the time it shows."""
        self._set(ClockState(offset_ms=self.now_ms() - system_ms()))

    def advance(self, seconds: float) -> None:
        """Move a held clock forward, stopping at every due time on the way to fire the timers.

        Fired work runs to its end before the clock moves on, so that after this call nothing is left
        running. ValueError for a negative step, RuntimeError when the clock is not held.
        """
        target = self._target(seconds)
        while dues := [due for timer in self._timers if (due := timer.next_due_ms()) is not None and due <= target]:
            self._set(ClockState(max(min(dues), self.now_ms())))
            for timer in self._timers:
                timer.fire(self.now_ms())
        self._set(ClockState(target))

    def jump(self, seconds: float) -> None:
        """Move a held clock forward with every timer dead on the way: none fires later."""
        target = self._target(seconds)
        for timer in self._timers:
            timer.skip(target)
        self._set(ClockState(target))

    def listen(self, listener: Callable[[ClockState], None]) -> None:
        """Call `listener` with the state now and at every change."""
        listener(self._state)
        self._listeners.append(listener)

    def add_timer(self, timer: Timer) -> None:
        """Let `advance` fire `timer`."""
        self._timers.append(timer)

    def _target(self, seconds: float) -> int:
        if self._state.held_ms is None:
            raise RuntimeError("a running clock cannot be moved: call hold() first")
        if seconds < 0:
            raise ValueError(f"a clock goes forward, not by {seconds} s")
        return self._state.held_ms + round(seconds * 1000)

    def _set(self, state: ClockState) -> None:
        if state == self._state:
            return
        self._state = state
        for listener in self._listeners:
            listener(state)
        with self.changed:
            self.changed.notify_all()
