"""Locked copies of a cycle's storage: each week's export of the tables, and every version of every object.

DynamoDB exports each table into the bucket of objects, under a prefix that no function may read; S3 replicates that
bucket, exports and all, into one whose versions nobody can delete for some days (Object Lock), in this account or in
another. Deletions are not replicated. What was in the bucket before replication began is not (Amazon S3 user guide,
"What does Amazon S3 replicate?"), so a cycle has it from its first deployment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from contest.stored_names import EXPORTS
from infra.acceptance import accept, nag_arn
from infra.config import LockedCopies

EXPORT_DAYS: Final = 7
"""An export is kept so long beside the objects; its locked copy for as long as the lock."""
EVERY_WEEK: Final = "cron(30 3 ? * SUN *)"
"""UTC; three in the morning, when no run is on."""
_PUT: Final = ("s3:AbortMultipartUpload", "s3:PutObject", "s3:PutObjectAcl")
"""Rights on its bucket that an export needs (Amazon DynamoDB developer guide, "Requesting a table export")."""


def locked_bucket(
    scope: Construct, copies: LockedCopies, access_logs: s3.IBucket, removal: RemovalPolicy
) -> s3.IBucket:
    """Return the bucket of the copies: another account's, or one that is added here with Object Lock."""
    if copies.bucket is not None:
        return s3.Bucket.from_bucket_attributes(scope, "Copies", bucket_name=copies.bucket, account=copies.account)
    lock = s3.ObjectLockRetention.governance if copies.mode == "governance" else s3.ObjectLockRetention.compliance
    return s3.Bucket(
        scope,
        "Copies",
        versioned=True,
        enforce_ssl=True,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        removal_policy=removal,
        object_lock_enabled=True,
        object_lock_default_retention=lock(Duration.days(copies.days)),
        server_access_logs_bucket=access_logs,
        server_access_logs_prefix="copies/",
        lifecycle_rules=[
            s3.LifecycleRule(
                id="forget-exports",
                prefix=EXPORTS,
                expiration=Duration.days(copies.days + 1),
                noncurrent_version_expiration=Duration.days(1),
            )
        ],
    )


class CopyRole(iam.Role):
    """The role by which S3 copies; another account's bucket has to allow it.

    Its rights: Amazon S3 user guide, "Setting up permissions for live replication".
    """

    def __init__(self, scope: Construct, copies: LockedCopies) -> None:
        super().__init__(scope, "CopyRole", assumed_by=iam.ServicePrincipal("s3.amazonaws.com"))
        self._elsewhere = copies.account is not None

    def rule(self, locked: s3.IBucket) -> s3.ReplicationRule:
        """Return the rule by which new versions are copied; in another account they become that one's."""
        return s3.ReplicationRule(
            destination=locked,
            priority=1,
            delete_marker_replication=False,
            access_control_transition=self._elsewhere,
        )

    def let_copy(self, sources: Sequence[s3.IBucket], locked: s3.IBucket) -> None:
        """Let it read every version of the sources and add copies; nothing else."""
        put = ["s3:ReplicateObject", "s3:ReplicateTags"]
        self._allow(put + (["s3:ObjectOwnerOverrideToBucketOwner"] if self._elsewhere else []), locked)
        for source in sources:
            self._allow(
                ["s3:GetObjectVersionForReplication", "s3:GetObjectVersionAcl", "s3:GetObjectVersionTagging"], source
            )
            self.add_to_policy(
                iam.PolicyStatement(
                    actions=["s3:GetReplicationConfiguration", "s3:ListBucket"], resources=[source.bucket_arn]
                )
            )

    def _allow(self, actions: list[str], bucket: s3.IBucket) -> None:
        objects = bucket.arn_for_objects("*")
        self.add_to_policy(iam.PolicyStatement(actions=actions, resources=[objects]))
        accept(
            self,
            f"AwsSolutions-IAM5[Resource::{nag_arn(Stack.of(self).resolve(objects))}]",
            "Every object is copied, whatever its name.",
        )


class WeeklyExports(Construct):
    """A schedule for each table, which has DynamoDB export it as it is at that moment."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 -- CDK's own name
        tables: Mapping[str, str],
        bucket: str,
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        arns = {
            name: stack.format_arn(service="dynamodb", resource="table", resource_name=table)
            for name, table in tables.items()
        }
        self._allow("dynamodb:ExportTableToPointInTime", *arns.values())
        target = f"arn:{stack.partition}:s3:::{bucket}/{EXPORTS}*"
        for action in _PUT:
            self._allow(action, target)
        accept(
            self._role,
            f"AwsSolutions-IAM5[Resource::{nag_arn(stack.resolve(target))}]",
            "DynamoDB chooses the names of an export's files below this prefix.",
        )
        for name, arn in arns.items():
            request = {"TableArn": arn, "S3Bucket": bucket, "S3Prefix": f"{EXPORTS}{name.lower()}"}
            scheduler.CfnSchedule(
                self,
                name,
                schedule_expression=EVERY_WEEK,
                flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
                target=scheduler.CfnSchedule.TargetProperty(
                    arn=f"arn:{stack.partition}:scheduler:::aws-sdk:dynamodb:exportTableToPointInTime",
                    role_arn=self._role.role_arn,
                    input=stack.to_json_string(request),
                ),
            )

    def _allow(self, action: str, *resources: str) -> None:
        self._role.add_to_policy(iam.PolicyStatement(actions=[action], resources=list(resources)))
