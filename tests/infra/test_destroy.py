"""``make destroy`` against a recorded account: deleted and remaining resources, their order, failures in between."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra import destroy as destroying
from infra.account import Account
from infra.assembly import StackFile
from infra.config import CycleConfig
from infra.deploy import OPEN, Answer, RefusedError, Wish
from infra.destroy import destroy, expire, lock_of
from tests.infra.recorded import REGION, Stacks, error
from tests.infra.test_preflight import GOOD, NOW

NAME = "hurdle-spring-2027"
PROGRAMS, FIREWALL, STORAGE = f"{NAME}--programs", f"{NAME}--firewall", f"{NAME}--storage"
REAL = CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org", programs=True)
DEMO = CycleConfig(cycle="spring-2027", retain_data=False)
HELD = {
    PROGRAMS: {"Images": "AWS::ECR::Repository", "Endpoint": "AWS::EC2::VPCEndpoint"},
    NAME: {"Log": "AWS::Logs::LogGroup", "Work": "AWS::SQS::Queue"},
    FIREWALL: {"Acl": "AWS::WAFv2::WebACL"},
    STORAGE: {
        "Table": "AWS::DynamoDB::Table",
        "Objects": "AWS::S3::Bucket",
        "Pool": "AWS::Cognito::UserPool",
        "Secret": "AWS::SecretsManager::Secret",
    },
}
KEPT = ("AWS::ECR::Repository", "AWS::Logs::LogGroup", *HELD[STORAGE].values())
DELETES = "whose versions S3 deletes when their locks end"
GONE = [f"keys {NAME}-{purpose}-1" for purpose in ("uploads", "downloads")]


class Cloud(Stacks):
    """An account with a whole cycle: a real one protected, with retained resources."""

    held = HELD

    def __init__(self, *, real: bool) -> None:
        say = self._logged
        super().__init__(
            "spring-2027" if real else "yes",
            {
                **GOOD,
                "cloudformation:GetTemplate": self._template,
                "cloudformation:ListStackResources": self._resources,
                "cloudformation:DeleteStack": self._delete,
                "dynamodb:DescribeTable": self._table,
                "dynamodb:UpdateTable": lambda _: say("free Table", {}),
                "dynamodb:DeleteTable": lambda _: say("delete Table", {}),
                "s3:ListObjectVersions": self._versions,
                "s3:DeleteObjects": self._empty,
                "s3:DeleteBucket": lambda _: say("delete Objects", {}),
                "cognito-idp:UpdateUserPool": lambda _: say("free Pool", {}),
                "cognito-idp:DescribeUserPool": {"UserPool": {"Id": "Pool", "Domain": "hurdle-spring"}},
                "cognito-idp:DeleteUserPoolDomain": lambda _: say("delete domain", {}),
                "cognito-idp:DeleteUserPool": lambda _: say("delete Pool", {}),
                "secretsmanager:DeleteSecret": lambda params: say(
                    f"keys {params['SecretId']}" if "ForceDeleteWithoutRecovery" in params else "delete Secret", {}
                ),
                "s3:GetObjectLockConfiguration": error("ObjectLockConfigurationNotFoundError"),
                "ssm:GetParameter": error("ParameterNotFound"),
                "logs:DeleteLogGroup": lambda _: say("delete Log", {}),
                "ecr:DeleteRepository": lambda _: say("delete Images", {}),
            },
        )
        self.stacks = {name: {"status": "UPDATE_COMPLETE", "protected": real} for name in HELD}
        self.real = real
        self.versions = 3
        self.failing = ""

    def _logged(self, line: str, answer: Any) -> Any:
        self.log.append(line)
        return answer

    def _template(self, params: Mapping[str, Any]) -> Any:
        policy = "RetainExceptOnCreate" if self.real else "Delete"
        resources = {
            name: {"Type": kind} | ({"DeletionPolicy": policy} if kind in KEPT else {})
            for name, kind in self.held[params["StackName"]].items()
        }
        return {"TemplateBody": json.dumps({"Resources": resources})}

    def _resources(self, params: Mapping[str, Any]) -> Any:
        return {
            "StackResourceSummaries": [
                {
                    "LogicalResourceId": name,
                    "PhysicalResourceId": name,
                    "ResourceType": kind,
                    "ResourceStatus": "CREATE_COMPLETE",
                    "LastUpdatedTimestamp": NOW,
                }
                for name, kind in self.held[params["StackName"]].items()
            ]
        }

    def _table(self, _: Mapping[str, Any]) -> Any:
        more = {"TableSizeBytes": 2_000_000_000, "TableStatus": "ACTIVE", "DeletionProtectionEnabled": self.real}
        return {"Table": more}

    def _delete(self, params: Mapping[str, Any]) -> Any:
        name = params["StackName"]
        self.log.append(f"stack {name}")
        if self.stacks[name]["protected"]:
            return error("ValidationError", "DeleteStack", "is protected")
        if name == self.failing or (name == STORAGE and not self.real and self.versions):
            self.stacks[name]["status"] = "DELETE_FAILED"
        else:
            del self.stacks[name]
        return {}

    def _versions(self, _: Mapping[str, Any]) -> Any:
        markers = [{"Key": "old", "VersionId": "m"}] if self.versions else []
        versions = [{"Key": f"k{number}", "VersionId": "v", "Size": 1_000_000_000} for number in range(self.versions)]
        return {"Versions": versions, "DeleteMarkers": markers, "IsTruncated": False}

    def _empty(self, params: Mapping[str, Any]) -> Any:
        self.log.append(f"empty {len(params['Delete']['Objects'])}")
        self.versions = 0
        return {}

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        raise AssertionError("nothing is synthesized to be deleted")

    def cdk(self, words: Sequence[str]) -> int:
        raise AssertionError("CDK is not asked")

    def contest(self, words: Sequence[str]) -> Answer:
        if "--anyway" in words:
            self.log.append(f"noted {words[-1]}")
            return Answer(0)
        run = {"run_id": "abc", "mode": "final", "state": "running", "starts_at": "2026-11-29T12:00:00Z"}
        return Answer(OPEN, json.dumps({"runs": [run]})) if self.open_run else Answer(0)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Any:
    def played(cloud: Cloud, *, anyway: str = "", yes: bool = False, **what: bool) -> int:
        config = REAL if cloud.real else DEMO
        monkeypatch.setattr(destroying, "for_cycle", lambda _: config)
        cloud.log.clear()
        cloud.lines.clear()
        return destroy(Wish("spring-2027", yes, anyway), cloud.recorded.account(), cloud, **what)

    return played


def test_a_real_cycle_goes_in_its_order_and_its_storage_stays(play: Any) -> None:
    cloud = Cloud(real=True)
    assert play(cloud) == 0, cloud.printed
    assert cloud.log == ["asked", f"stack {PROGRAMS}", f"stack {NAME}", f"stack {FIREWALL}", *GONE]
    assert cloud.stacks == {STORAGE: {"status": "UPDATE_COMPLETE", "protected": True}}
    regions = cloud.recorded.regions()
    assert [regions[name] for name in HELD] == [{REGION}, {REGION}, {"us-east-1"}, {REGION}]
    assert f"{NAME} goes: 1 SQS Queue" in cloud.printed
    assert "of it stays, outside every stack: 1 Logs LogGroup" in cloud.printed
    assert f"{STORAGE} stays: 1 Cognito UserPool, 1 DynamoDB Table, 1 S3 Bucket" in cloud.printed
    # 2 GB of a table at 0.25, 3 GB of a bucket at 0.023
    assert "the data stay: 5.00 GB in 1 DynamoDB Table, 1 S3 Bucket, about 0.57 USD a month" in cloud.printed
    assert "comes back with make deploy" in cloud.printed


def test_with_its_data_everything_goes_and_repeating_it_finds_nothing(play: Any) -> None:
    cloud = Cloud(real=True)
    assert play(cloud, with_data=True) == 0, cloud.printed
    assert cloud.log == [
        "asked",
        *("delete Images", f"stack {PROGRAMS}"),
        *("delete Log", f"stack {NAME}"),
        f"stack {FIREWALL}",
        *("free Table", "delete Table", "empty 4", "delete Objects"),
        *("free Pool", "delete domain", "delete Pool", "delete Secret", f"stack {STORAGE}"),
        *GONE,
    ]
    assert "LOST FOR GOOD: every item, object and account: 5.00 GB" in cloud.printed
    assert "spring-2027 is gone" in cloud.printed
    assert play(cloud, with_data=True) == 0
    assert "nothing of spring-2027" in cloud.printed
    assert cloud.log == []


def test_the_machines_for_programs_go_alone_while_the_cycle_goes_on(play: Any) -> None:
    cloud = Cloud(real=True)
    assert play(cloud, programs=True) == 0
    assert cloud.log == ["asked", f"stack {PROGRAMS}"]
    assert set(cloud.stacks) == {NAME, FIREWALL, STORAGE}
    assert all(one_stack["protected"] for one_stack in cloud.stacks.values())


def test_the_demonstration_is_emptied_and_goes_whole(play: Any) -> None:
    cloud = Cloud(real=False)
    assert play(cloud, yes=True) == 0, cloud.printed
    assert cloud.log == [
        *(f"stack {name}" for name in (PROGRAMS, NAME, FIREWALL)),
        *("empty 4", "free Pool", f"stack {STORAGE}"),
        *GONE,
    ]
    assert cloud.stacks == {}


@pytest.mark.parametrize(
    ("real", "answer"), [(True, "yes"), (True, "spring"), (True, None), (False, "no"), (False, None)]
)
def test_without_the_right_answer_nothing_changes(play: Any, real: bool, answer: str | None) -> None:
    cloud = Cloud(real=real)
    cloud.answer = answer
    assert play(cloud, yes=real) == 1, "--yes answers for no real cycle"
    assert cloud.log == ["asked"]
    if answer is None:
        assert ("by a person" if real else "ARGS=--yes") in cloud.printed
    assert set(cloud.stacks) == set(HELD)
    assert all(one_stack["protected"] == real for one_stack in cloud.stacks.values())


def test_under_a_run_nothing_goes_without_a_reason(play: Any) -> None:
    cloud = Cloud(real=True)
    cloud.open_run = True
    assert play(cloud) == 1
    assert cloud.log == []
    assert "a run is open" in cloud.printed
    assert play(cloud, programs=True) == 1, "programs run under it too"
    assert play(cloud, anyway="it was a rehearsal") == 0
    assert cloud.log[:2] == ["asked", "noted it was a rehearsal"]


def test_what_stops_in_between_is_repeated_by_the_same_command(play: Any) -> None:
    cloud = Cloud(real=True)
    cloud.failing = FIREWALL
    assert play(cloud) == 1
    assert cloud.log == ["asked", f"stack {PROGRAMS}", f"stack {NAME}", f"stack {FIREWALL}"]
    assert f"{FIREWALL} was not deleted" in cloud.printed
    assert "Work (AWS::SQS::Queue): in use" in cloud.printed
    cloud.failing = ""
    assert play(cloud) == 0
    assert cloud.log == ["asked", f"stack {FIREWALL}", *GONE]


def test_what_is_gone_already_stops_nothing(play: Any) -> None:
    cloud = Cloud(real=True)
    cloud.recorded.answers["dynamodb:DeleteTable"] = error("ResourceNotFoundException", "DeleteTable")
    cloud.recorded.answers["secretsmanager:DeleteSecret"] = error("ResourceNotFoundException", "DeleteSecret")
    assert play(cloud, with_data=True) == 0, cloud.printed
    assert cloud.stacks == {}
    cloud = Cloud(real=True)
    cloud.recorded.answers["dynamodb:DeleteTable"] = error("AccessDeniedException", "DeleteTable")
    assert play(cloud, with_data=True) == 1
    assert "AWS refused or did not answer" in cloud.printed
    assert STORAGE in cloud.stacks


def test_restored_storage_is_in_no_stack_and_is_told_of(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(destroying, "_confirm", lambda *_: None)
    cloud = Cloud(real=True)
    restored = REAL.changed(restored={"ScoresTable": "scores-restored"})
    monkeypatch.setattr(destroying, "for_cycle", lambda _: restored)
    assert destroy(Wish("spring-2027"), cloud.recorded.account(), cloud, with_data=True) == 0
    assert "in no stack and stays: scores-restored" in cloud.printed


class LockedCloud(Cloud):
    """A cycle with 40 GB of locked copies beside it, of which a version and a marker are not locked."""

    held: Mapping[str, Mapping[str, str]] = HELD | {STORAGE: HELD[STORAGE] | {"Copies": "AWS::S3::Bucket"}}

    def __init__(self) -> None:
        super().__init__(real=True)
        self.now = datetime.now(UTC)
        self.copies = {f"copy-{age}": self.now - timedelta(days=age) for age in (1, 30, 91)}
        self.parameter: str | None = None
        self.retention = {"Mode": "GOVERNANCE", "Days": 90}
        self.recorded.answers.update(
            {
                "s3:GetObjectLockConfiguration": self._lock,
                "s3:PutBucketLifecycleConfiguration": lambda params: self._logged(f"expire {params['Bucket']}", {}),
                "s3:DeleteBucket": lambda params: self._logged(f"delete {params['Bucket']}", {}),
                "ssm:GetParameter": lambda _: (
                    {"Parameter": {"Value": self.parameter}} if self.parameter else error("ParameterNotFound")
                ),
                "ssm:PutParameter": self._note,
                "ssm:DeleteParameter": self._forget,
            }
        )

    def _lock(self, params: Mapping[str, Any]) -> Any:
        if params["Bucket"] != "Copies":
            return error("ObjectLockConfigurationNotFoundError")
        rule = {"DefaultRetention": self.retention}
        return {"ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled", "Rule": rule}}

    def _note(self, params: Mapping[str, Any]) -> Any:
        self.parameter = params["Value"]
        return self._logged(f"note {self.parameter}", {})

    def _forget(self, _: Mapping[str, Any]) -> Any:
        self.parameter = None
        return {}

    def _versions(self, params: Mapping[str, Any]) -> Any:
        if params["Bucket"] != "Copies":
            return super()._versions(params)
        one = {"VersionId": "v", "Size": 20_000_000_000}
        versions = [{"Key": key, "LastModified": at, **one} for key, at in self.copies.items()]
        return {"Versions": versions, "DeleteMarkers": [], "IsTruncated": False}

    def _empty(self, params: Mapping[str, Any]) -> Any:
        if params["Bucket"] != "Copies":
            return super()._empty(params)
        keys = [entry["Key"] for entry in params["Delete"]["Objects"]]
        is_locked = {key: self.now - self.copies[key] < timedelta(days=self.retention["Days"]) for key in keys}
        self.copies = {key: at for key, at in self.copies.items() if is_locked.get(key, True)}
        self.log.append(f"empty Copies, {len(self.copies)} stay")
        return {"Errors": [{"Key": key, "Code": "AccessDenied"} for key in keys if is_locked[key]]}


def test_what_is_locked_is_told_of_before_and_stays_while_everything_else_goes(play: Any) -> None:
    cloud = LockedCloud()
    until = (cloud.now + timedelta(days=90)).date()
    cloud.answer = "no"
    assert play(cloud, with_data=True) == 1
    assert cloud.log == ["asked"]
    notice = "CANNOT BE DELETED YET: Copies: 2 versions, 40.00 GB, are locked"
    assert f"{notice}; all can be deleted from {until} on, and cost about 0.92 USD a month" in cloud.printed
    cloud.answer = "spring-2027"
    assert play(cloud, with_data=True) == 0, cloud.printed
    assert cloud.stacks == {}
    assert cloud.log.index('note ["Copies"]') < cloud.log.index(f"stack {PROGRAMS}"), "a run that stops is gone on with"
    assert cloud.log[-4:] == ["empty Copies, 2 stay", "expire Copies", *GONE]
    assert "delete Copies" not in cloud.log
    assert "delete Objects" in cloud.log
    assert f"is gone but for locked copies in Copies, {DELETES}" in cloud.printed
    assert f"Run the same command again from {until} on" in cloud.printed


def test_the_same_command_deletes_the_locked_bucket_when_its_locks_have_ended(play: Any) -> None:
    cloud = LockedCloud()
    assert play(cloud, with_data=True) == 0
    assert play(cloud, with_data=True) == 0, "too early: it says until when, and nothing changes"
    assert "CANNOT BE DELETED YET" in cloud.printed
    assert cloud.parameter == '["Copies"]'
    cloud.copies = {key: at - timedelta(days=90) for key, at in cloud.copies.items()}
    assert play(cloud, with_data=True) == 0
    assert cloud.log == ["asked", "empty Copies, 0 stay", "delete Copies", *GONE]
    assert "no longer locked, and deleted now: Copies" in cloud.printed
    assert "spring-2027 is gone" in cloud.printed
    assert play(cloud, with_data=True) == 0
    assert "nothing of spring-2027" in cloud.printed


def test_a_destruction_that_stops_keeps_the_name_of_the_locked_bucket(play: Any) -> None:
    cloud = LockedCloud()
    cloud.failing = STORAGE
    assert play(cloud, with_data=True) == 1
    assert cloud.parameter == '["Copies"]'
    cloud.failing = ""
    assert play(cloud, with_data=True) == 0, cloud.printed
    assert (cloud.stacks, cloud.parameter) == ({}, '["Copies"]')


def test_copies_in_another_account_are_its_owners(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = Cloud(real=True)
    theirs = REAL.changed(locked_copies={"bucket": "theirs", "account": "210987654321"})
    monkeypatch.setattr(destroying, "for_cycle", lambda _: theirs)
    assert destroy(Wish("spring-2027"), cloud.recorded.account(), cloud, with_data=True) == 0
    assert "the locked copies in account 210987654321 (theirs) are its owner's and stay" in cloud.printed


def test_s3_deletes_what_is_not_locked_and_keeps_what_is() -> None:
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
        account = Account(lambda _service, _region: client, "us-east-1")
        client.create_bucket(Bucket="copies", ObjectLockEnabledForBucket=True)
        assert lock_of(account, "copies") is None, "without a default nothing is locked by itself"
        rule = {"DefaultRetention": {"Mode": "GOVERNANCE", "Years": 1}}
        configuration = {"ObjectLockEnabled": "Enabled", "Rule": rule}
        client.put_object_lock_configuration(Bucket="copies", ObjectLockConfiguration=configuration)
        client.put_object(Bucket="copies", Key="locked", Body=b"x" * 10)
        lock = lock_of(account, "copies")
        assert lock is not None
        assert timedelta(days=365) < lock.until - datetime.now(UTC).date() <= timedelta(days=366)
        with pytest.raises(RefusedError, match="cannot be deleted"):
            destroying._empty_bucket(account, "copies")
        destroying._empty_bucket(account, "copies", locked_stay=True)
        expire(account, "copies")
        assert [version["Key"] for version in client.list_object_versions(Bucket="copies")["Versions"]] == ["locked"]
        [kept] = client.get_bucket_lifecycle_configuration(Bucket="copies")["Rules"]
        assert (kept["Expiration"]["Days"], kept["NoncurrentVersionExpiration"]["NoncurrentDays"]) == (1, 1)
        client.create_bucket(Bucket="plain")
        assert lock_of(account, "plain") is None
