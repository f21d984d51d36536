"""Work of the minute timer, counted: done and left work; one failure keeps nothing waiting."""

from __future__ import annotations

import pytest

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
