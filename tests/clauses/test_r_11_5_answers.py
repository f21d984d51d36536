"""R 11.5, 11.6, R-App2: ten sends, nothing but answers to this file, in time; receipts for all of it (platform §4)."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from contest.values import iso
from markup_core.receipt import canonical_bytes, sha256_hex
from tests.calls import counted
from tests.stage import Answered, Program, Stage


@pytest.fixture
def one(program: Program) -> Program:
    """Return a program with its first file handed out."""
    program.open(time_limit_s=60)
    assert program.get("files/1").status == 200
    return program


def receipt(answered: Answered) -> Any:
    assert answered.status == 200, answered.text
    return answered.json["receipt"]


def letters(text: str) -> dict[str, str]:
    return {"letters": text}


@pytest.mark.clause("platform §3 by number", "R-App2 §2 algorithmic", "platform §3 hand-out")
def test_r_app2_a_file_is_the_same_at_every_repetition(stage: Stage, one: Program) -> None:
    first = one.get("files/1").json
    stage.advance(30)
    again = one.get("files/1").json
    assert {**again, "server_time": None} == {**first, "server_time": None}
    assert again["server_time"] != first["server_time"]
    times = {"opens_at", "request_by", "handed_out_at", "answer_by", "server_time"}
    assert set(again) == {"number", "file_id", "content", "dialogue", *times}
    assert again["dialogue"] is None
    assert again["opens_at"] is again["request_by"] is None
    assert set(again["content"]) == {"id", "question"}
    assert again["content"]["id"] == again["file_id"]


@pytest.mark.clause("R-App2 §2 algorithmic", "platform §3 late")
def test_r_app2_an_answer_counts_to_the_last_millisecond(stage: Stage, one: Program) -> None:
    one.get("files/2")
    stage.advance(60)
    assert receipt(one.answer(1, letters("a")))["status"] == "accepted"
    stage.advance(0.001)
    late = receipt(one.answer(2, letters("abcd")))
    assert (late["status"], late["reason"], late["send"]) == ("late", "deadline_passed", 1)
    delivery = one.get().json["deliveries"][1]
    assert (delivery["state"], delivery["cause"], delivery["evidence"]) == ("voided", "team_late", {"late_by_ms": 1})
    assert len(stage.outbox()) == 1
    stored = stage.platform.blobs.get(f"answers/{one.session_id}/2/{late['content_sha256']}.json")
    assert json.loads(stored) == letters("abcd")


@pytest.mark.clause("R-App2 §2 algorithmic")
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


@pytest.mark.clause("platform §3 late")
def test_platform_3_late_answers_to_a_closed_session_are_still_receipted(stage: Stage, one: Program) -> None:
    one.ask("POST", f"/v1/sessions/{one.session_id}/abort")
    in_time = receipt(one.answer(1, letters("a")))
    assert (in_time["status"], in_time["reason"]) == ("late", "session_closed")
    stage.advance(61)
    after = receipt(one.answer(1, letters("b")))
    assert (after["status"], after["reason"], after["send"]) == ("late", "deadline_passed", 2)


@pytest.mark.clause("R 11.5", "D 13.1")
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
    first = one.answer(1, letters("abcd"))
    stage.advance(5)
    assert one.answer(1, letters("abcd")).receipted == first.receipted
    assert one.answer(1, letters("abcd"), key="k").receipted == first.receipted


@pytest.mark.clause("R 11.6", "platform §3 refused")
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
def test_r_11_6_what_is_no_answer_is_no_send(one: Program, body: Any, status: int, code: str, reason: str) -> None:
    refused = one.answer(1, body)
    assert refused.refusal == (status, code)
    assert refused.json["error"]["details"][0]["code"] == reason
    assert one.get().json["deliveries"][0]["sends"] == 0
    assert one.get("receipts").json["receipts"] == []


def test_r_11_6_a_refused_answer_voids_and_replaces_nothing(stage: Stage, one: Program) -> None:
    one.get("files/2")
    one.answer(1, "[]")
    accepted = receipt(one.answer(2, letters("abcd")))
    one.answer(2, "[]")
    assert one.get().json["deliveries"][1]["state"] == "answered"
    assert receipt(one.answer(2, letters("abcd"))) == accepted
    stage.advance(61)
    delivery = one.get().json["deliveries"][0]
    assert (delivery["state"], delivery["cause"]) == ("voided", "team_invalid")
    assert delivery["evidence"] == {"refusals": 1, "last": "no_letters"}


@pytest.mark.clause("platform §3 retry")
def test_platform_3_a_retry_gets_the_same_bytes_and_is_no_send_whenever_it_comes(stage: Stage, one: Program) -> None:
    first = one.answer(1, '{"letters": "abcd"}')
    stage.advance(2)
    stage.restart()
    assert one.answer(1, '{ "letters":"abcd" }').receipted == first.receipted
    keyed = one.answer(1, letters("b"), key="k")
    assert keyed.json["receipt"]["send"] == 2
    assert one.answer(1, letters("b"), key="k").receipted == keyed.receipted
    assert one.answer(1, letters("c"), key="k").refusal == (422, "idempotency_key_reused")
    assert one.answer(1, letters("b"), key="another").json["receipt"]["send"] == 3
    last = one.answer(1, letters("b"), key="another")
    assert last.json["receipt"]["send"] == 3
    stage.advance(3600)
    one.get()
    assert one.answer(1, letters("b")).receipted == last.receipted


@pytest.mark.clause("platform §3 retry")
def test_platform_3_a_key_of_another_route_path_or_body_is_refused(stage: Stage, one: Program) -> None:
    one.get("files/2")
    assert receipt(one.answer(1, letters("a"), key="answer"))["number"] == 1
    one.ask("POST", f"/v1/sessions/{one.session_id}/abort", {})
    opened = one.ask("POST", "/v1/sessions", {"set": "train"}, key="opening")
    assert opened.status == 201
    stage.advance(1)
    for refused in (
        one.answer(2, letters("a"), key="answer"),
        one.answer(1, letters("a"), key="opening"),
        one.ask("POST", "/v1/sessions", {"set": "train"}, key="answer"),
        one.ask("POST", "/v1/sessions", {"set": "train", "files": 1}, key="opening"),
        one.ask("POST", "/v1/sessions", {"mode": "final"}, key="opening"),
    ):
        assert refused.refusal == (422, "idempotency_key_reused")
    assert one.ask("POST", "/v1/sessions", {"set": "train"}, key="opening").json == {
        **opened.json,
        "server_time": iso(stage.now),
    }
    other = Program(stage, stage.team("blue"))
    assert other.ask("POST", "/v1/sessions", {"set": "train"}, key="opening").status == 201


@pytest.mark.clause("platform §3 refused", "platform §3 by number")
def test_platform_3_a_file_has_one_address_and_takes_no_answer_before_it_was_handed_out(one: Program) -> None:
    assert one.answer(2, letters("a")).refusal == (409, "file_not_handed_out")
    assert one.answer(5, letters("a")).code == "unknown_file"
    assert one.answer(0, letters("a")).code == "unknown_file"
    for number in ("01", "+1", "1.0", "001", "-0"):
        one.stage.advance(1)
        for refused in (
            one.get(f"files/{number}"),
            one.answer(number, letters("a")),  # type: ignore[arg-type]
            one.get(f"files/{number}/score"),
            one.get(f"files/{number}/comparison"),
        ):
            assert refused.refusal == (404, "unknown_file")


@pytest.mark.clause("platform §4 receipts")
def test_receipts_come_in_pages_and_verify_offline(one: Program, stage: Stage) -> None:
    one.get("files/2")
    answered = one.answer(2, letters("x")), one.answer(1, letters("a")), one.answer(1, letters("b"))
    given = [{name: each.json[name] for name in ("receipt", "signature")} for each in answered]
    first = one.get("receipts?limit=2").json
    assert first["receipts"] == [given[1], given[2]]
    after = first["next"].replace("#", "%23")
    assert one.get(f"receipts?after={after}").json == {"receipts": [given[0]], "next": None}
    assert one.get("receipts").json["receipts"] == [given[1], given[2], given[0]]
    answer = one.answer(1, letters("abcd")).json
    keys = {each["key_id"]: each for each in stage.request("GET", "/v1/keys").json["keys"]}
    key = keys[answer["receipt"]["key_id"]]
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"]))
    signature = base64.b64decode(answer["signature"])
    public.verify(signature, canonical_bytes(answer["receipt"]))
    with pytest.raises(InvalidSignature):
        public.verify(signature, canonical_bytes({**answer["receipt"], "status": "late"}))
    assert answer["receipt"]["content_sha256"] == sha256_hex(canonical_bytes(letters("abcd")))


@pytest.mark.clause("platform §3 log", "platform §3 limits")
def test_the_clients_log_stays_and_large_bodies_are_refused(stage: Stage, one: Program) -> None:
    path = f"/v1/sessions/{one.session_id}/log"
    for index in range(22):
        assert one.ask("PUT", path, f"line {index}").json == {"sha256": sha256_hex(f"line {index}".encode())}
        stage.advance(1)
    names = stage.platform.blobs.names(f"logs/{one.session_id}/")
    assert len(names) == 20
    assert stage.platform.blobs.get(names[-1]) == b"line 21"
    assert stage.platform.blobs.get(names[0]) == b"line 2"
    assert one.ask("PUT", path, b"x" * 1024 * 1024).status == 200
    assert one.ask("PUT", path, b"x" * (1024 * 1024 + 1)).refusal == (413, "answer_too_large")
    refused = one.answer(1, b"x" * (2 * 1024 * 1024 + 1))
    assert refused.refusal == (413, "answer_too_large")
    assert refused.json["error"]["details"][0]["limit"] == 2 * 1024 * 1024


@pytest.mark.clause("D 12.8", "platform §3 rate")
def test_d_12_8_ten_requests_a_second_and_first_answers_are_never_refused(stage: Stage, program: Program) -> None:
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


def flooded(program: Program, number: int, bodies: Sequence[Any]) -> list[int]:
    """Send answers that all come in the same second; return their statuses."""
    return [program.answer(number, each).status for each in bodies]


@pytest.mark.clause("D 12.8", "platform §3 rate")
def test_platform_3_answers_are_refused_beyond_their_numbers_alone(stage: Stage, program: Program) -> None:
    program.open(set="test")  # of five files the last one keeps the session open
    for number in range(1, 5):
        program.get(f"files/{number}")
    stage.advance(1)
    assert flooded(program, 1, ["[]"] * 21) == [422] * 21
    assert flooded(program, 1, ["[]", letters("a")]) == [429, 429]
    valid = [letters(f"a{send}") for send in range(11)]
    assert flooded(program, 2, valid) == [200] * 11
    assert flooded(program, 2, [valid[0], "[]"]) == [429, 429]
    assert program.get("next").status == 429
    stage.advance(1)
    assert flooded(program, 1, [letters("a")]) == [200]
    assert program.get().json["deliveries"][1]["sends"] == 10
    # the same answer again and again
    stage.advance(1)
    assert flooded(program, 3, [letters("a")] * 40) == [200] * 11 + [429] * 29
    # answers with a key of another answer
    stage.advance(1)
    assert program.answer(4, letters("a"), key="k").status == 200
    stage.advance(1)
    assert [program.answer(4, letters("b"), key="k").status for _ in range(40)] == [422] * 10 + [429] * 30
    stage.advance(1)
    assert receipt(program.answer(4, letters("b")))["status"] == "accepted"


@pytest.mark.clause("D 12.8", "platform §3 rate", "platform §3 body")
def test_slow_bodies_do_not_pass_the_rate(stage: Stage, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """The headers of each request come in another second, and all bodies come at once."""
    program.open()
    stage.advance(40)
    program.get("next")
    event = stage.event

    def sent(seconds_ago: float) -> int:
        def begun_earlier(*words: Any) -> dict[str, Any]:
            made = event(*words)
            made["requestContext"]["timeEpoch"] = stage.now - round(seconds_ago * 1000)
            return made

        with monkeypatch.context() as slowly:
            slowly.setattr(stage, "event", begun_earlier)
            return program.ask("PUT", f"/v1/sessions/{program.session_id}/log", "line").status

    assert [sent(29 - tick) for tick in range(28)] == [200] * 10 + [429] * 18


@pytest.mark.clause("D 12.8", "platform §3 rate")
def test_a_refusal_for_the_rate_asks_the_cloud_once(stage: Stage, program: Program) -> None:
    """Answers to no session, another team's, a file that was not handed out or is over: the limit holds."""
    program.open(files=2)
    program.get("files/1")
    other = Program(stage, stage.team("blue"))
    other.open()
    stage.advance(61)
    own, foreign = program.session_id, other.session_id
    paths = [
        f"{own}/files/1",
        f"{own}/files/2",
        f"{own}/files/01",
        f"{foreign}/files/1",
        f"{'0' * 20}/files/1",
        "x/files/1",
    ]
    for path in paths:
        stage.advance(1)
        answers = [program.ask("PUT", f"/v1/sessions/{path}/answer", letters("a")).status for _ in range(10)]
        assert 429 not in answers, path
        with counted() as calls:
            refused = program.ask("PUT", f"/v1/sessions/{path}/answer", b"x" * 3_000_000)
        assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "1"), path
        assert calls.count == 1, str(calls)
