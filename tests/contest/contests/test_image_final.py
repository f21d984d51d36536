"""A final under a measure in a container image, whose engine is played: to its board, and past an engine that fails."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from contest.adapters import aws
from contest.edge.guards import log
from contest.people.rules import Role
from contest.refusals import RefusedError
from contest.results import publishing
from contest.stored_names import LetterQueue
from tests.contest.contests.test_finals import Final
from tests.stage import Stage
from tests.stage_kept import Setting
from tests.tracks.custom.test_programs import DIGEST, IMAGE, Engine
from tests.tracks.samples import ENTITIES, SAMPLES
from tracks import registry
from tracks.custom.running import ChildRunner, Remembering

logger = log()

pytestmark = [pytest.mark.integration, pytest.mark.long]
RUNS_OF_A_SCORE = 2
MISSED_FILES = 2
"""Files that teams miss of the first two: they are scored, too."""
BOARD = [("red", 0.857), ("grey", 0.6), ("blue", 0.0)]

STAGE = Setting("contest-1")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    place = tmp_path / "engine"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    monkeypatch.setattr(registry.get("custom"), "_runner", Remembering(ChildRunner()))  # nothing of another test
    return Engine(place)


@pytest.fixture
def final(stage: Stage, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Final:
    """Return a final of two files, every answer of which is handed in."""
    sample = SAMPLES["custom"]
    in_image = {"measure": {**ENTITIES, "program": IMAGE}}
    short = replace(sample, entries=sample.entries[:2], parameters=in_image, files={})
    monkeypatch.setitem(SAMPLES, "image", short)  # type: ignore[arg-type]
    final = Final(stage, "image")
    final.hand_in()
    return final


def published(final: Final) -> list[tuple[str, float]]:
    """Return the teams and values of the final's board after its publication."""
    publishing.publish(final.stage.platform, "olga", final.run.run_id)
    board = final.ask("/v1/boards/measure?of=final", Role.COMMISSION).json
    assert {row["result"]["program"]["sha256"] for row in board["rows"]} == {DIGEST}
    return [(row["team_id"], round(row["value"], 3)) for row in board["rows"]]


def test_a_final_is_scored_recomputed_and_published_by_an_image(final: Final) -> None:
    final.score()
    report = final.shadow()
    assert (report["state"], report["differences"], report["checked"]["scores"]) == ("clean", [], 6)
    assert published(final) == BOARD


def test_a_final_whose_engine_fails_loses_nothing(
    final: Final, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, log = final.stage, StringIO()
    monkeypatch.setattr(logger.registered_handler, "stream", log)
    answers = set(stage.platform.blobs.names("answers/"))
    last = sum(words[0] == "run" for words in engine.asked) + RUNS_OF_A_SCORE
    has_space = f"[ $(grep -c ^run {engine.place}/asked) -le {last} ]"
    engine.runs(f"sh -c '{has_space} && exec {engine.program}; echo no space >&2; exit 125'")
    stage.relay(stage.outbox())
    queue, url = aws.client("sqs"), stage.platform.settings.scoring_queue_url
    jobs = queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0)["Messages"]
    failed = stage.work()
    assert 0 < len(failed) < len(jobs)
    lines = [json.loads(line) for line in log.getvalue().splitlines() if "message failed" in line]
    assert len(lines) == len(failed)
    for line in lines:
        assert "NoPlaceError: docker could not run a container: no space" in line["exception"]
    for job in jobs:
        if job["MessageId"] in failed:
            stage.die(LetterQueue.SCORING, job["Body"], job["MessageId"])
    for _ in range(6):
        stage.tick(settles=False, after=60)
        stage.settle()  # fails too where all of a team's answers are scored: the engine aggregates them
    with pytest.raises(RefusedError) as refused:
        publishing.publish(stage.platform, "olga", final.run.run_id)
    assert (refused.value.code, refused.value.details[0]["missing"]) == ("not_scored_yet", len(failed) + MISSED_FILES)
    engine.runs(engine.program)
    redriven = stage.request("POST", "/v1/dead-letters/redrive", {"queue": "scoring"}, stage.person(Role.ORGANIZER))
    assert len(redriven.json["redriven"]) == len(failed)
    assert stage.work() == []
    final.score()
    assert final.shadow()["state"] == "clean"
    assert published(final) == BOARD
    assert answers <= set(stage.platform.blobs.names("answers/"))
