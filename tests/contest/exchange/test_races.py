"""The same request twice, and different ones at the same time: one effect, the same bytes, nothing counted twice."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

import tests.stage
from contest.session.rules.session import Used
from markup_core.receipt import sha256_hex
from tests.exchange_programs import Exchange, Program, at_once, receipt_bytes, refused, variants

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def test_openings_at_once_make_one_session_and_name_it_to_the_others(exchange: Exchange, program: Program) -> None:
    call = partial(program.ask, "POST", "/v1/sessions", patient=False, json={"set": "train", "files": 1})
    answered = at_once([call] * 8)
    won = [each for each in answered if each.status_code == 201]
    assert len(won) == 1
    session_id = won[0].json()["session_id"]
    for each in answered:
        if each is not won[0]:
            assert refused(each) == (409, "session_already_open")
            assert each.json()["error"]["details"][0]["session_id"] == session_id
    exchange.clock.advance(1)
    assert len(program.ask("GET", "/v1/sessions").json()["sessions"]) == 1
    assert _quota_used(exchange, program) == 1


def test_openings_at_once_with_one_key_all_get_the_one_session(exchange: Exchange, program: Program) -> None:
    call = partial(program.ask, "POST", "/v1/sessions", key="k", patient=False, json={"set": "train", "files": 1})
    answered = at_once([call] * 8)
    assert [each.status_code for each in answered] == [201] * 8
    assert len({each.json()["session_id"] for each in answered}) == 1
    assert _quota_used(exchange, program) == 1


def test_an_opening_that_its_twin_overtakes_between_two_looks_gets_the_twins_session(tmp_path: Path) -> None:
    with tests.stage.staged(tmp_path) as stage:
        stage.load()
        program = tests.stage.Program(stage, stage.team("red"))
        first = program.ask("POST", "/v1/sessions", {"set": "train"}, key="k")
        # The first look comes before the twin's transaction, the next one after it.
        used, calls = stage.platform.sessions.used, []

        def look(*words: str) -> Used | None:
            calls.append(words)
            return used(*words) if len(calls) > 1 else None

        with patch.object(stage.platform.sessions, "used", look):
            again = program.ask("POST", "/v1/sessions", {"set": "train"}, key="k")
        assert (again.status, again.json["session_id"]) == (201, first.json["session_id"])


def test_hand_outs_at_once_give_one_time(exchange: Exchange, program: Program) -> None:
    program.open(files=2)
    exchange.clock.advance(1)
    answered = at_once([partial(program.get, "files/1", patient=False)] * 8)
    assert [each.status_code for each in answered] == [200] * 8
    assert len({(each.json()["handed_out_at"], each.json()["answer_by"]) for each in answered}) == 1
    exchange.clock.advance(1)
    assert program.get("files/1").json()["handed_out_at"] == answered[0].json()["handed_out_at"]
    found = at_once([partial(program.get, "next", patient=False)] * 8)
    assert {each.json()["number"] for each in found} == {2}


def test_equal_answers_at_once_are_one_send_with_one_receipt(exchange: Exchange, program: Program) -> None:
    program.open(files=1)
    content = program.take(1)
    answered = at_once([partial(program.answer, 1, content, patient=False)] * 8)
    assert [each.status_code for each in answered] == [200] * 8
    assert len({receipt_bytes(each) for each in answered}) == 1
    exchange.clock.advance(1)
    assert program.delivery()["sends"] == 1
    exchange.cloud.drain()
    assert len(exchange.scores(program.session_id)) == 1


def test_different_answers_at_once_are_own_sends_and_the_last_counts(exchange: Exchange, program: Program) -> None:
    program.open(files=2)  # while the second one is without an answer, others may come to the first
    markups = variants(program.take(1), 8)
    answered = at_once([partial(program.answer, 1, each, patient=False) for each in markups])
    # Whoever lost every race is told so and comes again, as a client does.
    again = {
        number: program.answer(1, markups[number])
        for number, each in enumerate(answered)
        if each.status_code == 503 and refused(each) == (503, "busy") and each.headers["retry-after"] == "1"
    }
    receipts = [again.get(number, each).json()["receipt"] for number, each in enumerate(answered)]
    assert sorted(each["send"] for each in receipts) == list(range(1, 9))
    for markup, receipt in zip(markups, receipts, strict=True):
        assert receipt["content_sha256"] in {sha256_hex(blob) for blob in _answers(exchange, program)}, markup
    last = max(receipts, key=lambda each: each["send"])
    exchange.clock.advance(1)
    program.receipt(2, program.take(2))
    report = program.report()
    assert report["files"][0]["send"] == 8
    assert report["files"][0]["content_sha256"] == last["content_sha256"]


def test_twelve_answers_at_once_are_exactly_ten_sends(exchange: Exchange, program: Program) -> None:
    program.open(files=2)  # while the second one is without an answer, others may come to the first
    markups = variants(program.take(1), 12)
    answered = at_once([partial(program.answer, 1, each, patient=False) for each in markups[:6]])
    # Ten valid answers are spared the rate limit; whoever reads after the tenth is not, so the second wave has its own.
    exchange.clock.advance(1)
    answered += at_once([partial(program.answer, 1, each, patient=False) for each in markups[6:]])
    answered = [
        program.answer(1, markup) if each.status_code == 503 else each
        for markup, each in zip(markups, answered, strict=True)
    ]
    status = [each.json()["receipt"]["status"] for each in answered]
    assert (status.count("accepted"), status.count("ignored")) == (10, 2)
    exchange.clock.advance(1)
    assert program.delivery()["sends"] == 10


def test_an_answer_and_an_abort_at_once_leave_a_state_that_fits_the_receipt(exchange: Exchange) -> None:
    for _ in range(3):
        program = exchange.program()
        program.open(files=1)
        content = program.take(1)
        answered, aborted = at_once(
            [partial(program.answer, 1, content), partial(program.ask, "POST", program.path("abort"))]
        )
        accepted = answered.json()["receipt"]["status"] == "accepted"
        # The answer to the only file ends the session: whoever wants to abort it then is told so.
        finished = accepted and program.state() == "finished"
        assert (answered.status_code, aborted.status_code) == (200, 409 if finished else 200)
        assert accepted or answered.json()["receipt"]["reason"] == "session_closed"
        assert program.get().json()["counts"]["answered"] == int(accepted)
        assert program.report()["files"][0]["state"] == ("answered" if accepted else "voided")
        assert exchange.organizer.contest("verify", program.session_id) == f"{int(accepted)} scores, 1 reports compared"


def _answers(exchange: Exchange, program: Program) -> list[bytes]:
    return list(exchange.blobs(f"answers/{program.session_id}/").values())


def _quota_used(exchange: Exchange, program: Program) -> int:
    (item,) = [
        each
        for each in exchange.items("StorageExchange")
        if each["pk"]["S"] == f"TEAM#{program.team_id}" and each["sk"]["S"].startswith("QUOTA#")
    ]
    return int(item["used"]["N"])
