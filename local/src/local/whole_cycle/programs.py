"""The participants' programs: the kit's own runner with a simulated solver each, all on the cycle's flying clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from local.cloud import LocalCloud
from local.rehearsal.harm.saboteur import NoSaboteur
from local.rehearsal.moments import Millis, to_text
from local.rehearsal.play.driver import DrivenPace, Driver
from local.rehearsal.play.guest import DrivenClock, Entry, Program
from local.simulation.essays import Essay
from local.simulation.noise import Marker, explained
from local.whole_cycle.telling import Telling, show
from markup_core.speaking import language, say
from pku.wire.answers import Order
from pku.work.solvers import FunctionSolver

Json = Any


class ProgramFailedError(Exception):
    """A program did not get through; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Team:
    """A team with its program."""

    name: str
    token: str
    marker: Marker

    def solver(self, essays: Mapping[str, Essay], *, explains: bool) -> FunctionSolver:
        """What the program answers; essays are recognised by their text."""

        def answer(content: Json) -> Json:
            fragments = self.marker.fragments(essays[content["text"]])
            return {**content, "selections": explained(fragments) if explains else fragments}

        return FunctionSolver(answer)


class Arena:
    """Where programs play: the cloud, its clock, and a folder for their journals; how far the clock is gets told."""

    def __init__(self, cloud: LocalCloud, home: Path, essays: Mapping[str, Essay], telling: Telling) -> None:
        self._cloud = cloud
        self._home = home
        self._essays = essays
        self._pace = DrivenPace(cloud, 0, lambda *_, **__: None, faulty=False)
        self._telling = telling

    def reach(self, moment: Millis) -> None:
        """Let time pass until a moment, the minute timer's visits on the way."""
        self._pace.reach(moment, lambda: 0)
        self._telling.moment(moment)

    def wait(self, milliseconds: Millis) -> None:
        """Let so much time pass."""
        self.reach(self._pace.now() + milliseconds)

    def play(
        self, teams: Sequence[Team], order: Order, joins_at: Millis, until: Millis, *, explains: bool = False
    ) -> Mapping[str, str]:
        """Let all teams' programs play a session each; its id by team.

        ProgramFailedError for one that misses a file.
        """
        since = to_text(joins_at)
        comment = say(f"{len(teams)} programs, from {since}", f"программ: {len(teams)}, с {since}")
        show(f"program$ pku run --mode {order.mode}   # {comment}")
        guests = {each.name: self._program(each, order, joins_at, explains=explains) for each in teams}
        Driver(self._pace, NoSaboteur(), self._telling.moment, list(guests.values())).run(until)
        self._cloud.drain()
        for name, program in guests.items():
            if program.outcome is None or not program.outcome.complete:
                missed = say("not every file was answered in time", "не на все файлы ответ дан вовремя")
                raise ProgramFailedError(f"{name}: {program.error or missed}")
        return {name: program.session_id for name, program in guests.items()}

    def _program(self, team: Team, order: Order, joins_at: Millis, *, explains: bool) -> Program:
        entry = Entry(team.name, team.token, self._cloud.url, order, joins_at, self._home / team.name)
        solver = team.solver(self._essays, explains=explains)
        return Program(entry, solver, DrivenClock(self._cloud.clock.now_ms), httpx.HTTPTransport(), language())
