"""Processes that die between two writes, and events that are lost: nothing is half-written, nothing is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.rehearsal.harm.crashes import METHODS, Crashes
from tests.exchange_programs import (
    FUNCTIONS,
    Exchange,
    Program,
    as_expert,
    content_hash,
    exchange_cloud,
    messages,
    refused,
)

pytestmark = [pytest.mark.integration, pytest.mark.slow]


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


def test_a_death_between_the_blob_and_its_transaction_leaves_only_an_orphan(
    fragile: Exchange, crashes: Crashes, hurt: Program
) -> None:
    content = hurt.take(1)
    before = fragile.stored(hurt.session_id)
    crashes.plan("DynamoDeliveries.send", "die before")
    died = hurt.answer(1, content, key="k")
    assert crashes.happened()
    assert (died.status_code, died.json()) == (500, {"message": "Internal Server Error"})
    assert fragile.stored(hurt.session_id) == before
    (name,) = fragile.blobs(f"answers/{hurt.session_id}/")
    retried = hurt.answer(1, content, key="k").json()["receipt"]
    assert (retried["status"], retried["send"]) == ("accepted", 1)
    assert name.endswith(f"{retried['content_sha256']}.json")
    hurt.get("next")
    assert hurt.report()["counts"]["answered"] == 1
    assert fragile.organizer.contest("verify", hurt.session_id) == "1 scores, 1 reports compared"


@pytest.mark.parametrize("key", ["k", None])
def test_a_death_after_the_transaction_loses_the_response_and_nothing_else(
    fragile: Exchange, crashes: Crashes, hurt: Program, key: str | None
) -> None:
    content = hurt.take(1)
    crashes.plan("DynamoDeliveries.send", "die after")
    assert hurt.answer(1, content, key=key).status_code == 500
    stored = hurt.get("receipts").json()["receipts"]
    fragile.clock.advance(3)
    retried = hurt.answer(1, content, key=key)
    told = retried.json()
    assert told.pop("next")["status"] == "complete"
    assert told.pop("dialogue") is None
    assert told.pop("warnings") == []
    assert [told] == stored
    assert hurt.delivery()["sends"] == 1


def test_a_death_before_the_blob_leaves_nothing(fragile: Exchange, crashes: Crashes, hurt: Program) -> None:
    content = hurt.take(1)
    before = fragile.stored(hurt.session_id)
    crashes.plan("S3Blobs.put_if_absent", "die before")
    assert hurt.answer(1, content).status_code == 500
    assert fragile.stored(hurt.session_id) == before
    assert fragile.blobs(f"answers/{hurt.session_id}/") == {}
    assert hurt.receipt(1, content)["send"] == 1


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
        ("DynamoScores.put", "die after"),
        ("DynamoOutbox.done", "die before"),
        ("SqsQueue.send", "die before"),
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


def test_an_answer_that_never_reached_the_queue_is_enqueued_by_the_minute_timer(
    fragile: Exchange, crashes: Crashes, hurt: Program
) -> None:
    crashes.plan("SqsQueue.send", "lose")
    hurt.receipt(1, hurt.take(1))
    assert hurt.get("next").json()["session_state"] == "finished"
    fragile.cloud.drain()
    assert crashes.happened()
    waiting = hurt.get("report")
    assert (waiting.status_code, waiting.json()) == (202, {"status": "scoring", "scored": 0, "files": 1})
    assert int(waiting.headers["retry-after"]) > 0
    assert hurt.get("files/1/score").status_code == 202
    assert hurt.get("files/1/comparison").status_code == 202
    fragile.clock.advance(60)
    fragile.cloud.drain()
    assert hurt.get("report").status_code == 202, "an answer on its way is not hurried: two minutes are its time"
    fragile.clock.advance(120)
    assert hurt.report()["counts"]["answered"] == 1


def test_a_score_whose_every_trace_was_lost_is_made_anew(fragile: Exchange, crashes: Crashes, hurt: Program) -> None:
    crashes.plan("DynamoScores.put", "lose")
    hurt.receipt(1, hurt.take(1))
    hurt.get("next")
    fragile.cloud.drain()
    assert not [key for key in fragile.stored(hurt.session_id) if key.startswith("OUTBOX#")]
    assert hurt.get("report").status_code == 202
    fragile.clock.advance(300)
    assert hurt.report()["counts"]["answered"] == 1
    assert len(fragile.scores(hurt.session_id)) == 1


def letters(fragile: Exchange) -> set[str]:
    """Names of the dead letters about which nobody has decided."""
    return {each["sk"]["S"] for each in fragile.items("StorageExchange") if each["pk"]["S"] == "LETTERS#OPEN"}


def test_scoring_that_always_fails_ends_in_the_dead_letters_and_is_redriven(
    fragile: Exchange, crashes: Crashes, hurt: Program
) -> None:
    dead = letters(fragile)
    crashes.plan("DynamoScores.put", "die before", once=False)
    hurt.receipt(1, hurt.take(1))
    hurt.get("next")
    fragile.cloud.drain()
    (letter,) = letters(fragile) - dead
    assert letter.startswith("scoring-")
    assert messages(fragile, "QueuesScoringDeadLetters") == 0
    assert hurt.session_id in fragile.organizer.contest("scoring", "status")
    assert hurt.get("report").status_code == 202
    crashes.stop()
    assert fragile.organizer.contest("scoring", "redrive") == "1 answers enqueued"
    assert hurt.report()["counts"]["answered"] == 1
    assert hurt.session_id not in fragile.organizer.contest("scoring", "status")


def test_a_worker_that_believes_in_a_score_nobody_wrote_is_corrected(
    fragile: Exchange, crashes: Crashes, hurt: Program
) -> None:
    crashes.plan("DynamoScores.put", "lose the race", once=False)
    hurt.receipt(1, hurt.take(1))
    hurt.get("next")
    fragile.cloud.drain()
    assert hurt.get("report").status_code == 202
    crashes.stop()
    fragile.clock.advance(180)
    assert hurt.report()["counts"]["answered"] == 1


def test_lost_races_without_end_are_told_and_change_nothing(fragile: Exchange, crashes: Crashes, hurt: Program) -> None:
    content = hurt.take(1)
    before = fragile.stored(hurt.session_id)
    crashes.plan("DynamoDeliveries.send", "lose the race", once=False)
    busy = hurt.answer(1, content)
    assert refused(busy) == (503, "busy")
    assert busy.headers["retry-after"] == "1"
    assert fragile.stored(hurt.session_id) == before
    crashes.stop()
    assert hurt.receipt(1, content)["content_sha256"] == content_hash(content)


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
