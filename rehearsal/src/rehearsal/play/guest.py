"""A real program among the simulated teams: the kit's own runner with the participant's solver, on virtual time.

Its sleeps are virtual; the real seconds that its solver works are charged as virtual ones. So a final takes as long as
the solving, and a step that is late in the rehearsal would have been late in the contest.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from local.clock import monotonic_s
from markup_core.reading.validation import dump, load
from markup_core.receipt import canonical_bytes, sha256_hex
from pku.errors import PkuError
from pku.wire.answers import Order
from pku.wire.exchange import Exchange
from pku.work.journal import Journals
from pku.work.runner import Outcome, run
from pku.work.sessions import start
from pku.work.solvers import Solver, Task
from rehearsal.history import Call, History
from rehearsal.moments import SECOND, Millis
from rehearsal.play.driver import DrivenClock
from rehearsal.play.injections import Fault
from rehearsal.play.wire import Ask, answered, begun

Json = Any
_WHAT: Final = (
    (re.compile(r".*/files/(\d+)/answer"), "PUT", "answer"),
    (re.compile(r".*/files/(\d+)"), "GET", "file"),
    (re.compile(r".*/v1/sessions"), "POST", "open"),
)
_LOST: Final = 0.06  # share of a program's requests, and as much of its answers, that disconnects lose


class ChargedSolver:
    """A solver whose real working time passes in virtual time too."""

    def __init__(self, solver: Solver, clock: DrivenClock) -> None:
        self._solver, self._clock = solver, clock

    def solve(self, task: Task) -> Json:
        began = monotonic_s()
        try:
            return self._solver.solve(task)
        finally:
            self._clock.sleep(monotonic_s() - began)

    def stop(self) -> None:
        self._solver.stop()


class RecordedTransport(httpx.BaseTransport):
    """Records a program's calls as those of a team, and loses some of them where disconnects are injected."""

    def __init__(
        self, team: str, history: History, now: Callable[[], Millis], seed: int, faults: frozenset[Fault]
    ) -> None:
        self._team, self._history, self._now = team, history, now
        self._chance = random.Random(f"{seed}/program")  # noqa: S311 - reproducible, nothing secret
        self._loses = _LOST if Fault.DISCONNECTS in faults else 0.0
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Make the call, unless it is lost before; lose the answer, unless it is seen."""
        luck = self._chance.random()
        call = self._call(request, reached=luck >= self._loses)
        answer_seen = luck >= 2 * self._loses
        if not (call.reached and answer_seen):
            what = "lost_answer" if call.reached else "lost_request"
            self._history.add("injected", what=what, team=self._team, number=call.number, now=call.sent_at)
        response = self._inner.handle_request(request) if call.reached else None
        if response is not None:
            response.read()
        self._history.called(answered(call, self._now(), response, answer_seen=answer_seen))
        if response is None or not answer_seen:
            raise (httpx.ReadError if call.reached else httpx.ConnectError)("the rehearsal lost this", request=request)
        return response

    def close(self) -> None:
        self._inner.close()

    def _call(self, request: httpx.Request, *, reached: bool) -> Call:
        what, number = "other", None
        for pattern, method, kind in _WHAT:
            if method == request.method and (match := pattern.fullmatch(request.url.path)):
                what, number = kind, int(match[1]) if match.groups() else None
                break
        body = request.content or None
        digest = _digest(body) if what == "answer" and body else None
        key = request.headers.get("Idempotency-Key")
        # Without its path: a program of somebody's own is not read along with.
        ask = Ask(what, request.method, "", number, body, key, digest, reached=reached)
        return begun(self._history, self._team, ask, self._now())


@dataclass(frozen=True, slots=True)
class Entry:
    """The settings of the program's participation."""

    team: str
    token: str
    url: str
    order: Order
    joins_at: Millis
    journals: Path


class Program(DrivenClock):
    """The program's thread; ``outcome`` or ``error`` is its result."""

    def __init__(
        self, entry: Entry, solver: Solver, now: Callable[[], Millis], transport: httpx.BaseTransport, language: str
    ) -> None:
        super().__init__(now)
        self.session_id = ""
        self.outcome: Outcome | None = None
        self.error: str | None = None
        self._entry, self._solver, self._transport, self._language = entry, solver, transport, language
        threading.Thread(target=self._run, name="program", daemon=True).start()

    def _run(self) -> None:
        entry, language = self._entry, self._language
        try:
            self.sleep(entry.joins_at / SECOND - self.now())
            with Exchange(entry.url, entry.token, transport=self._transport, clock=self, language=language) as exchange:
                session, journal = start(exchange, Journals(entry.journals), entry.order)
                self.session_id = session.session_id
                self.outcome = run(exchange, journal, ChargedSolver(self._solver, self))
        except PkuError as error:
            self.error = error.text(language)
        finally:
            self.end()


def _digest(body: bytes) -> str | None:
    """Return the hash of the canonical answer; None for a markup with faults, which the kit never sends."""
    try:
        return sha256_hex(canonical_bytes(dump(load(json.loads(body)))))
    except ValueError:
        return None
