"""The minute timer's work, counted: what it does, what it leaves, and that one failure keeps nothing waiting."""

from __future__ import annotations

from typing import Any

import pytest

from contest.operations.minute_timer import sweep
from contest.stored_names import LetterQueue
from tests.run_stage import RunOnStage
from tests.stage import Program, Stage
from tests.stage_kept import Setting, without_technical_runs

NOTHING = {"armed": 0, "closed": 0, "enqueued": 0, "reported": 0, "missed": 0, "overdue": 0, "settling": 0}
NOTHING |= {"expired": 0, "considered": 0, "letters": dict.fromkeys(map(str, LetterQueue), 0)}
NOTHING |= {"noted": 0, "announced": 0, "submissions": 0, "stuck": 0, "left": 0, "unscored": 0}


STAGE = Setting(play=without_technical_runs)


def test_a_silent_session_ends_and_is_reported(stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing a connection takes tens of milliseconds, and anybody with a token may open many."""
    monkeypatch.setattr(type(stage.platform), "connections", property(lambda _: pytest.fail("asked for connections")))
    red.open(files=1)
    assert stage.tick() == NOTHING
    stage.advance(930)
    assert stage.tick() == {**NOTHING, "closed": 1, "reported": 1}
    assert stage.tick() == NOTHING


def test_an_answer_that_was_forgotten_is_put_to_work_again(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    assert stage.tick()["enqueued"] == 0
    stage.advance(300)
    assert stage.tick()["enqueued"] == 1
    assert stage.work() == []
    assert stage.tick()["enqueued"] == 0


def test_scores_that_were_lost_are_asked_for_once_and_the_report_waits(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    stage.score_all()
    stage.delete_scores()
    red.get()
    for _ in range(2):
        assert (stage.tick()["reported"], len(stage.outbox())) == (0, 1)
    stage.score_all()
    assert stage.tick()["reported"] == 1


def test_a_runs_files_are_armed_and_its_record_is_made_once(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red")
    assert stage.tick()["armed"] == 2
    assert stage.tick()["armed"] == 0
    played.play()
    played.at(stage.now + 600_000)
    done = stage.tick()
    assert (done["closed"], done["settling"]) == (1, 1)
    assert played.run.closed_at == stage.now
    assert stage.tick()["settling"] == 1
    stage.score_all()
    assert stage.tick()["settling"] == 1
    assert stage.tick() == NOTHING


def test_a_file_asked_for_in_time_and_not_handed_out_is_owed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    played = RunOnStage(stage, 2, "red")
    played.at(played.run.starts_at)

    def broken(*_: Any) -> None:
        raise OSError("the platform fails here")

    with monkeypatch.context() as patched:
        patched.setattr(stage.platform.deliveries, "hand_out", broken)
        assert played.programs["red"].get("files/1").status == 500
    stage.advance(60)
    assert stage.tick()["overdue"] == 0
    stage.advance(0.001)
    assert stage.tick()["overdue"] == 1


def test_one_failure_keeps_nothing_else_waiting(stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    blue = Program(stage, stage.team("blue"))
    for program in (red, blue):
        program.open(files=1)
    stage.advance(930)
    sessions = stage.platform.sessions
    really = sessions.close

    def close(before: Any, after: Any) -> None:
        if before.team_id == "red":
            raise OSError("this one fails")
        really(before, after)

    monkeypatch.setattr(sessions, "close", close)
    swept = sweep(stage.platform)
    assert (swept.closed, swept.reported) == (1, 1)
    assert [(name, str(error)) for name, error in swept.failures] == [(red.session_id, "this one fails")]
