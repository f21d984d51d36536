"""The rights of an operator: ``python -m infra.operator_policy`` writes the examples in docs/examples/operator.

``python -m infra.operator_policy CYCLE REGION ACCOUNT`` writes them for a cycle, into build/operator.

Two managed policies of IAM. ``make.json``: `make preflight`, `deploy`, `restore`, `destroy` and `acceptance`, by the
calls that this package makes (:data:`CALLS`); what CDK and CloudFormation do is done by the roles of CDK's bootstrap,
which the operator takes on. ``contest.json``: `contest --cycle` without signing in, which does the functions' work and
has their rights, from the template. CYCLE, REGION and ACCOUNT stand for the operator's own.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from infra.layers import ROOT
from infra.template import LOCAL

FOLDER: Final = ROOT / "docs/examples/operator"
FILLED: Final = ROOT / "build/operator"
_PLACES: Final = ("CYCLE", "REGION", "ACCOUNT")
_EVERYTHING: Final = "*"
_BY_TAG: Final = "tagged"
"""Resources that CloudFormation names without the stack's name; it tags them with it."""
_RESOURCES: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "stacks": ["arn:aws:cloudformation:*:ACCOUNT:stack/hurdle-CYCLE*"],
        "tables": ["arn:aws:dynamodb:REGION:ACCOUNT:table/hurdle-CYCLE-*"],
        "buckets": ["arn:aws:s3:::hurdle-CYCLE-*"],
        "parameters": ["arn:aws:ssm:REGION:ACCOUNT:parameter/hurdle/CYCLE/*"],
        "bootstrapped": ["arn:aws:ssm:*:ACCOUNT:parameter/cdk-bootstrap/*"],
        "secrets": ["arn:aws:secretsmanager:REGION:ACCOUNT:secret:hurdle-CYCLE-*"],
        "logs": ["arn:aws:logs:REGION:ACCOUNT:log-group:hurdle-CYCLE-*"],
        "repositories": ["arn:aws:ecr:REGION:ACCOUNT:repository/hurdle-CYCLE-*"],
        "queues": ["arn:aws:sqs:REGION:ACCOUNT:hurdle-CYCLE-*"],
        "connections": ["arn:aws:execute-api:REGION:ACCOUNT:*/@connections/*"],
        "bus": ["arn:aws:events:REGION:ACCOUNT:event-bus/default"],
        "bootstrap": ["arn:aws:iam::ACCOUNT:role/cdk-hnb659fds-*"],
        "copying": ["arn:aws:iam::ACCOUNT:role/hurdle-CYCLE-*"],
        _BY_TAG: ["arn:aws:secretsmanager:REGION:ACCOUNT:secret:*", "arn:aws:kms:REGION:ACCOUNT:key/*"],
        "pools": ["arn:aws:cognito-idp:REGION:ACCOUNT:userpool/*"],
        _EVERYTHING: ["*"],
    }
)
_OWN_TAG: Final = {"StringLike": {"aws:ResourceTag/aws:cloudformation:stack-name": "hurdle-CYCLE*"}}

CALLS: Final[Mapping[str, tuple[str, Sequence[str]]]] = MappingProxyType(
    {
        "acm:DescribeCertificate": (_EVERYTHING, ()),
        "apigateway:GetAccount": (_EVERYTHING, ["apigateway:GET"]),
        "cloudformation:DeleteStack": ("stacks", ()),
        "cloudformation:DescribeStackEvents": ("stacks", ()),
        "cloudformation:DescribeStackResource": ("stacks", ()),
        "cloudformation:DescribeStacks": ("stacks", ()),
        "cloudformation:GetTemplate": ("stacks", ()),
        "cloudformation:ListStackResources": ("stacks", ()),
        "cloudformation:UpdateTerminationProtection": ("stacks", ()),
        "cloudfront:ListCachePolicies": (_EVERYTHING, ()),
        "cloudfront:ListDistributions": (_EVERYTHING, ()),
        "cloudfront:ListKeyGroups": (_EVERYTHING, ()),
        "cloudfront:ListPublicKeys": (_EVERYTHING, ()),
        "cloudfront:ListResponseHeadersPolicies": (_EVERYTHING, ()),
        "cognito-idp:DeleteUserPool": ("pools", ()),
        "cognito-idp:DeleteUserPoolDomain": ("pools", ()),
        "cognito-idp:DescribeUserPool": ("pools", ()),
        "cognito-idp:UpdateUserPool": ("pools", ()),
        "dynamodb:DeleteTable": ("tables", ()),
        "dynamodb:DescribeContinuousBackups": ("tables", ()),
        "dynamodb:DescribeTable": ("tables", ()),
        "dynamodb:DescribeTimeToLive": ("tables", ()),
        "dynamodb:ListTagsOfResource": ("tables", ()),
        # "DynamoDB API permissions": a restore reads and writes the items of the new table in the caller's name.
        "dynamodb:RestoreTableToPointInTime": (
            "tables",
            [
                "dynamodb:RestoreTableToPointInTime",
                *("dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"),
                *("dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem"),
            ],
        ),
        "dynamodb:TagResource": ("tables", ()),
        "dynamodb:UpdateContinuousBackups": ("tables", ()),
        "dynamodb:UpdateTable": ("tables", ()),
        "dynamodb:UpdateTimeToLive": ("tables", ()),
        "ecr:DeleteRepository": ("repositories", ["ecr:DeleteRepository", "ecr:BatchDeleteImage"]),
        "kms:ScheduleKeyDeletion": (_BY_TAG, ()),
        "lambda:GetAccountSettings": (_EVERYTHING, ()),
        "logs:DeleteLogGroup": ("logs", ()),
        "s3:CopyObject": ("buckets", ["s3:GetObject*", "s3:PutObject*"]),
        "s3:CreateBucket": ("buckets", ()),
        "s3:DeleteBucket": ("buckets", ()),
        "s3:DeleteObject": ("buckets", ()),
        "s3:DeleteObjects": ("buckets", ["s3:DeleteObject", "s3:DeleteObjectVersion"]),
        "s3:GetBucketEncryption": ("buckets", ["s3:GetEncryptionConfiguration"]),
        "s3:GetBucketLifecycleConfiguration": ("buckets", ["s3:GetLifecycleConfiguration"]),
        "s3:GetBucketLogging": ("buckets", ()),
        "s3:GetBucketReplication": ("buckets", ["s3:GetReplicationConfiguration"]),
        "s3:GetBucketTagging": ("buckets", ()),
        "s3:GetObjectLockConfiguration": ("buckets", ["s3:GetBucketObjectLockConfiguration"]),
        "s3:GetPublicAccessBlock": ("buckets", ["s3:GetBucketPublicAccessBlock"]),
        "s3:HeadBucket": ("buckets", ["s3:ListBucket"]),
        "s3:HeadObject": ("buckets", ["s3:GetObject*"]),
        "s3:ListObjectVersions": ("buckets", ["s3:ListBucketVersions"]),
        "s3:ListObjectsV2": ("buckets", ["s3:ListBucket"]),
        "s3:PutBucketEncryption": ("buckets", ["s3:PutEncryptionConfiguration"]),
        "s3:PutBucketLifecycleConfiguration": ("buckets", ["s3:PutLifecycleConfiguration"]),
        "s3:PutBucketLogging": ("buckets", ()),
        "s3:PutBucketReplication": ("buckets", ["s3:PutReplicationConfiguration"]),
        "s3:PutBucketTagging": ("buckets", ()),
        "s3:PutBucketVersioning": ("buckets", ()),
        "s3:PutObject": ("buckets", ["s3:PutObject*"]),
        "s3:PutPublicAccessBlock": ("buckets", ["s3:PutBucketPublicAccessBlock"]),
        "secretsmanager:CreateSecret": ("secrets", ()),
        "secretsmanager:DeleteSecret": (_BY_TAG, ()),
        "service-quotas:ListAWSDefaultServiceQuotas": (_EVERYTHING, ["servicequotas:ListAWSDefaultServiceQuotas"]),
        "service-quotas:ListServiceQuotas": (_EVERYTHING, ["servicequotas:ListServiceQuotas"]),
        "sesv2:GetAccount": (_EVERYTHING, ["ses:GetAccount"]),
        "sesv2:ListEmailIdentities": (_EVERYTHING, ["ses:ListEmailIdentities"]),
        "sns:ListSubscriptions": (_EVERYTHING, ()),
        "ssm:DeleteParameter": ("parameters", ()),
        "ssm:GetParameter": ("parameters", ()),
        "ssm:PutParameter": ("parameters", ()),
        "sts:GetCallerIdentity": (_EVERYTHING, ()),
    }
)
"""Each call by ``client:Operation``: the resources, and the actions of IAM; none are the operation's own name."""
_BESIDE: Final = (
    ("bootstrap", "sts:AssumeRole"),  # the roles of CDK's bootstrap
    ("bootstrapped", "ssm:GetParameter"),  # its version
    ("copying", "iam:PassRole"),  # S3 is given the role by which it replicates the restored bucket
    ("secrets", "secretsmanager:DeleteSecret"),  # the keys of signed addresses, which no stack tags
)
"""Rights that no call of the code names."""
_FUNCTIONS_ALONE: Final = (
    *("logs:", "lambda:"),
    *("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"),
    *("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"),
)
"""Rights by which functions are run: nobody at a command line needs them."""
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "application-autoscaling": _EVERYTHING,
        "cognito-idp": "pools",
        "dynamodb": "tables",
        "events": "bus",
        "execute-api": "connections",
        "kms": _BY_TAG,
        "s3": "buckets",
        "sqs": "queues",
        "ssm": "parameters",
    }
)


def actions_of(call: str) -> Sequence[str]:
    """Return the actions of IAM that a call needs."""
    return CALLS[call][1] or [call]


def of_make() -> dict[str, Any]:
    """Return the policy of the targets of the Makefile."""
    granted = [(kind, action) for call, (kind, _) in CALLS.items() for action in actions_of(call)]
    return _policy([*granted, *_BESIDE])


def of_contest(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policy of the organizers' command, from the functions' rights in a template."""
    granted = [("parameters", "ssm:GetParameter"), (_BY_TAG, "kms:Sign"), (_BY_TAG, "kms:GetPublicKey")]
    roles = [role["Properties"] for role in template["Resources"].values() if role["Type"] == "AWS::IAM::Role"]
    policies = [policy["PolicyDocument"] for role in roles for policy in role.get("Policies", ())]
    actions = [statement["Action"] for policy in policies for statement in policy["Statement"]]
    for action in chain.from_iterable(listed if isinstance(listed, list) else [listed] for listed in actions):
        service = action.partition(":")[0]
        if service == "secretsmanager":
            granted += [("secrets", action), (_BY_TAG, action)]
        elif not action.startswith(_FUNCTIONS_ALONE):
            granted.append((_KINDS[service], action))
    return _policy(granted)


def _policy(granted: Sequence[tuple[str, str]]) -> dict[str, Any]:
    actions: dict[str, set[str]] = defaultdict(set)
    for kind, action in granted:
        actions[kind].add(action)
    return {"Version": "2012-10-17", "Statement": [_statement(kind, sorted(actions[kind])) for kind in sorted(actions)]}


def _statement(kind: str, actions: Sequence[str]) -> dict[str, Any]:
    services = {action.partition(":")[0] for action in actions}
    resources = [arn for arn in _RESOURCES[kind] if kind != _BY_TAG or arn.split(":")[2] in services]
    if kind == "buckets":
        resources = [*resources, *(f"{arn}/*" for arn in resources)]
    statement: dict[str, Any] = {"Effect": "Allow", "Action": list(actions), "Resource": resources}
    return {**statement, "Condition": _OWN_TAG} if kind == _BY_TAG else statement


def files() -> Mapping[str, str]:
    """Return the examples' contents by their names."""
    policies = {"make.json": of_make(), "contest.json": of_contest(json.loads(LOCAL.read_text("utf-8")))}
    return {name: json.dumps(policy, indent=1) + "\n" for name, policy in policies.items()}


def main(words: Sequence[str]) -> int:
    """Write the examples, or the policies of the cycle, region and account that are named."""
    if len(words) not in {0, len(_PLACES)}:
        print(f"usage: python -m infra.operator_policy [{' '.join(_PLACES)}]", file=sys.stderr)
        return 2
    chosen = dict(zip(_PLACES, words, strict=False))
    folder = FILLED if words else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        filled = re.sub("|".join(_PLACES), lambda place: chosen.get(place[0], place[0]), content)
        (folder / name).write_text(filled, "utf-8")
        print(f"wrote {folder.relative_to(ROOT) / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
