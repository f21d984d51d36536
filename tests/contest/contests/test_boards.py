"""Each contest's public boards: measures that rank, teams left out, further columns (T9)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contest.contests.epicrises import folder
from tests.contest.contests.played import Contest
from tests.stage import Stage
from tests.stage_kept import Setting

STAGE = Setting("contest-1")

PEOPLE = {"title": {"en": "people (2019), 23.835 of 34", "ru": "люди (2019), 23,835 из 34"}, "value": 0.701}


def told(key: str, unit: str, **more: Any) -> dict[str, Any]:
    """Return the board's rules, by default without any limit."""
    usual = {
        "places": {"percent": 2, "share": 3}[unit],
        "least_share": 0.0,
        "whole_set": False,
        "barrier": None,
        "levels": [],
        "joins_runs": False,
    }
    return {"key": key, "unit": unit, **usual, **more}


BOARDS = {
    "essay": [told("relative_accuracy", "percent", least_share=0.95, barrier=100.0)],
    "exam": [told("grade_norm", "share", whole_set=True, barrier=0.701, levels=[PEOPLE])],
    "gec": [told("all", "share", whole_set=True), told("concentrated", "share", whole_set=True)],
    "diagnosis-semifinal": [told("criterion", "share"), told("final", "share", places=2, joins_runs=True)],
}


@pytest.mark.clause("TS T9")
@pytest.mark.parametrize("name", list(BOARDS))
def test_t9_a_contests_boards_are_told_with_their_rules(stage: Stage, name: str) -> None:
    contest = Contest.named(name)
    stage.load(folder(contest, "test") if name.startswith("diagnosis") else contest.folder("test"))
    boards = stage.request("GET", "/v1/boards").json["boards"]
    actual = [{field: board[field] for field in board if field not in {"title", "measure"}} for board in boards]
    assert actual == BOARDS[name]
    for board in boards:
        answer = stage.request("GET", f"/v1/boards/{board['key']}")
        if board["joins_runs"]:
            assert answer.refusal == (404, "unknown_board"), "no qualification counts two runs"
        else:
            assert (answer.json["board"], answer.json["rows"]) == (board, [])
    main = stage.request("GET", f"/v1/boards/{boards[0]['key']}").json
    assert stage.request("GET", "/v1/leaderboards/qualification").json["board"] == main["board"]
    for path in ("/v1/leaderboards/final", f"/v1/boards/{boards[0]['key']}?of=final"):
        assert stage.request("GET", path).code == "results_not_published"


@pytest.mark.clause("TS T9")
def test_t9_a_board_beside_the_main_one_has_no_parts(stage: Stage) -> None:
    contest = Contest.named("gec")
    stage.load(contest.folder("train", "test"))
    [language] = {contest.sample.facts(each).language for each in contest.sample.entries}
    assert stage.request("GET", f"/v1/boards/all?language={language}").status == 200
    for key in ("concentrated", "final"):
        assert stage.request("GET", f"/v1/boards/{key}?language={language}").refusal == (404, "unknown_board")
