"""A trial in which the platform is slow for one team and not for another (platform §3, own latency).

The slow hand-out moves the deadline of the answer, which comes after the last moment that there would be without it;
the slow receipt is why the team asks for the next file seconds too late, by the platform's fault. The other team is as
late by itself. Nobody but who was late by itself may lose anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from local.rehearsal.moments import MINUTE, SECOND, Millis, to_text
from local.rehearsal.play.material import TRAIN, Material
from local.rehearsal.play.script import REFUSED, Person, Script, is_over
from local.rehearsal.play.teams import Team
from local.rehearsal.play.wire import Reply

Json = Any
Stalling = Callable[[str, str, Millis], AbstractContextManager[None]]
_LEAD: Final[Millis] = 30 * SECOND
_INTERVAL: Final[Millis] = 30 * SECOND
_LIMITS: Final = {"request_s": 5, "answer_s": 15, "total_s": 20, "join_s": 10}
_ANSWERED_AT: Final[Millis] = 21 * SECOND
"""After the opening: a second after the last moment that there is without latency."""
_HAND_OUT, _RECEIPT = 8 * SECOND, 20 * SECOND
"""How long the platform takes: the answer is due 23 s after the opening then, and its receipt comes 11 s after the next
one, six seconds too late to ask."""
_OVER: Final[Millis] = 7 * MINUTE
FILES: Final = 2
_SKILL: Final = 0.9


def trial(starts_at: Millis, interval: Millis, limits: Mapping[str, Json]) -> dict[str, Json]:
    """What the organizers say of a trial of so many files as there are of latency."""
    return {
        "mode": "final",
        "trial": True,
        "set": TRAIN,
        "files": FILES,
        "starts_at": to_text(starts_at),
        "interval_s": interval // SECOND,
        "limits": limits,
    }


def both_join(script: Script, organizer: Person, what: str, teams: Sequence[Team], order: Mapping[str, Json]) -> None:
    """Plan a run for these teams alone, and let them join it."""
    body = {**order, "admitted": [each.name for each in teams]}
    planned = script.ask(organizer, what, "POST /v1/conduct/runs", body=body, status=(201,))
    run_id = str(planned.body.get("run", {}).get("run_id", ""))
    for team in teams:
        told = script.ask(team, what, "POST /v1/sessions", body={"mode": "final", "run": run_id}, status=(201,))
        team.session_id = str(told.body.get("session_id", ""))


class Latency:
    """What both teams play; ``stalling`` makes the next request that writes something take so long."""

    def __init__(
        self, script: Script, material: Material, teams: Sequence[Team], organizer: Person, stalling: Stalling
    ) -> None:
        self._script = script
        self._material = material
        self._slowed, self._late = teams
        self._organizer = organizer
        self._stalling = stalling

    def play(self) -> None:
        """The run, from its planning to the sessions' ends."""
        script, both = self._script, (self._slowed, self._late)
        starts_at = (script.now() // SECOND) * SECOND + _LEAD
        both_join(script, self._organizer, "latency", both, trial(starts_at, _INTERVAL, _LIMITS))
        self._first(starts_at)
        self._second(starts_at + _INTERVAL)
        script.wait_until(starts_at + FILES * _INTERVAL)
        for team in both:
            script.look_until(team, "waiting", team.path(), is_over, _OVER)
        answered = {f"deliveries.{place}.state": "answered" for place in range(FILES)}
        late = {"deliveries.0.state": "answered", "deliveries.1.cause": "team_late"}
        script.ask(self._slowed, "latency", f"GET {self._slowed.path()}", says={**answered, "voided_share": 0.0})
        script.ask(self._late, "latency", f"GET {self._late.path()}", says=late)

    def _first(self, opening: Millis) -> None:
        self._script.wait_until(opening)
        file = self._file(self._late, 1, opening)
        self._answer(self._late, 1, opening, file)
        file = self._file(self._slowed, 1, opening, stalled=_HAND_OUT)
        self._script.wait_until(opening + _ANSWERED_AT)
        self._answer(self._slowed, 1, opening, file, stalled=_RECEIPT)

    def _second(self, opening: Millis) -> None:
        """One asks as soon as it has its receipt, the other as late as that without a reason."""
        file = self._file(self._slowed, 2, opening)
        self._answer(self._slowed, 2, opening, file)
        self._file(self._late, 2, opening, status=REFUSED)

    def _file(
        self, team: Team, number: int, opening: Millis, *, stalled: Millis = 0, status: Sequence[int] = (200,)
    ) -> Reply:
        way = f"GET {team.path(f'/files/{number}')}"
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled, "limits": _LIMITS}
        with self._slowly("write:ASKED", "dispatch.api", stalled):
            return self._script.ask(team, "latency_file", way, number=number, status=status, **means)

    def _answer(self, team: Team, number: int, opening: Millis, file: Reply, *, stalled: Millis = 0) -> None:
        if file.status != 200:
            return
        markup = self._material.answer(file.body["content"], _SKILL)
        means: dict[str, Json] = {"opens_at": opening, "stalled": stalled}
        way, says = f"PUT {team.path(f'/files/{number}/answer')}", {"receipt.status": "accepted"}
        with self._slowly("write:ARRIVED", "submit.api", stalled):
            self._script.ask(team, "latency_answer", way, body=markup, number=number, says=says, **means)

    def _slowly(self, point: str, handler: str, stalled: Millis) -> AbstractContextManager[None]:
        return self._stalling(point, handler, stalled) if stalled else nullcontext()
