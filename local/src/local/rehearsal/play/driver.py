"""Virtual time: everything due at one moment is done at once, then the clock goes to the next moment with work.

A play is a generator that yields steps and is given the replies. The clock stands while requests are under way, so
that a slow machine makes nobody late. On a clock that runs (a rehearsal to be joined by a program of flesh and blood)
the same plays sleep until their moments instead.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final, Protocol

from local.rehearsal.moments import Millis
from local.rehearsal.play.wire import Ask, Reply

_THREADS: Final = 64
_LOOK_AGAIN_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """Requests that a play makes at once, not before a moment; none where it only waits for it."""

    at: Millis
    asks: tuple[Ask, ...]


Play = Generator[Step, Sequence[Reply], None]


class Actor(Protocol):
    """Whose play it is: makes the requests."""

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""


class Guest(Protocol):
    """A real program among the simulated ones, in a thread of its own, on the same clock."""

    def settle(self) -> Millis | None:
        """Wait until it sleeps; when it is to be woken. None once it has ended."""

    def wake(self, now: Millis) -> None:
        """Let it go on if its moment has come."""


class Pace(Protocol):
    """How moments are reached."""

    driven: bool

    def now(self) -> Millis:
        """The time."""

    def reach(self, moment: Millis, begun: Callable[[], int]) -> None:
        """Return when it is this moment, at the earliest; ``begun`` tells how many requests are under way."""


class Saboteur(Protocol):
    """Hears of what is about to happen, and may interfere."""

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """These requests are about to be made."""

    def after(self) -> None:
        """They were answered."""


@dataclass(frozen=True, slots=True)
class _Due:
    actor: Actor
    play: Play
    step: Step


class Driver:
    """Runs plays to their ends. Plays may spawn others while they run; all of them run on the caller's thread.

    ``told`` hears of every moment that was reached.
    """

    def __init__(
        self, pace: Pace, saboteur: Saboteur, told: Callable[[Millis], None], guests: Sequence[Guest] = ()
    ) -> None:
        self._pace = pace
        self._told = told
        self._saboteur = saboteur
        self._guests = guests
        self._order = itertools.count()
        self._due: list[tuple[Millis, int, _Due]] = []
        self._running: dict[Future[Sequence[Reply]], _Due] = {}
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="teams")
        # What one play asks besides its first request: apart, since a play's thread waits for it.
        self._twins = ThreadPoolExecutor(_THREADS, thread_name_prefix="twins")

    def spawn(self, actor: Actor, play: Play) -> None:
        """Begin a play."""
        self._push(actor, play, None)

    def run(self, until: Millis) -> None:
        """Play until a moment; what is due later stays undone. What a play raises is raised here."""
        try:
            if self._pace.driven:
                self._driven(until)
            else:
                self._running_clock(until)
        finally:
            for pool in (self._pool, self._twins):
                pool.shutdown(wait=True, cancel_futures=True)

    def _driven(self, until: Millis) -> None:
        while (moment := self._next_moment()) is not None and moment <= until:
            if moment > self._pace.now():
                self._pace.reach(moment, lambda: 0)
            now = self._pace.now()
            self._told(now)
            batch = self._taken(now)
            self._saboteur.before(now, [ask for due in batch for ask in due.step.asks])
            for guest in self._guests:
                guest.wake(now)
            self._start(batch)
            for guest in self._guests:
                guest.settle()
            self._finish(list(self._running))
            self._saboteur.after()
        self._pace.reach(until, lambda: 0)

    def _running_clock(self, until: Millis) -> None:
        while self._due or self._running:
            now = self._pace.now()
            if now > until:
                return
            self._told(now)
            batch = self._taken(now)
            self._saboteur.before(now, [ask for due in batch for ask in due.step.asks])
            self._start(batch)
            left_s = max(0.0, (self._due[0][0] - self._pace.now()) / 1000) if self._due else _LOOK_AGAIN_S
            if self._running:
                done, _ = wait(self._running, timeout=left_s, return_when=FIRST_COMPLETED)
                self._finish(list(done))
            else:
                self._pace.reach(self._due[0][0], lambda: 0)
        self._pace.reach(until, lambda: 0)  # a program that joined may still be at work

    def _next_moment(self) -> Millis | None:
        moments = [self._due[0][0]] if self._due else []
        moments += [moment for guest in self._guests if (moment := guest.settle()) is not None]
        return min(moments, default=None)

    def _taken(self, now: Millis) -> list[_Due]:
        batch = []
        while self._due and self._due[0][0] <= now:
            batch.append(heapq.heappop(self._due)[2])
        return batch

    def _start(self, batch: Sequence[_Due]) -> None:
        for due in batch:
            self._running[self._pool.submit(self._made, due)] = due

    def _made(self, due: _Due) -> Sequence[Reply]:
        if not due.step.asks:
            return ()
        first, *rest = due.step.asks
        others = [self._twins.submit(due.actor.ask, ask) for ask in rest]
        return [due.actor.ask(first), *(each.result() for each in others)]

    def _finish(self, futures: Sequence[Future[Sequence[Reply]]]) -> None:
        for future in futures:
            replies, due = future.result(), self._running.pop(future)
            self._push(due.actor, due.play, replies)

    def _push(self, actor: Actor, play: Play, replies: Sequence[Reply] | None) -> None:
        try:
            step = next(play) if replies is None else play.send(replies)
        except StopIteration:
            return
        heapq.heappush(self._due, (step.at, next(self._order), _Due(actor, play, step)))
