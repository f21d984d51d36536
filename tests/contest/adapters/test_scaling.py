"""Scheduled actions of Application Auto Scaling, on the emulated service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.adapters import aws
from contest.platform import Platform
from contest.run.rules.arming import Action
from contest.values import HOUR
from tests.stage import staged

pytestmark = pytest.mark.integration
AT = 1_798_761_600_000  # 1 January 2027, 00:00 UTC


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with staged(tmp_path) as stage:
        yield stage.platform


CYCLE = "toy-1"
UP, DOWN = Action(AT, "Dispatch", 50), Action(AT + HOUR, "Dispatch", 0)


def test_actions_read_back_and_are_taken_back_once_and_again(platform: Platform) -> None:
    for action in (UP, DOWN, Action(AT, "LegacyClients", 25)):
        platform.arming.put(action)
    platform.arming.put(UP)
    assert sorted(platform.arming.planned()) == sorted([UP, DOWN, Action(AT, "LegacyClients", 25)])
    (described,) = aws.client("application-autoscaling").describe_scheduled_actions(
        ServiceNamespace="lambda", ResourceId=f"function:hurdle-{CYCLE}-legacy-clients:live"
    )["ScheduledActions"]
    assert described["Schedule"] == "at(2027-01-01T00:00:00)"
    platform.arming.remove(UP)
    platform.arming.remove(UP)
    assert DOWN in platform.arming.planned()
    assert UP not in platform.arming.planned()


def test_an_operators_own_actions_and_other_cycles_are_left_alone(platform: Platform) -> None:
    client = aws.client("application-autoscaling")
    for resource, name in ((f"hurdle-{CYCLE}-dispatch", "by-hand"), ("hurdle-other-dispatch", "hurdle-29979360")):
        client.put_scheduled_action(
            ServiceNamespace="lambda",
            ScalableDimension="lambda:function:ProvisionedConcurrency",
            ResourceId=f"function:{resource}:live",
            ScheduledActionName=name,
            Schedule="at(2027-01-01T00:00:00)",
            ScalableTargetAction={"MinCapacity": 1, "MaxCapacity": 1},
        )
    assert list(platform.arming.planned()) == []


def test_what_is_kept_is_what_the_target_says(platform: Platform) -> None:
    aws.client("application-autoscaling").register_scalable_target(
        ServiceNamespace="lambda",
        ScalableDimension="lambda:function:ProvisionedConcurrency",
        ResourceId=f"function:hurdle-{CYCLE}-dispatch:live",
        MinCapacity=7,
        MaxCapacity=7,
    )
    assert platform.arming.kept() == {"Dispatch": 7}
