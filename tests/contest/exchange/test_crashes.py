"""Processes that die between two writes, and events that are lost: nothing is half-written, nothing is forgotten.

Of a run the gate has the same deaths in memory (``run/test_races``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contest.values import from_iso, iso
from rehearsal.harm.crashes import Crashes
from tests.exchange_programs import FUNCTIONS, Exchange, Program, as_expert, exchange_cloud, refused

pytestmark = [pytest.mark.integration, pytest.mark.slow]


METHODS = (
    "contest.adapters.aws.S3Blobs.put_if_absent",
    *(f"contest.exchange.store.DynamoDeliveries.{name}" for name in ("ask", "arrive", "send", "hand_out")),
    "contest.exchange.store.DynamoOutbox.done",
    "contest.operations.store.SqsQueue.send",
    *(f"contest.results.store.DynamoScores.{name}" for name in ("put", "enter")),
    *(f"contest.session.store.DynamoSessions.{name}" for name in ("open", "join", "close")),
)
"""Methods of adapters at which processes die here, each with its module."""


@pytest.fixture(scope="module")
def crashes(tmp_path_factory: pytest.TempPathFactory) -> Crashes:
    return Crashes(FUNCTIONS, tmp_path_factory.mktemp("crashes"), methods=METHODS)


@pytest.fixture(scope="module")
def fragile(crashes: Crashes, prepared: Path) -> Iterator[Exchange]:
    """Start a cloud whose functions can be made to die."""
    with exchange_cloud(prepared, crashes.functions, retry_s=0) as ready:
        yield ready


@pytest.fixture
def hurt(fragile: Exchange, crashes: Crashes) -> Iterator[Program]:
    """Return a program with the only file of a session handed out."""
    program = fragile.program()
    program.open(files=1)
    program.take(1)
    yield program
    crashes.stop()


def test_a_death_after_the_transaction_loses_the_response(fragile: Exchange, crashes: Crashes, hurt: Program) -> None:
    content = hurt.take(1)
    crashes.plan("DynamoDeliveries.send", "die after")
    assert hurt.answer(1, content).status_code == 500
    stored = hurt.get("receipts").json()["receipts"]
    fragile.clock.advance(3)
    retried = hurt.answer(1, content)
    told = retried.json()
    assert told.pop("next")["status"] == "complete"
    assert told.pop("dialogue") is None
    assert told.pop("warnings") == []
    assert [told] == stored
    assert hurt.delivery()["sends"] == 1


@pytest.mark.parametrize(("deed", "opened"), [("die before", 0), ("die after", 1)])
def test_a_death_at_the_opening_opens_once(fragile: Exchange, crashes: Crashes, deed: str, opened: int) -> None:
    program = fragile.program()
    crashes.plan("DynamoSessions.open", deed)
    assert program.open(files=1, key="k").status_code == 500
    assert len(program.ask("GET", "/v1/sessions").json()["sessions"]) == opened
    assert program.open(files=1, key="k").status_code == 201
    assert len(program.ask("GET", "/v1/sessions").json()["sessions"]) == 1


def test_a_death_after_the_hand_out_keeps_its_time(fragile: Exchange, crashes: Crashes) -> None:
    program = fragile.program()
    program.open(files=1)
    crashes.plan("DynamoDeliveries.hand_out", "die after")
    assert program.get("files/1").status_code == 500
    before = program.delivery()
    fragile.clock.advance(7)
    assert program.get("files/1").json()["answer_by"] == before["answer_by"]


@pytest.mark.parametrize(
    ("point", "deed"),
    [
        ("DynamoScores.put", "die before"),
        pytest.param("DynamoScores.put", "die after", marks=pytest.mark.long),
        pytest.param("DynamoOutbox.done", "die before", marks=pytest.mark.long),
        pytest.param("SqsQueue.send", "die before", marks=pytest.mark.long),
        ("SqsQueue.send", "die after"),
    ],
)
def test_a_death_while_scoring_scores_once_all_the_same(
    fragile: Exchange, crashes: Crashes, hurt: Program, point: str, deed: str
) -> None:
    crashes.plan(point, deed)
    hurt.receipt(1, as_expert(1)(hurt.take(1)))
    hurt.get("next")
    report = hurt.report()
    assert crashes.happened()
    assert report["counts"]["answered"] == 1
    assert len(fragile.scores(hurt.session_id)) == 1
    assert not [key for key in fragile.stored(hurt.session_id) if key.startswith("OUTBOX#")]


def letters(fragile: Exchange) -> set[str]:
    """Return the names of the dead letters without a decision."""
    return {each["sk"]["S"] for each in fragile.items("StorageExchange") if each["pk"]["S"] == "LETTERS#OPEN"}


def test_a_death_while_the_boards_are_entered_leaves_them_complete(fragile: Exchange, crashes: Crashes) -> None:
    program = fragile.program()
    program.open(set="test", language="eng")
    program.play(as_expert(1))
    fragile.cloud.drain()
    crashes.plan("DynamoScores.enter", "die after")
    died = program.get("report")
    assert crashes.happened()
    assert died.status_code == 500
    assert fragile.blobs(f"reports/{program.session_id}/") == {}
    assert program.report()["counts"]["answered"] == 10
    fragile.clock.advance(60)
    rows = fragile.public("GET", "/v1/leaderboards/qualification?language=eng").json()["rows"]
    assert [each["team_id"] for each in rows].count(program.team_id) == 1


@pytest.fixture
def in_run(fragile: Exchange, crashes: Crashes) -> Iterator[Program]:
    """Return a program in a trial run of two files of the test set, at the first opening."""
    program = fragile.program()
    run = planned(fragile, program)
    assert join(program, run["run_id"]).status_code == 201
    fragile.clock.advance((from_iso(run["starts_at"]) - fragile.clock.now_ms()) / 1000)
    yield program
    crashes.stop()


def planned(exchange: Exchange, program: Program) -> Any:
    """Plan a run for this program alone, in a minute."""
    start = iso(exchange.clock.now_ms() + 60_000)
    timing = ("--files", "2", "--interval", "60", "--start", start)
    words = ("--set", "test", "--trial", *timing, "--admit", program.team_id)
    return json.loads(exchange.organizer.contest("run", "plan", *words, "--json"))


def join(program: Program, run_id: str, key: str | None = None) -> Any:
    answered = program.ask("POST", "/v1/sessions", key=key, json={"mode": "final", "run": run_id})
    if answered.status_code == 201:
        program.session_id = answered.json()["session_id"]
    return answered


@pytest.mark.long
@pytest.mark.parametrize(
    ("point", "deed"), [("DynamoDeliveries.ask", "die after"), ("DynamoDeliveries.hand_out", "die before")]
)
def test_a_request_in_time_whose_process_died_gets_its_file_later(
    fragile: Exchange, crashes: Crashes, in_run: Program, point: str, deed: str
) -> None:
    crashes.plan(point, deed)
    fragile.clock.advance(10)
    assert in_run.get("files/1").status_code == 500
    assert crashes.happened()
    fragile.clock.advance(20)
    handed_out = in_run.get("files/1").json()
    assert from_iso(handed_out["answer_by"]) - from_iso(handed_out["handed_out_at"]) == 50_000
    assert in_run.receipt(1, handed_out["content"])["status"] == "accepted"


@pytest.mark.long
@pytest.mark.parametrize(
    ("point", "deed"), [("DynamoDeliveries.arrive", "die after"), ("DynamoDeliveries.send", "die before")]
)
def test_an_answer_in_time_whose_process_died_counts_when_the_same_bytes_come_late(
    fragile: Exchange, crashes: Crashes, in_run: Program, point: str, deed: str
) -> None:
    content = as_expert(1)(in_run.take(1))
    fragile.clock.advance(50)
    crashes.plan(point, deed)
    assert in_run.answer(1, content).status_code == 500
    assert crashes.happened()
    fragile.clock.advance(5)
    assert in_run.delivery()["cause"] == "platform"
    receipt = in_run.receipt(1, content)
    assert (receipt["status"], receipt["send"]) == ("accepted", 1)
    assert in_run.delivery()["state"] == "answered"


@pytest.mark.long
@pytest.mark.parametrize("deed", ["die before", "die after"])
def test_a_joining_whose_process_died_is_one_session(fragile: Exchange, crashes: Crashes, deed: str) -> None:
    program = fragile.program()
    run_id = planned(fragile, program)["run_id"]
    crashes.plan("DynamoSessions.join", deed)
    assert join(program, run_id, key="k").status_code == 500
    assert join(program, run_id, key="k").status_code == 201
    assert refused(join(program, run_id)) == (409, "session_already_open")
    assert len(program.ask("GET", "/v1/sessions").json()["sessions"]) == 1
