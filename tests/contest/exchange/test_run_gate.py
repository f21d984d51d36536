"""The gate of a run's files: before the opening, in its window, after it; with and without the timer's help."""

from __future__ import annotations

from typing import Any

import pytest

from contest.run.rules.run import Run
from contest.values import iso
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle

# The cloud of this room has a fixture of the name ``program``; these tests play on a stage.


@pytest.fixture
def run(stage: Stage) -> Run:
    stage.load(toy_cycle(final=3))
    stage.restart()
    return stage.plan()


@pytest.fixture
def joined(run: Run, red: Program) -> Program:
    assert red.join().status == 201
    return red


def at(stage: Stage, run: Run, milliseconds: int) -> None:
    stage.set_clock(run.starts_at + milliseconds)


def detail(refused: Answered) -> Any:
    return refused.json["error"]["details"][0]


@pytest.mark.parametrize("armed", [False, True])
def test_a_file_is_there_from_its_opening_to_the_end_of_its_window(
    stage: Stage, run: Run, joined: Program, armed: bool
) -> None:
    blue, grey = (Program(stage, stage.team(name)) for name in ("blue", "grey"))
    for program in (blue, grey):
        program.join()
    if armed:
        at(stage, run, -60_000)
        stage.tick()
    for early in (-60_000, -2_001, -2_000, -1):
        at(stage, run, early)
        refused = joined.get("files/1")
        assert (refused.status, refused.code) == (425, "not_open_yet")
        assert (detail(refused)["number"], detail(refused)["opens_at"]) == (1, iso(run.starts_at))
        assert (detail(refused)["run_state"], detail(refused)["paused_until"]) == ("planned", None)
        assert grey.get("files/1").status == 425
    at(stage, run, 0)
    assert joined.get("files/1").json["answer_by"] == iso(run.starts_at + 50_000)
    at(stage, run, 10_000)
    assert blue.get("files/1").json["answer_by"] == iso(run.starts_at + 60_000)
    at(stage, run, 10_001)
    late = grey.get("files/1")
    assert (late.status, late.code, detail(late)["late_by_ms"]) == (410, "file_missed", 1)
    assert "joined_at" not in detail(late)


def test_a_file_in_hand_is_shown_again_after_its_window(stage: Stage, run: Run, joined: Program) -> None:
    at(stage, run, 0)
    first = joined.get("files/1").json
    at(stage, run, 45_000)
    again = joined.get("files/1").json
    assert {**again, "server_time": ""} == {**first, "server_time": ""}


def test_who_joined_after_the_window_is_told_when_that_was(stage: Stage, run: Run, red: Program) -> None:
    at(stage, run, 10_001)
    red.join()
    missed = detail(red.get("files/1"))
    assert missed["joined_at"] == iso(run.starts_at + 10_001)
    assert "late_by_ms" not in missed


def test_who_joined_with_the_windows_last_millisecond_still_has_the_file(stage: Stage, run: Run, red: Program) -> None:
    at(stage, run, 10_000)
    red.join()
    assert red.get("files/1").status == 200


def test_a_request_in_time_that_was_lost_counts_when_it_comes_again(
    stage: Stage, run: Run, joined: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise OSError("the platform fails here")

    at(stage, run, 10_000)
    with monkeypatch.context() as patched:
        patched.setattr(stage.platform.deliveries, "hand_out", broken)
        assert joined.get("files/1").status == 500
    at(stage, run, 20_000)
    assert joined.get("files/1").status == 200


def test_next_goes_from_file_to_file_and_ends_after_the_last(stage: Stage, run: Run, joined: Program) -> None:
    seen = []
    for moment in (-1, 0, 10_000, 10_001, 60_000):
        at(stage, run, moment)
        found = joined.get("next").json
        seen.append((found["status"], found["number"]))
    assert seen == [("waiting", 1), ("available", 1), ("available", 1), ("waiting", 2), ("available", 2)]
    at(stage, run, 60_000)
    joined.get("files/2")
    assert (joined.get("next").json["status"], joined.get("next").json["number"]) == ("waiting", 3)
    at(stage, run, 130_001)
    complete = joined.get("next").json
    assert (complete["status"], complete["number"]) == ("complete", None)


@pytest.mark.clause("platform §3 by number")
def test_an_answer_that_seems_to_come_before_its_file_came_with_it(stage: Stage, run: Run, joined: Program) -> None:
    """Two clocks tell when a file was handed out and when an answer came, the first ahead by what a write may take."""
    at(stage, run, 1000)
    handed_out_at = joined.get("files/1").json["handed_out_at"]
    at(stage, run, 983)
    receipt = joined.answer(1, {"letters": "abcd"}).json["receipt"]
    assert (receipt["status"], receipt["received_at"]) == ("accepted", handed_out_at)
    assert receipt["decided_at"] == handed_out_at
    assert joined.answer(1, {"letters": "abxx"}).json["receipt"]["status"] == "accepted"
