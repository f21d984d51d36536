"""Latency: one process waits at one of its writes until the clock has been moved on, or has run on.

So the platform takes seconds of a program's time, as it would with a cold start or a slow table. On a driven clock the
machine's own slowness still takes none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from local.clock import Clock
from local.rehearsal.harm.crashes import Crashes
from local.rehearsal.harm.hook import STALL
from local.rehearsal.moments import SECOND, Millis

_LOOK_AGAIN_S: Final = 0.005


class Stalls:
    """Lets processes of a sabotaged copy wait. ``injected`` hears of each that did."""

    def __init__(self, crashes: Crashes, clock: Clock, injected: Callable[..., None]) -> None:
        self._crashes = crashes
        self._clock = clock
        self._injected = injected

    @contextmanager
    def at(self, point: str, handler: str, millis: Millis) -> Iterator[None]:
        """Let the first process of a handler that comes to a write before the context ends wait there for so long, by
        the clock. One that is driven nobody else may move meanwhile."""
        plan, over = self._crashes.plan(point, STALL, handler=handler), threading.Event()
        mover = threading.Thread(target=self._move, args=(point, millis, over))
        mover.start()
        try:
            yield
        finally:
            over.set()
            mover.join()
            self._crashes.forget(plan)

    def _move(self, point: str, millis: Millis, over: threading.Event) -> None:
        while not self._crashes.stalls():
            if over.wait(_LOOK_AGAIN_S):
                return
        if self._clock.state.held_ms is None:
            threading.Event().wait(millis / SECOND)
        else:
            self._clock.advance(millis / SECOND)
        self._injected("stalled", point=point, millis=millis)
        self._crashes.go_on()
