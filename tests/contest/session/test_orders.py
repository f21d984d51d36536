"""Opening sessions of files of one's choice: bounds, wishes that do not fit, one session at a time, retries."""

from __future__ import annotations

from typing import Any

import pytest

from contest.ports import LostRaceError
from tests.stage import Answered, Program, Stage
from tests.toys import toy_cycle


def fields_of(refused: Answered) -> list[str]:
    assert (refused.status, refused.code) == (422, "invalid_request")
    return [each["field"] for each in refused.json["error"]["details"]]


def test_a_program_that_wishes_nothing_gets_the_whole_set_in_all_languages(red: Program) -> None:
    body = red.open(set="test").json
    assert (body["files"], body["requested_files"], body["available_files"], body["language"]) == (5, 1000, 5, "all")


@pytest.mark.parametrize(("language", "there_are"), [("rus", 3), ("eng", 2)])
def test_files_are_of_the_language_asked_for(red: Program, language: str, there_are: int) -> None:
    body = red.open(set="test", language=language, files=2).json
    assert (body["files"], body["available_files"], body["language"]) == (2, there_are, language)


@pytest.mark.parametrize(("seconds", "status"), [(9, 422), (10, 201), (60, 201), (61, 422)])
def test_the_bounds_of_the_time_for_an_answer_belong_to_it(red: Program, seconds: int, status: int) -> None:
    assert red.open(time_limit_s=seconds).status == status


def test_all_that_is_wrong_with_an_order_is_told_at_once_with_what_there_is(red: Program) -> None:
    refused = red.ask("POST", "/v1/sessions", {"set": "reserve", "language": "deu", "time_limit_s": 9})
    assert fields_of(refused) == ["set", "time_limit_s"]
    unknown, short = refused.json["error"]["details"]
    assert unknown["message"] == "the cycle has the sets: test, train"
    assert short["message"] == "allowed: 10–60 s"
    refused = red.ask("POST", "/v1/sessions", {"set": "train", "language": "deu"})
    assert fields_of(refused) == ["language"]
    assert refused.json["error"]["details"][0]["message"] == "the set has: all, eng, rus"


def test_a_run_lets_nothing_be_chosen_and_a_free_session_names_its_set_and_no_run(red: Program) -> None:
    wishes: dict[str, Any] = {"set": "train", "files": 1, "language": "rus", "time_limit_s": 10}
    refused = red.ask("POST", "/v1/sessions", {"mode": "technical", **wishes})
    assert fields_of(refused) == ["body.set", "body.files", "body.language", "body.time_limit_s"]
    assert fields_of(red.ask("POST", "/v1/sessions", {"run": "r" * 20})) == ["body.run", "body.set"]


def test_the_quota_is_used_up_by_its_last_session_and_counts_each_once(stage: Stage) -> None:
    stage.load(toy_cycle(sessions_per_day=2))
    stage.restart()
    program = Program(stage, stage.team("blue"))
    for _ in range(2):
        assert program.open(files=1).status == 201
        program.ask("POST", f"/v1/sessions/{program.session_id}/abort")
    refused = program.open(files=1)
    assert (refused.status, refused.code) == (429, "quota_exhausted")
    assert refused.json["error"]["details"][0]["limit"] == 2


def test_one_session_at_a_time_and_one_that_is_over_is_not_in_the_way(stage: Stage, red: Program) -> None:
    first = red.open().json["session_id"]
    stage.advance(899.999)
    refused = red.open()
    assert (refused.status, refused.code) == (409, "session_already_open")
    assert refused.json["error"]["details"][0]["session_id"] == first
    stage.advance(0.001)
    assert red.open().status == 201


def opened_with(program: Program, key: str) -> Answered:
    return program.ask("POST", "/v1/sessions", {"set": "train"}, key=key)


def test_a_key_finds_what_it_opened_for_its_own_team_even_when_it_is_over(stage: Stage, red: Program) -> None:
    first = opened_with(red, "a").json["session_id"]
    assert opened_with(red, "a").json["session_id"] == first
    assert opened_with(red, "b").code == "session_already_open"
    red.ask("POST", f"/v1/sessions/{first}/abort")
    again = opened_with(red, "a")
    assert (again.status, again.json["session_id"], again.json["state"]) == (201, first, "aborted")
    assert opened_with(red, "b").json["session_id"] != first
    assert opened_with(Program(stage, stage.team("blue")), "a").json["session_id"] != first


def lose(stage: Stage, monkeypatch: pytest.MonkeyPatch, races: int) -> None:
    """Let so many openings lose their race."""
    sessions = stage.platform.sessions
    really, lost = sessions.open, [LostRaceError() for _ in range(races)]

    def opened(*order: Any) -> None:
        if lost:
            raise lost.pop()
        really(*order)

    monkeypatch.setattr(sessions, "open", opened)


def test_an_opening_that_loses_seven_races_wins_the_eighth(
    stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(stage, monkeypatch, 7)
    assert red.open().status == 201


def test_an_opening_that_loses_every_race_is_asked_to_come_again(
    stage: Stage, red: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(stage, monkeypatch, 8)
    refused = red.open()
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (503, "busy", "1")
