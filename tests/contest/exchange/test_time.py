"""Deadlines, idle sessions, quotas and rates on a clock that tests hold (R 6.4, R-App2, D 12.8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from tests.exchange_programs import Exchange, Program, as_expert, at_once, exchange_cloud, refused, variants

pytestmark = pytest.mark.integration

IDLE_S = 15 * 60
IN_FLIGHT_S = 30
# 2026-11-21 20:59:58.500 UTC: a second and a half before midnight in Moscow (UTC+3 all year)
BEFORE_MIDNIGHT_MS = 1_795_294_798_500


@pytest.fixture(scope="module")
def timed(prepared: Path) -> Iterator[Exchange]:
    """Start a cloud whose clock these tests alone move."""
    with exchange_cloud(prepared) as ready:
        yield ready


@pytest.fixture
def hurried(timed: Exchange) -> Program:
    """Return a program with a file that it must answer within ten seconds, and one not handed out yet."""
    program = timed.program()
    program.open(files=2, time_limit_s=10)
    program.take(1)
    return program


def test_an_answer_in_the_last_millisecond_counts(timed: Exchange, hurried: Program) -> None:
    content = hurried.take(1)
    timed.clock.hold(_ms(hurried.delivery()["answer_by"]))
    assert hurried.receipt(1, content)["status"] == "accepted"


def test_a_late_answer_is_stored_and_receipted_but_never_counts(timed: Exchange, hurried: Program) -> None:
    content = hurried.take(1)
    timed.clock.hold(_ms(hurried.delivery()["answer_by"]) + 1)
    late = hurried.receipt(1, content)
    assert (late["status"], late["reason"], late["send"]) == ("late", "deadline_passed", 1)
    delivery = hurried.delivery()
    assert (delivery["state"], delivery["cause"], delivery["evidence"]) == ("voided", "team_late", {"late_by_ms": 1})
    (name,) = timed.blobs(f"answers/{hurried.session_id}/")
    assert late["content_sha256"] in name
    hurried.answer(2, hurried.take(2))
    timed.clock.advance(10 + IN_FLIGHT_S + 1)
    assert hurried.get("next").json()["session_state"] == "finished"
    report = hurried.report()
    assert [each["state"] for each in report["files"]] == ["voided", "answered"]
    assert report["result"]["answered"] == 1
    assert report["voided"]["by_cause"]["team_late"]["files"] == 1
    assert len(timed.scores(hurried.session_id)) == 1
    assert timed.organizer.contest("verify", hurried.session_id) == "1 scores, 1 reports compared"


def test_a_late_answer_does_not_replace_the_one_that_came_in_time(timed: Exchange, hurried: Program) -> None:
    in_time, late = variants(hurried.take(1), 2)
    first = hurried.receipt(1, in_time)
    timed.clock.advance(11)
    assert hurried.receipt(1, late)["status"] == "late"
    assert hurried.delivery()["state"] == "answered"
    hurried.ask("POST", hurried.path("abort"))
    assert hurried.report()["files"][0]["content_sha256"] == first["content_sha256"]


def test_a_hand_out_asked_for_again_gives_no_more_time(timed: Exchange, hurried: Program) -> None:
    answer_by = hurried.delivery()["answer_by"]
    timed.clock.advance(9)
    assert hurried.get("files/1").json()["answer_by"] == answer_by
    timed.clock.advance(9)
    assert hurried.get("files/1").json()["answer_by"] == answer_by
    assert hurried.receipt(1, hurried.take(1))["status"] == "late"


@pytest.mark.parametrize("timer", ["alive", "dead"])
def test_a_silent_session_times_out_by_the_timer_and_by_reading_alike(timed: Exchange, timer: str) -> None:
    program = timed.program()
    program.open(files=3)
    program.receipt(1, program.take(1))
    silence = IDLE_S + IN_FLIGHT_S + 60
    if timer == "alive":
        timed.clock.jump(silence - 60)
        timed.clock.advance(60)  # one visit of the timer
        assert _stored_state(timed, program) == "timed_out"
    else:
        timed.clock.jump(silence)
        assert _stored_state(timed, program) == "open"
    status = program.get().json()
    assert status["state"] == "timed_out"
    assert status["counts"] == {"waiting": 0, "open": 0, "answered": 1, "late": 0, "voided": 2}
    assert refused(program.get("next")) == (409, "session_closed")
    assert program.report()["session"]["state"] == "timed_out"
    assert program.open(files=1).status_code == 201


def test_a_request_a_moment_before_the_time_out_keeps_the_session(timed: Exchange) -> None:
    program = timed.program()
    program.open(files=3)
    for _ in range(2):
        timed.clock.jump(IDLE_S - 61)
        timed.clock.advance(60)  # a visit of the timer, which must leave the session alone
        assert _stored_state(timed, program) == "open"
        assert program.get("next").status_code == 200
    assert program.state() == "open"


def test_a_session_whose_deadlines_passed_is_finished_and_reported_by_the_timer_alone(
    timed: Exchange, hurried: Program
) -> None:
    hurried.take(2)
    hurried.receipt(1, as_expert(1)(hurried.take(1)))
    timed.cloud.drain()
    timed.clock.advance(10 + IN_FLIGHT_S + 61)
    assert _stored_state(timed, hurried) == "finished"
    assert len(timed.blobs(f"reports/{hurried.session_id}/")) == 1


def test_twenty_sessions_a_day_the_last_once_even_to_many_at_once_and_the_day_ends_at_midnight_in_moscow(
    timed: Exchange,
) -> None:
    timed.clock.jump((BEFORE_MIDNIGHT_MS - timed.clock.now_ms()) / 1000 - 60)
    program = timed.program()
    for _ in range(19):
        assert program.open(files=1).status_code == 201
        program.ask("POST", program.path("abort"))
    timed.clock.jump(1)
    opening = partial(program.ask, "POST", "/v1/sessions", patient=False, json={"set": "train", "files": 1})
    assert sorted(each.status_code for each in at_once([opening] * 6)) == [201, 409, 409, 409, 409, 409]
    program.session_id = program.ask("GET", "/v1/sessions").json()["sessions"][0]["session_id"]
    timed.clock.jump(1)
    program.ask("POST", program.path("abort"))
    timed.clock.jump((BEFORE_MIDNIGHT_MS - timed.clock.now_ms()) / 1000)
    full = program.open(files=1)
    assert refused(full) == (429, "quota_exhausted")
    assert full.headers["retry-after"] == "2"
    (detail,) = full.json()["error"]["details"]
    assert (detail["limit"], detail["resets_at"]) == (20, "2026-11-21T21:00:00.000Z")
    timed.clock.jump(2)
    assert program.open(files=1).status_code == 201


def test_the_eleventh_request_of_a_second_is_refused_but_never_an_answer(timed: Exchange, hurried: Program) -> None:
    content = hurried.take(1)
    timed.clock.jump(1)
    assert [hurried.get("next", patient=False).status_code for _ in range(10)] == [200] * 10
    limited = hurried.get("next", patient=False)
    assert refused(limited) == (429, "rate_limited")
    assert limited.headers["retry-after"] == "1"
    answered = hurried.answer(1, content, patient=False)
    assert (answered.status_code, answered.json()["receipt"]["status"]) == (200, "accepted")
    assert timed.program().open(files=1).status_code == 201, "another team is not slowed down"
    timed.clock.jump(1)
    assert hurried.get("next", patient=False).status_code == 200


def _stored_state(exchange: Exchange, program: Program) -> str:
    return str(exchange.stored(program.session_id)[f"SESSION#{program.session_id} STATE"]["state"]["S"])


def _ms(moment: str) -> int:
    """Milliseconds of a wire moment, by the standard library alone."""
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
