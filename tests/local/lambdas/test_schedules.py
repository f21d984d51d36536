"""Schedules: when an expression is due, and timers that go by a clock that tests hold."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from local.clock import Clock, ClockState, system_ms
from local.cloud import LocalCloud
from local.lambdas.runtime import Logs
from local.lambdas.schedules import Schedule, period_of
from tests.local.local_toys import HANDLERS, NOON_MS, TEMPLATE, messages, seen, toy_cloud

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.integration

MINUTELY, HOURLY = "Minutely0A1B2C3D", "Hourly0A1B2C3D"


@pytest.mark.parametrize(
    ("expression", "minutes"), [("rate(1 minute)", 1), ("rate(4 hours)", 240), ("rate(2 days)", 2880)]
)
def test_a_rate_is_due_one_period_after_the_start_and_then_every_period(expression: str, minutes: int) -> None:
    period = minutes * 60_000
    schedule = Schedule("any", "Toy", period_of(expression), NOON_MS)
    assert schedule.due_ms == NOON_MS + period
    schedule.skip(NOON_MS + period - 1)
    assert schedule.due_ms == NOON_MS + period
    schedule.skip(NOON_MS + 3 * period)
    assert schedule.due_ms == NOON_MS + 4 * period


@pytest.mark.parametrize(
    "expression", ["rate(0 minutes)", "rate(1 week)", "cron(0 12 * * ? *)", "at(2026-11-21T15:00:00)", "every day"]
)
def test_an_expression_that_is_no_rate_says_so(expression: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{expression!r} is no rate")):
        period_of(expression)


@pytest.fixture(scope="module")
def cloud() -> Iterator[LocalCloud]:
    with toy_cloud() as running:
        yield running


def test_advancing_fires_every_due_time_at_its_time_and_jumping_none(cloud: LocalCloud) -> None:
    cloud.clock.advance(59)
    assert seen(cloud, "tick") == {}
    cloud.clock.advance(122)
    expected = [
        {"at": "2026-11-21T12:01:00Z", "held": NOON_MS + 60_000},
        {"at": "2026-11-21T12:02:00Z", "held": NOON_MS + 120_000},
        {"at": "2026-11-21T12:03:00Z", "held": NOON_MS + 180_000},
    ]
    assert seen(cloud, "tick") == {MINUTELY: expected}
    cloud.clock.jump(56 * 60)
    assert cloud.clock.now_ms() == NOON_MS + 181_000 + 56 * 60_000  # 12:59:01
    assert seen(cloud, "tick") == {MINUTELY: expected}
    cloud.clock.advance(59)
    ticks = seen(cloud, "tick")
    assert ticks[MINUTELY][3:] == [{"at": "2026-11-21T13:00:00Z", "held": NOON_MS + 3_600_000}]
    assert ticks[HOURLY] == [{"at": "2026-11-21T13:00:00Z", "held": NOON_MS + 3_600_000}]


def test_a_running_clock_fires_by_itself() -> None:
    clock = Clock(NOON_MS + 59_990)
    with toy_cloud(clock=clock) as cloud:
        clock.hold(NOON_MS + 119_980)  # the rate began with the cloud: due 10 ms from here
        clock.release()
        for _ in range(2000):  # each look is a request, so this is bounded and needs no sleep
            if seen(cloud, "tick"):
                break
        assert seen(cloud, "tick")[MINUTELY][0]["at"] == "2026-11-21T12:01:59Z"


@pytest.mark.parametrize(("told", "runs"), [({"MaximumRetryAttempts": 0}, 1), ({}, 3)])
def test_a_run_that_fails_is_repeated_as_the_template_says_and_then_reported(
    tmp_path: Path, told: dict[str, int], runs: int
) -> None:
    template = json.loads(TEMPLATE.read_text("utf-8"))
    resources = template["Resources"]
    resources[MINUTELY]["Properties"]["Target"]["Arn"] = {"Fn::GetAtt": ["ToyBroken0A1B2C3D", "Arn"]}
    failed = {"OnFailure": {"Destination": {"Fn::GetAtt": ["StreamDead0A1B2C3D", "Arn"]}}}
    rules = {"FunctionName": {"Ref": "ToyBroken0A1B2C3D"}, "Qualifier": "$LATEST", "DestinationConfig": failed, **told}
    resources["Rules0A1B2C3D"] = {"Type": "AWS::Lambda::EventInvokeConfig", "Properties": rules}
    changed = tmp_path / "template.json"
    changed.write_text(json.dumps(template), "utf-8")
    screen = StringIO()
    with LocalCloud(changed, HANDLERS, clock=Clock(NOON_MS), logs=Logs(screen=screen)) as cloud:
        cloud.clock.advance(60)
        (reported,) = messages(cloud, "StreamDead")
    assert reported["requestContext"]["approximateInvokeCount"] == runs
    assert reported["requestPayload"]["time"] == "2026-11-21T12:01:00Z"
    assert screen.getvalue().count("a_module_that_does_not_exist") >= runs


def test_a_held_clock_stands_and_a_released_one_runs_on_from_there() -> None:
    clock = Clock(NOON_MS)
    assert clock.now_ms() == NOON_MS
    clock.advance(1.5)
    assert clock.now_ms() == NOON_MS + 1500
    clock.release()
    assert clock.state.held_ms is None
    assert NOON_MS + 1500 <= clock.now_ms() < NOON_MS + 60_000
    with pytest.raises(RuntimeError, match="call hold"):
        clock.advance(1)
    clock.hold()
    with pytest.raises(ValueError, match="goes forward"):
        clock.advance(-1)


def test_a_clock_that_nobody_holds_is_the_systems() -> None:
    before = system_ms()
    assert before <= Clock().now_ms() <= system_ms()


def test_listeners_hear_of_every_change() -> None:
    heard: list[ClockState] = []
    clock = Clock(5)
    clock.listen(heard.append)
    clock.jump(1)
    clock.hold(7)
    assert [state.held_ms for state in heard] == [5, 1005, 7]
