"""Platform §1: who may do what; tokens; nobody reads what is another team's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest.people.rules import token_hash
from contest.people.teams import revoke_token
from contest.routes import ROUTES
from tests.stage import Program, Stage

EXCHANGE = sorted((each.method, each.path) for each in ROUTES if each.authorized)
PUBLIC = sorted((each.method, each.path) for each in ROUTES if each.public)


def concrete(path: str, session_id: str) -> str:
    return path.replace("{session_id}", session_id).replace("{number}", "1")


@pytest.mark.clause("platform §1 public", "platform §1 rights", "R 6.2", "D 6.2")
def test_platform_1_without_a_token_nothing_of_the_exchange_answers(stage: Stage) -> None:
    for method, path in EXCHANGE:
        assert stage.request(method, concrete(path, "s" * 20), "{}").status == 401, (method, path)
        stranger = stage.request(method, concrete(path, "s" * 20), "{}", token="hrd_" + "x" * 43)
        assert stranger.status == 403, (method, path)


NOTHING_THERE = {
    "{run_id}": "unknown_run",
    "/boards/{key}": "unknown_board",
    "/leaderboards/final": "results_not_published",
    "/private-test/archive": "results_not_published",
    "{announcement_id}": "unknown_announcement",
    "/published-sets/{name}": "unknown_set",
    "/pages/{name}": "unknown_page",
}
"""What is said of what is not there yet, or never was; nobody is asked who they are first."""


@pytest.mark.clause("platform §1 public")
def test_platform_1_what_is_published_needs_no_token(stage: Stage) -> None:
    for method, path in PUBLIC:
        answered = stage.request(method, path.replace("{version}", "1").replace("{part}", "1"))
        missing = next((code for place, code in NOTHING_THERE.items() if place in path), None)
        if missing is None:
            assert answered.status == 200, (path, answered.text)
        else:
            assert answered.code == missing, path


@pytest.mark.clause("platform §1 program", "platform §1 secrets", "D 1.16")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        each
        for each in EXCHANGE
        if "{session_id}" in each[1] and not {"conclusion", "conduct"} & set(each[1].split("/"))
    ],
)
def test_platform_1_another_teams_session_is_not_told_from_one_that_does_not_exist(
    stage: Stage, program: Program, method: str, path: str
) -> None:
    program.open()
    program.get("files/1")
    stranger = Program(stage, stage.team("blue"))
    body: Any = {"letters": "a"} if path.endswith("answer") else None
    foreign = stranger.ask(method, concrete(path, program.session_id), body)
    stage.advance(1)
    unknown = stranger.ask(method, concrete(path, "z" * 20), body)
    assert (foreign.status, foreign.code) == (404, "unknown_session")
    assert foreign.text == unknown.text


@pytest.mark.clause("platform §1 rights")
def test_platform_1_a_role_without_the_right_is_refused_by_the_handler_itself(stage: Stage) -> None:
    import dispatch.api
    from tests.stage import Context

    event = stage.event("GET", "/v1/sessions", None, None, None)
    event["routeKey"] = "GET /v1/sessions"
    for context in ({"role": "judge", "team_id": "", "token_id": "k"}, {}):
        event["requestContext"]["authorizer"] = {"lambda": context}
        answered = dispatch.api.handler(event, Context())
        assert (answered["statusCode"], json.loads(answered["body"])["error"]["code"]) == (403, "forbidden")


@pytest.mark.clause("platform §1 tokens")
def test_platform_1_a_token_is_stored_as_a_hash_and_shown_to_nobody_again(stage: Stage) -> None:
    token = stage.team("red")
    rows = stage.everything_stored()
    assert token not in rows
    assert token_hash(token) in rows


@pytest.mark.clause("platform §1 tokens")
@pytest.mark.parametrize("used_s", [0, 0.001, 14.5, 29.999], ids=str)
def test_platform_1_a_revoked_token_is_dead_within_a_minute(stage: Stage, program: Program, used_s: float) -> None:
    """Wherever in the authorizer's half minute it was used last, and however often it is tried."""
    stage.advance(used_s)
    assert program.open().status == 201
    token_id = stage.platform.people.tokens_of("red")[0].token_id
    revoke_token(stage.platform, "tests", "red", token_id)
    for _ in range(60):
        stage.advance(0.999)
        program.get()
    stage.advance(0.06)
    assert program.get().status == 403


@pytest.mark.clause("platform §4 training score")
def test_platform_1_scores_of_a_test_set_are_silent_while_sends_are_left(stage: Stage, program: Program) -> None:
    program.open(set="test")
    program.get("files/1")
    program.answer(1, {"letters": "a"})
    stage.score_all()
    refused = program.get("files/1/score")
    assert (refused.status, refused.code) == (409, "session_open")
    program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    assert program.get("files/1/score").json["points"] == 25.0
