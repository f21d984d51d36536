"""A rehearsal whose platform does not tell the least that a checker needs says so, and why."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from local.organizing import OrganizerError
from local.rehearsal.final import Stage


def stage_told(status: int) -> Any:
    stage: Any = Stage.__new__(Stage)
    stage.added = []
    stage.wire = SimpleNamespace(
        get=lambda *_: SimpleNamespace(status_code=status, text="later", json=lambda: {"state": "finished"})
    )
    stage.history = SimpleNamespace(add=lambda kind, **said: stage.added.append((kind, said)))
    return stage


def test_what_the_platform_says_in_the_end_is_written_down() -> None:
    stage = stage_told(200)
    stage.answer("run", "/v1/runs/1", needed=True)
    assert stage.added == [("answer", {"of": "run", "body": {"state": "finished"}})]


def test_what_is_not_told_is_the_checkers_to_find_unless_nothing_can_be_checked_without_it() -> None:
    stage = stage_told(429)
    stage.answer("board", "/v1/leaderboards/final")
    assert stage.added == [("answer", {"of": "unanswered/board", "body": 429})]
    with pytest.raises(OrganizerError, match="/v1/runs/1: 429 later"):
        stage.answer("run", "/v1/runs/1", needed=True)
