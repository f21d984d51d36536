"""Kills processes between writes and throttles tables, at moments drawn from the seed; loses messages for good.

Nothing is sabotaged while a request is under way that its program could not repeat in time: what the platform has no
trace of, because the process died before its first write, it cannot make good by itself. Timers, the relay and the
scoring may be hit at any moment.
"""

from __future__ import annotations

import json
import random
import re
import threading
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
_MET: Final = 4  # a write that was hit counts as much as so many that were tried in vain


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
        # The function and its write that were hit the least, so that in time each is hit. One that is never met must
        # not keep the others waiting: trying counts a little.
        possible = [
            (handler, f"write:{kind}", deed)
            for handler in (_UNASKED if behind else _ASKED)
            for kind in self._writes.get(handler, ())
            for deed in (_KILLS if luck < kill else _THROTTLES)
        ]
        self._chance.shuffle(possible)
        chosen = min(possible, key=self._uses.__getitem__)
        self._uses[chosen] += 1
        self._plan(*chosen)

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


_SHARE: Final = 0.15  # usual share of the answers, and of the steps towards record and board, that are lost once
_RELAY, _SCORE, _SETTLE, _JUDGE = "FunctionsRelay", "FunctionsScore", "FunctionsSettle", "FunctionsSubmissionWorker"
_PUSH: Final = "FunctionsPush"
_DIGEST: Final = re.compile(r"\b[0-9a-f]{64}\b")


class Losses:
    """Loses workers' messages for good: records of answers on their stream, messages of answers, steps, pushes.

    What is lost never comes again by itself: nobody but the minute timer can find it. Of an answer its record or its
    first message is lost, never both, and no step is lost twice in a row: the platform promises to find what was lost
    within two minutes, not to outlast whoever loses everything. What somebody has asked for by hand is not lost: who
    asked asks again. One file is pushed to nobody: that is the platform's fault, and has to be called so.

    ``share`` of what may be lost is lost. Answers are drawn by their digests, tasks by their runs: they hold drawn
    names, so of few answers none may be lost, but for a share of 1. ``unpushed``: the file of which every push is
    lost, if any."""

    def __init__(self, seed: int, share: float | None, unpushed: int | None, injected: Callable[..., None]) -> None:
        self._seed, self._unpushed, self._injected = seed, unpushed, injected
        self._share = _SHARE if share is None else share
        self._lock = threading.Lock()
        self._chance = random.Random(f"{seed}/steps")  # noqa: S311 - reproducible, nothing secret
        self._jobs: set[str] = set()
        self._steps: set[str] = set()

    def takes(self, source: str, text: str) -> bool:
        """Return whether a message or record of a source is lost now (see :data:`local.lambdas.pump.Lost`)."""
        with self._lock:
            if source.startswith(_RELAY):
                return self._lose(self._loser(_digest(text)) == _RELAY, "record_lost", answer=_digest(text))
            if source.startswith(_SCORE):  # an answer's first message alone; what the timer sends again comes through
                is_lost = text not in self._jobs and self._loser(_digest(text)) == _SCORE
                self._jobs.add(text)
                return self._lose(is_lost, "job_lost", answer=_digest(text))
            if source.startswith(_JUDGE):  # the first message of a submission, or of a run's end
                run = str(json.loads(text)["run"])
                luck = random.Random(f"{self._seed}/{run}").random()  # noqa: S311 - reproducible, nothing secret
                is_lost = run not in self._jobs and luck < self._share
                self._jobs.add(run)
                return self._lose(is_lost, "task_lost", run=run)
            if source.startswith(_PUSH):
                push = json.loads(text)
                is_lost = push["kind"] == "file" and push["number"] == self._unpushed
                return self._lose(is_lost, "push_lost", session=push["session_id"], number=push["number"])
            return source.startswith(_SETTLE) and self._takes_step(text)

    def _lose(self, is_lost: bool, what: str, **where: Any) -> bool:
        if is_lost:
            self._injected(what, **where)
        return is_lost

    def _takes_step(self, text: str) -> bool:
        step = json.loads(text)
        if step.get("errand_id"):
            return False
        if text in self._steps:
            self._steps.remove(text)
            return False
        is_lost = self._chance.random() < self._share
        self._steps |= {text} if is_lost else set()
        return self._lose(is_lost, "step_lost", run=step["run_id"], session=step["session_id"])

    def _loser(self, digest: str) -> str | None:
        """Return the function before which an answer is lost; None for one that comes through."""
        luck = random.Random(f"{self._seed}/losses/{digest}").random()  # noqa: S311 - reproducible, nothing secret
        return None if luck >= self._share else _RELAY if luck < self._share / 2 else _SCORE


def _digest(text: str) -> str:
    """Return the SHA-256 of the answer that a record or message names; empty without one."""
    match = _DIGEST.search(text)
    return match[0] if match is not None else ""
