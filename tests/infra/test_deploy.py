"""``make deploy`` played whole against a recorded account: first, again, refused, and failing in the middle.

It tells in words what it creates, changes, replaces, deletes, what is lost and which rights change.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contest import settings
from infra import assembly, preflight, site
from infra import deploy as deploying
from infra.assembly import StackFile, SynthesisError
from infra.config import ConfigError, CycleConfig
from infra.deploy import (
    OPEN,
    Answer,
    Change,
    Deed,
    RefusedError,
    Terminal,
    Wish,
    changes,
    create_only,
    deploy,
    describe,
    losses,
    open_runs,
    rights,
)
from tests.infra.conftest import ROOT
from tests.infra.recorded import REGION, Stacks, error
from tests.infra.test_preflight import GOOD, NOW

NAME = "hurdle-spring-2027"
STORAGE, FIREWALL, APPLICATION = f"{NAME}--storage", f"{NAME}--firewall", NAME
REAL = CycleConfig(cycle="spring-2027", alarm_email="organizers@example.org")
DEMO = CycleConfig(cycle="spring-2027", retain_data=False)
OUTPUTS = {
    STORAGE: {"Objects": "objects"},
    FIREWALL: {"WebAclArn": "arn:acl"},
    APPLICATION: {
        "Address": "https://d1.cloudfront.net",
        "DistributionHost": "d1.cloudfront.net",
        "SiteBucket": "site",
    },
}
RUN = {"run_id": "abc", "mode": "final", "state": "running", "starts_at": "2026-11-29T12:00:00Z"}


class Cloud(Stacks):
    """Stacks of an account as CloudFormation and the CDK command treat them, and the tools of a machine beside it."""

    failures = (("later", "Last"), ("Resource creation cancelled", "Other"), ("too many", "Work"))

    def __init__(self, visibility: int = 5) -> None:
        more = {"cloudformation:GetTemplate": self._template, "secretsmanager:CreateSecret": self._secret}
        super().__init__("yes", {**GOOD, **more})
        self.visibility = visibility
        self.failing: dict[str, str] = {}
        self.contest_fails = False
        self.context: Mapping[str, str] = {}

    def _template(self, params: Mapping[str, Any]) -> Any:
        return {"TemplateBody": json.dumps(self.stacks[params["StackName"]]["template"])}

    def _protect(self, params: Mapping[str, Any]) -> Any:
        self.log.append(f"protect {params['StackName']}")
        return super()._protect(params)

    def _secret(self, params: Mapping[str, Any]) -> Any:
        self.log.append(f"secret {params['Name']}")
        return {"Name": params["Name"]}

    def synthesize(self, cycle: str, context: Mapping[str, str]) -> Sequence[StackFile]:
        assert cycle == "spring-2027"
        self.context = context

        def file(name: str, parameters: Mapping[str, Any], after: str = "") -> StackFile:
            work = {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": self.visibility}}
            outputs = {key: {"Value": ""} for key in OUTPUTS[name]}
            template = {"Resources": {"Work": work}, "Outputs": outputs, "Parameters": parameters}
            region = "us-east-1" if name == FIREWALL else None
            return StackFile(name, region, template, {}, frozenset({after} if after else ()))

        acl = {"WebAclArn": {"Type": "String"}, "BootstrapVersion": {"Type": "String", "Default": "x"}}
        self.files = (file(FIREWALL, {}), file(STORAGE, {}), file(APPLICATION, acl, STORAGE))
        return self.files

    def cdk(self, words: Sequence[str]) -> int:
        assert list(words[2:5]) == ["--exclusively", "--require-approval", "never"]
        name = words[1]
        self.log.append(" ".join((words[0], name, *words[5:])))
        before = self.stacks.get(name)
        protected = name in self.context.get("protected", "").split(",")
        if before and before["status"] == "ROLLBACK_COMPLETE":
            assert not before["protected"], "CloudFormation refuses to delete it"
            before = None
        failed = name in self.failing
        (file,) = (candidate for candidate in self.files if candidate.name == name)
        verb = "UPDATE" if before else "CREATE"
        status = (("UPDATE_" if before else "") + "ROLLBACK_COMPLETE") if failed else f"{verb}_COMPLETE"
        previous = before or {"template": {"Resources": {}}, "outputs": {}}
        self.stacks[name] = {
            "status": status,
            "protected": protected,
            "template": previous["template"] if failed else file.template,
            "outputs": previous["outputs"] if failed else OUTPUTS[name],
        }
        return int(failed)

    def contest(self, words: Sequence[str]) -> Answer:
        assert list(words[:5]) == ["--cycle", "spring-2027", "cycle", "deploying", "--json"]
        self.log.append("contest " + " ".join(words[5:]))
        if self.contest_fails:
            return Answer(1, "", "no such function")
        runs = [RUN] if self.open_run else []
        return Answer(OPEN if runs and "--anyway" not in words else 0, json.dumps({"runs": runs}))


@pytest.fixture(autouse=True)
def nothing_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(site, "BUILT", tmp_path / "dist")
    monkeypatch.setattr(site, "BUILT_KIT", tmp_path / "kit")
    monkeypatch.setattr(preflight.layers, "fault", lambda _: None)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Any:
    def played(cloud: Cloud, config: CycleConfig = REAL, **wish: Any) -> int:
        monkeypatch.setattr(deploying, "for_cycle", lambda _: config)
        cloud.log.clear()
        cloud.lines.clear()
        return deploy(Wish("spring-2027", **wish), cloud.recorded.account(), cloud, lambda: NOW)

    return played


def deployed(play: Any, config: CycleConfig = REAL) -> Cloud:
    cloud = Cloud()
    assert play(cloud, config, yes=True) == 0, cloud.printed
    return cloud


KEYS = [f"secret {NAME}-{purpose}-1" for purpose in ("uploads", "downloads")]
EACH = [
    f"deploy {FIREWALL}",
    f"deploy {STORAGE}",
    f"deploy {APPLICATION} --parameters {APPLICATION}:WebAclArn=arn:acl",
]
PROTECTED = [f"deploy {STORAGE}", *(f"protect {name}" for name in (FIREWALL, STORAGE, APPLICATION))]


@pytest.mark.clause("platform §2 deployment")
def test_a_first_deployment_asks_makes_each_part_in_order_and_is_protected_when_all_is_there(play: Any) -> None:
    cloud = Cloud()
    assert play(cloud) == 0, cloud.printed
    assert cloud.log == ["asked", *KEYS, *EACH, *PROTECTED]
    assert {one_stack["protected"] for one_stack in cloud.stacks.values()} == {True}
    regions = cloud.recorded.regions()
    assert (regions[FIREWALL], regions[STORAGE], regions[APPLICATION]) == ({"us-east-1"}, {REGION}, {REGION})
    assert f"{STORAGE}: 1 created" in cloud.printed
    assert "deployed: spring-2027 is at https://d1.cloudfront.net" in cloud.printed
    assert "confirms the message" in cloud.printed


def test_the_demonstration_is_not_protected(play: Any) -> None:
    cloud = Cloud()
    assert play(cloud, DEMO, yes=True) == 0
    assert cloud.log == [*KEYS, *EACH]
    assert {one_stack["protected"] for one_stack in cloud.stacks.values()} == {False}


def test_a_deployment_again_keeps_the_protection_and_asks_the_cycle_first(play: Any) -> None:
    cloud = deployed(play)
    cloud.visibility = 6
    assert play(cloud) == 0
    assert cloud.log == ["contest ", "asked", *KEYS, *EACH]
    assert {one_stack["protected"] for one_stack in cloud.stacks.values()} == {True}
    assert "changed: SQS Queue Work (VisibilityTimeout)" in cloud.printed
    assert play(cloud) == 0
    assert f"{NAME}: nothing changes" in cloud.printed


@pytest.mark.parametrize(("answer", "words"), [("no", "nothing was changed"), ("", "nothing"), (None, "ARGS=--yes")])
def test_nothing_is_made_before_the_answer_or_without_it(play: Any, answer: str | None, words: str) -> None:
    cloud = Cloud()
    cloud.answer = answer
    assert play(cloud) == 1
    assert (cloud.log, cloud.stacks, words in cloud.printed) == (["asked"], {}, True)


def test_what_preflight_refuses_is_not_asked_about(play: Any) -> None:
    cloud = Cloud()
    cloud.recorded.answers["apigateway:GetAccount"] = {}
    assert play(cloud, yes=True) == 1
    assert (cloud.log, cloud.stacks) == ([], {})
    assert "api_log_role" in cloud.printed
    assert "nothing was changed" in cloud.printed


def test_under_a_run_nothing_changes(play: Any) -> None:
    cloud = deployed(play)
    cloud.open_run = True
    assert play(cloud, yes=True) == 1
    assert cloud.log == ["contest "]
    assert "a run is open: abc (final) is running" in cloud.printed
    assert "--anyway" in cloud.printed


@pytest.mark.clause("platform §1 audit")
def test_with_a_reason_it_goes_on_and_the_reason_is_written_once_it_is_confirmed(play: Any) -> None:
    cloud = deployed(play)
    cloud.open_run = True
    cloud.answer = "no"
    assert play(cloud, anyway="the firewall refuses everybody") == 1
    assert cloud.log == ["contest ", "asked"]
    assert play(cloud, yes=True, anyway="the firewall refuses everybody") == 0
    assert cloud.log == ["contest ", "contest --anyway the firewall refuses everybody", *KEYS, *EACH]


@pytest.mark.parametrize("status", ["UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED", "UPDATE_ROLLBACK_COMPLETE"])
def test_a_cycle_whose_update_failed_serves_on_and_is_asked_for_runs(play: Any, status: str) -> None:
    cloud = deployed(play)
    cloud.open_run = True
    there = cloud.recorded.account().stack(APPLICATION)
    assert there is not None
    wish = Wish("spring-2027")
    with pytest.raises(RefusedError, match="a run is open"):
        open_runs(wish, replace(there, status=status), cloud)
    for nothing in ("CREATE_FAILED", "ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS", "DELETE_FAILED"):
        assert not open_runs(wish, replace(there, status=nothing), cloud)


def test_a_cycle_that_cannot_be_asked_is_deployed_with_a_reason_alone(play: Any) -> None:
    cloud = deployed(play)
    cloud.contest_fails = True
    assert play(cloud, yes=True) == 1
    assert "cannot be asked for open runs: no such function" in cloud.printed
    assert play(cloud, yes=True, anyway="mend it") == 0
    assert "could not be written into the cycle's audit log" in cloud.printed


def test_a_first_deployment_that_fails_in_the_middle_is_repeated_by_the_same_command(play: Any) -> None:
    cloud = Cloud()
    cloud.failing = {APPLICATION: "a quota"}
    assert play(cloud, yes=True) == 1
    assert cloud.log == [*KEYS, *EACH]
    assert not any(one_stack["protected"] for one_stack in cloud.stacks.values()), (
        "a protected stack could not be replaced"
    )
    assert f"{APPLICATION} was not deployed. {FIREWALL}, {STORAGE} stand as deployed" in cloud.printed
    assert "Work (AWS::SQS::Queue): too many\n  Last (AWS::SQS::Queue): later" in cloud.printed, "the first one first"
    assert "cancelled" not in cloud.printed
    cloud.failing = {}
    assert play(cloud, yes=True) == 0, cloud.printed
    assert "this one deletes what is left of it first" in cloud.printed
    assert cloud.log == [*KEYS, *EACH, *PROTECTED]
    assert {one_stack["protected"] for one_stack in cloud.stacks.values()} == {True}


def test_a_failed_update_leaves_what_was_there_and_says_where_it_stopped(play: Any) -> None:
    cloud = deployed(play)
    cloud.visibility, cloud.failing = 6, {FIREWALL: "a quota"}
    assert play(cloud, yes=True) == 1
    assert cloud.log == ["contest ", *KEYS, EACH[0]]
    assert cloud.stacks[FIREWALL]["protected"]
    assert "stand as deployed" not in cloud.printed


def test_a_loss_is_told_before_it_is_asked_about(play: Any) -> None:
    cloud = deployed(play)
    cloud.stacks[STORAGE]["template"]["Resources"]["Old"] = {"Type": "AWS::DynamoDB::Table"}
    cloud.answer = "no"
    assert play(cloud) == 1
    assert "LOST FOR GOOD: Old is deleted; LOST: every item in it" in cloud.printed
    cloud.answer = None
    assert play(cloud, yes=True) == 1, "--yes does not answer for a real cycle's loss"
    assert "for a person to say" in cloud.printed
    assert "Old" in cloud.stacks[STORAGE]["template"]["Resources"]
    assert play(cloud, DEMO, yes=True) == 0


def test_what_aws_refuses_is_told_without_a_stack_trace(play: Any) -> None:
    cloud = Cloud()
    cloud.recorded.answers["secretsmanager:CreateSecret"] = error("AccessDeniedException", "CreateSecret")
    assert play(cloud, yes=True) == 1
    assert cloud.log == []
    assert "CreateSecret" in cloud.printed


def test_machines_that_the_file_no_longer_has_are_told_of(play: Any) -> None:
    cloud = deployed(play)
    cloud.stacks[f"{NAME}--programs"] = {"status": "CREATE_COMPLETE", "protected": True, "outputs": {}}
    assert play(cloud, yes=True) == 0
    assert "make destroy CYCLE=spring-2027 ARGS=--programs" in cloud.printed


def test_a_template_or_file_that_cannot_be_stops_before_anything(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = Cloud()

    def broken(*_: Any) -> Any:
        raise SynthesisError("a finding of cdk-nag")

    monkeypatch.setattr(cloud, "synthesize", broken)
    assert play(cloud, yes=True) == 1
    assert "cdk-nag" in cloud.printed

    def missing(_: str) -> CycleConfig:
        raise ConfigError("no file")

    monkeypatch.setattr(deploying, "for_cycle", missing)
    assert deploy(Wish("x"), cloud.recorded.account(), cloud, lambda: datetime.now(UTC)) == 1
    assert "no file" in cloud.printed


def test_the_tools_work_in_the_region_that_was_looked_at_as_nobody_who_has_signed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CDK command reads AWS_REGION, boto3 AWS_DEFAULT_REGION; who has signed in would be asked by the interface."""
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-2")
    account = preflight.this_account()
    assert account.region == account.client("sts").meta.region_name == "eu-west-1"
    calls: list[tuple[Sequence[str], Mapping[str, str]]] = []

    def run(words: Sequence[str], **more: Any) -> subprocess.CompletedProcess[str]:
        calls.append((words, more["env"]))
        return subprocess.CompletedProcess(words, 7, "out", "err")

    monkeypatch.setenv(settings.HOME, str(tmp_path))
    monkeypatch.setattr(deploying.subprocess, "run", run)
    terminal = Terminal(tmp_path, "eu-west-3")
    assert terminal.cdk(["deploy", "x"]) == 7
    assert terminal.contest(["cycle", "deploying"]) == Answer(7, "out", "err")
    (cdk, there), (contest, here) = calls
    assert list(cdk) == ["npx", "--yes", preflight.CDK, "deploy", "x", "--app", str(tmp_path)]
    assert Path(contest[0]).is_file()
    assert list(contest[1:]) == ["--lang", "en", "cycle", "deploying"]
    assert {environment[name] for environment in (there, here) for name in ("AWS_REGION", "AWS_DEFAULT_REGION")} == {
        "eu-west-3"
    }
    assert here[settings.HOME] != str(tmp_path)


def test_without_an_account_it_stops_and_says_what_it_needs(tmp_path: Path) -> None:
    """The step is called as in the Makefile, on a machine without an AWS account; its layers are built before."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true"}
    step = [sys.executable, "-m", "infra.deploy", "demo"]
    done = subprocess.run(
        step, cwd=ROOT, env={**environment, "AWS_REGION": REGION}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "needs an AWS account" in done.stdout, done.stderr) == (1, True, "")


ONLY = {
    "AWS::DynamoDB::Table": frozenset({"TableName"}),
    "AWS::SQS::Queue": frozenset({"QueueName"}),
    "AWS::Lambda::EventSourceMapping": frozenset({"EventSourceArn"}),
    "AWS::Lambda::Version": frozenset({"FunctionName"}),
}


def only(kind: str) -> frozenset[str]:
    return ONLY.get(kind, frozenset())


def stack(resources: dict[str, Any], **nested: Any) -> StackFile:
    within = {name: {"Resources": inner} for name, inner in nested.items()}
    return StackFile("hurdle-spring", None, {"Resources": resources}, within, frozenset())


def one(kind: str, policies: str = "", **properties: Any) -> dict[str, Any]:
    on_removal = {"DeletionPolicy": policies, "UpdateReplacePolicy": policies} if policies else {}
    return {"Type": f"AWS::{kind}", "Properties": properties} | on_removal


def test_what_is_the_same_is_no_change_also_beyond_ascii() -> None:
    in_unicode, given_back = (
        stack({"A": one("SQS::Queue", Text="весна")}),
        stack({"A": one("SQS::Queue", Text="?????")}),
    )
    assert changes(given_back, in_unicode, only) == []
    assert describe(given_back, in_unicode, only) == "hurdle-spring: nothing changes"


def test_each_resource_is_created_changed_replaced_or_deleted() -> None:
    before = stack(
        {
            "Table": one("DynamoDB::Table", TableName="a"),
            "Work": one("SQS::Queue", QueueName="a", VisibilityTimeout=5),
            "Gone": one("SQS::Queue"),
        }
    )
    after = stack(
        {
            "Table": one("DynamoDB::Table", TableName="b"),
            "Work": one("SQS::Queue", QueueName="a", VisibilityTimeout=6),
            "New": one("SNS::Topic"),
        }
    )
    assert changes(before, after, only) == [
        Change("New", "AWS::SNS::Topic", Deed.CREATED),
        Change("Work", "AWS::SQS::Queue", Deed.CHANGED, ("VisibilityTimeout",)),
        Change("Table", "AWS::DynamoDB::Table", Deed.REPLACED, ("TableName",), "LOST: every item in it"),
        Change("Gone", "AWS::SQS::Queue", Deed.DELETED, (), "LOST: the messages in it"),
    ]
    assert describe(before, after, only).splitlines() == [
        "hurdle-spring: 1 created, 1 changed, 1 replaced, 1 deleted",
        "  created: SNS Topic New",
        "  changed: SQS Queue Work (VisibilityTimeout)",
        "  replaced: DynamoDB Table Table (TableName); LOST: every item in it",
        "  deleted: SQS Queue Gone; LOST: the messages in it",
    ]
    assert losses(before, after, only) == [
        "Table is replaced; LOST: every item in it",
        "Gone is deleted; LOST: the messages in it",
    ]


@pytest.mark.parametrize("policy", ["Retain", "RetainExceptOnCreate"])
def test_what_is_kept_is_left_behind_and_not_lost(policy: str) -> None:
    """A deletion goes by the deployed policy, a replacement by the new one."""
    before = stack({"A": one("DynamoDB::Table", policy), "B": one("DynamoDB::Table", "Delete", TableName="a")})
    after = stack({"B": one("DynamoDB::Table", policy, TableName="b")})
    assert losses(before, after, only) == []
    assert all("stays in the account" in change.loss for change in changes(before, after, only))
    unkept = stack({"A": one("DynamoDB::Table", "Retain") | {"DeletionPolicy": "Delete"}})
    assert losses(unkept, stack({}), only) == ["A is deleted; LOST: every item in it"]


def test_whoever_refers_to_what_is_replaced_is_changed_or_replaced_with_it() -> None:
    def with_queue(name: str) -> StackFile:
        return stack(
            {
                "Work": one("SQS::Queue", "Retain", QueueName=name),
                "Source": one("Lambda::EventSourceMapping", EventSourceArn={"Fn::GetAtt": ["Work", "Arn"]}),
                "Alarm": one("CloudWatch::Alarm", Dimensions=[{"Value": {"Ref": "Source"}}]),
                "Other": one("CloudWatch::Alarm", Dimensions=[{"Value": "x"}]),
            }
        )

    deeds = {
        change.name: (change.deed, change.properties) for change in changes(with_queue("a"), with_queue("b"), only)
    }
    assert deeds == {
        "Work": (Deed.REPLACED, ("QueueName",)),
        "Source": (Deed.REPLACED, ("EventSourceArn",)),
        "Alarm": (Deed.CHANGED, ("Dimensions",)),
    }


def test_stacks_within_are_looked_into() -> None:
    before = stack({"N": one("CloudFormation::Stack", Url="a")}, N={"Alarm": one("CloudWatch::Alarm", Threshold=1)})
    after = stack({"N": one("CloudFormation::Stack", Url="b")}, N={"Alarm": one("CloudWatch::Alarm", Threshold=2)})
    assert [(change.name, change.deed) for change in changes(before, after, only)] == [("Alarm", Deed.CHANGED)]


def policy(*statements: dict[str, Any]) -> StackFile:
    return stack({"P": one("IAM::Policy", PolicyDocument={"Statement": list(statements)}, Roles=[{"Ref": "Dispatch"}])})


def may(*actions: str, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource, **more}


def test_rights_are_compared_one_by_one() -> None:
    table = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":", {"Fn::GetAtt": ["Table", "Arn"]}]]}
    before = policy(may("s3:GetObject"), may("dynamodb:GetItem", "dynamodb:PutItem", resource=table))
    after = policy(may("s3:GetObject", Condition={"Bool": {"x": "y"}}), may("dynamodb:GetItem", resource=table))
    assert rights(before, after) == (
        ["Dispatch: may s3:GetObject on * if Bool x y"],
        ["Dispatch: may dynamodb:PutItem on arn:AWS::Partition:Table", "Dispatch: may s3:GetObject on *"],
    )
    assert "  right given: Dispatch: may s3:GetObject on * if Bool x y" in describe(before, after, only)
    assert "  right taken: Dispatch: may s3:GetObject on *" in describe(before, after, only).splitlines()
    denied = stack({"B": one("S3::BucketPolicy", PolicyDocument={"Statement": [may("s3:*") | {"Effect": "Deny"}]})})
    assert rights(stack({}), denied)[0] == ["B: may NOT s3:* on *"]


def test_rights_of_others_to_a_resource_are_rights_too() -> None:
    statement = may("s3:PutObject", Principal={"Service": "x.amazonaws.com"})
    bucket = stack({"B": one("S3::BucketPolicy", Bucket={"Ref": "Objects"}, PolicyDocument={"Statement": [statement]})})
    called = {"FunctionName": {"Ref": "F"}, "Action": "lambda:InvokeFunction", "Principal": "y"}
    assert rights(stack({}), bucket)[0] == ["Objects: Service x.amazonaws.com may s3:PutObject on *"]
    assert rights(stack({}), stack({"L": one("Lambda::Permission", **called)}))[0] == [
        "F: y may lambda:InvokeFunction for anything"
    ]
    role = one("IAM::Role", ManagedPolicyArns=["arn:p"], AssumeRolePolicyDocument={"Statement": []})
    assert rights(stack({"R": role}), stack({}))[1] == ["R: has the policy arn:p"]


def test_long_groups_are_told_by_number_and_names_without_cdks_hashes() -> None:
    names = [f"Functions{name}83512177" for name in "ABCD"] + [
        "AuditCurrentVersion8CBA5D05b88aeba4190b993ba42762b3c709db7f"
    ]
    after = stack({name: one("SNS::Topic") for name in names})
    assert describe(stack({}), after, only).splitlines()[1] == (
        "  created: SNS Topic AuditCurrentVersion, FunctionsA, FunctionsB and 2 more"
    )


def test_a_first_deployment_is_told_by_numbers() -> None:
    after = stack({"A": one("SQS::Queue"), "B": one("SQS::Queue"), "C": one("SNS::Topic")})
    assert describe(None, after, only).splitlines() == [
        "hurdle-spring: 3 created",
        "  new: 2 SQS Queue, 1 SNS Topic",
        "  rights: 0, as infra/rights.py and the constructs say",
    ]


@pytest.mark.slow
def test_the_real_templates_are_compared_with_the_schemas_of_aws(real: Any) -> None:
    """An address that a function learns is a change; another key of a table makes a new one, which is told."""
    files = {file.name: file for file in assembly.read(real.folder)}
    storage, application = files[f"hurdle-{real.cycle}--storage"], files[f"hurdle-{real.cycle}"]
    assert changes(application, deepcopy(application)) == []
    granted, revoked = rights(application, application)
    assert (granted, revoked) == ([], [])
    assert len(rights(None, application)[0]) > 100
    assert "TableName" in create_only("AWS::DynamoDB::Table")
    assert create_only("AWS::No::Such") == frozenset()
    altered = deepcopy(storage)
    (name, table), *_ = ((name, resource) for name, resource in altered.resources("AWS::DynamoDB::Table"))
    table["Properties"]["TableName"] = "another"  # type: ignore[index]  # ours to change
    replacements = [change for change in changes(storage, altered) if change.deed is Deed.REPLACED]
    assert [change.name for change in replacements] == [name]
    assert "stays in the account" in replacements[0].loss, "a real cycle keeps what is replaced"
