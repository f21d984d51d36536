"""A trial on a clock that runs: requests are held until a file opens, and real seconds of latency are given back.

On a driven clock nobody can be held, for it stands while a request is under way. So for some seconds the clock runs.
One team asks shortly before the opening, is held, and is late by itself later; the platform takes real seconds of the
other team's time, at its hand-out and at its receipt, and that team is as late as it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from local.cloud import LocalCloud
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.rehearsal.play.latency import both_join, trial
from local.rehearsal.play.material import Material
from local.rehearsal.play.pace import RunningPace
from local.rehearsal.play.script import REFUSED, STEP, Person, Script
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Reply

Json = Any
Stalling = Callable[[str, str, Millis], AbstractContextManager[None]]
_LEAD: Final[Millis] = 30 * SECOND
_INTERVAL: Final[Millis] = 4 * SECOND
_LIMITS: Final = {"request_s": 1, "answer_s": 4, "total_s": 3, "join_s": 10}
_NOT_YET: Final = (425,)
_RUNS_FROM: Final[Millis] = 2_400
_TOO_EARLY, _HELD = 2_200, 1_500
"""Before the opening: who asks earlier than two seconds is told to come again, who asks later waits."""
_ASKED_AT: Final[Millis] = SECOND // 4
_HAND_OUT, _RECEIPT = 3 * SECOND // 2, 2 * SECOND
"""How long the platform takes: the answer, due 3 s after the opening, is due a second and a half later then, and what
both took together is why the next file is asked for too late."""
_ANSWERED_AT: Final[Millis] = 3_400
_SURELY: Final[Millis] = SECOND // 2
"""So long after the last moment that the rules can give it is too late."""
_OVER: Final[Millis] = 2 * MINUTE
"""So long after the start the timer, which comes every minute, has closed both sessions."""
_SKILL: Final = 0.9


class RealTime:
    """What both teams play: ``driven`` makes requests while the clock of the ``cloud`` stands; ``stalling`` makes the
    next request that writes something take so long."""

    def __init__(
        self,
        driven: Script,
        cloud: LocalCloud,
        material: Material,
        teams: Sequence[Team],
        organizer: Person,
        stalling: Stalling,
    ) -> None:
        self._driven, self._script = driven, Script(RunningPace(cloud))
        self._clock = cloud.clock
        self._material = material
        self._slowed, self._late = teams
        self._organizer = organizer
        self._stalling = stalling
        self._took: Millis = 0
        """What the platform has taken at most of the time of the team that is late by itself."""

    def play(self) -> None:
        """The run, from its planning to the sessions' ends."""
        driven, teams = self._driven, (self._slowed, self._late)
        starts_at = (driven.now() // SECOND) * SECOND + _LEAD
        both_join(driven, self._organizer, "real", teams, trial(starts_at, _INTERVAL, _LIMITS))
        driven.wait_until(starts_at - _RUNS_FROM)
        self._clock.release()
        try:
            self._first(starts_at)
            self._second(starts_at + _INTERVAL)
        finally:
            self._clock.hold()
        driven.wait_until(starts_at + _OVER)
        kept = {"deliveries.0.state": "answered", "deliveries.1.state": "answered", "voided_share": 0.0}
        driven.ask(self._slowed, "real", f"GET {self._slowed.path()}", says=kept)
        lost = {"deliveries.0.cause": "team_late", "deliveries.1.cause": "team_late"}
        driven.ask(self._late, "real", f"GET {self._late.path()}", says=lost)

    def _first(self, opening: Millis) -> None:
        """Held, and not; a slow hand-out, and an answer after the last moment that there is without it; as late an
        answer of the other team."""
        self._wait(opening - _TOO_EARLY)
        self._file(self._late, 1, opening, status=_NOT_YET)
        self._wait(opening - _HELD)
        held = self._file(self._late, 1, opening)
        self._took = max(0, held.at - opening)
        self._wait(opening + _ASKED_AT)
        slow = self._file(self._slowed, 1, opening, stalled=_HAND_OUT)
        self._wait(opening + _ANSWERED_AT)
        self._answer(self._slowed, 1, opening, slow, "accepted", stalled=_RECEIPT)
        self._wait(opening + _LIMITS["total_s"] * SECOND + self._took + _SURELY)
        self._answer(self._late, 1, opening, held, "late")

    def _second(self, opening: Millis) -> None:
        """One asks as soon as it has its receipt, the other so late that nothing excuses it."""
        file = self._file(self._slowed, 2, opening)
        self._answer(self._slowed, 2, opening, file, "accepted")
        self._wait(opening + _LIMITS["request_s"] * SECOND + self._took + _SURELY)
        self._file(self._late, 2, opening, status=REFUSED)

    def _wait(self, moment: Millis) -> None:
        """Until what is asked next goes out at this moment."""
        self._script.wait_until(moment - STEP)

    def _file(
        self, team: Team, number: int, opening: Millis, *, stalled: Millis = 0, status: Sequence[int] = (200,)
    ) -> Reply:
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": _LIMITS}
        way = f"GET {team.path(f'/files/{number}')}"
        with self._slowly("write:ASKED", "dispatch.api", stalled):
            return self._script.ask(team, "real_file", way, number=number, status=status, **means)

    def _answer(self, team: Team, number: int, opening: Millis, file: Reply, fate: str, *, stalled: Millis = 0) -> None:
        if file.status != 200:
            return
        sent_at = self._script.now()
        markup = self._material.answer(file.body["content"], _SKILL)
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": _LIMITS}
        means["answer_by"] = file.body["answer_by"]
        way = f"PUT {team.path(f'/files/{number}/answer')}"
        with self._slowly("write:ARRIVED", "submit.api", stalled):
            reply = self._script.ask(
                team, "real_answer", way, body=markup, number=number, says={"receipt.status": fate}, **means
            )
        if team is self._late:
            self._took += reply.at - sent_at

    def _slowly(self, point: str, handler: str, stalled: Millis) -> AbstractContextManager[None]:
        return self._stalling(point, handler, stalled) if stalled else nullcontext()
