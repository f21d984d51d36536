"""Virtual time: plays, the moments at which they act, and the way to reach these moments; requests one after the other.

A play is a generator that yields steps and is given the replies. Everything due at one moment is done at once; the
clock stands while requests are under way, so that a slow machine makes nobody late. On a clock that runs (a rehearsal
to be joined by a real program) the same plays sleep until their moments instead.
"""

from __future__ import annotations

import heapq
import itertools
import json
import random
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from local.cloud import FunctionError, LocalCloud
from pku.config import Clock
from rehearsal.history import MINUTE, QUALIFYING, SECOND, Millis, to_text
from rehearsal.play.wire import Ask, Caller, Reply, Wire

Json = Any
_THREADS: Final = 64
_LOOK_AGAIN_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """Requests that a play makes at once, not before a moment; none where it only waits for it."""

    at: Millis
    asks: tuple[Ask, ...]


Play = Generator[Step, Sequence[Reply], None]


class Actor(Protocol):
    """The player of a play: it makes the requests."""

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""


class DrivenClock(Clock):
    """The kit's clock on the rehearsal's, of a real program in a thread of its own among the simulated ones: its sleep
    ends when the driver has brought the moment."""

    def __init__(self, now: Callable[[], Millis]) -> None:
        self._now = now
        self._changed = threading.Condition()
        self._wakes_at: Millis | None = None
        self._ended = False

    def now(self) -> float:
        return self._now() / SECOND

    def sleep(self, seconds: float) -> None:
        """Sleep in virtual time; less than a millisecond is not at all."""
        wait = -(-seconds * SECOND // 1)
        if wait < 1:
            return
        with self._changed:
            self._wakes_at = self._now() + int(wait)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._wakes_at is None)

    def settle(self) -> Millis | None:
        """Wait until it sleeps; return when it is to be woken, None once it has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._wakes_at is not None)
            return self._wakes_at

    def wake(self, now: Millis) -> None:
        """Wake it if its moment has come."""
        with self._changed:
            if self._wakes_at is not None and self._wakes_at <= now:
                self._wakes_at = None
                self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._wakes_at = None
            self._changed.notify_all()


class Saboteur(Protocol):
    """An observer of coming requests that may interfere with them."""

    def before(self, now: Millis, asks: Sequence[Ask]) -> None:
        """Take notice of requests that are about to be made."""

    def after(self) -> None:
        """Take notice of requests that were answered."""


@dataclass(frozen=True, slots=True)
class _Due:
    actor: Actor
    play: Play
    step: Step


class Driver:
    """Runs plays to their ends. Plays may spawn others while they run; all of them run on the caller's thread.

    ``on_moment`` hears of every moment that was reached.
    """

    def __init__(
        self,
        pace: Pace,
        saboteur: Saboteur | None,
        on_moment: Callable[[Millis], None],
        guests: Sequence[DrivenClock] = (),
    ) -> None:
        self._pace, self._on_moment, self._saboteur, self._guests = pace, on_moment, saboteur, guests
        self._order = itertools.count()
        self._due: list[tuple[Millis, int, _Due]] = []
        self._running: dict[Future[Sequence[Reply]], _Due] = {}
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="teams")
        # What one play asks besides its first request: apart, since a play's thread waits for it.
        self._twins = ThreadPoolExecutor(_THREADS, thread_name_prefix="twins")

    def spawn(self, actor: Actor, play: Play, replies: Sequence[Reply] | None = None) -> None:
        """Begin a play; with ``replies`` go on with one."""
        try:
            step = next(play) if replies is None else play.send(replies)
        except StopIteration:
            return
        heapq.heappush(self._due, (step.at, next(self._order), _Due(actor, play, step)))

    def run(self, until: Millis) -> None:
        """Play until a moment; later steps stay undone. A play's exception is raised here."""
        try:
            if self._pace.driven:
                self._driven(until)
            else:
                self._running_clock(until)
        finally:
            for pool in (self._pool, self._twins):
                pool.shutdown(wait=True, cancel_futures=True)

    def _driven(self, until: Millis) -> None:
        while True:
            moments = [self._due[0][0]] if self._due else []
            moments += [moment for guest in self._guests if (moment := guest.settle()) is not None]
            if (moment := min(moments, default=until + 1)) > until:
                break
            if moment > self._pace.now():
                self._pace.reach(moment)
            now = self._pace.now()
            self._start(now)
            for guest in self._guests:
                guest.wake(now)
            for guest in self._guests:
                guest.settle()
            self._finish(list(self._running))
            if self._saboteur is not None:
                self._saboteur.after()
        self._pace.reach(until)

    def _running_clock(self, until: Millis) -> None:
        while (self._due or self._running) and (now := self._pace.now()) <= until:
            self._start(now)
            left_s = max(0.0, (self._due[0][0] - self._pace.now()) / SECOND) if self._due else _LOOK_AGAIN_S
            if self._running:
                self._finish(list(wait(self._running, timeout=left_s, return_when=FIRST_COMPLETED)[0]))
            else:
                self._pace.reach(self._due[0][0])
        self._pace.reach(until)  # a program that joined may still be at work

    def _start(self, now: Millis) -> None:
        self._on_moment(now)
        batch = []
        while self._due and self._due[0][0] <= now:
            batch.append(heapq.heappop(self._due)[2])
        if self._saboteur is not None:
            self._saboteur.before(now, [ask for due in batch for ask in due.step.asks])
        self._running |= {self._pool.submit(self._made, due): due for due in batch}

    def _made(self, due: _Due) -> Sequence[Reply]:
        if not due.step.asks:
            return ()
        first, *rest = due.step.asks
        others = [self._twins.submit(due.actor.ask, ask) for ask in rest]
        return [due.actor.ask(first), *(twin.result() for twin in others)]

    def _finish(self, futures: Sequence[Future[Sequence[Reply]]]) -> None:
        for future in futures:
            replies, due = future.result(), self._running.pop(future)
            self.spawn(due.actor, due.play, replies)


AHEAD: Final[Millis] = MINUTE  # time before an opening at which a program decides when it will ask
ASK_AGAIN: Final[Millis] = 10 * SECOND
"""Interval at which programs look again while a run is paused: nobody knows when it will go on."""

Waiting = Generator[Step, Sequence[Reply], Millis]


@dataclass
class News:
    """The decisions known so far. ``since`` is the beginning of a pause whose end is unknown, else None."""

    pauses: list[tuple[Millis, Millis]] = field(default_factory=list)
    since: Millis | None = None
    slots: list[int] = field(default_factory=list)  # places in the plan of the files that replacements have appended


@dataclass(frozen=True, slots=True)
class Timing:
    """The run's schedule as every program knows it from the announcement, and from the news since."""

    run_id: str
    mode: str
    starts_at: Millis
    interval: Millis
    request: Millis
    answer: Millis
    total: Millis
    join: Millis
    files: int
    late: Millis = 1
    """Time from a last moment to a late request; a request of the last moment comes a millisecond less before it."""
    news: News = field(default_factory=News, compare=False)

    @property
    def all_files(self) -> int:
        """Return the files of the run with the appended ones, as far as they are known."""
        return self.files + len(self.news.slots)

    @property
    def ends_at(self) -> Millis:
        """Return the end of the run's last file, by the decisions known."""
        return self.opens_at(self.all_files) + self.total

    @property
    def last_join(self) -> Millis:
        """Return the last moment at which a team may join, or the last opening of a run that is over before it."""
        last = self.starts_at + self.join
        return last if last <= self.ends_at else self.opens_at(self.files)

    def opens_at(self, number: int) -> Millis:
        """Return when a file opens, by the decisions known."""
        slot = number - 1 if number <= self.files else self.news.slots[number - self.files - 1]
        moment = self.starts_at + slot * self.interval
        for start, until in self.news.pauses:
            moment += until - start if moment >= start else 0
        return moment


def coming(timing: Timing, number: int, ahead: Millis = AHEAD) -> Waiting:
    """Wait until shortly before a file's opening, whatever is decided meanwhile; return its opening as then known."""
    moment = timing.opens_at(number) - ahead
    while True:
        yield Step(moment, ())
        opens_at = timing.opens_at(number)
        if timing.news.since is not None and opens_at >= timing.news.since:
            moment += ASK_AGAIN
        elif opens_at - ahead > moment:
            moment = opens_at - ahead
        else:
            return opens_at


_MINUTE_TIMER: Final = "FunctionsMinuteTimer"
_DRAIN_S: Final = 3600.0
"""Longest time, in seconds, for all tasks that a visit of the timer has queued: on a busy machine the recomputation of
200 sessions with 100 files takes minutes."""


class DrivenPace:
    """Moves a held clock. Before and after a tick queues and streams are emptied, so that scoring keeps up with the
    clock, and the timer's tasks are done at the timer's own time, however slow the machine is.

    With ``faulty`` ticks a third is missed, doubled or late, drawn from the seed; with ``twins`` each is doubled, two
    visits at once. ``calm``: queues and streams are emptied before every moment, so that the time of each scoring does
    not depend on the machine.
    """

    driven = True

    def __init__(
        self,
        cloud: LocalCloud,
        seed: int,
        injected: Callable[..., None],
        *,
        faulty: bool,
        calm: bool = False,
        twins: bool = False,
    ) -> None:
        self._calm, self._cloud = calm, cloud
        self._started_at = cloud.clock.now_ms()
        self._chance = random.Random(f"{seed}/ticks")  # noqa: S311 - reproducible, nothing secret
        self._injected, self._faulty = injected, faulty
        self._usual = "tick_doubled" if twins else "on_time"
        self._late: list[tuple[Millis, Millis]] = []

    def now(self) -> Millis:
        return self._cloud.clock.now_ms()

    def reach(self, moment: Millis) -> None:
        if self._calm:
            self._cloud.drain(_DRAIN_S)
        while True:
            # The timer's rate counts from the start of the cloud.
            tick = self._started_at + ((self.now() - self._started_at) // MINUTE + 1) * MINUTE
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
        """End the delays of ticks."""
        self._faulty = False

    def _tick(self, due: Millis) -> None:
        self._cloud.drain(_DRAIN_S)
        fate = self._usual
        if self._faulty:
            fate = self._chance.choice(("on_time",) * 6 + ("tick_missed", "tick_doubled", "tick_late"))
        if fate in {"tick_missed", "tick_doubled"}:
            self._injected(fate, at=to_text(due))
        if fate == "tick_late":
            comes = due + self._chance.randint(5, 55) * SECOND
            self._injected(fate, at=to_text(due), comes=to_text(comes))
            self._late.append((comes, due))
        if fate in {"tick_missed", "tick_late"}:
            self._cloud.clock.jump((due - self.now()) / SECOND)
        else:
            self._move(due)
        if fate == "tick_doubled":
            twins = [threading.Thread(target=self._visit, args=(due,)) for _ in range(2)]
            for twin in twins:
                twin.start()
            for twin in twins:
                twin.join()
        self._cloud.drain(_DRAIN_S)

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
    """Waits on a clock that runs; the platform's timers fire by themselves."""

    driven = False

    def __init__(self, now: Callable[[], Millis]) -> None:
        self.now = now

    def reach(self, moment: Millis) -> None:
        while (left_ms := moment - self.now()) > 0:
            threading.Event().wait(min(left_ms / SECOND, 1.0))


Pace = DrivenPace | RunningPace
REFUSED: Final = (400, 403, 404, 409, 410, 422)
"""Status codes of requests that the rules refuse."""
STEP: Final[Millis] = SECOND // 4  # time between two requests, so that nobody's rate limit is reached
_PATIENCE: Final = 20
_SIGNED_IN: Final[Millis] = 10 * MINUTE  # time for which a staff member uses a token; it is valid for an hour at most
BEFORE, AFTER = "beside_before", "beside_after"
"""Names of public readings of a run beside the final: before its start, and once its results are out."""
MOVED: Final = "moved"  # a decision that moves openings of such a run
Wish = tuple[Actor, Ask]  # a request and its sender


class Person(Caller):
    """A member of the staff, who signs in now and then. ``signed_in`` returns a token."""

    def __init__(self, name: str, wire: Wire, signed_in: Callable[[], str]) -> None:
        super().__init__(name, wire, self._latest)
        self._signed_in = signed_in
        self._signed = ("", 0)

    def _latest(self) -> str:
        """Return the token of the latest sign-in, of a new one where that is old."""
        now = self.wire.now()
        if now >= self._signed[1]:
            self._signed = self._signed_in(), now + _SIGNED_IN
        return self._signed[0]


class Script:
    """Requests in their order, each at its moment; the clock's timers come on the way."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.now = pace.now

    def wait_until(self, moment: Millis) -> None:
        """Wait for a moment; one that is past changes nothing."""
        self._pace.reach(max(moment, self.now()))

    def wait(self, time: Millis) -> None:
        self.wait_until(self.now() + time)

    def look_until(self, who: Actor, what: str, path: str, is_so: Callable[[Reply], bool], at_most: Millis) -> None:
        """Let ``who`` request a route once a minute until a condition holds, for ``at_most`` this time: a later request
        checks the answer by the rules, and fails if the condition never held."""
        last = self.now() + at_most
        while self.now() < last:
            self.wait_until(min(last, self.now() + MINUTE))
            if is_so(self.ask(who, what, f"GET {path}")):
                return

    def ask(self, who: Actor, what: str, way: str, **details: Any) -> Reply:
        """Make a request built by :func:`wish`, a moment after the one before; repeat it if the platform fails."""
        return self.together([wish(who, what, way, **details)])[0]

    def together(self, wishes: Sequence[Wish]) -> list[Reply]:
        """Make requests at one moment, a moment after the one before; ask again where the platform fails."""
        replies: dict[int, Reply] = {}
        unanswered = dict(enumerate(wishes))
        for _ in range(_PATIENCE if wishes else 0):
            self.wait(STEP)
            if len(unanswered) == 1:
                [(place, (who, ask))] = unanswered.items()
                replies[place] = who.ask(ask)
            else:
                with ThreadPoolExecutor(len(unanswered)) as pool:
                    new_replies = pool.map(lambda pending: pending[0].ask(pending[1]), unanswered.values())
                    replies |= zip(unanswered, new_replies, strict=True)
            unanswered = {place: pending for place, pending in unanswered.items() if replies[place].passing}
            if not unanswered:
                break
        return [replies[place] for place in range(len(wishes))]


def wish(
    who: Actor,
    what: str,
    way: str,
    *,
    body: Json = None,
    number: int | None = None,
    status: Sequence[int] = (200,),
    says: Mapping[str, Json] | None = None,
    **means: Json,
) -> Wish:
    """Return somebody's request, ``way`` being its method and path. ``status`` and ``says`` are the answer due by the
    rules: one of these codes, and the values at these places of the answer's object (``run.trial``). ``means`` says
    more of it, for the checker; ``based_on`` in it is also the version on which a change is based."""
    method, _, path = way.partition(" ")
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    due = {"status": list(status), "says": dict(says or {}), **means}
    named = f"{QUALIFYING}{what}"
    return who, Ask(named, method, path, number, content, based_on=means.get("based_on"), means=due)


def is_settled(run: Mapping[str, Json]) -> bool:
    """Return whether a run's results are made, as the run's description says."""
    return bool(run.get("settlement", {}).get("state") == "ready")


def is_over(session: Reply) -> bool:
    """Return whether a session has ended, by the answer to its team."""
    return session.status == 200 and session.body.get("state") != "open"


def is_there(reply: Reply) -> bool:
    """Return whether an object exists that the platform creates in the meantime."""
    return reply.status == 200
