"""Joining runs: until when, which one of several, and who may not."""

from __future__ import annotations

from typing import Any

import pytest

from contest.cycle.rules.cycle import Mode
from contest.run.rules.run import Kind, Run
from contest.values import iso
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(final=3, reserve=2))
    stage.restart()
    return stage


def blue(stage: Stage) -> Program:
    return Program(stage, stage.team("blue"))


def detail(refused: Answered) -> Any:
    return refused.json["error"]["details"][0]


def test_a_stopped_run_is_not_joined_and_says_since_when(stage: Stage, red: Program) -> None:
    run = stage.plan()
    stage.decide(run, Kind.STOP)
    stopped = stage.now + 5_000
    stage.advance(10)
    refused = red.join(run=run.run_id)
    assert (refused.status, refused.code) == (409, "run_not_joinable")
    assert detail(refused)["join_until"] == iso(stopped)
    assert red.join().code == "no_run"


def test_of_several_runs_the_one_that_starts_first_is_joined(stage: Stage, red: Program) -> None:
    later = stage.plan(in_s=3600, mode=Mode.TECHNICAL, set_name="train")
    sooner = stage.plan(in_s=600, mode=Mode.TECHNICAL, set_name="train")
    assert red.join("technical").json["run_id"] == sooner.run_id
    assert blue(stage).join("technical", run=later.run_id).json["run_id"] == later.run_id


def test_a_team_that_took_part_in_a_final_joins_the_next_one_and_not_the_same_again(stage: Stage, red: Program) -> None:
    first = stage.plan(in_s=600)
    taken = red.join().json["session_id"]
    red.ask("POST", f"/v1/sessions/{taken}/abort", {"confirm": True})
    again = red.join()
    assert (again.status, again.code, detail(again)["session_id"]) == (409, "already_participated", taken)
    assert red.join(run=first.run_id).code == "already_participated"
    second = stage.plan(in_s=7200, set_name="reserve", trial=True)
    assert red.join().json["run_id"] == second.run_id


def test_in_a_technical_run_a_team_may_begin_anew(stage: Stage, red: Program) -> None:
    run = stage.plan(mode=Mode.TECHNICAL, set_name="train")
    first = red.join("technical").json["session_id"]
    red.ask("POST", f"/v1/sessions/{first}/abort")
    second = red.join("technical").json
    assert second["run_id"] == run.run_id
    assert second["session_id"] != first


def test_a_run_of_another_mode_or_of_no_name_is_none(stage: Stage, red: Program) -> None:
    run = stage.plan()
    for mode, name in (("technical", run.run_id), ("final", "r" * 20)):
        refused = red.join(mode, run=name)
        assert (refused.status, refused.code, refused.json["error"]["details"]) == (404, "no_run", [])


def test_without_a_run_the_next_technical_start_is_told_and_no_final_is_promised(stage: Stage, red: Program) -> None:
    refused = red.join("technical")
    assert (refused.code, detail(refused)["starts_at"]) == ("no_run", iso(next_start(stage)))
    assert red.join("final").json["error"]["details"] == []


def next_start(stage: Stage) -> int:
    """Slots begin every four hours from the epoch; their runs start ten minutes later."""
    slot = stage.now // 14_400_000 * 14_400_000
    return next(start for start in (slot + 600_000, slot + 15_000_000) if start > stage.now)


def test_a_joined_session_takes_its_measures_from_the_run(stage: Stage, red: Program) -> None:
    run: Run = stage.plan(interval_s=90)
    body = red.join(client={"name": "pku", "version": "1"}).json
    assert (body["mode"], body["set"], body["language"]) == ("final", "final", "all")
    assert (body["files"], body["available_files"], body["time_limit_s"]) == (3, 3, 50)
    assert (body["interval_s"], body["starts_at"]) == (90.0, iso(run.starts_at))
    assert body["limits"] == {"request_s": 10.0, "answer_s": 50.0, "total_s": 60.0}
    assert body["client"] == {"name": "pku", "version": "1", "sha256": None, "markup_core": None}
