"""R 6.10: the qualification leaderboard; R 5.7: the barrier; platform §4: the abstention audit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stage import Program, Stage
from tests.toys import toy_cycle


def board(stage: Stage, language: str = "all") -> list[Any]:
    """Return the board's rows for a reader without a cached copy of the last ten seconds."""
    stage.advance(10)
    rows: list[Any] = stage.request("GET", f"/v1/leaderboards/qualification?language={language}").json["rows"]
    return rows


def played(stage: Stage, team: str, letters: str, **order: Any) -> Program:
    program = Program(stage, stage.team(team))
    program.open(**{"set": "test", **order})
    program.play(letters)
    stage.score_all()
    stage.tick()
    return program


@pytest.mark.clause("R 6.10", "R 2.13", "platform §4 boards", "R 5.2", "R 5.7", "R 4.8")
def test_r_6_10_teams_stand_by_relative_accuracy_and_ties_share_a_place(
    stage: Stage,
) -> None:
    for team, letters in (("red", "abcd"), ("blue", "abxx"), ("grey", "abcd"), ("green", "axxx")):
        played(stage, team, letters)
    assert [(row["place"], row["team_id"], row["barrier"]) for row in board(stage)] == [
        (1, "grey", True),
        (1, "red", True),
        (3, "blue", False),
        (4, "green", False),
    ]


def test_r_6_10_the_best_session_counts_and_a_worse_one_later_changes_nothing(stage: Stage) -> None:
    program = played(stage, "red", "abcd")
    best = program.session_id
    program.open(set="test")
    program.play("xxxx")
    stage.score_all()
    stage.tick()
    assert [(row["session_id"], row["result"]["relative_accuracy"]) for row in board(stage)] == [(best, 100.0)]


@pytest.mark.clause("TS T9", "platform §4 abstention")
def test_r_6_10_only_sessions_with_95_percent_of_the_test_set_count(
    stage: Stage,
) -> None:
    stage.load(toy_cycle(test=20))
    stage.restart()
    program = Program(stage, stage.team("red"))
    program.open(set="test", time_limit_s=10)
    program.play(skip=[7, 8])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    stage.tick()
    # 18 of 20 are 90 %; of the ten files in each language one or two are missed: 90 % at best
    assert board(stage) == []
    program.open(set="test", time_limit_s=10)
    program.play(skip=[7])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    stage.tick()
    (row,) = board(stage)
    assert (row["answered"], row["files"], row["result"]["relative_accuracy"]) == (19, 20, 100.0)
    # 19 of 20 files at 100, one counted as zero: 95, which is five points less and not more than five
    assert row["audit"] == {"relative_accuracy": 95.0, "difference": 5.0, "flagged": False}


@pytest.mark.clause("R 6.10", "platform §4 boards", "TS T9")
def test_r_6_10_a_session_stands_on_its_languages_board_alone_and_a_training_one_on_none(stage: Stage) -> None:
    played(stage, "red", "abcd", language="rus")
    assert board(stage) == []
    assert [(row["team_id"], row["files"]) for row in board(stage, "rus")] == [("red", 3)]
    assert board(stage, "eng") == []
    played(stage, "blue", "abcd", set="train")
    assert board(stage) == []


@pytest.mark.clause("R 6.10", "platform §4 boards")
def test_r_6_10_the_board_is_up_to_date_within_a_minute_of_the_last_score(stage: Stage, program: Program) -> None:
    program.open(set="test")
    program.play()
    assert board(stage) == []
    stage.score_all()
    stage.advance(49)
    stage.tick()
    assert [row["team_id"] for row in board(stage)] == ["red"]


@pytest.mark.clause("platform §4 boards")
def test_platform_4_an_unknown_language_has_no_board(stage: Stage) -> None:
    refused = stage.request("GET", "/v1/leaderboards/qualification?language=deu")
    assert (refused.status, refused.code) == (422, "invalid_request")
