"""Processes that die between two writes, requests made twice or at the same time, and a crowd: one effect, no loss."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import tests.stage
from contest.routes import UNKNOWN_LIMIT
from contest.session.rules.session import Used
from contest.values import from_iso, iso
from local.clock import monotonic_s
from markup_core.receipt import sha256_hex
from rehearsal.harm.crashes import Crashes
from tests.exchange_programs import (
    FUNCTIONS,
    Exchange,
    Program,
    as_expert,
    at_once,
    exchange_cloud,
    receipt_bytes,
    refused,
    variants,
)

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


FLOOD, ASKED = "127.0.0.2", 1_300
"""Address and number of requests: some seconds at 200 a second, above its limit per minute without a token."""
SILENT, WITHOUT_TOKEN = "127.0.0.3", 540
STRANGE, WITH_ANOTHERS = "127.0.0.4", 60
FILES = 6


@pytest.fixture(scope="module")
def crowded(prepared: Path) -> Iterator[Exchange]:
    with exchange_cloud(prepared, workers_of={"FunctionsSocket": 2}, warm=True) as ready:
        yield ready


def flood(crowded: Exchange) -> tuple[list[httpx.Response], float]:
    """Send a flood of requests that need no token; return all answers and the duration in seconds."""
    transport = httpx.HTTPTransport(local_address=FLOOD)
    with httpx.Client(base_url=crowded.cloud.url, transport=transport, timeout=60) as client:
        began = monotonic_s()
        with ThreadPoolExecutor(4) as several:
            answers = list(several.map(lambda _: client.get("/v1/nothing"), range(ASKED)))
        return answers, monotonic_s() - began


def knock(crowded: Exchange, address: str, query: str) -> str:
    """Return the first words to a client of the event channel, or the status of its refusal."""
    url = crowded.cloud.url.replace("http", "ws", 1) + f"/socket.io/?EIO=4&transport=websocket{query}"
    heard = ""
    try:
        with connect(url, source_address=(address, 0), open_timeout=60, compression=None) as socket:
            while True:
                heard += str(socket.recv(timeout=60))
    except InvalidStatus as refused:
        return str(refused.response.status_code)
    except ConnectionClosed:
        return heard


@pytest.mark.long
def test_a_crowd_costs_no_team_a_file_and_leaves_nothing_behind(crowded: Exchange) -> None:
    stranger = "&token=hrd_" + "x" * 43
    team = crowded.program()
    with ThreadPoolExecutor(3) as crowd:
        flooding = crowd.submit(flood, crowded)
        silent = crowd.submit(lambda: [knock(crowded, SILENT, "") for _ in range(WITHOUT_TOKEN)])
        strange = crowd.submit(lambda: [knock(crowded, STRANGE, stranger) for _ in range(WITH_ANOTHERS)])
        team.open(files=FILES)
        receipts = team.play()
        (answers, seconds), refused, turned_away = flooding.result(), silent.result(), strange.result()
    assert [each["receipt"]["status"] for each in receipts] == ["accepted"] * FILES
    assert team.state() == "finished"

    statuses = Counter(each.status_code for each in answers)
    assert set(statuses) == {404, 429}
    assert statuses[404] <= UNKNOWN_LIMIT.burst + UNKNOWN_LIMIT.per_second * seconds + 1
    assert answers[-1].headers.get("retry-after") == "60", "the firewall refuses before the gateway"
    assert crowded.public("GET", "/v1/keys").status_code == 200, "others are not refused"

    assert Counter(refused) == {"400": WITHOUT_TOKEN}
    assert all("connection-auth-error" in each for each in turned_away)
    assert [item for item in crowded.items("StorageExchange") if item["pk"]["S"] == "CONNECTIONS"] == []
    crowded.clock.advance(61)
    done = {"playing": 0, "alive": 0, "retired": 0, "left": 0, "hooks": 0}
    assert crowded.cloud.invoke("FunctionsChannelTimer", {}) == done
    assert not crowded.screen.getvalue()
