"""Every alarm of the template rings on the local cloud when what it watches for happens, and is quiet before.

The functions' own figures come from the real handlers on a stage; everything else from a cloud of the real template,
whose functions do what an event says.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # ships no types
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from contest.adapters.system import LoggedFigures
from contest.operations.minute_timer import Swept
from contest.stored_names import LetterQueue
from contest.values import HOUR, MINUTE, SECOND
from dispatch import minute_timer
from local.aws.alarms import ALARM_TYPE
from local.cloud import LocalCloud
from score import submission_worker
from tests.local.stub_cloud import TEMPLATE, crash, stub_cloud
from tests.stage import Context, Program, Stage, staged
from tests.toys import toy_cycle

pytestmark = pytest.mark.integration

CYCLE = "demo"
QUIET_S = 6 * MINUTE / SECOND
"""Longer than any alarm's periods, but those on silence."""
REFUSED_AT_MOST = 5

CRASHING = (
    *("Authorize", "Dispatch", "Submit", "Public", "Socket", "LegacyClients"),
    *("Settle", "Rescore", "Shadow", "Import", "SubmissionWorker", "DeadLetters"),
)
LETTERS = (
    *("Scoring", "Settlement", "Rescoring", "Shadow", "Audit", "Import", "Submission", "Push", "Relay", "Timer"),
)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    template = json.loads(TEMPLATE.read_text("utf-8"))
    for name, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        if name.startswith(("FunctionsSubmit", "FunctionsPublic")) and resource["Type"] == "AWS::Lambda::Function":
            properties["ReservedConcurrentExecutions"] = 1
        if name.startswith("FunctionsDispatchLive"):
            properties["ProvisionedConcurrencyConfig"] = {"ProvisionedConcurrentExecutions": 1}
        if properties.get("AlarmName", "").endswith("ClientErrors"):
            properties["Threshold"] = REFUSED_AT_MOST
    with stub_cloud(template, tmp_path_factory.mktemp("alarms"), workers_of={"FunctionsDispatch": 2}) as ready:
        yield ready


def fail(name: str, cloud: LocalCloud, _: Path) -> None:
    crash(name, cloud)


def letter(name: str, cloud: LocalCloud, _: Path) -> None:
    queue = cloud.resource(f"Queues{name}DeadLetters")
    cloud.client("sqs").send_message(QueueUrl=queue, MessageBody="{}")
    cloud.drain()


def crowd(name: str, until: int, cloud: LocalCloud, folder: Path) -> None:
    """Run a function twice at once; each run waits until ``until`` have begun."""
    event = {"meet": str(folder), "until": until}
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(partial(cloud.invoke, f"Functions{name}", event)) for _ in range(2)]
        wait(runs, return_when=FIRST_COMPLETED)
        (folder / "enough").touch()


def ask(path: str, cloud: LocalCloud, _: Path) -> None:
    for _again in range(REFUSED_AT_MOST + 1):
        httpx.get(f"{cloud.url}{path}")


def throttle(cloud: LocalCloud, _: Path) -> None:
    cloud.throttle("StorageExchange", 1)
    key = {"pk": {"S": "x"}, "sk": {"S": "x"}}
    with pytest.raises(ClientError, match="ProvisionedThroughputExceeded"):
        cloud.client("dynamodb").get_item(TableName=cloud.resource("StorageExchange"), Key=key)


def break_frames(cloud: LocalCloud, _: Path) -> None:
    address = cloud.url.replace("http:", "ws:") + "/socket.io/?planted-crash"
    for _again in range(REFUSED_AT_MOST + 1):
        with pytest.raises(InvalidStatus), connect(address):
            pass


def delay_pushes(cloud: LocalCloud, _: Path) -> None:
    queue = cloud.resource("QueuesPushes")
    cloud.client("sqs").send_message(QueueUrl=queue, MessageBody="{}", DelaySeconds=900)
    cloud.clock.jump(301)


def fall_silent(_: LocalCloud, __: Path) -> None:
    """Do nothing: the time that has passed without the timers is enough."""


def play_on_a_stage(play: Callable[[Stage, Program], None], cloud: LocalCloud, folder: Path) -> None:
    """Play on a stage of the real handlers; what they print is the functions' log."""
    printed = io.StringIO()
    with staged(folder, CYCLE) as stage, redirect_stderr(printed):
        files = toy_cycle(final=3)
        files["cycle.json"]["cycle"] = CYCLE
        stage.load(files)
        play(stage, Program(stage, stage.team("red")))
    heard(printed.getvalue(), cloud)


def handled(module: Any, service: str, outcome: Any, body: str, cloud: LocalCloud, _: Path) -> None:
    """Run a real handler whose work has this outcome."""
    printed, platform = io.StringIO(), SimpleNamespace(figures=LoggedFigures(CYCLE))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setattr(module, "platform", lambda: platform)
        patch.setattr(module, service, lambda *_: outcome)
        module.handler({"Records": [{"messageId": "1", "body": body}]}, Context())
    heard(printed.getvalue(), cloud)


def heard(printed: str, cloud: LocalCloud) -> None:
    for line in printed.splitlines():
        cloud.figures.take(line)


def stay_unfinished(cloud: LocalCloud, folder: Path) -> None:
    for _again in range(2):
        handled(minute_timer, "sweep", swept(left=1), "", cloud, folder)
        assert not cloud.alarms()[f"hurdle-{CYCLE}-VisitUnfinished"], "one slow visit is none"
        cloud.clock.jump(5 * MINUTE / SECOND - 1)
    handled(minute_timer, "sweep", swept(left=1), "", cloud, folder)


def swept(**counts: Any) -> Swept:
    names = [name for name in Swept.__slots__ if name not in {"letters", "failures"}]
    return Swept(**dict.fromkeys(names, 0) | {"letters": {}, "failures": ()} | counts)


def joined(stage: Stage, red: Program) -> int:
    run = stage.plan()
    assert red.join().status == 201
    stage.set_clock(run.starts_at)
    return run.starts_at


def leave_unscored(stage: Stage, red: Program) -> None:
    joined(stage, red)
    red.get("files/1")
    red.answer(1, {"letters": "abcd"})
    stage.advance(121)
    stage.tick()
    stage.advance(60)
    stage.tick()


def open_late(stage: Stage, red: Program) -> None:
    opening = joined(stage, red)
    stage.set_clock(opening - 1)

    def wait_until(moment: int) -> int:
        stage.set_clock(max(stage.now, moment + (2_001 if moment >= opening else 0)))
        return stage.now

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage.platform.clock, "wait_until", wait_until)
        assert red.get("files/1").status == 200


def hand_out_slowly(stage: Stage, red: Program) -> None:
    joined(stage, red)
    requests = stage.platform.deliveries.ask

    def slow(*arguments: Any) -> int:
        stage.advance(6)
        return requests(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage.platform.deliveries, "ask", slow)
        assert red.get("files/1").status == 200


def owe_a_file(stage: Stage, red: Program) -> None:
    joined(stage, red)

    def broken(*_: Any) -> None:
        raise OSError("planted")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage.platform.deliveries, "hand_out", broken)
        assert red.get("files/1").status == 500
    stage.advance(70)
    stage.tick()


def miss_all(stage: Stage, red: Program) -> None:
    blue = Program(stage, stage.team("blue"))
    run = stage.plan()
    assert (red.join().status, blue.join().status) == (201, 201)
    stage.set_clock(run.starts_at + 3 * MINUTE + 30 * SECOND)
    stage.tick()


def falsify(stage: Stage, red: Program) -> None:
    red.open(files=1)
    red.play()
    stage.score_all()
    stage.tick()
    report = f"reports/{red.session_id}/1.json"
    stage.platform.blobs.put(report, stage.platform.blobs.get(report) + b" ")
    stage.audit()


def lose_a_letter(stage: Stage, _: Program) -> None:
    stage.die(LetterQueue.SCORING, '{"session_id": "1"}')
    stage.tick()


PROVOCATIONS: dict[str, Callable[[LocalCloud, Path], None]] = {
    **{f"{name}Errors": partial(fail, name) for name in CRASHING},
    **{f"{name}DeadLetters": partial(letter, name) for name in LETTERS},
    "DeadLettersOpen": partial(play_on_a_stage, lose_a_letter),
    "Throttles": partial(crowd, "Submit", 2),
    "PublicThrottles": partial(crowd, "Public", 2),
    "SpillOver": partial(crowd, "Dispatch", 2),
    "TableThrottles": throttle,
    "ServerErrors": partial(ask, "/v1/kit?planted-crash"),
    "ClientErrors": partial(ask, "/v1/sessions"),
    "ChannelFaults": break_frames,
    "PushDelay": delay_pushes,
    "MinuteTimerSilent": fall_silent,
    "ChannelTimerSilent": fall_silent,
    "AuditSilent": fall_silent,
    "UnscoredAge": partial(play_on_a_stage, leave_unscored),
    "OpeningLateness": partial(play_on_a_stage, open_late),
    "HandOutLateness": partial(play_on_a_stage, hand_out_slowly),
    "FilesOverdue": partial(play_on_a_stage, owe_a_file),
    "MassFailures": partial(play_on_a_stage, miss_all),
    "AuditDifferences": partial(play_on_a_stage, falsify),
    "SubmissionsStuck": partial(handled, minute_timer, "sweep", swept(stuck=1), ""),
    "VisitUnfinished": stay_unfinished,
    "RunsLost": partial(handled, submission_worker, "work", True, '{"run": "1-1"}'),
}
SPEAKING: dict[str, Callable[[LocalCloud, Path], None]] = {
    "MinuteTimerSilent": partial(handled, minute_timer, "sweep", swept(), ""),
    "ChannelTimerSilent": lambda cloud, _: cloud.clock.advance(60),
    "AuditSilent": partial(play_on_a_stage, falsify),
}
"""Figures that keep the alarms on silence quiet."""


def names() -> set[str]:
    resources = json.loads(TEMPLATE.read_text("utf-8"))["Resources"].values()
    alarms = [item["Properties"]["AlarmName"] for item in resources if item["Type"] == ALARM_TYPE]
    return {name.removeprefix(f"hurdle-{CYCLE}-") for name in alarms}


def test_every_alarm_has_a_provocation_and_no_other_has() -> None:
    assert set(PROVOCATIONS) == names()


@pytest.mark.parametrize("name", PROVOCATIONS)
def test_an_alarm_is_quiet_until_it_is_provoked_and_rings_then(name: str, cloud: LocalCloud, tmp_path: Path) -> None:
    cloud.clock.jump(QUIET_S)
    if name in SPEAKING:
        SPEAKING[name](cloud, tmp_path)
    full = f"hurdle-{CYCLE}-{name}"
    assert not cloud.alarms()[full]
    if name in SPEAKING:
        cloud.clock.jump(8 * HOUR / SECOND if name == "AuditSilent" else QUIET_S)
    PROVOCATIONS[name](cloud, tmp_path)
    assert cloud.alarms()[full]
    assert httpx.get(f"{cloud.url}/_local/alarms").json()[full]
