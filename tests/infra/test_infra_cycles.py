"""A real cycle keeps its data, and cycles live side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from contest.stored_names import EXPORTS
from infra.rights import FUNCTIONS

pytestmark = pytest.mark.slow

KEEP_WITH_THE_CYCLE = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret", "AWS::Logs::LogGroup"}


def whole(*documents: dict[str, Any]) -> dict[str, Any]:
    """Return a cycle's stack with the one within it."""
    return {"Resources": {name: item for document in documents for name, item in document["Resources"].items()}}


def test_a_real_cycle_keeps_its_data_when_the_stack_goes(real: Any) -> None:
    stacks = real.json("manifest.json")["artifacts"]
    for end in ("--storage", "", "--firewall", "--programs"):
        assert stacks[f"hurdle-{real.cycle}{end}"]["properties"]["terminationProtection"]
    document = whole(real.template, real.watched)
    guarded = [
        item
        for name, item in document["Resources"].items()
        if item["Type"] in KEEP_WITH_THE_CYCLE and not name.startswith("KeysOriginSecret")  # guards no data
    ]
    assert {item["Type"] for item in guarded} == KEEP_WITH_THE_CYCLE
    for item in guarded:
        assert (item["DeletionPolicy"], item["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain"), item
        assert item["Properties"].get("DeletionProtectionEnabled", True)
    tables = [item["Properties"] for item in guarded if item["Type"] == "AWS::DynamoDB::Table"]
    assert all(item["DeletionProtectionEnabled"] is True for item in tables)


def test_a_real_cycles_storage_is_copied_each_week_into_a_bucket_that_nobody_can_empty(real: Any) -> None:
    resources = real.storage["Resources"]
    (copies,) = (name for name, item in resources.items() if "ObjectLockConfiguration" in item["Properties"])
    lock = resources[copies]["Properties"]["ObjectLockConfiguration"]["Rule"]["DefaultRetention"]
    assert lock == {"Days": 90, "Mode": "GOVERNANCE"}
    (rule,) = next(
        item["Properties"]["ReplicationConfiguration"]["Rules"]
        for name, item in resources.items()
        if name.startswith("StorageObjects") and "ReplicationConfiguration" in item["Properties"]
    )
    assert rule["Destination"] == {"Bucket": {"Fn::GetAtt": [copies, "Arn"]}}
    assert (rule["Status"], rule["DeleteMarkerReplication"]) == ("Enabled", {"Status": "Disabled"})
    schedules = [item["Properties"] for item in resources.values() if item["Type"] == "AWS::Scheduler::Schedule"]
    tables = [name for name, item in resources.items() if item["Type"] == "AWS::DynamoDB::Table"]
    inputs = [json.dumps(schedule["Target"]["Input"]) for schedule in schedules]
    assert len(inputs) == len(tables) == sum(any(name in export for export in inputs) for name in tables)
    assert {schedule["ScheduleExpression"] for schedule in schedules} == {"cron(30 3 ? * SUN *)"}
    bucket = next(name for name in resources if re.fullmatch("StorageObjects[0-9A-F]{8}", name))
    assert all(f'"Ref": "{bucket}"' in export and "exports/" in export for export in inputs)


def test_no_function_reads_or_writes_the_exports(real: Any) -> None:
    reached = [
        prefix for row in FUNCTIONS for prefix in (*row.reads_objects, *row.writes_objects, *row.deletes_objects)
    ]
    assert not [prefix for prefix in reached if EXPORTS.startswith(prefix) or prefix.startswith(EXPORTS)]
    assert EXPORTS in json.dumps(real.storage)


def test_a_demonstration_leaves_no_copies(synthesis: Any) -> None:
    template = json.dumps(synthesis.storage)
    assert "ObjectLock" not in template
    assert "ReplicationConfiguration" not in template
    assert "exportTable" not in template


def test_the_demonstration_takes_its_data_along(synthesis: Any) -> None:
    items = [item for item in synthesis.template["Resources"].values() if item["Type"] in KEEP_WITH_THE_CYCLE]
    assert {item["DeletionPolicy"] for item in items} == {"Delete"}


def test_alarms_reach_the_address_that_was_given(real: Any) -> None:
    resources = whole(real.template, real.watched)["Resources"].values()
    subscribed = [item["Properties"] for item in resources if item["Type"] == "AWS::SNS::Subscription"]
    assert [(subscription["Protocol"], subscription["Endpoint"]) for subscription in subscribed] == [
        ("email", "organizers@example.org")
    ]


def names(document: dict[str, Any]) -> set[str]:
    """List the names that must be unique in an account."""
    chosen = (
        "FunctionName",
        "LogGroupName",
        "AlarmName",
        "DashboardName",
        "TableName",
        "BucketName",
        "QueueName",
        "Name",
    )
    owned = {"AWS::Lambda::Function", "AWS::Logs::LogGroup", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}
    owned |= {"AWS::CloudFront::Function"}
    owned |= {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SecretsManager::Secret"}
    return {
        name if isinstance(name := item["Properties"][key], str) else json.dumps(name)
        for item in document["Resources"].values()
        if item["Type"] in owned
        for key in chosen
        if key in item.get("Properties", {})
    }


@pytest.mark.clause("platform §2 deployment")
def test_two_cycles_in_one_account_share_no_name(real: Any, synthesis: Any) -> None:
    other = names(whole(synthesis.template, synthesis.watched))
    assert {name for name in other if name.endswith("UnscoredAge")}
    assert other & names(whole(real.template, real.watched)) == set()


def metrics(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the metrics that alarms watch, those of expressions too."""
    for item in document["Resources"].values():
        if item["Type"] == "AWS::CloudWatch::Alarm":
            properties = item["Properties"]
            several = (
                metric["MetricStat"]["Metric"] for metric in properties.get("Metrics", ()) if "MetricStat" in metric
            )
            yield from several if "Metrics" in properties else (properties,)


def named(document: dict[str, Any]) -> set[str]:
    """Return each watched metric by namespace, name and dimensions, as the account knows it."""
    chosen = ("Namespace", "MetricName", "Dimensions")
    return {json.dumps([metric.get(key) for key in chosen], sort_keys=True) for metric in metrics(document)}


@pytest.mark.clause("platform §2 deployment")
def test_no_alarm_watches_a_metric_of_another_cycle(real: Any, synthesis: Any) -> None:
    """Otherwise one cycle's faults ring the other's alarms, and its work keeps the other's dead-man alarms quiet."""
    other = named(synthesis.watched)
    assert any("MassFailures" in name for name in other)
    assert other & named(real.watched) == set()
