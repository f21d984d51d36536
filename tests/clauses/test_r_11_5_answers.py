"""R 11.5, 11.6, R-App2: ten sends, nothing but answers to this file, in time; receipts for all of it (platform §4)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from markup_core.receipt import canonical_bytes, sha256_hex
from tests.stage import Answered, Program, Stage


@pytest.fixture
def one(program: Program) -> Program:
    """A program with its first file in hand."""
    program.open(time_limit_s=60)
    assert program.get("files/1").status == 200
    return program


def receipt(answered: Answered) -> Any:
    assert answered.status == 200, answered.text
    return answered.json["receipt"]


def letters(text: str) -> dict[str, str]:
    return {"letters": text}


def test_r_app2_a_file_is_the_same_at_every_repetition(stage: Stage, one: Program) -> None:
    first = one.get("files/1").json
    stage.advance(30)
    again = one.get("files/1").json
    assert {**again, "server_time": None} == {**first, "server_time": None}
    assert again["server_time"] != first["server_time"]


def test_r_app2_a_hand_out_shows_what_the_track_shows_and_nothing_else(one: Program) -> None:
    body = one.get("files/1").json
    times = {"opens_at", "request_by", "handed_out_at", "answer_by", "server_time"}
    assert set(body) == {"number", "file_id", "content", *times}
    assert body["opens_at"] is body["request_by"] is None
    assert set(body["content"]) == {"id", "question"}
    assert body["content"]["id"] == body["file_id"]


def test_r_app2_an_answer_in_the_last_millisecond_is_in_time(stage: Stage, one: Program) -> None:
    stage.advance(60)
    assert receipt(one.answer(1, letters("a")))["status"] == "accepted"


def test_r_app2_a_late_answer_is_stored_but_never_counts(stage: Stage, one: Program) -> None:
    stage.set_clock(stage.now + 60_001)
    late = receipt(one.answer(1, letters("abcd")))
    assert (late["status"], late["reason"], late["send"]) == ("late", "deadline_passed", 1)
    delivery = one.get().json["deliveries"][0]
    assert (delivery["state"], delivery["cause"], delivery["evidence"]) == ("voided", "team_late", {"late_by_ms": 1})
    assert stage.outbox() == []
    stored = stage.platform.blobs.get(f"answers/{one.session_id}/1/{late['content_sha256']}.json")
    assert json.loads(stored) == letters("abcd")


def test_r_app2_a_missed_file_is_excluded_from_the_result(stage: Stage, program: Program) -> None:
    program.open(time_limit_s=10)
    program.play(skip=[2])
    stage.advance(60)
    program.get("next")
    stage.score_all()
    report = program.get("report").json
    assert report["result"]["relative_accuracy"] == 100.0
    assert report["voided"]["files"] == 1
    missed = report["files"][1]
    assert (missed["state"], missed["cause"], missed["evidence"]) == ("voided", "team_late", {"answered": False})


def test_platform_3_late_answers_to_a_closed_session_are_still_receipted(stage: Stage, one: Program) -> None:
    one.ask("POST", f"/v1/sessions/{one.session_id}/abort")
    in_time = receipt(one.answer(1, letters("a")))
    assert (in_time["status"], in_time["reason"]) == ("late", "session_closed")
    stage.advance(61)
    after = receipt(one.answer(1, letters("b")))
    assert (after["status"], after["reason"], after["send"]) == ("late", "deadline_passed", 2)


def test_r_11_5_the_last_of_the_first_ten_sends_counts(stage: Stage, one: Program) -> None:
    for send in range(1, 11):
        assert receipt(one.answer(1, letters(f"a{send}")))["send"] == send
    stage.advance(1)
    ignored = receipt(one.answer(1, letters("abcd")))
    assert (ignored["status"], ignored["reason"], ignored["send"]) == ("ignored", "too_many_sends", 11)
    assert one.get().json["deliveries"][0]["sends"] == 10
    last = sha256_hex(canonical_bytes(letters("a10")))
    stored = stage.platform.deliveries.get(one.session_id, 1)
    assert stored is not None
    assert stored.answer is not None
    assert stored.answer.content_sha256 == last


def test_r_11_5_an_ignored_answer_again_gets_the_same_receipt(stage: Stage, one: Program) -> None:
    for send in range(10):
        one.answer(1, letters(f"a{send}"))
    first = one.answer(1, letters("more"))
    stage.advance(5)
    assert one.answer(1, letters("more")).text == first.text
    assert one.answer(1, letters("more"), key="k").text == first.text


@pytest.mark.parametrize(
    ("body", "status", "code", "reason"),
    [
        (b"\xff\xfe", 400, "malformed_json", "malformed_json"),
        ("{", 400, "malformed_json", "malformed_json"),
        ("", 400, "malformed_json", "malformed_json"),
        ("[]", 422, "invalid_answer", "no_letters"),
        ({"text": "another file's answer"}, 422, "invalid_answer", "no_letters"),
    ],
)
def test_r_11_6_anything_but_an_answer_is_refused_and_is_no_send(
    one: Program, body: Any, status: int, code: str, reason: str
) -> None:
    refused = one.answer(1, body)
    assert (refused.status, refused.code) == (status, code)
    assert refused.json["error"]["details"][0]["code"] == reason
    assert one.get().json["deliveries"][0]["sends"] == 0
    assert one.get("receipts").json["receipts"] == []


def test_r_11_6_a_refused_answer_is_the_cause_of_a_void_file(stage: Stage, one: Program) -> None:
    one.answer(1, "[]")
    stage.advance(61)
    delivery = one.get().json["deliveries"][0]
    assert (delivery["state"], delivery["cause"]) == ("voided", "team_invalid")
    assert delivery["evidence"] == {"refusals": 1, "last": "no_letters"}


def test_r_11_6_a_refused_answer_replaces_no_accepted_one(one: Program) -> None:
    accepted = receipt(one.answer(1, letters("abcd")))
    one.answer(1, "[]")
    assert one.get().json["deliveries"][0]["state"] == "answered"
    assert receipt(one.answer(1, letters("abcd"))) == accepted


def test_platform_3_a_retry_gets_the_same_bytes_and_is_no_send(stage: Stage, one: Program) -> None:
    first = one.answer(1, '{"letters": "abcd"}')
    stage.advance(2)
    stage.restart()
    assert one.answer(1, '{ "letters":"abcd" }').text == first.text
    keyed = one.answer(1, letters("b"), key="k")
    assert keyed.json["receipt"]["send"] == 2
    assert one.answer(1, letters("b"), key="k").text == keyed.text
    assert one.answer(1, letters("c"), key="k").text == keyed.text
    assert one.answer(1, letters("b"), key="another").json["receipt"]["send"] == 3


def test_platform_3_a_retry_after_the_deadline_is_still_a_retry(stage: Stage, one: Program) -> None:
    first = one.answer(1, letters("abcd"))
    stage.advance(3600)
    one.get()
    assert one.answer(1, letters("abcd")).text == first.text


def test_platform_3_a_key_means_nothing_for_another_file(one: Program) -> None:
    one.get("files/2")
    first = receipt(one.answer(1, letters("a"), key="k"))
    second = receipt(one.answer(2, letters("a"), key="k"))
    assert (first["number"], second["number"]) == (1, 2)


def test_platform_3_a_file_that_was_not_handed_out_takes_no_answer(one: Program) -> None:
    refused = one.answer(2, letters("a"))
    assert (refused.status, refused.code) == (409, "file_not_handed_out")
    assert one.answer(5, letters("a")).code == "unknown_file"
    assert one.answer(0, letters("a")).code == "unknown_file"


def test_platform_4_every_receipt_verifies_offline_and_a_changed_one_does_not(stage: Stage, one: Program) -> None:
    given = one.answer(1, letters("abcd")).json
    keys = {each["key_id"]: each for each in stage.request("GET", "/v1/keys").json["keys"]}
    key = keys[given["receipt"]["key_id"]]
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"]))
    signature = base64.b64decode(given["signature"])
    public.verify(signature, canonical_bytes(given["receipt"]))
    with pytest.raises(InvalidSignature):
        public.verify(signature, canonical_bytes({**given["receipt"], "status": "late"}))
    assert given["receipt"]["content_sha256"] == sha256_hex(canonical_bytes(letters("abcd")))


def test_platform_4_receipts_come_by_file_and_send_in_pages(one: Program) -> None:
    one.get("files/2")
    given = [one.answer(2, letters("x")).json, one.answer(1, letters("a")).json, one.answer(1, letters("b")).json]
    first = one.get("receipts?limit=2").json
    assert first["receipts"] == [given[1], given[2]]
    after = first["next"].replace("#", "%23")
    assert one.get(f"receipts?after={after}").json == {"receipts": [given[0]], "next": None}
    assert one.get("receipts").json["receipts"] == [given[1], given[2], given[0]]


def test_platform_3_the_clients_log_stays_with_the_session(stage: Stage, one: Program) -> None:
    path = f"/v1/sessions/{one.session_id}/log"
    for index in range(22):
        stored = one.ask("PUT", path, f"line {index}")
        assert stored.json == {"sha256": sha256_hex(f"line {index}".encode())}
        stage.advance(1)
    names = stage.platform.blobs.names(f"logs/{one.session_id}/")
    assert len(names) == 20
    assert stage.platform.blobs.get(names[-1]) == b"line 21"
    assert stage.platform.blobs.get(names[0]) == b"line 2"
    refused = one.ask("PUT", path, b"x" * (1024 * 1024 + 1))
    assert (refused.status, refused.code) == (413, "answer_too_large")


def test_platform_3_a_body_over_the_limit_is_refused_before_it_is_read(one: Program) -> None:
    refused = one.answer(1, b"x" * (2 * 1024 * 1024 + 1))
    assert (refused.status, refused.code) == (413, "answer_too_large")
    assert refused.json["error"]["details"][0]["limit"] == 2 * 1024 * 1024


def test_d_12_8_ten_requests_a_second_and_answers_are_never_refused(stage: Stage, program: Program) -> None:
    program.open()
    stage.advance(1)
    assert [program.get("next").status for _ in range(8)] == [200] * 8
    program.get("files/1")
    assert receipt(program.answer(1, letters("a")))["status"] == "accepted"
    refused = program.get("next")
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "1")
    assert receipt(program.answer(1, letters("b")))["status"] == "accepted"
    other = Program(stage, stage.team("blue"))
    assert other.open().status == 201
    stage.advance(1)
    assert program.get("next").status == 200
