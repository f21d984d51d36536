"""Trials in which the platform is slow for one team and not for another (platform §3, own latency).

The slow hand-out moves the deadline of the answer, which comes after the last moment that there would be without it;
the slow receipt is why the team asks for the next file too late, by the platform's fault. The other team is as late by
itself. Only a team that is late by itself may lose anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from local.cloud import LocalCloud
from rehearsal.moments import MINUTE, SECOND, Millis, to_text
from rehearsal.play.cycles import TRAIN
from rehearsal.play.driver import RunningPace
from rehearsal.play.material import Material
from rehearsal.play.script import REFUSED, STEP, Person, Script, is_over
from rehearsal.play.teams import Team
from rehearsal.play.wire import Reply

Json = Any
Stalling = Callable[[str, str, Millis], AbstractContextManager[None]]
_LEAD: Final[Millis] = 30 * SECOND
_NOT_YET: Final = (425,)
FILES: Final = 2
_SKILL: Final = 0.9


@dataclass(frozen=True, slots=True)
class _Times:
    """Times of a trial: ``hand_out`` and ``receipt`` are how long the platform takes for the slowed team, whose first
    answer comes ``answered_at`` after the opening, when it would be too late without latency. ``over``: so long after
    the last file, or the start, both sessions have been closed."""

    interval: Millis
    limits: Mapping[str, int]
    hand_out: Millis
    receipt: Millis
    answered_at: Millis
    over: Millis


_DRIVEN: Final = _Times(
    30 * SECOND,
    {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10},
    hand_out=8 * SECOND,
    receipt=20 * SECOND,
    answered_at=21 * SECOND,
    over=7 * MINUTE,
)
"""The answer is due 23 s after the opening, and its receipt comes 11 s after the next one, six seconds too late to
ask."""
_REAL: Final = _Times(
    4 * SECOND,
    {"request_s": 1, "answer_s": 4, "total_s": 3, "join_s": 10},
    hand_out=3 * SECOND // 2,
    receipt=2 * SECOND,
    answered_at=3_400,
    over=2 * MINUTE,
)
"""The answer, due 3 s after the opening, is due a second and a half later, and what both took together is why the next
file is asked for too late."""
_RUNS_FROM: Final[Millis] = 2_400
_TOO_EARLY, _HELD = 2_200, 1_500
"""Before the opening: who asks earlier than two seconds is told to come again, who asks later waits."""
_ASKED_AT: Final[Millis] = SECOND // 4
_SURELY: Final[Millis] = SECOND // 2
"""So long after the last moment that the rules can give it is too late."""


class _Slowed:
    """Both teams and their requests, whose names begin with ``what``; ``stalling`` makes the next request that writes
    something take so long."""

    what: str
    times: _Times

    def __init__(
        self, script: Script, material: Material, teams: Sequence[Team], organizer: Person, stalling: Stalling
    ) -> None:
        self._planning = self._script = script
        self._material = material
        self._slowed, self._late = teams
        self._organizer = organizer
        self._stalling = stalling

    def _planned(self) -> Millis:
        """Plan the trial for these teams alone, and let them join it; return its start."""
        script = self._planning
        starts_at = (script.now() // SECOND) * SECOND + _LEAD
        body = {
            "mode": "final",
            "trial": True,
            "set": TRAIN,
            "files": FILES,
            "starts_at": to_text(starts_at),
            "interval_s": self.times.interval // SECOND,
            "limits": self.times.limits,
            "admitted": [self._slowed.name, self._late.name],
        }
        planned = script.ask(self._organizer, self.what, "POST /v1/conduct/runs", body=body, status=(201,))
        run_id = str(planned.body.get("run", {}).get("run_id", ""))
        for team in (self._slowed, self._late):
            order = {"mode": "final", "run": run_id}
            joined = script.ask(team, self.what, "POST /v1/sessions", body=order, status=(201,))
            team.session_id = str(joined.body.get("session_id", ""))
        return starts_at

    def _ends(self, team: Team, of_files: Mapping[str, str], **says: Json) -> None:
        """Let a team look at its session, of whose files the rules make this (``0.state``)."""
        files = {f"deliveries.{place}": value for place, value in of_files.items()}
        self._planning.ask(team, self.what, f"GET {team.path()}", says={**files, **says})

    def _file(
        self, team: Team, number: int, opening: Millis, *, stalled: Millis = 0, status: Sequence[int] = (200,)
    ) -> Reply:
        way = f"GET {team.path(f'/files/{number}')}"
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": self.times.limits}
        with self._stalling("write:FILE", "dispatch.api", stalled) if stalled else nullcontext():
            return self._script.ask(team, f"{self.what}_file", way, number=number, status=status, **means)

    def _answer(
        self, team: Team, number: int, opening: Millis, file: Reply, fate: str = "accepted", *, stalled: Millis = 0
    ) -> Millis:
        """Answer a file that was handed out; return how long that took."""
        if file.status != 200:
            return 0
        sent_at = self._script.now()
        markup = self._material.answer(file.body["content"], _SKILL)
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": self.times.limits}
        way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": fate}
        with self._stalling("write:FILE", "submit.api", stalled) if stalled else nullcontext():
            what = f"{self.what}_answer"
            return self._script.ask(team, what, way, body=markup, number=number, says=says, **means).at - sent_at


class Latency(_Slowed):
    """The trial on a driven clock."""

    what, times = "latency", _DRIVEN

    def play(self) -> None:
        """Play the run, from its planning to the sessions' ends."""
        script, first = self._script, self._planned()
        script.wait_until(first)
        self._answer(self._late, 1, first, self._file(self._late, 1, first))
        file = self._file(self._slowed, 1, first, stalled=self.times.hand_out)
        script.wait_until(first + self.times.answered_at)
        self._answer(self._slowed, 1, first, file, stalled=self.times.receipt)
        second = first + self.times.interval
        # One asks as soon as it has its receipt, the other as late as that without a reason.
        self._answer(self._slowed, 2, second, self._file(self._slowed, 2, second))
        self._file(self._late, 2, second, status=REFUSED)
        script.wait_until(first + FILES * self.times.interval)
        for team in (self._slowed, self._late):
            script.look_until(team, "waiting", team.path(), is_over, self.times.over)
        self._ends(self._slowed, {"0.state": "answered", "1.state": "answered"}, voided_share=0.0)
        self._ends(self._late, {"0.state": "answered", "1.cause": "team_late"})


class RealTime(_Slowed):
    """The trial on a clock that runs for some seconds: on a driven one nobody can be held, for it stands while a
    request is under way. One team asks shortly before the opening, is held, and is late by itself later."""

    what, times = "real", _REAL

    def __init__(
        self,
        driven: Script,
        cloud: LocalCloud,
        material: Material,
        teams: Sequence[Team],
        organizer: Person,
        stalling: Stalling,
    ) -> None:
        super().__init__(driven, material, teams, organizer, stalling)
        self._script = Script(RunningPace(cloud.clock.now_ms))
        self._clock = cloud.clock
        self._took: Millis = 0
        """What the platform has taken at most of the time of the team that is late by itself."""

    def play(self) -> None:
        """Play the run, from its planning to the sessions' ends."""
        starts_at = self._planned()
        self._planning.wait_until(starts_at - _RUNS_FROM)
        self._clock.release()
        try:
            self._first(starts_at)
            # The second file: one team asks as soon as it has its receipt, the other so late that nothing excuses it.
            second = starts_at + self.times.interval
            self._answer(self._slowed, 2, second, self._file(self._slowed, 2, second))
            self._wait(second + self.times.limits["request_s"] * SECOND + self._took + _SURELY)
            self._file(self._late, 2, second, status=REFUSED)
        finally:
            self._clock.hold()
        self._planning.wait_until(starts_at + self.times.over)
        self._ends(self._slowed, {"0.state": "answered", "1.state": "answered"}, voided_share=0.0)
        self._ends(self._late, {"0.cause": "team_late", "1.cause": "team_late"})

    def _first(self, opening: Millis) -> None:
        """Play the first file: held, and not; a slow hand-out, and an answer after the last moment that there is
        without it; as late an answer of the other team."""
        self._wait(opening - _TOO_EARLY)
        self._file(self._late, 1, opening, status=_NOT_YET)
        self._wait(opening - _HELD)
        file = self._file(self._late, 1, opening)
        self._took = max(0, file.at - opening)
        self._wait(opening + _ASKED_AT)
        slow = self._file(self._slowed, 1, opening, stalled=self.times.hand_out)
        self._wait(opening + self.times.answered_at)
        self._answer(self._slowed, 1, opening, slow, stalled=self.times.receipt)
        self._wait(opening + self.times.limits["total_s"] * SECOND + self._took + _SURELY)
        self._took += self._answer(self._late, 1, opening, file, "late")

    def _wait(self, moment: Millis) -> None:
        """Wait until the next request goes out at this moment."""
        self._script.wait_until(moment - STEP)
