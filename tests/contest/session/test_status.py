"""What a team sees of its sessions, and how they end: status, list, receipts, log, abort, silence."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from contest.values import iso
from tests.stage import Program, Stage
from tests.toys import toy_cycle

RIGHT = {"letters": "abcd"}
MODULES = "1" * 64


@pytest.fixture
def two(red: Program) -> Program:
    """Return a program in a session of two files."""
    assert red.open(files=2).status == 201
    return red


def state(program: Program) -> str:
    return str(program.get().json["state"])


def test_a_status_counts_files_by_state(stage: Stage, red: Program) -> None:
    red.open(set="test", files=5, time_limit_s=10)
    for number in (1, 2, 3):
        red.get(f"files/{number}")
    red.answer(1, RIGHT)
    stage.advance(11)
    red.answer(3, RIGHT)
    red.get("files/4")
    body = red.get().json
    assert body["counts"] == {"waiting": 1, "open": 1, "answered": 1, "late": 1, "voided": 2}
    assert [each["state"] for each in body["deliveries"]] == ["answered", "voided", "voided", "open", "waiting"]
    assert [each["sends"] for each in body["deliveries"]] == [1, 0, 1, 0, 0]
    assert [each["cause"] for each in body["deliveries"]] == [None, "team_late", "team_late", None, None]
    assert (body["voided_share"], body["solution_voided"]) == (None, None)


def test_a_file_shows_its_hand_out_and_deadline_and_none_before(stage: Stage, red: Program) -> None:
    red.open(files=2, time_limit_s=30)
    red.get("files/1")
    first, second = red.get().json["deliveries"]
    assert (first["handed_out_at"], first["answer_by"]) == (iso(stage.now), iso(stage.now + 30_000))
    assert (second["file_id"], second["handed_out_at"], second["answer_by"]) == (None, None, None)


def test_a_session_of_nobodys_and_a_name_of_no_session_are_alike(stage: Stage, two: Program) -> None:
    other = Program(stage, stage.team("blue"))
    for name in (two.session_id, "1" * 15, "S" * 15, two.session_id + "0"):
        refused = other.ask("GET", f"/v1/sessions/{name}")
        assert (refused.status, refused.code) == (404, "unknown_session")


def test_silence_ends_a_session_after_fifteen_minutes_and_asking_breaks_it(stage: Stage, two: Program) -> None:
    stage.advance(899.999)
    assert state(two) == "open"
    stage.advance(899.999)
    assert state(two) == "open"
    stage.advance(900)
    assert state(two) == "timed_out"


def test_the_timer_waits_for_requests_under_way_before_it_ends_a_silent_session(stage: Stage, two: Program) -> None:
    stage.advance(929.999)
    assert stage.tick()["closed"] == 0
    stage.advance(0.001)
    assert stage.tick()["closed"] == 1
    assert state(two) == "timed_out"


def test_a_session_is_aborted_once_and_a_finished_one_stays_finished(stage: Stage, two: Program) -> None:
    path = f"/v1/sessions/{two.session_id}/abort"
    ended = two.ask("POST", path).json
    assert (ended["state"], ended["closed_at"]) == ("aborted", iso(stage.now))
    stage.advance(5)
    assert two.ask("POST", path).json["closed_at"] == ended["closed_at"]
    two.open(files=1)
    two.play()
    assert state(two) == "finished"
    refused = two.ask("POST", f"/v1/sessions/{two.session_id}/abort")
    assert (refused.status, refused.code, refused.json["error"]["details"][0]["state"]) == (
        409,
        "session_closed",
        "finished",
    )
    assert state(two) == "finished"


def test_the_list_goes_back_in_time_in_pages_and_by_mode(stage: Stage, red: Program) -> None:
    opened = []
    for _ in range(3):
        opened.append(red.open(files=1).json)
        red.ask("POST", f"/v1/sessions/{red.session_id}/abort")
        stage.advance(1)

    def listed(query: str) -> list[str]:
        return [each["session_id"] for each in red.ask("GET", f"/v1/sessions?{query}").json["sessions"]]

    names = [each["session_id"] for each in reversed(opened)]
    assert listed("") == names
    assert listed("limit=2") == names[:2]
    assert listed(f"before={opened[1]['opened_at']}") == names[2:]
    assert listed("mode=algorithmic") == names
    assert listed("mode=final") == []


def test_a_listed_session_whose_time_is_over_has_ended(stage: Stage, two: Program) -> None:
    stage.advance(900)
    (listed,) = two.ask("GET", "/v1/sessions").json["sessions"]
    assert (listed["state"], listed["counts"]["waiting"], listed["counts"]["voided"]) == ("timed_out", 0, 2)


def test_a_day_that_is_none_is_refused_by_its_field(red: Program) -> None:
    refused = red.ask("GET", "/v1/sessions?before=2026-02-30T00:00:00.000Z")
    assert (refused.status, refused.json["error"]["details"][0]["field"]) == (422, "query.before")


def test_receipts_are_paged_by_file_and_send(stage: Stage, two: Program) -> None:
    for number in (1, 2):
        two.get(f"files/{number}")
        two.answer(number, {"letters": f"a{number}"})
        two.answer(number, {"letters": f"b{number}"})
        stage.advance(1)
    first = two.get("receipts?limit=3").json
    rest = two.get(f"receipts?limit=3&after={first['next'].replace('#', '%23')}").json
    sends = [(each["receipt"]["number"], each["receipt"]["send"]) for each in first["receipts"] + rest["receipts"]]
    assert sends == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert rest["next"] is None


def test_a_receipt_says_whose_answer_to_which_file_arrived_when(stage: Stage, two: Program) -> None:
    file = two.get("files/1").json
    stage.advance(2)
    receipt = two.answer(1, RIGHT).json["receipt"]
    said = {name: receipt[name] for name in ("team_id", "cycle", "track", "mode", "session_id", "file_id", "number")}
    whose = {"team_id": "red", "cycle": "toy-1", "track": "toy", "mode": "algorithmic"}
    assert said == {**whose, "session_id": two.session_id, "file_id": file["file_id"], "number": 1}
    assert (receipt["send"], receipt["status"], receipt["reason"]) == (1, "accepted", None)
    assert (receipt["received_at"], receipt["decided_at"], receipt["format"]) == (iso(stage.now), iso(stage.now), 2)
    assert receipt["content_sha256"] == hashlib.sha256(b'{"letters":"abcd"}').hexdigest()
    assert "run_id" not in receipt


@pytest.mark.parametrize(
    ("sha256", "known", "expected"),
    [(MODULES, [MODULES], True), ("2" * 64, [MODULES], False), (None, [MODULES], None), (MODULES, [], None)],
)
def test_whether_a_client_is_a_published_one(
    stage: Stage, red: Program, sha256: str | None, known: list[str], expected: bool | None
) -> None:
    files = toy_cycle()
    files["cycle.json"]["known_clients"] = known
    stage.load(files)
    stage.restart()
    client = {"name": "pku", "version": "1", "sha256": sha256}
    assert red.open(client=client).json["client_known"] is expected


def test_without_a_client_nothing_is_said_of_it(two: Program) -> None:
    body = two.get().json
    assert (body["client"], body["client_known"]) == (None, None)


def test_the_latest_twenty_logs_of_a_session_are_kept(stage: Stage, two: Program) -> None:
    sums = []
    for number in range(22):
        stage.advance(1)
        answered = two.ask("PUT", f"/v1/sessions/{two.session_id}/log", f"log {number}".encode())
        sums.append(answered.json["sha256"])
    blobs = stage.platform.blobs
    kept = [blobs.get(name).decode() for name in blobs.names(f"logs/{two.session_id}/")]
    assert kept == [f"log {number}" for number in range(2, 22)]
    assert sums[0] == hashlib.sha256(b"log 0").hexdigest()


@pytest.mark.parametrize(("size", "status"), [(1024 * 1024, 200), (1024 * 1024 + 1, 413)])
def test_a_log_is_a_mebibyte_at_most(two: Program, size: int, status: int) -> None:
    answered = two.ask("PUT", f"/v1/sessions/{two.session_id}/log", b"x" * size)
    assert answered.status == status
    if status == 413:
        detail: Any = answered.json["error"]["details"][0]
        assert (detail["size"], detail["limit"]) == (size, 1024 * 1024)


def test_ten_requests_fit_into_a_second_and_the_next_second_is_a_new_one(stage: Stage, two: Program) -> None:
    stage.advance(1)
    assert [two.get("next").status for _ in range(11)] == [200] * 10 + [429]
    refused = two.get("next")
    assert (refused.code, refused.headers["retry-after"]) == ("rate_limited", "1")
    assert Program(stage, stage.team("blue")).ask("GET", "/v1/sessions").status == 200
    stage.advance(1)
    assert two.get("next").status == 200
