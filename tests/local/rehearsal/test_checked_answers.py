"""What the checker finds in answers: lost, late, refused in time, numbered twice; and deadlines told wrongly."""

from __future__ import annotations

import pytest

from local.rehearsal.moments import to_text
from tests.local.rehearsal.spoiling import TOLD, answer_of, digest_of, faults_of, file_of, move, red, request_of
from tests.local.rehearsal.story import INTERVAL, START, TEAMS, Pen, signature


def test_an_acknowledged_answer_whose_bytes_are_gone_is_lost(pen: Pen) -> None:
    pen.forget(pen.all("object", name=f"answers/{TEAMS['ann']}/1/{digest_of(pen, 'ann', 1)}.json")[0])
    assert red(pen) == {"acknowledged_kept", "scored_once", "replay_agrees"}


def test_a_receipt_that_nobody_stored_is_lost(pen: Pen) -> None:
    pen.forget(pen.find("item", pk=f"SESSION#{TEAMS['ann']}", sk="RECEIPT#0001#01"))
    assert "acknowledged_kept" in red(pen)


def test_a_teams_own_list_has_all_of_its_receipts_word_for_word(pen: Pen) -> None:
    told = [line["said"] for line in pen.all("response", status=200) if "receipt" in line["said"]]
    listed = [{name: each[name] for name in ("receipt", "signature")} for each in told]
    mine = [each for each in listed if each["receipt"]["session_id"] == TEAMS["ann"]]
    pen.add("answer", of="receipts/ann", body={"receipts": mine, "next": None})
    assert red(pen) == set()
    assert mine
    mine.clear()
    assert "receipts: 0 rows" in " ".join(faults_of(pen, TOLD))


@pytest.mark.parametrize("what", ["status", "receipts", "report"])
def test_a_team_that_is_not_told_of_its_own_in_the_end_is_no_silence(pen: Pen, what: str) -> None:
    pen.add("answer", of=f"unanswered/{what}/ann", body=500)
    assert faults_of(pen, "acknowledged_kept") == [f"ann: asked in the end for its {what}, and was answered 500"]


def test_a_receipt_with_another_signature_is_none(pen: Pen) -> None:
    response = answer_of(pen, "ann", 1)
    response["said"]["signature"] = signature({"key_id": "another"})
    assert red(pen) == {"acknowledged_kept"}


def test_stored_bytes_must_be_those_of_the_receipt(pen: Pen) -> None:
    pen.find("object", name=f"answers/{TEAMS['ann']}/1/{digest_of(pen, 'ann', 1)}.json")["sha256"] = "0" * 64
    assert red(pen) == {"acknowledged_kept", "scored_once", "replay_agrees"}


def test_an_acknowledged_answer_that_does_not_count_is_lost(pen: Pen) -> None:
    pen.item("ann", "FILE#0001")["answer"] = None
    assert red(pen) >= {"acknowledged_kept"}


def test_an_answer_after_its_deadline_must_not_be_accepted(pen: Pen) -> None:
    late = answer_of(pen, "bob", 2)
    move(pen, late["n"], INTERVAL + 50_001)
    assert red(pen) == {"late_not_accepted"}


def test_an_answer_in_the_last_millisecond_may_be_accepted(pen: Pen) -> None:
    move(pen, answer_of(pen, "bob", 2)["n"], INTERVAL + 50_000)
    assert red(pen) == set()


def test_a_repetition_counts_with_its_first_arrival(pen: Pen) -> None:
    response = answer_of(pen, "bob", 2)
    words = {"key": "k", "body_sha256": request_of(pen, response["n"])["body_sha256"]}
    pen.call("bob", "answer", 2, INTERVAL + 10_000, None, content_sha256=digest_of(pen, "bob", 2), **words)
    move(pen, response["n"], INTERVAL + 59_000)
    assert red(pen) == set()


def test_an_answer_decided_on_before_must_not_come_in_time_again(pen: Pen) -> None:
    """Sent in time, replaced, and accepted once more after the deadline: the first receipt is another one."""
    for send, moment in ((2, 30_000), (3, 59_000)):
        said = pen.receipt("ann", 1, 30_000, send=send)
        pen.send("ann", 1, moment, said)
        pen.keep("ann", 1, said)
    pen.item("ann", "FILE#0001").update(sends=3)
    pen.item("ann", "FILE#0001")["answer"]["send"] = 3
    assert "late_not_accepted" in red(pen)


def test_a_file_must_not_be_handed_out_to_a_late_request(pen: Pen) -> None:
    move(pen, file_of(pen, "bob", 2)["n"], INTERVAL + 10_001)
    assert "late_not_accepted" in red(pen)


def test_a_valid_answer_in_time_must_not_be_refused(pen: Pen) -> None:
    digest = digest_of(pen, "ann", 1)
    said = {"error": {"code": "session_closed"}}
    pen.send(
        "ann", 1, 30_000, said, status=409, content_sha256=digest, body_sha256="other bytes", code="session_closed"
    )
    assert red(pen) == {"on_time_not_refused"}


@pytest.mark.parametrize(
    ("code", "details", "silent"),
    [
        ("invalid_answer", [{"code": "unknown_code", "message": "what", "message_ru": "что"}], False),
        ("invalid_answer", [{"code": "unknown_code", "message": "what"}], True),
        ("invalid_answer", [], True),
        ("idempotency_key_reused", [], False),
    ],
)
def test_an_invalid_answer_is_told_why_and_a_key_used_twice_is_a_reason_by_itself(
    pen: Pen, code: str, details: list[dict[str, str]], silent: bool
) -> None:
    said = {"error": {"code": code, "details": details}}
    pen.send("ann", 1, 30_000, said, status=422, content_sha256="other content", body_sha256="other bytes", code=code)
    assert ("ten_sends" in red(pen)) is silent


def test_an_answer_in_time_must_not_be_called_late(pen: Pen) -> None:
    said = pen.receipt("ann", 1, 30_000, send=2, status="late", reason="deadline_passed")
    pen.send("ann", 1, 30_000, said)
    pen.keep("ann", 1, said)
    pen.item("ann", "FILE#0001")["sends"] = 2
    assert red(pen) == {"on_time_not_refused"}


def test_a_file_asked_for_in_time_must_not_be_refused(pen: Pen) -> None:
    pen.call("ann", "file", 1, 10_000, 410, said={"error": {"code": "file_missed"}}, code="file_missed")
    assert red(pen) == {"on_time_not_refused"}


def test_a_file_that_is_not_open_may_be_refused(pen: Pen) -> None:
    pen.call("ann", "file", 2, 30_000, 425, said={"error": {"code": "not_open_yet"}}, code="not_open_yet")
    assert red(pen) == set()


def test_deadlines_are_those_of_the_rules(pen: Pen) -> None:
    file_of(pen, "ann", 1)["said"]["answer_by"] = to_text(START + 49_999)
    assert red(pen) == {"deadlines_told"}


@pytest.mark.parametrize(("due", "found"), [(55_250, set()), (55_300, set()), (55_301, {"deadlines_told"})])
def test_what_one_file_took_is_given_back_with_the_next_and_no_more(pen: Pen, due: int, found: set[str]) -> None:
    """The platform estimates when it will be done: it may say so for later than the program had its file."""
    pen.find("header")["limits"]["total_ms"] = 55_000
    slow = file_of(pen, "ann", 1)
    slow["at"] += 100
    slow["said"] |= {"handed_out_at": to_text(START + 150), "answer_by": to_text(START + 50_150)}
    late = file_of(pen, "ann", 2)
    pen.find("request", n=late["n"])["at"] += 8_000
    late["at"] += 8_100
    late["said"] |= {"handed_out_at": to_text(START + 68_100), "answer_by": to_text(START + 60_000 + due)}
    assert red(pen) == {"commitment_kept"} | found, "another limit was promised"


@pytest.mark.parametrize(("due", "found"), [(55_140, set()), (55_141, {"deadlines_told"})])
def test_what_a_request_between_two_files_took_is_given_back(pen: Pen, due: int, found: set[str]) -> None:
    pen.find("header")["limits"]["total_ms"] = 55_000
    looked = pen.call("ann", "status", None, 30_000, 200)
    pen.find("response", n=looked)["at"] += 20
    late = file_of(pen, "ann", 2)
    pen.find("request", n=late["n"])["at"] += 8_000
    late["at"] += 8_100
    late["said"] |= {"handed_out_at": to_text(START + 68_100), "answer_by": to_text(START + 60_000 + due)}
    assert red(pen) == {"commitment_kept"} | found, "another limit was promised"


def test_a_repetition_tells_the_first_times(pen: Pen) -> None:
    pen.hand_out("ann", 1, 5_000)
    assert "deadlines_told" in red(pen)


def test_an_eleventh_send_must_not_be_taken(pen: Pen) -> None:
    for send in range(2, 12):
        pen.keep("ann", 1, pen.receipt("ann", 1, 30_000, send=send))
    pen.item("ann", "FILE#0001")["sends"] = 11
    assert red(pen) == {"ten_sends"}


def test_sends_are_numbered_without_a_gap(pen: Pen) -> None:
    pen.keep("ann", 1, pen.receipt("ann", 1, 30_000, send=3))
    pen.item("ann", "FILE#0001")["sends"] = 2
    assert red(pen) == {"ten_sends"}


def test_two_answers_must_not_win_the_same_send(pen: Pen) -> None:
    twin = pen.receipt("ann", 1, 20_001)
    pen.send("ann", 1, 20_001, twin)
    assert red(pen) == {"one_winner", "acknowledged_kept"}


def test_a_key_gets_one_receipt(pen: Pen) -> None:
    first, second = pen.receipt("ann", 1, 20_000), pen.receipt("ann", 1, 25_000, send=2)
    pen.send("ann", 1, 20_000, first, key="k")
    pen.send("ann", 1, 25_000, second, key="k")
    pen.keep("ann", 1, second)
    pen.item("ann", "FILE#0001").update(sends=2, answer={"send": 2, "content_sha256": digest_of(pen, "ann", 1)})
    assert red(pen) == {"one_winner"}
