"""Lose workers' messages for good: records of answers on their stream, messages of answers, steps, pushes.

What is lost never comes again by itself: nobody but the minute timer can find it. Of an answer its record or its first
message is lost, never both, and no step is lost twice in a row: the platform promises to find what was lost within two
minutes, not to outlast whoever loses everything. What somebody has asked for by hand is not lost: no timer finds that,
who asked does, and asks again. One file is pushed to nobody: that is for no timer to find, it is the platform's fault,
and has to be called so.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from typing import Final

_SHARE: Final = 0.15
"""Usual share of the answers, and of the steps towards record and board, that are lost once."""
_RELAY, _SCORE, _SETTLE, _JUDGE = "FunctionsRelay", "FunctionsScore", "FunctionsSettle", "FunctionsSubmissionWorker"
_PUSH: Final = "FunctionsPush"
_DIGEST: Final = re.compile(r"\b[0-9a-f]{64}\b")


class Losses:
    """``share`` of what may be lost is lost. Answers are drawn by their digests, tasks by their runs: they hold drawn
    names, so of few answers none may be lost, but for a share of 1. ``unpushed``: the file of which every push is
    lost, if any."""

    def __init__(self, seed: int, share: float | None, unpushed: int | None, injected: Callable[..., None]) -> None:
        self._seed = seed
        self._unpushed = unpushed
        self._share = _SHARE if share is None else share
        self._injected = injected
        self._lock = threading.Lock()
        self._chance = random.Random(f"{seed}/steps")  # noqa: S311 - reproducible, nothing secret
        self._jobs: set[str] = set()
        self._steps: set[str] = set()

    def takes(self, source: str, text: str) -> bool:
        """Return whether a message or record of a source is lost now (see :data:`local.faults.Lost`)."""
        with self._lock:
            if source.startswith(_RELAY):
                digest = _digest(text)
                lost = self._loser(digest) == _RELAY
                if lost:
                    self._injected("record_lost", answer=digest)
                return lost
            if source.startswith(_SCORE):
                return self._takes_job(text)
            if source.startswith(_JUDGE):
                return self._takes_task(text)
            if source.startswith(_PUSH):
                return self._takes_push(text)
            return source.startswith(_SETTLE) and self._takes_step(text)

    def _takes_job(self, text: str) -> bool:
        """Lose an answer's first message alone; the one that the timer sends again comes through."""
        digest = _digest(text)
        lost = text not in self._jobs and self._loser(digest) == _SCORE
        self._jobs.add(text)
        if lost:
            self._injected("job_lost", answer=digest)
        return lost

    def _takes_step(self, text: str) -> bool:
        step = json.loads(text)
        if step.get("errand_id"):
            return False
        if text in self._steps:
            self._steps.remove(text)
            return False
        if self._chance.random() >= self._share:
            return False
        self._steps.add(text)
        self._injected("step_lost", run=step["run_id"], session=step["session_id"])
        return True

    def _takes_task(self, text: str) -> bool:
        """Lose the first message of a submission, or of a run's end; the timer sends it again."""
        run = str(json.loads(text)["run"])
        is_first, luck = run not in self._jobs, random.Random(f"{self._seed}/{run}").random()  # noqa: S311
        self._jobs.add(run)
        lost = is_first and luck < self._share
        if lost:
            self._injected("task_lost", run=run)
        return lost

    def _takes_push(self, text: str) -> bool:
        push = json.loads(text)
        lost = bool(push["kind"] == "file" and push["number"] == self._unpushed)
        if lost:
            self._injected("push_lost", session=push["session_id"], number=push["number"])
        return lost

    def _loser(self, digest: str) -> str | None:
        """Return the function before which an answer is lost; None for one that comes through."""
        luck = random.Random(f"{self._seed}/losses/{digest}").random()  # noqa: S311 - reproducible, nothing secret
        if luck >= self._share:
            return None
        return _RELAY if luck < self._share / 2 else _SCORE


def _digest(text: str) -> str:
    """Return the SHA-256 of the answer that a record or message names; empty without one."""
    match = _DIGEST.search(text)
    return match[0] if match is not None else ""
