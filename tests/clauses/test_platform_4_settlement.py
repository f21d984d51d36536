"""Platform §4, settlement: records and boards are made once, in steps by workers, and no request computes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import routes
from contest.adapters.aws import S3Blobs
from contest.errors import UnknownRunError
from contest.refusals import RefusedError
from contest.results import boards, publishing, reporting, settling
from contest.results.rules.jobs import Job
from contest.run import recording, under_way
from contest.values import canonical
from tests.run_stage import RunOnStage, run_cycle
from tests.stage import Program, Stage
from tests.toys import ToyTrack

TEAMS = ("red", "blue", "grey")


@pytest.fixture
def played(stage: Stage) -> RunOnStage:
    """Play a final to its end, without any work on its results."""
    made = RunOnStage(stage, 2, *TEAMS, marked=False)
    for number in (1, 2):
        made.open(number, blue="abxx")
    made.at(under_way.over_at(made.schedule) + 60_000)
    return made


def marked(played: RunOnStage, letters: str = "abcd") -> None:
    """Take the experts' markups in and score by them."""
    stage = played.stage
    files = run_cycle(2)
    names = [name for name in files if name.endswith("_exp01.json") and name.startswith("final/")]
    stage.load({**files, **{name: {"letters": letters} for name in names}})
    publishing.mark(stage.platform, "organizer", played.run_id)
    assert stage.settle() == []
    stage.score_all()


def state(played: RunOnStage) -> Any:
    return settling.settling_view(played.stage.platform, played.run_id)


def refused(played: RunOnStage) -> str:
    with pytest.raises(RefusedError) as error:
        publishing.publish(played.stage.platform, "organizer", played.run_id)
    return error.value.code


def places(played: RunOnStage) -> list[Any]:
    return [(row["place"], row["team_id"]) for row in played.board().json["rows"]]


@pytest.mark.clause("platform §4 settlement", "platform §3 commitment")
def test_platform_4_a_record_is_a_redirect_to_an_object_of_the_same_bytes(stage: Stage, played: RunOnStage) -> None:
    for what in ("record", "timeline"):
        assert played.get(what).code == "run_not_over"
    stage.tick()
    path = f"/v1/runs/{played.run_id}/record"
    told = stage.request("GET", path, follow=False)
    assert (told.status, told.text or "") == (307, "")
    assert told.headers["cache-control"] == f"public, max-age={routes.RUN_RECORD.cached_s}"
    assert told.headers["location"] == f"/published/runs/{played.run_id}/record.json"
    read = stage.request("GET", path)
    assert (read.status, read.headers["content-type"]) == (200, "application/json")
    blobs = stage.platform.blobs
    stored = blobs.get(recording.record_name(played.run_id))
    signed = json.loads(blobs.get(recording.statement_name(played.run_id)))
    assert read.text.encode() == canonical({"record": json.loads(stored), **signed})
    assert stage.request("GET", f"/v1/runs/{played.run_id}/timeline").text.startswith("<?xml")


@pytest.mark.clause("platform §4 settlement")
def test_platform_4_lost_steps_of_a_settlement_are_sent_again(stage: Stage, played: RunOnStage) -> None:
    url = stage.platform.settings.settlement_queue_url
    stage.tick(settles=False)
    assert stage.lose(url) == 3
    assert state(played)["state"] == "making_record"
    stage.advance(60)
    stage.tick()
    assert played.run.closed_at == stage.now
    marked(played)
    stage.tick(settles=False)
    assert stage.lose(url) == 3
    assert refused(played) == "results_not_made_yet"
    assert stage.lose(url) == 3
    stage.tick()
    publishing.publish(stage.platform, "organizer", played.run_id)
    assert places(played) == [(1, "grey"), (1, "red"), (3, "blue")]
    stage.tick()
    assert stage.platform.runs.unsettled_ids() == []


def dies_at_object(monkeypatch: pytest.MonkeyPatch, which: int) -> None:
    """Let the process die before it stores the object of this number, counted from now; the next ones are stored."""
    written: list[str] = []
    really = S3Blobs._put_first

    def dies(self: S3Blobs, name: str, content: bytes, **told: str) -> None:
        written.append(name)
        if len(written) == which:
            raise OSError("the process dies before this write")
        really(self, name, content, **told)

    monkeypatch.setattr(S3Blobs, "_put_first", dies)


@pytest.mark.clause("platform §4 settlement")
@pytest.mark.parametrize("dies_at", range(1, 8))
def test_platform_4_a_settlement_that_dies_half_way_is_finished_to_the_same_bytes(
    stage: Stage, played: RunOnStage, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    stage.tick(settles=False)
    dies_at_object(monkeypatch, dies_at)
    failed = stage.settle()
    stage.advance(60)
    stage.tick()
    assert len(failed) == 1
    assert played.run.closed_at is not None
    record = json.loads(stage.platform.blobs.get(recording.record_name(played.run_id)))
    assert [each["team_id"] for each in record["sessions"]] == sorted(TEAMS)
    assert played.get("record").json["record"] == record
    assert played.get("timeline").status == 200


@pytest.mark.clause("platform §4 settlement")
@pytest.mark.parametrize("dies_at", range(1, 5))
def test_platform_4_a_board_whose_making_dies_half_way_is_finished_by_the_timer(
    stage: Stage, played: RunOnStage, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    stage.tick()
    marked(played)
    stage.tick(settles=False)
    dies_at_object(monkeypatch, dies_at)
    assert len(stage.settle()) == 1
    assert refused(played) == "results_not_made_yet"
    assert state(played)["made"] == (2 if dies_at < 4 else 3)
    stage.tick()
    publishing.publish(stage.platform, "organizer", played.run_id)
    assert places(played) == [(1, "grey"), (1, "red"), (3, "blue")]


@pytest.mark.clause("platform §4 settlement", "R 8.3.5")
def test_platform_4_an_organizer_sees_what_the_results_wait_for(stage: Stage, played: RunOnStage) -> None:
    seen = [state(played)["state"]]
    stage.tick()
    seen.append(state(played)["state"])
    assert refused(played) == "not_marked_yet"
    stage.load(run_cycle(2))
    publishing.mark(stage.platform, "organizer", played.run_id)
    stage.settle()
    seen.append(state(played)["state"])
    assert state(played)["unscored"] == 6
    assert refused(played) == "not_scored_yet"
    stage.score_all()
    seen.append(state(played)["state"])
    assert refused(played) == "results_not_made_yet"
    stage.settle()
    seen.append(state(played)["state"])
    publishing.publish(stage.platform, "organizer", played.run_id)
    seen.append(state(played)["state"])
    assert seen == ["making_record", "waiting_for_markups", "scoring", "making_board", "ready", "published"]
    assert set(state(played)) == {"state", "reason", "reason_ru", "teams", "made", "unscored"}


@pytest.mark.clause("platform §4 settlement", "R 7.11", "R 7.12")
def test_boards_are_made_anew_by_no_request(stage: Stage, played: RunOnStage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.tick()
    marked(played)
    stage.tick()
    publishing.publish(stage.platform, "organizer", played.run_id)
    publishing.hide(stage.platform, "organizer", played.run_id)
    assert played.board().code == "results_not_published"
    publishing.publish(stage.platform, "organizer", played.run_id)
    assert places(played) == [(1, "grey"), (1, "red"), (3, "blue")]
    publishing.hide(stage.platform, "organizer", played.run_id)
    marked(played, "abxx")
    assert refused(played) == "results_not_made_yet"
    stage.settle()
    publishing.publish(stage.platform, "organizer", played.run_id)
    assert places(played) == [(1, "blue"), (2, "grey"), (2, "red")]

    def aggregate(*_: Any) -> None:
        raise AssertionError("a public request aggregates")

    monkeypatch.setattr(ToyTrack, "aggregate", aggregate)
    stage.restart()
    assert places(played) == [(1, "blue"), (2, "grey"), (2, "red")]
    stage.platform.blobs.delete(boards.entries_name(played.run))
    stage.restart()
    assert (played.board().status, played.board().code) == (403, "results_not_published")


@pytest.mark.clause("platform §4 one entry", "R 6.10")
def test_platform_4_the_qualification_board_keeps_one_best_entry_of_a_team_and_scope(stage: Stage) -> None:
    program = Program(stage, stage.team("red"))
    sessions = []
    for letters in ("abxx", "abcd", "axxx"):
        program.open(set="test")
        program.play(letters)
        stage.score_all()
        stage.tick()
        sessions.append(program.session_id)
    for scope in ("all", "rus", "eng"):
        found = stage.platform.scores.entries("toy-1", scope)
        assert [(each.team_id, each.session_id) for each in found] == [("red", sessions[1])]


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
    assert failed.refusal == (500, "internal")
    assert "storage" not in failed.text
    assert answered.get().json["deliveries"][0]["sends"] == 1
    assert len(answered.get("receipts").json["receipts"]) == len(stage.outbox()) == 1
    assert answered.answer(1, {"letters": "abcd"}).json["receipt"]["send"] == 2
