"""Runs played on the platform in memory: teams join, ask in time, answer or do not, and the clock moves on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contest.domain import run as schedule
from contest.domain.cycle import Mode
from contest.domain.moments import MINUTE, SECOND
from contest.domain.rights import Identity, Role
from contest.domain.run import Run
from contest.domain.session import IN_FLIGHT, Session
from contest.services import closing, exchange, identity, join_run, knowledge, run_record, runs, submit_answer
from contest.services.load_cycle import load_cycle
from contest.services.runs import RunOrder
from contest.services.score_answer import score_answer
from tests.fakes import FakePlatform, FolderInMemory, toy_cycle

ANSWERED = "abcd"
SLOW, SILENT, WRONG, ABSENT = "slow", "silent", "wrong", "absent"
"""What a team may do with a file: too late, no answer, no valid answer, no request."""


@dataclass
class Played:
    """A planned run with its teams' sessions."""

    platform: FakePlatform
    run_id: str
    sessions: dict[str, str] = field(default_factory=dict)

    @property
    def run(self) -> Run:
        return knowledge.run_now(self.platform, self.run_id)

    def identity(self, team_id: str) -> Identity:
        return Identity(Role.PROGRAM, team_id, "token")

    def join(self, *teams: str) -> None:
        for team_id in teams:
            if self.platform.people.team(team_id) is None:
                identity.add_team(self.platform, "tests", team_id, f"Team {team_id}")
            now = self.platform.clock.now()
            who = self.identity(team_id)
            opened = join_run.join_run(self.platform, who, self.run.mode, self.run_id, None, None, now)
            self.sessions[team_id] = opened.session_id

    def session(self, team_id: str) -> Session:
        found = knowledge.session(self.platform, self.sessions[team_id])
        assert found is not None
        return found

    def open(self, number: int, **deeds: str) -> None:
        """Play one file: what each team does with it; one that is not named answers right."""
        self.at(schedule.opens_at(self.run, number))
        does = {team_id: deeds.get(team_id, ANSWERED) for team_id in self.sessions}
        for team_id, deed in does.items():
            if deed != ABSENT:
                self.ask(team_id, number)
        self.platform.clock.advance(10)
        for team_id, deed in does.items():
            if deed not in {ABSENT, SILENT, SLOW}:
                self.answer(team_id, number, deed)
        self.at(schedule.opens_at(self.run, number) + 55 * SECOND)
        for team_id, deed in does.items():
            if deed == SLOW:
                self.answer(team_id, number, ANSWERED)

    def ask(self, team_id: str, number: int) -> Any:
        now = self.platform.clock.now()
        return exchange.hand_out_file(self.platform, self.identity(team_id), self.sessions[team_id], number, now)

    def answer(self, team_id: str, number: int, letters: str) -> None:
        body = b"[]" if letters == WRONG else json.dumps({"letters": letters}).encode()
        who, now = self.identity(team_id), self.platform.clock.now()
        try:
            submit_answer.submit_answer(self.platform, who, self.sessions[team_id], number, body, None, now)
        except submit_answer.InvalidAnswerError:
            assert letters == WRONG

    def at(self, moment: int) -> None:
        self.platform.clock.moment = max(self.platform.clock.moment, moment)

    def play(self, deeds: Mapping[int, Mapping[str, str]] | None = None) -> None:
        """Play every file; ``deeds`` says of some what some teams do with them."""
        for number in range(1, schedule.total_files(self.run) + 1):
            self.open(number, **(deeds or {}).get(number, {}))

    def finish(self) -> None:
        """Let the time pass until everything is closed and the record made."""
        self.at(run_record.over_at(self.run) + IN_FLIGHT)
        for session_id in self.sessions.values():
            found = knowledge.session(self.platform, session_id)
            assert found is not None
            closing.by_time(self.platform, found, self.platform.clock.now(), unseen=IN_FLIGHT)
        self.score()
        assert run_record.close_if_over(self.platform, self.run_id)

    def score(self) -> None:
        for job in list(self.platform.store.outbox):
            score_answer(self.platform, job)


def load(platform: FakePlatform, files: int, reserve: int, *, marked: bool, letters: str = ANSWERED) -> None:
    """Load the toy cycle, its final and reserve sets with the experts' markups or without."""
    cycle = toy_cycle(train=files, final=files, reserve=reserve)
    items = [name for name in cycle if name.startswith(("final/", "reserve/"))]
    cycle |= {f"{name.removesuffix('.json')}_exp01.json": {"letters": letters} for name in items} if marked else {}
    load_cycle(platform, "tests", "toy-1", FolderInMemory(cycle), lambda _: None)


def planned(files: int = 4, mode: Mode = Mode.FINAL, reserve: int = 6, marked: bool = True, **order: Any) -> Played:
    """A run of so many files that starts in a minute, on a platform of its own; three teams take part.

    ``marked``: whether the experts' work on the final set is done, which the platform has then known from the start.
    """
    platform = FakePlatform()
    load(platform, files, reserve, marked=marked)
    start = platform.clock.now() + MINUTE
    name = "final" if mode is Mode.FINAL else "train"
    run = runs.plan_run(platform, "tests", RunOrder(mode, name, start, MINUTE, **order))
    played = Played(platform, run.run_id)
    played.join("red", "blue", "grey")
    return played
