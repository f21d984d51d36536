"""A deployment tells in words what it creates, changes, replaces, deletes, what is lost and which rights change."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from infra import assembly
from infra.assembly import StackFile
from infra.deploy import Change, Deed, changes, create_only, describe, losses, rights

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
