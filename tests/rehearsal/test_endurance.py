"""Long runs: a week of driven time on one platform, and a final of two hundred teams to its published board.

``make long`` plays small sizes, ``make endurance`` the whole ones, and prints its figures.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import pytest

from local.clock import monotonic_s
from rehearsal.ending import Settings
from rehearsal.history import MINUTE, SECOND, History
from rehearsal.play.channel import ChannelTeam
from rehearsal.play.driver import Driver, Script
from rehearsal.play.programs import A_DAY, Machines, Submitting, Times, Way
from rehearsal.play.teams import Team
from rehearsal.play.wire import Ask
from rehearsal.proof.oracle import DIALOGUES, ESSAY, PROGRAMS
from rehearsal.stages import KINDS, ProgramContest, Stage, rehearse, settings_of, staged
from tests.rehearsal.playing import red

WHOLE = bool(os.environ.get("HURDLE_ENDURANCE"))
DAYS, TEAMS, FILES = (7, 20, 10) if WHOLE else (3, 3, 2)
LARGE = (200, 100) if WHOLE else (20, 5)
DAY_S = 24 * 60 * 60
_DAY_OF_PROGRAMS = 30 * MINUTE
"""Time for a day's programs, one after the other."""
KINDS_OF_RUNS = [kind for kind in KINDS if kind != PROGRAMS] if WHOLE else [ESSAY]
pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.integration]


@dataclass(frozen=True)
class Weight:
    """Bytes in memory of this process, of the platform's functions and of the emulated AWS, which keeps all stored data
    in memory; bytes that the platform has stored."""

    recorder: int
    functions: int
    aws: int
    items: int
    objects: int

    @classmethod
    def of(cls, stage: Stage) -> Weight:
        """Weigh a stage at rest: memory first, because reading the stored data takes some; sizes of objects by their
        lists."""
        stage.cloud.drain()
        (_, recorder), *others = _processes(os.getpid())
        aws = sum(size for command, size in others if "local.aws." in command)
        functions = sum(size for _, size in others) - aws
        items = sum(len(json.dumps(item)) for rows in stage.cloud.tables().values() for item in rows)
        listed = stage.cloud.client("s3").get_paginator("list_objects_v2")
        pages = listed.paginate(Bucket=stage.cloud.resource("StorageObjects"))
        objects = sum(stored["Size"] for page in pages for stored in page.get("Contents", ()))
        return cls(recorder, functions, aws, items, objects)

    @property
    def resident(self) -> int:
        """Bytes in memory of all processes."""
        return self.recorder + self.functions + self.aws


def _processes(pid: int) -> list[tuple[str, int]]:
    """List the commands of a process and its children's, and their bytes in memory; none that has just ended."""
    place = Path(f"/proc/{pid}")
    try:
        size = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        command, children = (place / "cmdline").read_text(), (place / f"task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [(command, size), *chain.from_iterable(_processes(int(child)) for child in children)]


def _practised(stage: Stage, teams: Sequence[Team]) -> None:
    """Let every team have a session over an open set, and end it unanswered."""
    script = Script(stage.calmly())
    order = json.dumps({"mode": "algorithmic", "set": "train" if stage.kind == ESSAY else "test"}).encode()
    for team in teams:
        (opened,) = script.together([(team, Ask("open", "POST", "/v1/sessions", body=order))])
        assert opened.status == 201, opened.body
        script.together([(team, Ask("abort", "POST", f"/v1/sessions/{opened.body['session_id']}/abort", body=b"{}"))])


@pytest.mark.parametrize("kind", KINDS_OF_RUNS)
def test_a_week_of_sessions_and_runs_leaves_memory_as_it_was_and_storage_in_proportion(kind: str) -> None:
    stage_type, rhythm = KINDS[kind]
    settings = settings_of(kind, Settings(TEAMS, FILES, 1, frozenset(), rhythm.interval, workers=1))
    weights, began = list[Weight](), monotonic_s()
    with closing(History()) as history, staged(settings, history, stage_type=stage_type) as stage:
        players, _ = stage.admit()
        teams = [player for player in players if not isinstance(player, ChannelTeam)]
        for _ in range(DAYS):
            if kind != DIALOGUES:
                _practised(stage, teams)
            timing = stage.order("final", FILES, stage.participants, "--trial", lead=2 * MINUTE)
            stage.play(timing, players, lambda _: None)
            assert all(team.session_id for team in teams)
            weights.append(Weight.of(stage))
            stage.cloud.clock.jump(DAY_S - stage.cloud.clock.now_ms() // SECOND % DAY_S)
    _grows_evenly(weights, f"{kind}: {DAYS} days, {TEAMS} teams x {FILES} files a day, {monotonic_s() - began:.0f} s")
    # What is loaded once is loaded on the first day.
    assert weights[-1].resident < 1.1 * weights[1].resident, weights


def test_a_week_of_submitted_programs_leaves_the_functions_memory_as_it_was_and_storage_in_proportion() -> None:
    stage_type, _ = KINDS[PROGRAMS]
    settings = settings_of(PROGRAMS, Settings(TEAMS, A_DAY, 1, frozenset(), 60.0, workers=1))
    weights, began = list[Weight](), monotonic_s()
    with closing(History()) as history, staged(settings, history, stage_type=stage_type) as stage:
        assert isinstance(stage, ProgramContest)
        teams, _ = stage.admit()
        stage.plan()
        clock, machines = stage.cloud.clock, Machines(stage.cloud, stage.noted)
        for day in range(DAYS):
            clock.jump(DAY_S - clock.now_ms() // SECOND % DAY_S)
            now = clock.now_ms()
            times = Times(now, now, now, now, now + _DAY_OF_PROGRAMS)
            submitting = Submitting(stage.material, times, settings, clock.now_ms, stage.noted)
            driver = Driver(stage.calmly(), None, lambda _: None)
            for team in teams:
                (program, *_), _ = stage.material.of_team(team.index)
                numbers = range(A_DAY * day, A_DAY * (day + 1))
                programs = [replace(program, number=number, way=Way.SCORED) for number in numbers]
                driver.spawn(team, submitting.day(team, programs))
            driver.spawn(teams[0], machines.play(times.ends_at))
            driver.run(times.ends_at)
            assert {len(own) for own in submitting.submissions.values()} == {A_DAY}
            weights.append(Weight.of(stage))
        (board,) = Script(stage.calmly()).together([(teams[0], Ask("board", "GET", f"/v1/boards/{stage.boards[0]}"))])
    assert len(board.body["rows"]) == TEAMS
    _grows_evenly(
        weights, f"{PROGRAMS}: {DAYS} days, {TEAMS} teams x {A_DAY} programs a day, {monotonic_s() - began:.0f} s"
    )
    # Every program leaves some twenty-five objects, which what stands for AWS keeps in memory.
    assert weights[-1].functions < 1.1 * weights[1].functions, weights


def _grows_evenly(weights: Sequence[Weight], head: str) -> None:
    """Print the weights of all days; fail where what is stored grew by more on one day than on another."""
    stored = [weight.items + weight.objects for weight in weights]
    grown = [after - before for before, after in pairwise(stored)]
    print(f"{head};", weights, grown)
    assert max(grown) < 1.1 * min(grown), grown


def test_a_large_final_is_played_to_its_published_board() -> None:
    teams, files = LARGE
    settings = settings_of(ESSAY, Settings(teams, files, 1, frozenset(), 60.0))
    outcome = rehearse(settings, History(), lambda _: None)
    print(
        f"{teams} x {files}: {len(outcome.story.calls)} requests, {outcome.seconds:.0f} s, ", _processes(os.getpid())[0]
    )
    assert red(outcome) == {}
    assert len(outcome.story.facts.answers["board"]["rows"]) == teams
