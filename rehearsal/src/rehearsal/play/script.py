"""Requests that are played one after the other, or some at once: by teams, and by people of the staff, who sign in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

from rehearsal.history import QUALIFYING
from rehearsal.moments import MINUTE, SECOND, Millis
from rehearsal.play.driver import Pace
from rehearsal.play.wire import Ask, Reply, Wire

Json = Any
REFUSED: Final = (400, 403, 404, 409, 410, 422)
"""What whoever asks for what the rules do not give is answered, in one way or another."""
STEP: Final[Millis] = SECOND // 4
"""Between two requests, so that nobody's rate is met."""
_PATIENCE: Final = 20
_SIGNED_IN: Final[Millis] = 10 * MINUTE
"""So long somebody uses a token of the staff's, which holds for an hour at most."""


BEFORE, AFTER = "beside_before", "beside_after"
"""What everybody may read of a run beside the final before its start, and once its results are out."""
MOVED: Final = "moved"
"""A decision that moves openings of such a run."""


class Asking(Protocol):
    """A maker of requests."""

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""


Wish = tuple[Asking, Ask]
"""A request, and who makes it."""


class Person:
    """Somebody of the staff, who signs in now and then. ``signed_in`` gives a token."""

    def __init__(self, name: str, wire: Wire, signed_in: Callable[[str], str]) -> None:
        self.name = name
        self._wire = wire
        self._signed_in = signed_in
        self._token = ""
        self._until: Millis = 0

    def token(self) -> str:
        """Return the token of the latest sign-in, of a new one where that is old."""
        if self._wire.now() >= self._until:
            self._token, self._until = self._signed_in(self.name), self._wire.now() + _SIGNED_IN
        return self._token

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""
        return self._wire.call(self.name, self.token(), ask)


class Script:
    """Requests in their order, each at its moment; the clock's timers come on the way."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def now(self) -> Millis:
        """Return the time."""
        return self._pace.now()

    def wait_until(self, moment: Millis) -> None:
        """Wait for a moment; one that is past changes nothing."""
        self._pace.reach(max(moment, self.now()), lambda: 0)

    def look_until(self, who: Asking, what: str, path: str, is_so: Callable[[Reply], bool], at_most: Millis) -> None:
        """Let somebody look once a minute whether a condition holds, though not for ever: the rules' answer is asked
        for afterwards, and is wrong then where the condition never held."""
        last = self.now() + at_most
        while self.now() < last:
            self.wait_until(min(last, self.now() + MINUTE))
            if is_so(self.ask(who, what, f"GET {path}")):
                return

    def ask(self, who: Asking, what: str, way: str, **details: Any) -> Reply:
        """Make a request as :func:`wish` tells it, a moment after the one before; what the platform fails is asked
        again."""
        return self.together([wish(who, what, way, **details)])[0]

    def read_run(self, who: Asking, when: str, run_id: str, kind: str) -> None:
        """Read a run's description, with its commitment, so that no other one can be published later."""
        self.ask(who, when, f"GET /v1/runs/{run_id}", run=kind)

    def together(self, wishes: Sequence[Wish]) -> list[Reply]:
        """Make requests at one moment, a moment after the one before; ask again where the platform fails."""
        replies: dict[int, Reply] = {}
        unanswered = dict(enumerate(wishes))
        for _ in range(_PATIENCE):
            if not unanswered:
                break
            self.wait_until(self.now() + STEP)
            if len(unanswered) == 1:
                [(place, (who, ask))] = unanswered.items()
                replies[place] = who.ask(ask)
            else:
                with ThreadPoolExecutor(len(unanswered)) as pool:
                    new_replies = pool.map(lambda pending: pending[0].ask(pending[1]), unanswered.values())
                    replies |= zip(unanswered, new_replies, strict=True)
            unanswered = {place: pending for place, pending in unanswered.items() if replies[place].passing}
        return [replies[place] for place in range(len(wishes))]


def wish(
    who: Asking,
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


def is_settled(run: Reply) -> bool:
    """Return whether a run's results are made, as its organizer is told."""
    return settled(run.body)


def settled(run: Mapping[str, Json]) -> bool:
    """Return whether a run's results are made, as the run's description says."""
    return bool(run.get("settlement", {}).get("state") == "ready")


def is_over(session: Reply) -> bool:
    """Return whether a session has ended, as its team is told."""
    return session.status == 200 and session.body.get("state") != "open"


def is_there(reply: Reply) -> bool:
    """Return whether an object that is made meanwhile exists."""
    return reply.status == 200
