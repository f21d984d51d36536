"""Kills processes between writes and throttles tables, at moments drawn from the seed.

Nothing is sabotaged while a request is under way that its program could not repeat in time: what the platform has no
trace of, because the process died before its first write, it cannot make good by itself. Timers, the relay and the
scoring may be hit at any moment.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from local.rehearsal import hook
from local.rehearsal.crashes import Crashes
from local.rehearsal.moments import SECOND, Millis
from local.rehearsal.wire import Ask

MARGIN: Final[Millis] = 5 * SECOND
_ASKED: Final = ("dispatch.api", "submit.api")
_UNASKED: Final = ("dispatch.minute", "score.worker", "score.relay")
_WRITES: Final[Mapping[str, tuple[str, ...]]] = {
    "dispatch.api": ("ASKED", "FILE", "STATE", "RELEASE", "SEEN"),
    "submit.api": ("ARRIVED", "answers", "FILE", "RECEIPT", "OUTBOX", "SEEN"),
    "dispatch.minute": ("RELEASE", "STATE", "OUTBOX", "reports", "runs", "queue"),
    "score.worker": ("SCORE", "OUTBOX"),
    "score.relay": ("queue",),
}
"""Writes of each function, by their names in :mod:`hook`."""


class NoSaboteur:
    """Lets everything pass."""

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """Do nothing."""

    def after(self) -> None:
        """Do nothing."""


class Sabotage:
    """``kill`` and ``throttle`` are chances of each at a moment with requests."""

    def __init__(
        self, crashes: Crashes, seed: int, injected: Callable[..., Any], *, kill: float, throttle: float
    ) -> None:
        self._crashes = crashes
        self._chance = random.Random(f"{seed}/sabotage")  # noqa: S311 - reproducible, nothing secret
        self._injected = injected
        self._odds = (kill, throttle)
        self._waiting: dict[str, dict[str, Any]] = {}

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """Perhaps prepare something for these requests, or for what works behind them."""
        for ask in asks:
            if ask.dies_at is not None:
                handler, point = ask.dies_at
                self._plan(handler, point, hook.DIE_BEFORE)
                return
        kill, throttle = self._odds
        luck = self._chance.random()
        behind = self._chance.random() < 0.3
        safe = bool(asks) and all(ask.due is None or ask.due - now >= MARGIN for ask in asks)
        if luck >= kill + throttle or not (safe or behind):
            return
        handler = self._chance.choice(_UNASKED if behind else _ASKED)
        deed = self._chance.choice((hook.DIE_BEFORE, hook.DIE_AFTER)) if luck < kill else hook.THROTTLE
        self._plan(handler, f"write:{self._chance.choice(_WRITES[handler])}", deed)

    def _plan(self, handler: str, point: str, deed: str) -> None:
        name = self._crashes.plan(point, deed, handler=handler)
        self._waiting[name] = {"handler": handler, "point": point, "deed": deed}

    def after(self) -> None:
        """Take back what nobody met of the requests; what lies in wait for timers and scoring may wait on."""
        for name, plan in list(self._waiting.items()):
            if plan["handler"] in _UNASKED and (self._crashes.waits(name)):
                continue
            del self._waiting[name]
            if not self._crashes.forget(name):
                self._injected("killed" if plan["deed"] != hook.THROTTLE else "throttled", **plan)

    def stop(self) -> None:
        """Let everything pass from now on."""
        self._odds = (0.0, 0.0)
        for name, plan in self._waiting.items():
            if not self._crashes.forget(name):
                self._injected("killed" if plan["deed"] != hook.THROTTLE else "throttled", **plan)
        self._waiting.clear()
