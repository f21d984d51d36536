"""The storage of a cycle's facts: five tables, its buckets and their locked copies; secrets and keys of addresses.

:class:`Storage` makes it, in a stack of its own; :class:`Stored` is what the application is told of it.

Everything is encrypted at rest with keys that AWS keeps. A key of our own would be asked for on every read by every
function, and so would separate nobody from anything that the policies by table and prefix do not separate already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, cast, get_args

from aws_cdk import Aws, Duration, Fn, RemovalPolicy, SecretValue, Stack
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from contest import settings, stored_names
from contest.stored_names import EXPORTS
from infra.account import PUBLIC, PURPOSES, Purpose, secret_name
from infra.config import CycleConfig, LockedCopies
from infra.constructs import accept, allow
from infra.constructs.sign_in import PARTICIPANTS_CLIENT, PARTICIPANTS_POOL, STAFF_CLIENT, STAFF_POOL
from infra.rights import Table


def random_secret(
    scope: Construct, name: str, description: str, unrotated: str, removal: RemovalPolicy = RemovalPolicy.DESTROY
) -> secretsmanager.Secret:
    """Add a secret of 64 letters and digits; ``unrotated`` says why no timer changes it."""
    secret = secretsmanager.Secret(
        scope,
        name,
        description=description,
        generate_secret_string=secretsmanager.SecretStringGenerator(
            password_length=64, exclude_punctuation=True, include_space=False
        ),
        removal_policy=removal,
    )
    accept(secret, "AwsSolutions-SMG4", unrotated)
    return secret


@dataclass(frozen=True, slots=True)
class AddressKey:
    """A key pair: its id at CloudFront, the group that trusts it, and the secret with its private part."""

    key_id: str
    group: cloudfront.KeyGroup
    secret_name: str
    secret_arn: str


class Keys(Construct):
    """A key for addresses of uploads, another one for addresses of downloads, and the origin's secret."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:
        super().__init__(scope, id)
        self._config = config
        self.of_addresses: MappingProxyType[Purpose, AddressKey] = MappingProxyType(
            {purpose: self._key(purpose) for purpose in PURPOSES}
        )
        self._origin = random_secret(
            self,
            "OriginSecret",
            "Tells the gateways that a request came by the distribution",
            "Distribution and functions are told it by the same deployment; a timer would change one before the other.",
        )

    @property
    def origin_secret(self) -> str:
        """Return the origin secret's value, written into the template as a reference that CloudFormation resolves."""
        return str(self._origin.secret_value.unsafe_unwrap())

    def _key(self, purpose: Purpose) -> AddressKey:
        name = secret_name(self._config, purpose)
        title, number = purpose.title(), self._config.address_keys
        public = cloudfront.PublicKey(
            self,
            # CloudFront changes no key: another pair is another resource.
            f"{title}Key{number}",
            public_key_name=name,
            encoded_key=SecretValue.secrets_manager(name, json_field=PUBLIC).unsafe_unwrap(),
        )
        group = cloudfront.KeyGroup(
            self, f"{title}Keys", key_group_name=f"hurdle-{self._config.cycle}-{purpose}", items=[public]
        )
        # Its ARN ends in six signs that Secrets Manager chooses.
        secret = secretsmanager.Secret.from_secret_name_v2(self, f"{title}Secret{number}", name)
        return AddressKey(public.public_key_id, group, name, f"{secret.secret_arn}-??????")


EXPORT_DAYS: Final = 7
"""Days for which an export stays beside the objects; its locked copy stays as long as the lock."""
EVERY_WEEK: Final = "cron(30 3 ? * SUN *)"
"""Time of the weekly export in UTC, at night, when no run is on."""
_PUT: Final = ("s3:AbortMultipartUpload", "s3:PutObject", "s3:PutObjectAcl")
"""Rights on its bucket that an export needs (Amazon DynamoDB developer guide, "Requesting a table export")."""


def private_bucket(scope: Construct, name: str, removal: RemovalPolicy, **more: Any) -> s3.Bucket:
    """Add a bucket that is closed to everybody, with a key that S3 keeps."""
    return s3.Bucket(
        scope,
        name,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        removal_policy=removal,
        **more,
    )


def log_group(scope: Construct, name: str, days: int, removal: RemovalPolicy, path: str | None = None) -> logs.LogGroup:
    """Add a log group, by default under a name of CloudFormation's choice, that keeps its lines for so many days."""
    group = logs.LogGroup(scope, name, log_group_name=path, removal_policy=removal)
    cast(logs.CfnLogGroup, group.node.default_child).retention_in_days = days  # CDK's own words for it are no numbers
    return group


def locked_bucket(
    scope: Construct, copies: LockedCopies, access_logs: s3.IBucket, removal: RemovalPolicy
) -> s3.IBucket:
    """Return the bucket of the copies: another account's, or one that is added here with Object Lock."""
    if copies.bucket is not None:
        return s3.Bucket.from_bucket_attributes(scope, "Copies", bucket_name=copies.bucket, account=copies.account)
    lock = s3.ObjectLockRetention.governance if copies.mode == "governance" else s3.ObjectLockRetention.compliance
    return private_bucket(
        scope,
        "Copies",
        removal,
        versioned=True,
        enforce_ssl=True,
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
            destination=locked, priority=1, delete_marker_replication=False, access_control_transition=self._elsewhere
        )

    def let_copy(self, sources: Sequence[s3.IBucket], locked: s3.IBucket) -> None:
        """Let it read every version of the sources and add copies; nothing else."""
        put = ["s3:ReplicateObject", "s3:ReplicateTags"]
        self._allow(put + (["s3:ObjectOwnerOverrideToBucketOwner"] if self._elsewhere else []), locked)
        for source in sources:
            versions = (f"s3:GetObjectVersion{what}" for what in ("ForReplication", "Acl", "Tagging"))
            self._allow([*versions], source)
            allow(self, ["s3:GetReplicationConfiguration", "s3:ListBucket"], source.bucket_arn)

    def _allow(self, actions: list[str], bucket: s3.IBucket) -> None:
        allow(self, actions, bucket.arn_for_objects("*"), star="Every object is copied, whatever its name.")


class WeeklyExports(Construct):
    """A schedule for each table, which has DynamoDB export it as it is at that moment."""

    def __init__(self, scope: Construct, id: str, tables: Mapping[str, str], bucket: str) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
        arns = {
            name: stack.format_arn(service="dynamodb", resource="table", resource_name=table)
            for name, table in tables.items()
        }
        allow(self._role, ["dynamodb:ExportTableToPointInTime"], *arns.values())
        target = f"arn:{stack.partition}:s3:::{bucket}/{EXPORTS}*"
        for action in _PUT:
            star = "DynamoDB chooses the names of an export's files below this prefix."
            allow(self._role, [action], target, star=star)
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


_SUPERSEDED_OBJECT_DAYS = 30
_UNFINISHED_UPLOAD_DAYS = 1
_IMPORT_DAYS = 7
_POLICY_ELSEWHERE: Final = "Its one policy, which demands TLS, names the distribution and stands in the application."

TABLE: Final = "Table"
"""The end of an output that names a table."""
EXCHANGE_STREAM: Final = "ExchangeStream"
OBJECTS: Final = "Objects"
SITE: Final = "Site"
SIGNING_SECRET: Final = "SigningSecret"  # noqa: S105 -- the name of an output
COPIES: Final = "Copies"
"""The output that names the bucket of the locked copies; only of a cycle that has them in this account."""
SIGNING_KEY: Final = "SigningKey"
"""The output that names the signing key in AWS KMS; only of a cycle that signs by one."""


def export_name(config: CycleConfig, output: str) -> str:
    """Return the name under which an output of the storage's stack is exported."""
    return f"hurdle-{config.cycle}--storage-{output}"


def removal(config: CycleConfig) -> RemovalPolicy:
    """Return data's removal policy: a real cycle's stays when its stack goes, unless its creation itself failed."""
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if config.retain_data else RemovalPolicy.DESTROY


class Storage(Construct):
    """Tables, buckets and signing secret of one cycle; kept when the stack goes, if the cycle is a real one.

    ``protected``: a table refuses to be deleted. Not before the stack is complete, whose failed creation deletes it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig, *, protected: bool) -> None:
        super().__init__(scope, id)
        self._config = config
        self._protected = protected and config.retain_data
        self._removal = removal(config)
        self._tables = {name: self._table(name) for name in get_args(Table)}
        self._copies: str | None = None
        self._objects = self._bucket()
        self._site = private_bucket(self, "Site", self._removal)
        accept(self._site, "AwsSolutions-S1", "Everybody may read what is in it, and everybody does, by CloudFront.")
        accept(self._site, "AwsSolutions-S10", _POLICY_ELSEWHERE)
        self._signing_secret = random_secret(
            self,
            "SigningSecret",
            "The receipts' Ed25519 key is derived from this value",
            "A receipt must stay verifiable for the whole cycle: the key changes only by an "
            "organizer's decision, as docs/operations.md describes, never by a timer.",
            self._removal,
        )
        self._signing_key = self._kms_key() if config.signing == "kms" else None
        if config.copies is not None:
            bucket = config.restored.get(OBJECTS) or self._objects.bucket_name
            restored = {str(name): value for name, value in config.restored.items()}
            # The tables that the application works on: this stack's, but for those of a restore.
            in_use = {name: restored.get(f"{name}{TABLE}") or each.table_name for name, each in self._tables.items()}
            WeeklyExports(self, "Exports", in_use, bucket)

    def values(self) -> Mapping[str, str]:
        """Return the values that another stack may use, by the names of the outputs."""
        stream = self._tables["Exchange"].table_stream_arn
        assert stream is not None  # noqa: S101 -- it has one, by _table
        return {
            **{f"{name}{TABLE}": table.table_name for name, table in self._tables.items()},
            EXCHANGE_STREAM: stream,
            OBJECTS: self._objects.bucket_name,
            SITE: self._site.bucket_name,
            SIGNING_SECRET: self._signing_secret.secret_arn,
            **({} if self._copies is None else {COPIES: self._copies}),
            **({} if self._signing_key is None else {SIGNING_KEY: self._signing_key.key_arn}),
        }

    def _kms_key(self) -> kms.Key:
        """Add a key that signs and cannot be read; KMS changes no asymmetric key by itself."""
        return kms.Key(
            self,
            "SigningKey",
            description="Signs the receipts, commitments and records of the cycle",
            key_spec=kms.KeySpec.ECC_NIST_P256,
            key_usage=kms.KeyUsage.SIGN_VERIFY,
            removal_policy=self._removal,
        )

    def _table(self, name: Table) -> dynamodb.Table:
        return dynamodb.Table(
            self,
            name,
            partition_key=dynamodb.Attribute(name=settings.PARTITION_KEY, type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name=settings.SORT_KEY, type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute=settings.TTL_ATTRIBUTE,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            encryption=dynamodb.TableEncryption.DEFAULT,
            stream=dynamodb.StreamViewType.NEW_IMAGE if name == "Exchange" else None,
            deletion_protection=self._protected,
            removal_policy=self._removal,
        )

    def _bucket(self) -> s3.Bucket:
        """Add the bucket of the cycle's objects, and one for its access log (the expert markups are secret)."""
        days = self._config.access_log_retention_days
        rules = [s3.LifecycleRule(id="forget-access", expiration=Duration.days(days))]
        access_logs = private_bucket(self, "ObjectAccessLogs", self._removal, enforce_ssl=True, lifecycle_rules=rules)
        reason = "This bucket holds the access logs; logging its own accesses would never end."
        accept(access_logs, "AwsSolutions-S1", reason)
        copies = self._config.copies
        locked = None if copies is None else locked_bucket(self, copies, access_logs, self._removal)
        copying = None if copies is None else CopyRole(self, copies)
        if locked is not None and copies is not None and copies.bucket is None:
            self._copies = locked.bucket_name
        objects = private_bucket(
            self,
            "Objects",
            self._removal,
            versioned=True,
            replication_role=copying,
            replication_rules=[copying.rule(locked)] if copying and locked else None,
            server_access_logs_bucket=access_logs,
            lifecycle_rules=self._lifecycle(),
        )
        accept(objects, "AwsSolutions-S10", _POLICY_ELSEWHERE)
        sources: list[s3.IBucket] = [objects]
        restored = self._config.restored.get("Objects")
        if restored is not None:
            access_logs.add_to_resource_policy(_log_delivery(access_logs, restored))
            sources.append(s3.Bucket.from_bucket_name(self, "RestoredObjects", restored))
        if copying and locked:
            copying.let_copy(sources, locked)
        return objects

    def _lifecycle(self) -> list[s3.LifecycleRule]:
        log_days = self._config.log_retention_days
        forgotten = (
            ("client-logs", stored_names.LOGS, log_days, _SUPERSEDED_OBJECT_DAYS),
            ("imports", stored_names.IMPORTS, _IMPORT_DAYS, _UNFINISHED_UPLOAD_DAYS),
            ("uploads", stored_names.UPLOADS, _IMPORT_DAYS, _UNFINISHED_UPLOAD_DAYS),
            ("exports", stored_names.EXPORTS, EXPORT_DAYS, _UNFINISHED_UPLOAD_DAYS),
        )
        return [
            *(
                s3.LifecycleRule(
                    id=f"forget-{name}",
                    prefix=prefix,
                    expiration=Duration.days(days),
                    noncurrent_version_expiration=Duration.days(superseded_days),
                )
                for name, prefix, days, superseded_days in forgotten
            ),
            s3.LifecycleRule(
                id="drop-unfinished-uploads",
                abort_incomplete_multipart_upload_after=Duration.days(_UNFINISHED_UPLOAD_DAYS),
            ),
        ]


def _log_delivery(access_logs: s3.Bucket, bucket: str) -> iam.PolicyStatement:
    """Let S3 log accesses to a restored bucket where those to the one before are: infra.restore copies the setting."""
    return iam.PolicyStatement(
        principals=[iam.ServicePrincipal("logging.s3.amazonaws.com")],
        actions=["s3:PutObject"],
        resources=[access_logs.arn_for_objects("*")],
        conditions={
            "ArnLike": {"aws:SourceArn": f"arn:{Aws.PARTITION}:s3:::{bucket}"},
            "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
        },
    )


class Stored(Construct):
    """The storage that the application works on, known by names alone.

    It is the storage stack's, but for what ``restored`` names in the cycle's file: after a restore the application
    is pointed at other tables and another bucket, and nothing else of it changes.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:
        super().__init__(scope, id)
        self._config = config
        self._restored = {str(name): value for name, value in config.restored.items()}
        self.tables: MappingProxyType[Table, dynamodb.ITable] = MappingProxyType(
            {name: self._known_table(name) for name in get_args(Table)}
        )
        self.objects = self._known_bucket(OBJECTS)
        self.site = self._known_bucket(SITE)
        self.copies = None if config.copies is None else config.copies.bucket or self._value_of(COPIES)
        self.signing_arn = self._value_of(SIGNING_KEY if config.signing == "kms" else SIGNING_SECRET)
        self.staff_pool_id, self.staff_client_id = self._value_of(STAFF_POOL), self._value_of(STAFF_CLIENT)
        self.participants_pool_id = self._value_of(PARTICIPANTS_POOL)
        self.participants_client_id = self._value_of(PARTICIPANTS_CLIENT)

    def _value_of(self, name: str) -> str:
        return self._restored.get(name) or Fn.import_value(export_name(self._config, name))

    def _known_table(self, name: Table) -> dynamodb.ITable:
        return dynamodb.Table.from_table_attributes(
            self,
            name,
            table_name=self._value_of(f"{name}{TABLE}"),
            table_stream_arn=self._value_of(EXCHANGE_STREAM) if name == "Exchange" else None,
        )

    def _known_bucket(self, name: str) -> s3.IBucket:
        return s3.Bucket.from_bucket_name(self, name, self._value_of(name))


def let_distribution(
    scope: Construct, name: str, bucket: s3.IBucket, distribution_id: str, may: Mapping[str, tuple[str, ...]]
) -> None:
    """Add a bucket's only policy: nobody without TLS, and the distribution's actions, each with its key prefixes.

    It stands in the application's stack, for it names the distribution, of which the storage knows nothing.
    """
    distribution = f"arn:{Aws.PARTITION}:cloudfront::{Aws.ACCOUNT_ID}:distribution/{distribution_id}"
    policy = s3.BucketPolicy(scope, name, bucket=bucket)
    policy.document.add_statements(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["s3:*"],
            resources=[bucket.bucket_arn, bucket.arn_for_objects("*")],
            conditions={"Bool": {"aws:SecureTransport": "false"}},
        ),
        *(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("cloudfront.amazonaws.com")],
                actions=[action],
                resources=[bucket.arn_for_objects(f"{prefix}*") for prefix in prefixes],
                conditions={"StringEquals": {"AWS:SourceArn": distribution}},
            )
            for action, prefixes in may.items()
        ),
    )
