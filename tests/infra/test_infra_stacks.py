"""The stacks of a cycle: their room, what knows what, and what a failed or a second deployment finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from contest.routes import ROUTES
from infra.config import CycleConfig
from infra.rights import FUNCTIONS
from infra.stack import CycleStack, StorageStack

pytestmark = pytest.mark.slow

ROOM = 250
"""Resources that a stack may have: half of what CloudFormation takes ("CloudFormation quotas": 500)."""
LARGEST_TEMPLATE = 1_000_000
"""Bytes of a template that CloudFormation reads from a bucket ("CloudFormation quotas": 1 MB)."""
RESTORED = {
    **{
        f"{name}Table": f"restored-{name.lower()}"
        for name in ("Exchange", "Scores", "Catalogue", "Identity", "Experts")
    },
    "ExchangeStream": "arn:aws:dynamodb:eu-central-1:123456789012:table/restored-exchange/stream/2027",
    "Objects": "restored-objects",
}


def stacks(synthesis: Any) -> dict[str, dict[str, Any]]:
    """Return the templates of a synthesis by their files' names, with those within others."""
    return {path.name: json.loads(path.read_text("utf-8")) for path in synthesis.folder.glob("*.template.json")}


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
    """What a failed creation leaves is deleted by the next one, which a protected table or stack would refuse."""
    config = CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org")
    for protected in (False, True):
        stack = StorageStack(cdk.App(), config, protected=["hurdle-spring-2027--storage"] if protected else [])
        assert stack.termination_protection is protected
        document = Template.from_stack(stack).to_json()["Resources"].values()
        tables = [item["Properties"] for item in document if item["Type"] == "AWS::DynamoDB::Table"]
        assert [table["DeletionProtectionEnabled"] for table in tables] == [protected] * 5
        pools = [item["Properties"] for item in document if item["Type"] == "AWS::Cognito::UserPool"]
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


@pytest.fixture
def restored(restored_stacks: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return restored_stacks[0]


def test_accesses_to_a_restored_bucket_are_logged_where_the_others_are(restored_stacks: Any) -> None:
    resources_restored = restored_stacks[1]["Resources"].values()
    (policy,) = (item for item in resources_restored if item["Type"] == "AWS::S3::BucketPolicy")
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    allowed = [json.dumps(statement["Condition"]) for statement in statements if statement["Effect"] == "Allow"]
    assert sum("restored-objects" in condition for condition in allowed) == 1


def test_copies_in_another_account_become_its_own_and_go_on_from_what_was_restored(restored_stacks: Any) -> None:
    resources_restored = restored_stacks[1]["Resources"]
    assert not [name for name in resources_restored if name.startswith("StorageCopies")], (
        "the other account's bucket is its own"
    )
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
    exports = [json.dumps(item) for item in resources_restored.values() if item["Type"] == "AWS::Scheduler::Schedule"]
    assert sorted(name for name in RESTORED.values() if any(f"table/{name}" in export for export in exports)) == sorted(
        name for output, name in RESTORED.items() if output.endswith("Table")
    )
    assert all("restored-objects" in export for export in exports)


def test_after_a_restore_the_application_works_on_what_the_cycles_file_names(restored: Any) -> None:
    template = json.dumps(restored)
    imported = set(re.findall(r'"Fn::ImportValue": "hurdle-spring-2027--storage-([^"]+)"', template))
    assert imported & set(RESTORED) == set()
    assert {"Site", "SigningSecret", "StaffPool"} <= imported, "what is not restored is the storage's"
    resources_restored = restored["Resources"].values()
    environments = [
        item["Properties"]["Environment"]["Variables"]
        for item in resources_restored
        if item["Type"] == "AWS::Lambda::Function"
    ]
    for name in ("exchange", "scores", "catalogue", "identity", "experts"):
        variable = f"HURDLE_{name.upper()}_TABLE"
        assert {environment[variable] for environment in environments if variable in environment} == {
            f"restored-{name}"
        }
    assert {environment["HURDLE_BUCKET"] for environment in environments if "HURDLE_BUCKET" in environment} == {
        "restored-objects"
    }
    streams = [
        item["Properties"]["EventSourceArn"]
        for item in resources_restored
        if item["Type"].endswith("EventSourceMapping")
    ]
    assert RESTORED["ExchangeStream"] in streams
    policies = [item["Properties"] for item in resources_restored if item["Type"] == "AWS::S3::BucketPolicy"]
    assert "restored-objects" in [policy["Bucket"] for policy in policies]


def test_the_figures_of_every_route_are_kept_where_they_are_asked_for(restored: Any) -> None:
    (stage,) = [
        item["Properties"]
        for name, item in restored["Resources"].items()
        if item["Type"] == "AWS::ApiGatewayV2::Stage" and name.startswith("Exchange")
    ]
    settings = [stage["DefaultRouteSettings"], *stage["RouteSettings"].values()]
    assert {setting["DetailedMetricsEnabled"] for setting in settings} == {True}


@pytest.mark.parametrize("left_out", ["ExchangeTable", "ExchangeStream"])
def test_a_restored_exchange_table_is_named_with_its_stream(left_out: str) -> None:
    named: Mapping[str, str] = {name: value for name, value in RESTORED.items() if name != left_out}
    with pytest.raises(ValueError, match="ExchangeTable and ExchangeStream belong together"):
        CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org", restored=named)
