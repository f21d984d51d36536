"""Kills processes between writes and throttles tables, at moments drawn from the seed.

Nothing is sabotaged while a request is under way that its program could not repeat in time: what the platform has no
trace of, because the process died before its first write, it cannot make good by itself. Timers, the relay and the
scoring may be hit at any moment.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rehearsal.harm import hook
from rehearsal.harm.crashes import Crashes
from rehearsal.moments import SECOND, Millis
from rehearsal.play.wire import Ask

MARGIN: Final[Millis] = 5 * SECOND
_ASKED: Final = ("dispatch.api", "submit.api", "dispatch.socket", "dispatch.push", "submit.submissions")
_UNASKED: Final = ("dispatch.minute_timer", "score.worker", "score.relay", "score.submission_worker", "shadow.job")
Writes = Mapping[str, tuple[str, ...]]
WRITES: Final[Writes] = {
    "dispatch.api": ("FILE", "STATE", "RELEASE", "SEEN"),
    "submit.api": ("ANSWER", "FILE", "RECEIPT", "OUTBOX", "SEEN"),
    "dispatch.socket": ("CONNECTION", "FILE", "RECEIPT", "PUSHED"),
    "dispatch.push": ("FILE", "PUSHED"),
    "dispatch.minute_timer": ("RELEASE", "STATE", "OUTBOX", "reports", "runs", "queue"),
    "score.worker": ("SCORE", "OUTBOX"),
    "score.relay": ("queue",),
}
"""Writes of each function in a final of essays, by their names in :mod:`hook`."""
_KILLS: Final = (hook.DIE_BEFORE, hook.DIE_AFTER)
_THROTTLES: Final = (hook.THROTTLE,)
_MET: Final = 4
"""A write that was hit counts as much as so many that were tried in vain."""


class NoSaboteur:
    """A saboteur that does nothing."""

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """Do nothing."""

    def after(self) -> None:
        """Do nothing."""


class Sabotage:
    """``kill`` and ``throttle`` are chances of each at a moment with requests; ``writes`` are what may be hit of each
    function."""

    def __init__(
        self,
        crashes: Crashes,
        seed: int,
        injected: Callable[..., Any],
        *,
        kill: float,
        throttle: float,
        writes: Writes = WRITES,
    ) -> None:
        self._crashes = crashes
        self._chance = random.Random(f"{seed}/sabotage")  # noqa: S311 - reproducible, nothing secret
        self._injected = injected
        self._odds = (kill, throttle)
        self._writes = writes
        self._waiting: dict[str, dict[str, Any]] = {}
        self._uses: Counter[tuple[str, str, str]] = Counter()

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """Prepare a deed for these requests, or for the functions behind them, by chance."""
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
        self._plan(*self._least_used(_UNASKED if behind else _ASKED, _KILLS if luck < kill else _THROTTLES))

    def _least_used(self, handlers: Sequence[str], deeds: Sequence[str]) -> tuple[str, str, str]:
        """Return the function and its write that were hit the least, so that in time each is hit.

        One that is never met, because nobody comes there, must not keep the others waiting: trying counts a little.
        """
        possible = [
            (handler, f"write:{kind}", deed)
            for handler in handlers
            for kind in self._writes.get(handler, ())
            for deed in deeds
        ]
        self._chance.shuffle(possible)
        chosen = min(possible, key=self._uses.__getitem__)
        self._uses[chosen] += 1
        return chosen

    def _plan(self, handler: str, point: str, deed: str) -> None:
        name = self._crashes.plan(point, deed, handler=handler)
        self._waiting[name] = {"handler": handler, "point": point, "deed": deed}

    def after(self) -> None:
        """Take back the requests' plans that no process met; plans for timers and scoring stay."""
        for name, plan in list(self._waiting.items()):
            if plan["handler"] in _UNASKED and (self._crashes.waits(name)):
                continue
            del self._waiting[name]
            self._settle(name, plan)

    def stop(self) -> None:
        """End all sabotage."""
        self._odds = (0.0, 0.0)
        for name, plan in self._waiting.items():
            self._settle(name, plan)
        self._waiting.clear()

    def _settle(self, name: str, plan: dict[str, Any]) -> None:
        """Take a plan back, or record that a process has met it."""
        if self._crashes.forget(name):
            return
        self._uses[plan["handler"], plan["point"], plan["deed"]] += _MET
        self._injected("throttled" if plan["deed"] == hook.THROTTLE else "killed", **plan)
