"""What is played one request after the other, by whoever it says: teams, and people of the staff who are signed in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from local.rehearsal.history import QUALIFYING
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.driver import Pace
from local.rehearsal.play.wire import Ask, Reply, Wire

Json = Any
REFUSED: Final = (400, 403, 404, 409, 410, 422)
"""What whoever asks for what the rules do not give is answered, in one way or another."""
STEP: Final[Millis] = SECOND // 4
"""Between two requests, so that nobody's rate is met."""
_PATIENCE: Final = 20
_SIGNED_IN: Final[Millis] = 10 * MINUTE
"""So long somebody uses a token of the staff's, which holds for an hour at most."""


class Asking(Protocol):
    """Who makes requests."""

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""


class Person:
    """Somebody of the staff, who signs in now and then. ``signed_in`` gives a token."""

    def __init__(self, name: str, wire: Wire, signed_in: Callable[[str], str]) -> None:
        self.name = name
        self._wire = wire
        self._signed_in = signed_in
        self._token = ""
        self._until: Millis = 0

    def ask(self, ask: Ask) -> Reply:
        """Make one request."""
        if self._wire.now() >= self._until:
            self._token, self._until = self._signed_in(self.name), self._wire.now() + _SIGNED_IN
        return self._wire.call(self.name, self._token, ask)


class Script:
    """Requests in their order, each at its moment; the clock's timers come on the way."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def now(self) -> Millis:
        """The time."""
        return self._pace.now()

    def wait_until(self, moment: Millis) -> None:
        """Let it become a moment; one that is past changes nothing."""
        self._pace.reach(max(moment, self.now()), lambda: 0)

    def ask(
        self,
        who: Asking,
        what: str,
        way: str,
        *,
        body: Json = None,
        number: int | None = None,
        status: Sequence[int] = (200,),
        says: Mapping[str, Json] | None = None,
        **means: Json,
    ) -> Reply:
        """Make a request, ``way`` being its method and path, a moment after the one before; what the platform fails is
        asked again. ``status`` and ``says`` are what has to be answered by the rules: one of these codes, and the
        values at these places of the answer's object (``run.trial``). ``means`` says more of it, for the checker;
        ``based_on`` in it is also the version on which a change is based."""
        method, _, path = way.partition(" ")
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        wanted = {"status": list(status), "says": dict(says or {}), **means}
        ask = Ask(f"{QUALIFYING}{what}", method, path, number, content, based_on=means.get("based_on"), means=wanted)
        for _ in range(_PATIENCE):
            self.wait_until(self.now() + STEP)
            reply = who.ask(ask)
            if not reply.passing:
                break
        return reply
