"""Organizers who decide while the run goes on: a pause, a ruling, a void that they take back, a replacement.

Everything falls around one file in the second half, so that what came before and what comes after are played, too. What
they ordered is part of the history, with the moment of it: by that the checker knows what every file's times and fate
have to be since (D 6.16, 8.12).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final

from local.rehearsal.history import ORGANIZERS, History
from local.rehearsal.moments import SECOND, Millis, from_text
from local.rehearsal.play.announced import Timing
from local.rehearsal.play.driver import Play, Step
from local.rehearsal.play.teams import insist
from local.rehearsal.play.wire import Ask, Reply, Wire

Json = Any
DECIDE: Final = "decide"
LOOK: Final = "look_at_the_run"
_LOOKED: Final[Millis] = 5 * SECOND
"""So long after the last decision somebody looks at what everybody is told of them: each process knows them then."""
FEWEST: Final = 3
"""Files of the shortest run in which they decide: one before the pause, one that it moves, one to be voided."""
_PAUSED_BEFORE: Final[Millis] = 10 * SECOND
_RULED, _VOIDED, _UNDONE, _REPLACED, _RESUMED = (each * SECOND for each in (12, 14, 15, 18, 20))
"""When they decide, counted from the moment at which the file was to open."""
_LONGEST: Final[Millis] = 2 * 60 * SECOND
"""How much longer the run takes for all of it, beside the appended file."""
RULED: Final = 2
"""The file that the team which joined too late for it is given back."""
CAUSE: Final = "platform"


def halfway(files: int) -> int:
    """The file at whose opening they decide."""
    return files // 2 + 1


def lasts_longer(timing: Timing) -> Millis:
    """By how much a run with their decisions ends later than it was planned, at most."""
    return _LONGEST + max(timing.interval, _LONGEST)


class Organizers:
    """The people who decide, an :class:`local.rehearsal.play.driver.Actor`. ``signed_in`` gives a token."""

    def __init__(self, wire: Wire, signed_in: Callable[[], str]) -> None:
        self._wire = wire
        self._signed_in = signed_in

    def ask(self, ask: Ask) -> Reply:
        """Make one request, signed in anew."""
        return self._wire.call(ORGANIZERS, self._signed_in(), ask)


class Decisions:
    """Their play in one run. ``late`` is the team that comes too late for the file :data:`RULED`."""

    def __init__(self, timing: Timing, history: History, late: str) -> None:
        self._timing = timing
        self._history = history
        self._late = late

    def play(self) -> Play:
        """Decide, one thing after the other."""
        timing, news = self._timing, self._timing.news
        since = timing.opens_at(halfway(timing.files))
        paused = yield from self._decided(since - _PAUSED_BEFORE, "pause")
        news.since = _effective(paused)
        ruling = {"team_id": self._late, "number": RULED, "cause": CAUSE}
        yield from self._decided(since + _RULED, "rule", **ruling)
        voided = yield from self._decided(since + _VOIDED, "void", numbers=[timing.files])
        yield from self._decided(since + _UNDONE, "undo", amendment=int(voided.get("amendment", 1)))
        replaced = yield from self._decided(since + _REPLACED, "replace", numbers=[1])
        if replaced:
            news.slots.append(int(replaced["details"]["slot"]))
        resumed = yield from self._decided(since + _RESUMED, "resume")
        ends = _effective(resumed)
        if news.since is not None and ends is not None:
            news.pauses.append((news.since, ends))
        news.since = None
        yield from self._looked(since + _RESUMED + _LOOKED)

    def _looked(self, at: Millis) -> Play:
        """What everybody is told of the run while it goes on: by that the record is judged."""
        reply = yield from insist(at, Ask(LOOK, "GET", f"/v1/runs/{self._timing.run_id}"))
        if reply.status == 200:
            self._history.add("answer", of="run_during", body=dict(reply.body))

    def _decided(self, at: Millis, kind: str, **wish: Json) -> Generator[Step, Sequence[Reply], Mapping[str, Json]]:
        """Decide at a moment; what the platform says of it, nothing where it refuses."""
        body = json.dumps({"kind": kind, "reason": f"Rehearsed: {kind}", **wish}).encode()
        ask = Ask(DECIDE, "POST", f"/v1/conduct/runs/{self._timing.run_id}/decisions", body=body)
        reply = yield from insist(at, ask)
        told = reply.body if reply.status == 200 else {}
        self._history.add("decided", at=reply.at, wished=kind, wish=wish, status=reply.status, told=told)
        return told


def _effective(told: Mapping[str, Json]) -> Millis | None:
    return from_text(told["effective_at"]) if "effective_at" in told else None
