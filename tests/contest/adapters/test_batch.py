"""Test the promises of running submitted programs on AWS Batch, and what Batch receives besides: the job that copies
the image first."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contest.adapters import aws
from contest.results.ports import Runner
from contest.results.store import BatchRunner, Lane
from contest.submissions.rules import Phase, RunLimits, RunOrder
from local.aws.emulator import Emulator, JobQueue
from local.environment import base_environment

pytestmark = pytest.mark.integration

JOB = """
import os, pathlib, signal, sys, time
told = pathlib.Path(os.environ["PLACE"])
with open(told / "begun", "a") as begun:
    begun.write(os.environ["HURDLE_ORDER"] + " " + os.environ["HURDLE_BUCKET"] + chr(10))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
signal.alarm(60)
while not (told / "go").exists():
    time.sleep(0.01)
"""
"""A job that notes its beginning and ends when it may."""
COPY = """
import os, pathlib, sys
told = pathlib.Path(os.environ["PLACE"])
with open(told / "begun", "a") as begun:
    begun.write("copy" + chr(10))
sys.exit(1 if (told / "absent").exists() else 0)
"""
RUNNING, COPYING = Lane("programs", "program"), Lane("copies", "copy")


def order(run: str) -> RunOrder:
    return RunOrder(run, f"submissions/runs/{run}/", "team/model:1", "python run.py", (), (), RunLimits(wall_s=60))


@dataclass
class Setting:
    """A runner, and the hand that lets its jobs end."""

    runner: Runner
    place: Path
    emulator: Emulator
    told: str

    def begun(self) -> list[str]:
        noted = self.place / "begun"
        return noted.read_text("utf-8").splitlines() if noted.exists() else []

    def until(self, run: str, wanted: Phase) -> None:
        """Wait until a run is so far."""
        deadline = time.monotonic() + 20
        while self.runner.phase(run) is not wanted:
            assert time.monotonic() < deadline, self.runner.phase(run)
            time.sleep(0.02)  # a process of its own, on the machine's clock

    def finish(self, run: str) -> None:
        (self.place / "go").touch()
        self.until(run, Phase.OVER)

    def messages(self) -> list[str]:
        """Receive some of the messages about ended runs, waiting for the first."""
        found = self.emulator.client("sqs").receive_message(
            QueueUrl=self.told, MaxNumberOfMessages=10, WaitTimeSeconds=5
        )
        return [json.loads(each["Body"])["run"] for each in found.get("Messages", [])]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    started = Emulator.start(0, tmp_path_factory.mktemp("moto"))
    yield started
    started.stop()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs")


@pytest.fixture(scope="module")
def told(emulator: Emulator, place: Path) -> str:
    url: str = emulator.client("sqs").create_queue(QueueName="ends")["QueueUrl"]
    for lane, program in ((RUNNING, JOB), (COPYING, COPY)):
        words = ("-c", f"import os; os.environ['PLACE'] = {str(place)!r}\n{program}")
        emulator.open_jobs(JobQueue(lane.queue, lane.definition, words, ""), url)
    return url


@pytest.fixture
def setting(emulator: Emulator, place: Path, told: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    for name, value in {**base_environment(), "AWS_ENDPOINT_URL": emulator.url}.items():
        monkeypatch.setenv(name, value)
    for each in ("begun", "go", "absent"):
        (place / each).unlink(missing_ok=True)
    aws.session.cache_clear()
    aws.client.cache_clear()
    yield Setting(BatchRunner("bucket", RUNNING), place, emulator, told)
    aws.session.cache_clear()
    aws.client.cache_clear()


@pytest.mark.clause("TS F-2")
def test_a_run_is_unknown_before_it_is_started_and_over_when_its_job_is_and_told_by_name(setting: Setting) -> None:
    assert setting.runner.phase("1-1") is Phase.UNKNOWN
    setting.runner.start(order("1-1"))
    assert setting.runner.phase("1-1") in (Phase.WAITING, Phase.STARTED)
    setting.until("1-1", Phase.STARTED)
    setting.finish("1-1")
    assert setting.runner.phase("1-2") is Phase.UNKNOWN
    heard: list[str] = []
    while "1-1" not in heard:
        more = setting.messages()
        assert more, heard
        heard += more
    assert heard.count("1-1") == 1


@pytest.mark.clause("TS F-2")
def test_an_order_that_was_started_is_not_started_again(setting: Setting) -> None:
    for _ in range(3):
        setting.runner.start(order("2-1"))
    setting.until("2-1", Phase.STARTED)
    setting.runner.start(order("2-1"))
    setting.finish("2-1")
    setting.runner.start(order("2-1"))
    assert setting.runner.phase("2-1") is Phase.OVER
    assert setting.begun() == ["submissions/runs/2-1/order.json bucket"]


@pytest.mark.clause("TS F-2")
def test_a_run_that_is_stopped_is_over_and_one_that_is_over_or_unknown_may_be_stopped(setting: Setting) -> None:
    setting.runner.stop("3-0")
    assert setting.runner.phase("3-0") is Phase.UNKNOWN
    setting.runner.start(order("3-1"))
    setting.until("3-1", Phase.STARTED)
    setting.runner.stop("3-1")
    setting.until("3-1", Phase.OVER)
    setting.runner.stop("3-1")
    assert setting.runner.phase("3-1") is Phase.OVER


@pytest.mark.clause("TS F-1")
def test_the_image_is_copied_before_the_run_begins_and_only_once(setting: Setting) -> None:
    runner = BatchRunner("bucket", RUNNING, COPYING)
    client = aws.client("batch")
    client.submit_job(  # somebody who began this run was killed before its second job
        jobName="5-1-image",
        jobQueue="copies",
        jobDefinition="copy",
        containerOverrides={"environment": [{"name": "HURDLE_ORDER", "value": "x"}]},
    )
    runner.start(order("5-1"))
    setting.finish("5-1")
    assert setting.begun() == ["copy", "submissions/runs/5-1/order.json bucket"]


@pytest.mark.clause("TS F-1")
def test_a_run_whose_image_cannot_be_copied_never_begins(setting: Setting) -> None:
    (setting.place / "absent").touch()
    BatchRunner("bucket", RUNNING, COPYING).start(order("6-1"))
    setting.finish("6-1")
    assert setting.begun() == ["copy"]


@pytest.mark.clause("TS F-2")
def test_batch_is_told_the_machine_that_the_order_asks_for_and_the_longest_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {}

    class Noting:
        def list_jobs(self, **_: Any) -> Any:
            return {"jobSummaryList": []}

        def submit_job(self, **more: Any) -> Any:
            asked.update(more)
            return {"jobId": "j"}

    with monkeypatch.context() as told:
        told.setattr(aws, "client", lambda _: Noting())
        BatchRunner("bucket", RUNNING).start(order("7-1"))
    needs = {each["type"]: each["value"] for each in asked["containerOverrides"]["resourceRequirements"]}
    assert needs == {"VCPU": "3", "MEMORY": "102400", "GPU": "1"}
    assert asked["timeout"]["attemptDurationSeconds"] > 60 + 10
    assert asked["dependsOn"] == []
    names = {each["name"]: each["value"] for each in asked["containerOverrides"]["environment"]}
    assert names == {"HURDLE_BUCKET": "bucket", "HURDLE_ORDER": "submissions/runs/7-1/order.json"}
