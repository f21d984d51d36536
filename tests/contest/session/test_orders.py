"""Opening sessions of files of one's choice: bounds, wishes that do not fit, one session at a time, retries."""

from __future__ import annotations

from typing import Any

import pytest

from contest.ports import LostRaceError
from tests.stage import Answered, Program, Stage


def fields_of(refused: Answered) -> list[str]:
    assert (refused.status, refused.code) == (422, "invalid_request")
    return [each["field"] for each in refused.json["error"]["details"]]


def test_all_that_is_wrong_with_an_order_is_told_at_once_with_what_there_is(red: Program) -> None:
    refused = red.ask("POST", "/v1/sessions", {"set": "reserve", "language": "deu", "time_limit_s": 9})
    assert fields_of(refused) == ["set", "time_limit_s"]
    unknown, short = refused.json["error"]["details"]
    assert unknown["message"] == "the cycle has the sets: test, train"
    assert short["message"] == "allowed: 10–60 s"
    refused = red.ask("POST", "/v1/sessions", {"set": "train", "language": "deu"})
    assert fields_of(refused) == ["language"]
    assert refused.json["error"]["details"][0]["message"] == "the set has: all, eng, rus"


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
