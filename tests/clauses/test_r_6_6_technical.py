"""The technical qualification: planned by the platform's own timer, joined and played over HTTP (R 6.6, 6.7)."""

from __future__ import annotations

from typing import Any

import pytest

from contest.values import HOUR, from_iso, iso
from tests.stage import Program, Stage
from tests.toys import toy_cycle

SLOT = 1_790_006_400_000
"""2026-09-21T16:00:00Z, when the next slot of four hours begins on the stage."""
QUICK = {"files": [30, 40], "interval_s": [2, 4], "lead_s": 60}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.load(toy_cycle(train=50, final=2, technical=QUICK))
    stage.restart()
    stage.set_clock(SLOT)
    return stage


def planned(stage: Stage) -> list[Any]:
    found: list[Any] = stage.request("GET", "/v1/runs?mode=technical").json["runs"]
    return found


@pytest.mark.clause("R 6.6", "R-App2 §2 technical")
def test_r_6_6_a_run_starts_every_four_hours_with_thirty_files_or_more_of_the_training_set(stage: Stage) -> None:
    sizes, intervals = [], []
    for turn in range(4):
        stage.set_clock(SLOT + turn * 4 * HOUR)
        stage.tick()
        run = planned(stage)[0]
        assert run["starts_at"] == iso(SLOT + turn * 4 * HOUR + 60_000)
        assert (run["set"], run["mode"], run["trial"]) == ("train", "technical", False)
        sizes.append(run["files"])
        intervals.append(run["interval_s"])
    assert all(30 <= each <= 40 for each in sizes)
    assert all(2 <= each <= 4 for each in intervals)
    assert len({*zip(sizes, intervals, strict=True)}) > 1  # of 33 pairs four times the same one: once in 36 000
    assert len({each["run_id"] for each in planned(stage)}) == 4


def test_r_6_6_doubled_late_and_early_ticks_make_one_run(stage: Stage) -> None:
    for moment in (SLOT, SLOT, SLOT + 4 * HOUR - 1, SLOT + 5):
        stage.set_clock(moment)
        stage.tick()
    assert len(planned(stage)) == 1


def test_r_6_6_a_slot_whose_tick_was_missed_has_its_run_later(stage: Stage) -> None:
    stage.set_clock(SLOT + HOUR)
    stage.tick()
    (run,) = planned(stage)
    assert run["starts_at"] == iso(SLOT + HOUR + 61_000)  # announced as long before as any other, and a second


def test_r_6_6_no_technical_run_meets_a_final(stage: Stage) -> None:
    final = stage.plan(in_s=100, interval_s=10)
    stage.tick()
    assert planned(stage) == []
    stage.set_clock(final.starts_at + 10 * 60_000)
    stage.tick()
    assert len(planned(stage)) == 1


def test_r_6_6_a_cycle_may_do_without(stage: Stage) -> None:
    stage.load(toy_cycle(train=50, technical={**QUICK, "enabled": False}))
    stage.tick()
    assert planned(stage) == []


@pytest.mark.clause("R 6.6", "R 4.4", "R 6.3")
def test_r_6_6_participants_join_within_the_window_and_again_after_an_abort(stage: Stage, program: Program) -> None:
    assert program.join("technical").code == "no_run"
    stage.tick()
    first = program.join("technical").json
    assert first["limits"] == {"request_s": 10.0, "answer_s": 50.0, "total_s": 60.0}
    assert program.join("technical").code == "session_already_open"
    program.ask("POST", f"/v1/sessions/{first['session_id']}/abort")
    assert program.join("technical").status == 201
    join_until = from_iso(planned(stage)[0]["join_until"])
    stage.set_clock(join_until)
    assert Program(stage, stage.team("blue")).join("technical").status == 201
    stage.advance(0.001)
    refused = Program(stage, stage.team("grey")).join("technical")
    assert refused.code == "no_run"
    assert refused.json["error"]["details"][0]["starts_at"] == iso(SLOT + 4 * HOUR + 60_000)


@pytest.mark.clause("R 6.6", "R 4.4", "R 6.3")
def test_r_6_6_an_algorithmic_session_is_not_in_the_way(stage: Stage, program: Program) -> None:
    stage.tick()
    assert program.open(set="train").status == 201
    assert program.join("technical").status == 201
    listed = program.ask("GET", "/v1/sessions?mode=technical").json["sessions"]
    assert [each["mode"] for each in listed] == ["technical"]
    assert len(program.ask("GET", "/v1/sessions").json["sessions"]) == 2


@pytest.mark.clause("R 6.7", "R 6.7.4")
def test_r_6_7_a_whole_technical_run_ends_with_a_report_and_a_conclusion(stage: Stage, program: Program) -> None:
    stage.tick()
    opened = program.join("technical").json
    start, interval = from_iso(opened["starts_at"]), round(opened["interval_s"] * 1000)
    for number in range(1, opened["files"] + 1):
        stage.set_clock(start + (number - 1) * interval + 100)
        assert program.get(f"files/{number}").status == 200
        assert program.answer(number, {"letters": "abcd"}).json["receipt"]["status"] == "accepted"
    assert program.get("next").json["session_state"] == "finished"
    stage.score_all()
    report = program.get("report").json
    assert (report["readiness"]["ready"], report["solution"]["voided_share"]) == (True, 0.0)
    assert report["counts"]["answered"] == opened["files"]
    assert report["timing"]["delay_ms"] == {"count": opened["files"], "mean": 100.0, "max": 100, "p50": 100, "p95": 100}
    assert report["result"]["relative_accuracy"] == 100.0
