"""A run on a stage: teams whose programs join it over HTTP and play its files on the held clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from contest import reading
from contest.cycle.rules.cycle import Mode
from contest.run import planning, under_way, watching
from contest.run.planning import RunOrder
from contest.run.rules.conducting import Wish
from contest.run.rules.run import Run, RunFile
from contest.run.rules.schedule import Schedule
from contest.session.rules.session import IN_FLIGHT
from contest.values import MINUTE, SECOND, Millis
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

ABSENT, SILENT, SLOW, WRONG = "absent", "silent", "slow", "wrong"
"""Faults of a program with a file: no request, a request without an answer, a late answer, an invalid answer."""


def run_cycle(files: int, reserve: int = 6, *, marked: bool = True) -> dict[str, Any]:
    """Return a cycle with a final and a reserve set, with the experts' work or without, and without technical runs."""
    cycle = toy_cycle(train=files, final=files, reserve=reserve, technical={"enabled": False})
    items = [name for name in cycle if name.startswith(("final/", "reserve/"))]
    experts = {f"{name.removesuffix('.json')}_exp01.json": {"letters": "abcd"} for name in items}
    return {**cycle, **(experts if marked else {})}


class RunOnStage:
    """A run that starts in a minute, and its teams' programs by name."""

    def __init__(
        self,
        stage: Stage,
        files: int,
        *teams: str,
        mode: Mode = Mode.FINAL,
        marked: bool = True,
        parameters: Mapping[str, Any] | None = None,
        **order: Any,
    ) -> None:
        self.stage = stage
        cycle = run_cycle(files, marked=marked)
        cycle["cycle.json"]["parameters"] = {**cycle["cycle.json"]["parameters"], **(parameters or {})}
        stage.load(cycle)
        stage.restart()
        name = "final" if mode is Mode.FINAL else "train"
        wanted = RunOrder(mode, name, stage.now + MINUTE, MINUTE, **order)
        self.run_id = planning.plan_run(stage.platform, "tests", wanted).run_id
        self.programs = {team_id: Program(stage, stage.team(team_id)) for team_id in teams}
        for program in self.programs.values():
            self.join(program)

    @property
    def run(self) -> Run:
        return reading.run_now(self.stage.platform, self.run_id)

    @property
    def files(self) -> tuple[RunFile, ...]:
        return reading.run_plan(self.stage.platform, self.schedule)

    @property
    def schedule(self) -> Schedule:
        return Schedule.of(self.run)

    def join(self, program: Program) -> Answered:
        answered = program.ask("POST", "/v1/sessions", {"mode": self.run.mode.value, "run": self.run_id})
        assert answered.status == 201, answered.text
        program.session_id = answered.json["session_id"]
        return answered

    def decide(self, wish: Wish) -> Run:
        return watching.decide(self.stage.platform, "commission", self.run_id, wish)

    def at(self, moment: Millis) -> None:
        if moment > self.stage.now:
            self.stage.set_clock(moment)

    def open(self, number: int, **deeds: str) -> None:
        """Play one file: every program answers right after ten seconds unless ``deeds`` says otherwise."""
        opening = self.schedule.opens_at(number)
        does = {team_id: deeds.get(team_id, "abcd") for team_id in self.programs}
        self.at(opening)
        for team_id, deed in does.items():
            if deed != ABSENT:
                asked = self.programs[team_id].get(f"files/{number}")
                assert asked.status == 200, asked.text
        self.at(opening + 10 * SECOND)
        for team_id, deed in does.items():
            if deed not in {ABSENT, SILENT, SLOW}:
                self.programs[team_id].answer(number, "[]" if deed == WRONG else {"letters": deed})
        self.at(opening + 55 * SECOND)
        for team_id, deed in does.items():
            if deed == SLOW:
                self.programs[team_id].answer(number, {"letters": "abcd"})

    def play(self, deeds: Mapping[int, Mapping[str, str]] | None = None) -> Self:
        for number in range(1, self.schedule.total_files + 1):
            self.open(number, **(deeds or {}).get(number, {}))
        return self

    def finish(self) -> Self:
        """Let time and timers do what is left: end the sessions, score, report, record."""
        self.at(under_way.over_at(self.schedule) + IN_FLIGHT + 1)
        self.stage.tick()
        self.stage.score_all()
        self.stage.tick(after=60)
        return self

    def report(self, team_id: str) -> Any:
        answered = self.programs[team_id].get("report")
        assert answered.status == 200, answered.text
        return answered.json

    def get(self, what: str) -> Answered:
        """GET something public of the run."""
        return self.stage.request("GET", f"/v1/runs/{self.run_id}" + (f"/{what}" if what else ""))

    def board(self) -> Answered:
        """Return the final's board for a reader without a cached copy of the last ten seconds."""
        self.stage.advance(10)
        return self.stage.request("GET", f"/v1/leaderboards/final?run={self.run_id}")


def at(stage: Stage, run: Run, number: int, seconds: float = 0) -> None:
    """Set the clock to ``seconds`` after a file's planned opening."""
    stage.set_clock(run.starts_at + (number - 1) * run.interval + round(seconds * SECOND))


def three_missed(stage: Stage) -> RunOnStage:
    """Return a final of two teams and four files, of which both teams missed the first three."""
    made = RunOnStage(stage, 4, "red", "blue")
    for number in (1, 2, 3):
        made.open(number, red=ABSENT, blue=SLOW)
    stage.tick()
    return made
