"""Platform §4, settlement: records and boards are made once, in steps by workers, and no request computes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import routes
from contest.adapters.storage import S3Blobs
from contest.refusals import RefusedError
from contest.results import boards, publishing, settling
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
    return settling.shown(played.stage.platform, played.run_id)


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
