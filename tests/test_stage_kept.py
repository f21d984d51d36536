"""A stage that is a copy of a played one is as the first was, whatever was done to the first since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contest.adapters import aws
from tests.run_stage import RunOnStage
from tests.stage import Stage, staged
from tests.stage_kept import played_once

pytestmark = pytest.mark.integration


def begun(stage: Stage) -> RunOnStage:
    run = RunOnStage(stage, 2, "red")
    run.open(1)
    stage.relay(stage.outbox())
    return run


def everything(run: RunOnStage) -> tuple[Any, ...]:
    """Return a stage's content and one process's memory; queues by their waiting messages."""
    stage, platform = run.stage, run.stage.platform
    objects = {name: platform.blobs.get(name) for name in platform.blobs.names("")}
    return (
        stage.now,
        stage.everything_stored(),
        objects,
        stage.platform.settings.cycle,
        waiting(stage),
        remembered(stage),
    )


def remembered(stage: Stage) -> dict[str, int]:
    return {function: len(memory._values) for function, memory in stage.memories.items()}


def waiting(stage: Stage) -> int:
    url = stage.platform.settings.scoring_queue_url
    told = aws.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
    return int(told["Attributes"]["ApproximateNumberOfMessages"])


def test_what_is_done_to_one_copy_is_not_seen_on_the_next(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        first = played_once(stage, begun)
        before = everything(first)
        assert before[3] == "toy-1"
        assert before[4] == 1, "an answer waits to be scored"
        assert before[5]["dispatch"], "the process that hands files out remembers them"
        first.open(2)
        first.finish()
        stage.platform.blobs.put("published/kits/kit.json", b"another")
        for _ in range(2):
            aws.client("sqs").send_message(QueueUrl=stage.platform.settings.scoring_queue_url, MessageBody="{}")
        after = everything(first)
        assert [place for place, (one, other) in enumerate(zip(before, after, strict=True)) if one == other] == [3]
    with staged(tmp_path) as stage:
        stage.load()  # what was there before is no part of the copy
        second = played_once(stage, begun)
        assert (second.stage, second.programs["red"].stage) == (stage, stage)
        assert everything(second) == before
        second.open(2)
        assert second.programs["red"].get("files/2").status == 200


def test_another_outcome_has_another_copy(tmp_path: Path) -> None:
    kept = []
    for more in ("a", "b", "a"):
        with staged(tmp_path) as stage:
            kept.append(played_once(stage, begun, more).run_id)
    assert kept[0] == kept[2] != kept[1]
