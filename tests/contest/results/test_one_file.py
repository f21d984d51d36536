"""One file's score and comparison, and a session's chart: which set shows what, and when."""

from __future__ import annotations

from typing import Any

import pytest

from contest.people.rules import Role
from tests.run_stage import ABSENT, RunOnStage
from tests.stage import Answered, Program, Stage

RIGHT = {"letters": "abxd"}


def said(answered: Answered) -> tuple[int, str]:
    return answered.status, answered.code


@pytest.fixture
def one(red: Program) -> Program:
    """Return a program that has answered the first of two training files."""
    red.open(files=2)
    red.get("files/1")
    red.answer(1, RIGHT)
    return red


def test_a_comparison_shows_answer_and_experts(stage: Stage, one: Program) -> None:
    assert one.get("files/1/comparison").status == 202
    stage.score_all()
    shown = one.get("files/1/comparison").json
    assert (shown["answer"], shown["experts"]) == (RIGHT, [{"letters": "abcd"}])
    assert shown["score"]["points"] == 75.0
    assert shown["track"] == "toy"

    def pairs(query: str) -> list[tuple[Any, ...]]:
        stage.advance(1)
        told = one.get(f"files/1/comparison{query}").json["comparisons"]
        return [(each["x"], each["y"], *each["comparison"].values()) for each in told]

    assert pairs("") == pairs("?x=answer") == pairs("?y=0") == [("answer", 0, False, False)]
    assert pairs("?x=0&y=answer") == [(0, "answer", False, True)]
    assert pairs("?x=0&y=0") == [(0, 0, True, True)]
    assert pairs("?x=0") == []


def test_a_markup_that_is_not_there_is_refused(stage: Stage, one: Program) -> None:
    stage.score_all()
    for query in ("x=1", "y=1", "x=-1", "x=expert", "y=", "x=1000", "x=0&y=999"):
        stage.advance(1)
        answered = one.get(f"files/1/comparison?{query}")
        assert said(answered) == (422, "invalid_request")
        (detail,) = answered.json["error"]["details"]
        assert detail["field"] in {"query.x", "query.y"}
        assert detail["message_ru"]


@pytest.mark.clause("R 6.5.3", "R 2.7", "platform §1 secrets")
def test_of_a_test_set_the_score_comes_after_the_end_and_the_experts_never(stage: Stage, red: Program) -> None:
    red.open(set="test", files=2)
    red.get("files/1")
    red.answer(1, RIGHT)
    stage.score_all()
    assert said(red.get("files/1/score")) == (409, "session_open")
    assert said(red.get("files/1/comparison")) == (403, "comparison_not_allowed")
    stage.advance(900)  # silence ends the session
    assert red.get("files/1/score").json["points"] == 75.0
    assert said(red.get("files/1/comparison")) == (403, "comparison_not_allowed")


def test_a_file_without_an_answer_has_no_score_comparison_or_answer(stage: Stage, one: Program) -> None:
    kinds = ("score", "comparison", "answer")
    assert {said(one.get(f"files/2/{what}")) for what in kinds} == {(409, "file_not_handed_out")}
    one.get("files/2")
    assert {said(one.get(f"files/2/{what}")) for what in kinds} == {(404, "not_answered")}
    stage.advance(1)
    assert {said(one.get(f"files/{number}/{what}")) for number in (0, 3) for what in kinds} == {(404, "unknown_file")}


@pytest.mark.clause("R 6.5.3")
@pytest.mark.parametrize("kind", ["train", "test"])
def test_the_own_answer_is_shown_from_when_it_counts(stage: Stage, red: Program, kind: str) -> None:
    red.open(set=kind, files=2)
    content = red.get("files/1").json["content"]
    red.answer(1, {"letters": "aaaa"})
    stage.advance(2)
    receipt = red.answer(1, RIGHT).json["receipt"]
    shown = red.get("files/1/answer").json
    assert (shown["track"], shown["number"], shown["content"], shown["answer"]) == ("toy", 1, content, RIGHT)
    assert [shown[each] for each in ("send", "received_at", "content_sha256")] == [
        receipt[each] for each in ("send", "received_at", "content_sha256")
    ]
    red.get("files/2")
    red.answer(2, RIGHT)  # the end of the session
    assert red.get("files/1/answer").json == shown


def test_an_own_answer_is_nobody_elses_of_the_teams(stage: Stage, one: Program) -> None:
    path = f"/v1/sessions/{one.session_id}/files/1/answer"
    assert said(stage.request("GET", path, token=stage.team("blue"))) == (404, "unknown_session")
    member = stage.person(Role.PARTICIPANT, "anna", "red")
    stranger = stage.person(Role.PARTICIPANT, "boris", "blue")
    assert stage.request("GET", path, token=member).json["answer"] == RIGHT
    assert said(stage.request("GET", path, token=stranger)) == (404, "unknown_session")
    assert stage.request("GET", path, token=stage.person(Role.JUDGE)).json["answer"] == RIGHT
    assert stage.request("GET", path, token=stage.person(Role.EXPERT)).status == 403


def test_of_a_final_the_own_answer_is_shown_before_its_results_are_out(stage: Stage) -> None:
    played = RunOnStage(stage, 2, "red").play({1: {"red": ABSENT}}).finish()
    program = played.programs["red"]
    assert program.get("files/2/answer").json["answer"] == {"letters": "abcd"}
    assert said(program.get("files/1/answer")) == (409, "file_not_handed_out")


def test_a_chart_is_drawn_of_closed_sessions_of_runs_alone(stage: Stage, one: Program) -> None:
    assert said(one.get("timeline")) == (404, "unknown_run")
    played = RunOnStage(stage, 1, "blue")
    program = played.programs["blue"]
    assert said(program.get("timeline")) == (409, "session_open")
    played.open(1)
    played.finish()
    drawn = program.get("timeline")
    assert (drawn.status, drawn.headers["content-type"]) == (200, "image/svg+xml")
