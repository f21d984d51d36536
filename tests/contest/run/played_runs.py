"""Runs played on the platform in memory: teams join, ask in time, answer or do not, and the clock moves on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from contest import reading
from contest.cycle.loading import load_cycle
from contest.cycle.rules.cycle import Mode
from contest.exchange import files
from contest.people.rules import Identity, Role
from contest.people.teams import add_team
from contest.ports import Signer
from contest.results import settling
from contest.results.scoring import score_answer
from contest.run import planning, under_way
from contest.run.planning import RunOrder
from contest.run.rules.run import Run
from contest.run.rules.schedule import ArmedBy, Release, Schedule
from contest.run.under_way import Noticed
from contest.session import following, opening
from contest.session.access import Request
from contest.session.rules.session import IN_FLIGHT, Session
from contest.values import MINUTE, SECOND, Millis
from tests.fakes import FakePlatform
from tests.samples import admit_to_finals
from tests.toys import FolderInMemory, toy_cycle

ANSWERED = "abcd"
SLOW, SILENT, WRONG, ABSENT = "slow", "silent", "wrong", "absent"
"""Faults of a team with a file: late answer, no answer, invalid answer, no request."""


@dataclass
class Played:
    """A planned run with its teams' sessions."""

    platform: FakePlatform
    run_id: str
    sessions: dict[str, str] = field(default_factory=dict)

    @property
    def run(self) -> Run:
        return reading.run_now(self.platform, self.run_id)

    @property
    def schedule(self) -> Schedule:
        return Schedule.of(self.run)

    def identity(self, team_id: str) -> Identity:
        return Identity(Role.PROGRAM, team_id, "token")

    def request(self, team_id: str, number: int | None = None) -> Request:
        """Return a team's request now, about its session if it has one."""
        now = self.platform.clock.now()
        return Request(self.identity(team_id), now, self.sessions.get(team_id, ""), number)

    def join(self, *teams: str) -> None:
        for team_id in teams:
            if self.platform.people.team(team_id) is None:
                add_team(self.platform, "tests", team_id, f"Team {team_id}")
            if self.run.takes_admitted:
                admit_to_finals(self.platform, team_id, cycle=self.run.cycle)
            opened = opening.join_run(self.platform, self.request(team_id), self.run.mode, self.run_id, None)
            self.sessions[team_id] = opened.session_id

    def session(self, team_id: str) -> Session:
        found = reading.session(self.platform, self.sessions[team_id])
        assert found is not None
        return found

    def arm(self, team_id: str, number: int, opens_at: Millis) -> None:
        """Write a file's release a minute before its opening, as the timer does, if it is not written yet."""
        if self.platform.runs.release(self.run_id, number) is None:
            file = reading.planned_file(self.platform, self.session(team_id), number)
            item = reading.item_of(self.platform, self.session(team_id), file)
            release = Release(number, opens_at, opens_at, opens_at - MINUTE, ArmedBy.TIMER, file.file_id, item.content)
            self.platform.runs.arm(self.run_id, release, None)

    def open(self, number: int, **deeds: str) -> None:
        """Play one file: what each team does with it; one that is not named answers right."""
        self.at(self.schedule.opens_at(number))
        does = {team_id: deeds.get(team_id, ANSWERED) for team_id in self.sessions}
        for team_id, deed in does.items():
            if deed != ABSENT:
                self.ask(team_id, number)
        self.platform.clock.advance(10)
        for team_id, deed in does.items():
            if deed not in {ABSENT, SILENT, SLOW}:
                self.answer(team_id, number, deed)
        self.at(self.schedule.opens_at(number) + 55 * SECOND)
        for team_id, deed in does.items():
            if deed == SLOW:
                self.answer(team_id, number, ANSWERED)

    def ask(self, team_id: str, number: int) -> Any:
        return files.hand_out_file(self.platform, self.request(team_id, number))

    def answer(self, team_id: str, number: int, letters: str) -> None:
        body = b"[]" if letters == WRONG else json.dumps({"letters": letters}).encode()
        try:
            files.submit_answer(self.platform, self.request(team_id, number), body)
        except files.InvalidAnswerError:
            assert letters == WRONG

    def at(self, moment: int) -> None:
        self.platform.clock.moment = max(self.platform.clock.moment, moment)

    def notice(self) -> Noticed:
        """Look for missed files, as the timer does."""
        schedule = reading.schedule_now(self.platform, self.run_id)
        return under_way.propose_missed(self.platform, schedule, self.platform.clock.now())

    def play(self, deeds: Mapping[int, Mapping[str, str]] | None = None) -> Self:
        """Play every file; ``deeds`` says of some what some teams do with them."""
        for number in range(1, self.schedule.total_files + 1):
            self.open(number, **(deeds or {}).get(number, {}))
        return self

    def finish(self) -> Self:
        """Let the time pass until everything is closed and the record made."""
        self.at(under_way.over_at(self.schedule) + IN_FLIGHT)
        for session_id in self.sessions.values():
            found = reading.session(self.platform, session_id)
            assert found is not None
            following.by_time(self.platform, found, self.platform.clock.now(), unseen=IN_FLIGHT)
        self.score()
        self.settle()
        assert self.run.closed_at is not None
        return self

    def score(self) -> None:
        """Let the workers score what waits, and make what follows from it."""
        for job in list(self.platform.store.outbox):
            score_answer(self.platform, job)
        self.settle()

    def settle(self) -> None:
        """Let timer and workers make the record and the board, as far as they can be made."""
        for _ in range(3):
            settling.send_due_steps(self.platform, self.run_id)
            while self.platform.settling.jobs:
                settling.settle(self.platform, self.platform.settling.jobs.pop(0))


def load(
    platform: FakePlatform, files: int, reserve: int, *, marked: bool, letters: str = ANSWERED, rules: Any = None
) -> None:
    """Load the toy cycle, its final and reserve sets with the experts' markups or without. ``rules``: the finals'."""
    cycle = toy_cycle(train=files, final=files, reserve=reserve, rules=rules)
    items = [name for name in cycle if name.startswith(("final/", "reserve/"))]
    cycle |= {f"{name.removesuffix('.json')}_exp01.json": {"letters": letters} for name in items} if marked else {}
    load_cycle(platform, "tests", "toy-1", FolderInMemory(cycle), lambda _: None)


def planned(
    files: int = 4,
    mode: Mode = Mode.FINAL,
    reserve: int = 6,
    marked: bool = True,
    rules: Any = None,
    signer: Signer | None = None,
    **order: Any,
) -> Played:
    """Plan a run of so many files that starts in a minute, on a platform of its own; three teams take part.

    ``marked``: whether the experts' work on the final set is done, which the platform has then known from the start.
    ``rules`` are those of finals where they are not the usual ones, ``signer`` the run's where it is not the usual one.
    """
    platform = FakePlatform()
    platform.signer = signer or platform.signer  # type: ignore[assignment]  # the port, where a fake is typed
    load(platform, files, reserve, marked=marked, rules=rules)
    start = platform.clock.now() + MINUTE
    name = "final" if mode is Mode.FINAL else "train"
    run = planning.plan_run(platform, "tests", RunOrder(mode, name, start, MINUTE, **order))
    played = Played(platform, run.run_id)
    played.join("red", "blue", "grey")
    return played
