"""Platform §4: nothing accepted is lost, scoring happens once however often it is asked for, nothing is silent."""

from __future__ import annotations

import pytest

from contest.errors import UnknownRunError
from contest.refusals import RefusedError
from contest.results import publishing, reporting
from contest.results.rules.jobs import Job
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage


@pytest.fixture
def answered(program: Program) -> Program:
    """Return a program with one accepted answer in an open training session."""
    program.open()
    program.get("files/1")
    assert program.answer(1, {"letters": "abxx"}).status == 200
    return program


def records(stage: Stage, program: Program) -> list[bytes]:
    return list(stage.platform.scores.of_session(program.session_id).values())


@pytest.mark.clause("platform §4 scoring", "R 2.23")
def test_platform_4_every_event_may_come_twice(stage: Stage, answered: Program) -> None:
    images = stage.outbox()
    stage.relay(images + images)
    assert stage.work(deliveries=2) == []
    once = records(stage, answered)
    stage.relay(images)
    assert stage.work() == []
    assert records(stage, answered) == once
    assert len(once) == 1
    assert stage.outbox() == []


@pytest.mark.clause("platform §4 failed", "R-App2 §2 algorithmic")
def test_platform_4_an_answer_that_the_stream_lost_is_enqueued_by_the_timer(stage: Stage, answered: Program) -> None:
    stage.advance(59)
    assert stage.tick()["enqueued"] == 0
    stage.advance(1)
    assert stage.tick()["enqueued"] == 1
    assert stage.tick()["enqueued"] == 0
    assert stage.work() == []
    assert len(records(stage, answered)) == 1
    assert stage.tick()["enqueued"] == 0


def settled_without_messages(stage: Stage) -> RunOnStage:
    """Play a final that is closed, reported and marked later, without any message of its publication arriving."""
    played = RunOnStage(stage, 2, "red", "blue", marked=False)
    played.play()
    played.finish()
    assert stage.platform.sessions.unreported_ids() == []
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "organizer", played.run_id)
    assert refused.value.code == "not_scored_yet"
    assert len(stage.outbox()) == 4
    return played


@pytest.mark.clause("platform §4 lost jobs")
def test_platform_4_a_lost_message_of_a_closed_and_reported_session_is_found_within_two_minutes(stage: Stage) -> None:
    played = settled_without_messages(stage)
    for _ in range(2):
        stage.advance(60)
        stage.tick()
    assert stage.work() == []
    assert stage.outbox() == []
    stage.tick()
    publishing.publish(stage.platform, "organizer", played.run_id)
    stage.tick()
    assert stage.platform.sessions.unreported_ids() == []
    assert [row["team_id"] for row in played.board().json["rows"]] == ["blue", "red"]


@pytest.mark.clause("platform §4 lost jobs")
def test_platform_4_lost_messages_of_a_run_are_redriven_by_the_organizer(stage: Stage) -> None:
    played = settled_without_messages(stage)
    assert reporting.redrive(stage.platform, played.run_id) == 4
    stage.platform.outbox.done(reporting.redrivable(stage.platform, played.run_id)[0])
    assert reporting.redrive(stage.platform, played.run_id) == 4
    assert stage.work() == []
    stage.tick()
    publishing.publish(stage.platform, "organizer", played.run_id)
    assert reporting.redrive(stage.platform, played.run_id) == 0
    with pytest.raises(UnknownRunError):
        reporting.redrive(stage.platform, "nowhere")


@pytest.mark.clause("platform §4 failed")
def test_platform_4_a_failed_scoring_fails_alone_and_can_be_done_again(stage: Stage, answered: Program) -> None:
    answered.get("files/2")
    answered.answer(2, {"letters": "abcd"})
    digest = stage.outbox()[0]["content_sha256"]["S"]
    name = f"answers/{answered.session_id}/1/{digest}.json"
    stored = stage.platform.blobs.get(name)
    stage.platform.blobs.delete(name)
    stage.relay(stage.outbox())
    assert len(stage.work()) == 1
    assert len(records(stage, answered)) == 1
    assert len(stage.outbox()) == 1
    stage.platform.blobs.put(name, stored)
    stage.score_all()
    assert len(records(stage, answered)) == 2
    stage.platform.queue.send([Job("z" * 20, 1, "0" * 64)])
    assert len(stage.work()) == 1


@pytest.mark.clause("platform §4 scoring", "platform §4 training score")
def test_platform_4_a_superseded_answer_is_scored_and_not_reported(stage: Stage, answered: Program) -> None:
    first = stage.outbox()
    answered.answer(1, {"letters": "abcd"})
    stage.relay(first)
    stage.work()
    waiting = answered.get("files/1/score")
    assert (waiting.status, waiting.headers["retry-after"]) == (202, "2")
    stage.score_all()
    assert answered.get("files/1/score").json == {"points": 100.0, "scorer": "1"}, "while the session goes on"
    assert len(records(stage, answered)) == 2


@pytest.mark.clause("platform §4 scoring", "platform §4 failed")
def test_platform_4_a_lost_record_is_asked_for_anew_and_comes_out_the_same(stage: Stage, program: Program) -> None:
    program.open()
    program.play()
    stage.score_all()
    before = sorted(records(stage, program))
    stage.delete_scores()
    assert stage.tick()["reported"] == 0
    assert len(stage.outbox()) == 4
    stage.score_all()
    assert sorted(records(stage, program)) == before
    assert stage.tick()["reported"] == 1
    assert stage.platform.sessions.unreported_ids() == []


@pytest.mark.clause("platform §4 stored", "D 9.11")
@pytest.mark.parametrize(("port", "write"), [("blobs", "put_if_absent"), ("deliveries", "send")])
def test_platform_4_an_answer_is_stored_before_it_is_acknowledged_and_a_crash_leaves_no_trace(
    stage: Stage, answered: Program, monkeypatch: pytest.MonkeyPatch, port: str, write: str
) -> None:
    def crash(*_: object) -> None:
        raise OSError("the storage is gone")

    with monkeypatch.context() as broken:
        broken.setattr(getattr(stage.platform, port), write, crash)
        failed = answered.answer(1, {"letters": "abcd"})
    assert (failed.status, failed.code) == (500, "internal")
    assert "storage" not in failed.text
    assert answered.get().json["deliveries"][0]["sends"] == 1
    assert len(answered.get("receipts").json["receipts"]) == len(stage.outbox()) == 1
    assert answered.answer(1, {"letters": "abcd"}).json["receipt"]["send"] == 2
