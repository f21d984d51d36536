"""What a team sees of its sessions, and how they end: status, list, receipts, log, abort, silence."""

from __future__ import annotations

import hashlib

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


def test_a_listed_session_whose_time_is_over_has_ended(stage: Stage, two: Program) -> None:
    stage.advance(900)
    (listed,) = two.ask("GET", "/v1/sessions").json["sessions"]
    assert (listed["state"], listed["counts"]["waiting"], listed["counts"]["voided"]) == ("timed_out", 0, 2)


def test_a_day_that_is_none_is_refused_by_its_field(red: Program) -> None:
    refused = red.ask("GET", "/v1/sessions?before=2026-02-30T00:00:00.000Z")
    assert (refused.status, refused.json["error"]["details"][0]["field"]) == (422, "query.before")


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
