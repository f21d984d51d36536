"""Deaths of real processes in a run: what was asked for or answered in time counts when it is repeated.

`test_races` has every point of it in memory.
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

pytestmark = [pytest.mark.integration, pytest.mark.long]  # the gate has the same deaths in memory (test_races)

POINTS = (
    "contest.exchange.store.DynamoDeliveries.ask",
    "contest.exchange.store.DynamoDeliveries.arrive",
    "contest.exchange.store.DynamoDeliveries.hand_out",
    "contest.exchange.store.DynamoDeliveries.send",
    "contest.session.store.DynamoSessions.join",
)


@pytest.fixture(scope="module")
def crashes(tmp_path_factory: pytest.TempPathFactory) -> Crashes:
    return Crashes(FUNCTIONS, tmp_path_factory.mktemp("crashes"), methods=POINTS)


@pytest.fixture(scope="module")
def fragile(crashes: Crashes, prepared: Path) -> Iterator[Exchange]:
    """Start a cloud whose functions can be made to die."""
    with exchange_cloud(prepared, crashes.functions, retry_s=0) as ready:
        yield ready


@pytest.fixture
def hurt(fragile: Exchange, crashes: Crashes) -> Iterator[Program]:
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
    words = (
        "--set",
        "test",
        "--trial",
        "--files",
        "2",
        "--interval",
        "60",
        "--start",
        start,
        "--admit",
        program.team_id,
    )
    return json.loads(exchange.organizer.contest("run", "plan", *words, "--json"))


def join(program: Program, run_id: str, key: str | None = None) -> Any:
    answered = program.ask("POST", "/v1/sessions", key=key, json={"mode": "final", "run": run_id})
    if answered.status_code == 201:
        program.session_id = answered.json()["session_id"]
    return answered


@pytest.mark.parametrize(
    ("point", "deed"),
    [
        ("DynamoDeliveries.ask", "die after"),
        ("DynamoDeliveries.hand_out", "die before"),
    ],
)
def test_a_request_in_time_whose_process_died_gets_its_file_later(
    fragile: Exchange, crashes: Crashes, hurt: Program, point: str, deed: str
) -> None:
    crashes.plan(point, deed)
    fragile.clock.advance(10)
    assert hurt.get("files/1").status_code == 500
    assert crashes.happened()
    fragile.clock.advance(20)
    handed_out = hurt.get("files/1").json()
    assert from_iso(handed_out["answer_by"]) - from_iso(handed_out["handed_out_at"]) == 50_000
    assert hurt.receipt(1, handed_out["content"])["status"] == "accepted"


@pytest.mark.parametrize(
    ("point", "deed"),
    [
        ("DynamoDeliveries.arrive", "die after"),
        ("DynamoDeliveries.send", "die before"),
    ],
)
def test_an_answer_in_time_whose_process_died_counts_when_the_same_bytes_come_late(
    fragile: Exchange, crashes: Crashes, hurt: Program, point: str, deed: str
) -> None:
    content = as_expert(1)(hurt.take(1))
    fragile.clock.advance(50)
    crashes.plan(point, deed)
    assert hurt.answer(1, content).status_code == 500
    assert crashes.happened()
    fragile.clock.advance(5)
    assert hurt.delivery()["cause"] == "platform"
    receipt = hurt.receipt(1, content)
    assert (receipt["status"], receipt["send"]) == ("accepted", 1)
    assert hurt.delivery()["state"] == "answered"


@pytest.mark.parametrize("deed", ["die before", "die after"])
def test_a_joining_whose_process_died_is_one_session(fragile: Exchange, crashes: Crashes, deed: str) -> None:
    program = fragile.program()
    run_id = planned(fragile, program)["run_id"]
    crashes.plan("DynamoSessions.join", deed)
    assert join(program, run_id, key="k").status_code == 500
    assert join(program, run_id, key="k").status_code == 201
    assert refused(join(program, run_id)) == (409, "session_already_open")
    assert len(program.ask("GET", "/v1/sessions").json()["sessions"]) == 1
