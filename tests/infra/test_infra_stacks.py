"""The stacks of cycles: room, who knows what, what a failed or second deployment finds, cycles side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from contest.routes import ROUTES
from contest.stored_names import EXPORTS
from infra.app import CycleStack, StorageStack
from infra.config import CycleConfig
from infra.rights import FUNCTIONS
from tests.infra.templates import metrics_of, of_type, one, variables_of

pytestmark = pytest.mark.slow

ROOM = 250
"""Resources that a stack may have: half of what CloudFormation takes ("CloudFormation quotas": 500)."""
LARGEST_TEMPLATE = 1_000_000
"""Bytes of a template that CloudFormation reads from a bucket ("CloudFormation quotas": 1 MB)."""
TABLES = ("Exchange", "Scores", "Catalogue", "Identity", "Experts")
RESTORED = {
    **{f"{name}Table": f"restored-{name.lower()}" for name in TABLES},
    "ExchangeStream": "arn:aws:dynamodb:eu-central-1:123456789012:table/restored-exchange/stream/2027",
    "Objects": "restored-objects",
}


def stacks(synthesis: Any) -> dict[str, dict[str, Any]]:
    """Return the templates of a synthesis by their files' names, with those within others."""
    return {path.name: synthesis.json(path.name) for path in synthesis.folder.glob("*.template.json")}


def resources(synthesis: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for document in stacks(synthesis).values():
        yield from document["Resources"].items()


def test_every_stack_has_room(real: Any) -> None:
    counts = {name: len(document["Resources"]) for name, document in stacks(real).items()}
    assert len(counts) >= 5, "those within others are among them"
    assert {name: count for name, count in counts.items() if count > ROOM} == {}
    sizes = {path.name: path.stat().st_size for path in real.folder.glob("*.template.json")}
    assert {name: size for name, size in sizes.items() if size > LARGEST_TEMPLATE * 3 // 4} == {}


def test_a_route_takes_no_room_and_a_function_no_more_than_six_resources(real: Any) -> None:
    """A route is a part of one document; a function that somebody waits for has a role, a log, a version,
    an alias, and the gateway's right to call it."""
    names = real.application["Resources"]
    assert len([name for name in names if name.startswith("Exchange")]) == 3, "the API, its stage and its log"
    assert len(ROUTES) > 200
    for row in FUNCTIONS:
        own = re.compile(rf"Functions{row.name}(Role|Logs|Live|CurrentVersion|[0-9A-F]{{8}})")
        kinds = [item["Type"].rpartition("::")[2] for name, item in names.items() if own.match(name)]
        kinds = [kind for kind in kinds if kind != "EventSourceMapping"]
        assert set(kinds) >= {"Function", "Role", "LogGroup"}, row.name
        assert len(kinds) <= (6 if row.prompt else 3), (row.name, kinds)


def test_the_storage_knows_nothing_of_the_application_and_exports_all_that_others_may_import(real: Any) -> None:
    assert "Fn::ImportValue" not in json.dumps(real.storage)
    assert set(real.storage.get("Parameters", {})) <= {"BootstrapVersion"}
    manifest = real.json("manifest.json")["artifacts"]
    assert manifest[f"hurdle-{real.cycle}--storage"]["dependencies"] == [f"hurdle-{real.cycle}--storage.assets"]
    for end in ("", "--programs"):
        assert f"hurdle-{real.cycle}--storage" in manifest[f"hurdle-{real.cycle}{end}"]["dependencies"]
    outputs = {name: output for name, output in real.storage["Outputs"].items() if "Export" in output}
    exports = {output["Export"]["Name"] for output in outputs.values()}
    assert exports == {f"hurdle-{real.cycle}--storage-{name}" for name in outputs}
    assert {*RESTORED, "Site", "SigningSecret", "StaffPool", "StaffClient"} <= set(outputs)
    templates = json.dumps([real.application, real.programs])
    assert set(re.findall(r'"Fn::ImportValue": "([^"]+)"', templates)) <= exports


def test_storage_comes_first_then_the_firewall_then_the_application(real: Any) -> None:
    deployed = [
        name
        for name, artifact in real.json("manifest.json")["artifacts"].items()
        if artifact["type"] == "aws:cloudformation:stack"
    ]
    assert deployed == [f"hurdle-{real.cycle}{end}" for end in ("--storage", "--firewall", "", "--programs")]


def test_what_is_kept_is_not_kept_of_a_creation_that_failed(real: Any) -> None:
    """A stack that is rolled back in its creation deletes what it made ("DeletionPolicy attribute")."""
    retained = {name: item for name, item in resources(real) if "Retain" in item.get("DeletionPolicy", "")}
    assert {item["DeletionPolicy"] for item in retained.values()} == {"RetainExceptOnCreate"}
    assert {item["UpdateReplacePolicy"] for item in retained.values()} == {"Retain"}
    assert {item["Type"].removeprefix("AWS::") for item in retained.values()} == {
        "DynamoDB::Table",
        "S3::Bucket",
        "Cognito::UserPool",
        "SecretsManager::Secret",
        "KMS::Key",
        "Logs::LogGroup",
        "ECR::Repository",
    }
    of_data = ("DynamoDB::Table", "S3::Bucket", "Cognito::UserPool", "ECR::Repository")
    data = {name for name, item in resources(real) if item["Type"].endswith(of_data)}
    assert data <= set(retained)


def test_what_is_kept_has_no_name_that_a_second_deployment_would_ask_for(real: Any) -> None:
    for name, item in resources(real):
        if "Retain" in item.get("DeletionPolicy", ""):
            fixed = {key for key, value in item.get("Properties", {}).items() if _is_fixed(key, value)}
            # Several pools may have one name: it is what the console shows.
            assert fixed <= {"UserPoolName"}, name


def _is_fixed(key: str, value: Any) -> bool:
    """Return whether a property is a name that the next life of the stack would have too."""
    return key.endswith("Name") and "AWS::StackId" not in json.dumps(value)


def test_nothing_refuses_its_deletion_before_the_first_deployment_is_complete(real: Any) -> None:
    """The remains of a failed creation are deleted by the next one, which a protected table or stack would refuse."""
    config = CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org")
    for protected in (False, True):
        stack = StorageStack(cdk.App(), config, protected=["hurdle-spring-2027--storage"] if protected else [])
        assert stack.termination_protection is protected
        document = Template.from_stack(stack).to_json()
        tables = of_type(document, "DynamoDB::Table").values()
        assert [table["DeletionProtectionEnabled"] for table in tables] == [protected] * 5
        pools = of_type(document, "Cognito::UserPool").values()
        assert [pool["DeletionProtection"] for pool in pools] == ["ACTIVE" if protected else "INACTIVE"] * 2


@pytest.fixture(scope="module")
def restored_stacks() -> tuple[dict[str, Any], dict[str, Any]]:
    """Synthesize application and storage of a cycle after a restore, which also has figures of every route kept."""
    config = CycleConfig(
        cycle="spring-2027",
        alarm_email="organizers@example.org",
        restored=RESTORED,
        detailed_route_metrics=True,
        locked_copies={"bucket": "their-copies", "account": "210987654321"},
    )
    app = cdk.App()
    storage = StorageStack(app, config)
    return Template.from_stack(CycleStack(app, config, storage)).to_json(), Template.from_stack(storage).to_json()


def test_accesses_to_a_restored_bucket_are_logged_where_the_others_are(restored_stacks: Any) -> None:
    _, policy = one(restored_stacks[1], "S3::BucketPolicy")
    statements = policy["PolicyDocument"]["Statement"]
    allowed = [json.dumps(statement["Condition"]) for statement in statements if statement["Effect"] == "Allow"]
    assert sum("restored-objects" in condition for condition in allowed) == 1


def test_copies_in_another_account_become_its_own_and_go_on_from_what_was_restored(restored_stacks: Any) -> None:
    resources_restored = restored_stacks[1]["Resources"]
    copies = [name for name in resources_restored if name.startswith("StorageCopies")]
    assert not copies, "the other account's bucket is its own"
    (rule,) = next(
        item["Properties"]["ReplicationConfiguration"]["Rules"]
        for item in resources_restored.values()
        if "ReplicationConfiguration" in item["Properties"]
    )
    assert rule["Destination"]["Account"] == "210987654321"
    assert rule["Destination"]["AccessControlTranslation"] == {"Owner": "Destination"}
    assert "their-copies" in json.dumps(rule["Destination"]["Bucket"])
    role = next(item for name, item in resources_restored.items() if name.startswith("StorageCopyRoleDefaultPolicy"))
    assert ":s3:::restored-objects/*" in json.dumps(role)
    exports = [*map(json.dumps, of_type(restored_stacks[1], "Scheduler::Schedule").values())]
    exported = {name for name in RESTORED.values() if any(f"table/{name}" in export for export in exports)}
    assert exported == {name for output, name in RESTORED.items() if output.endswith("Table")}
    assert all("restored-objects" in export for export in exports)


def test_after_a_restore_the_application_works_on_what_the_cycles_file_names(restored_stacks: Any) -> None:
    restored, _ = restored_stacks
    template = json.dumps(restored)
    imported = set(re.findall(r'"Fn::ImportValue": "hurdle-spring-2027--storage-([^"]+)"', template))
    assert imported & set(RESTORED) == set()
    assert {"Site", "SigningSecret", "StaffPool"} <= imported, "what is not restored is the storage's"
    environments = variables_of(restored).values()
    for name in map(str.lower, TABLES):
        variable = f"HURDLE_{name.upper()}_TABLE"
        assert {told[variable] for told in environments if variable in told} == {f"restored-{name}"}
    assert {told["HURDLE_BUCKET"] for told in environments if "HURDLE_BUCKET" in told} == {"restored-objects"}
    mappings = of_type(restored, "Lambda::EventSourceMapping").values()
    assert RESTORED["ExchangeStream"] in [mapping["EventSourceArn"] for mapping in mappings]
    policies = of_type(restored, "S3::BucketPolicy").values()
    assert "restored-objects" in [policy["Bucket"] for policy in policies]


def test_the_figures_of_every_route_are_kept_where_they_are_asked_for(restored_stacks: Any) -> None:
    restored, _ = restored_stacks
    _, stage = one(restored, "ApiGatewayV2::Stage", "Exchange")
    settings = [stage["DefaultRouteSettings"], *stage["RouteSettings"].values()]
    assert {setting["DetailedMetricsEnabled"] for setting in settings} == {True}


@pytest.mark.parametrize("left_out", ["ExchangeTable", "ExchangeStream"])
def test_a_restored_exchange_table_is_named_with_its_stream(left_out: str) -> None:
    named: Mapping[str, str] = {name: value for name, value in RESTORED.items() if name != left_out}
    with pytest.raises(ValueError, match="ExchangeTable and ExchangeStream belong together"):
        CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org", restored=named)


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
    tables = of_type(document, "DynamoDB::Table").values()
    assert all(table["DeletionProtectionEnabled"] is True for table in tables)


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
    schedules = of_type(real.storage, "Scheduler::Schedule").values()
    tables = of_type(real.storage, "DynamoDB::Table")
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


def test_a_demonstration_takes_its_data_along_and_leaves_no_copies(synthesis: Any) -> None:
    template = json.dumps(synthesis.storage)
    assert [word for word in ("ObjectLock", "ReplicationConfiguration", "exportTable") if word in template] == []
    items = [item for item in synthesis.template["Resources"].values() if item["Type"] in KEEP_WITH_THE_CYCLE]
    assert {item["DeletionPolicy"] for item in items} == {"Delete"}


def test_alarms_reach_the_address_that_was_given(real: Any) -> None:
    _, subscription = one(whole(real.template, real.watched), "SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "organizers@example.org")


def names(document: dict[str, Any]) -> set[str]:
    """List the names that must be unique in an account."""
    chosen = [f"{kind}Name" for kind in ("Function", "LogGroup", "Alarm", "Dashboard", "Table", "Bucket", "Queue", "")]
    owned = "Lambda::Function Logs::LogGroup CloudWatch::Alarm CloudWatch::Dashboard CloudFront::Function".split()
    owned += "DynamoDB::Table S3::Bucket SQS::Queue SecretsManager::Secret".split()
    return {
        name if isinstance(name := item["Properties"][key], str) else json.dumps(name)
        for item in document["Resources"].values()
        if item["Type"].removeprefix("AWS::") in owned
        for key in chosen
        if key in item.get("Properties", {})
    }


@pytest.mark.clause("platform §2 deployment")
def test_two_cycles_in_one_account_share_no_name(real: Any, synthesis: Any) -> None:
    other = names(whole(synthesis.template, synthesis.watched))
    assert {name for name in other if name.endswith("UnscoredAge")}
    assert other & names(whole(real.template, real.watched)) == set()


def named(document: dict[str, Any]) -> set[str]:
    """Return each watched metric by namespace, name and dimensions, as the account knows it."""
    chosen = ("Namespace", "MetricName", "Dimensions")
    metrics = [metric for alarm in of_type(document, "CloudWatch::Alarm").values() for metric in metrics_of(alarm)]
    return {json.dumps([metric.get(key) for key in chosen], sort_keys=True) for metric in metrics}


@pytest.mark.clause("platform §2 deployment")
def test_no_alarm_watches_a_metric_of_another_cycle(real: Any, synthesis: Any) -> None:
    """Otherwise one cycle's faults ring the other's alarms, and its work keeps the other's dead-man alarms quiet."""
    other = named(synthesis.watched)
    assert any("MassFailures" in name for name in other)
    assert other & named(real.watched) == set()
