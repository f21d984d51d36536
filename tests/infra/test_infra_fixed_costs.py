"""Hold that costs by the month are counted from the templates, in the file beside the prices."""

from __future__ import annotations

import json

import pytest

from contest.operations.rules import Choice
from infra.config import CycleConfig
from infra.template import COSTS, counted, of_assembly
from tests.infra.conftest import Synthesis


@pytest.mark.clause("platform §7 cost")
def test_the_estimate_of_a_month_counts_what_a_real_cycle_deploys(real: Synthesis) -> None:
    fixed_costs = json.loads(COSTS.read_text("utf-8"))
    fixed_costs["monthly"]["keys"] += 1  # its receipts are signed by KMS, which is a choice
    assert counted(of_assembly(real.folder), CycleConfig(cycle="demo", retain_data=False)) == fixed_costs, (
        "make template"
    )


def test_alarms_firewall_secrets_and_queues_are_those_of_the_templates(real: Synthesis) -> None:
    parts = [part for template in of_assembly(real.folder) for part in template["Resources"].values()]
    kinds = [part["Type"] for part in parts]
    fixed_costs = json.loads(COSTS.read_text("utf-8"))
    assert fixed_costs["monthly"]["alarm_metrics"] >= kinds.count("AWS::CloudWatch::Alarm") > 50
    assert fixed_costs["monthly"]["firewalls"] == kinds.count("AWS::WAFv2::WebACL") == 1
    assert fixed_costs["monthly"]["secrets"] == kinds.count("AWS::SecretsManager::Secret") + 2
    assert fixed_costs["polled_queues"] == kinds.count("AWS::Lambda::EventSourceMapping") - 1  # the stream's
    assert "AWS::CloudWatch::Dashboard" not in kinds


def test_everything_that_is_there_by_choice_is_a_choice_of_the_estimate() -> None:
    assert {*json.loads(COSTS.read_text("utf-8"))["by_choice"], "snapshots"} == {choice.value for choice in Choice}
