"""The storage of a cycle's facts: five tables, its buckets, and the secret behind receipts.

:class:`Storage` makes it, in a stack of its own; :class:`Stored` is what the application is told of it.

Everything is encrypted at rest with keys that AWS keeps. A key of our own would be asked for on every read by every
function, and so would separate nobody from anything that the policies by table and prefix do not separate already.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from aws_cdk import Aws, Duration, Fn, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from contest import settings, stored_names
from infra.acceptance import accept
from infra.config import CycleConfig
from infra.constructs.copies import EXPORT_DAYS, CopyRole, WeeklyExports, locked_bucket
from infra.constructs.keys import random_secret
from infra.constructs.sign_in import PARTICIPANTS_CLIENT, PARTICIPANTS_POOL, STAFF_CLIENT, STAFF_POOL
from infra.rights import Table

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
    """Return what becomes of data when its stack goes: a real cycle's stays, unless its creation itself failed."""
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if config.retain_data else RemovalPolicy.DESTROY


class Storage(Construct):
    """Tables, buckets and signing secret of one cycle; kept when the stack goes, if the cycle is a real one.

    ``protected``: a table refuses to be deleted. Not before the stack is complete, whose failed creation deletes it.
    """

    def __init__(self, scope: Construct, id: str, config: CycleConfig, *, protected: bool) -> None:  # noqa: A002
        super().__init__(scope, id)
        self._config = config
        self._protected = protected and config.retain_data
        self._removal = removal(config)
        self._tables = {name: self._table(name) for name in get_args(Table)}
        self._copies: str | None = None
        self._objects = self._bucket()
        self._site = self._site_bucket()
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
            WeeklyExports(self, "Exports", self._in_use(), bucket)

    def values(self) -> Mapping[str, str]:
        """Return everything that another stack may be told, by the names of the outputs."""
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

    def _in_use(self) -> Mapping[str, str]:
        """Return the tables that the application works on: this stack's, but for those of a restore."""
        restored = {str(name): value for name, value in self._config.restored.items()}
        return {name: restored.get(f"{name}{TABLE}") or table.table_name for name, table in self._tables.items()}

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
        access_logs = s3.Bucket(
            self,
            "ObjectAccessLogs",
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            removal_policy=self._removal,
            lifecycle_rules=[s3.LifecycleRule(id="forget-access", expiration=Duration.days(days))],
        )
        accept(
            access_logs,
            "AwsSolutions-S1",
            "This bucket holds the access logs; logging its own accesses would never end.",
        )
        copies = self._config.copies
        locked = None if copies is None else locked_bucket(self, copies, access_logs, self._removal)
        copying = None if copies is None else CopyRole(self, copies)
        if locked is not None and copies is not None and copies.bucket is None:
            self._copies = locked.bucket_name
        objects = s3.Bucket(
            self,
            "Objects",
            versioned=True,
            replication_role=copying,
            replication_rules=[copying.rule(locked)] if copying and locked else None,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            server_access_logs_bucket=access_logs,
            removal_policy=self._removal,
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

    def _site_bucket(self) -> s3.Bucket:
        """Add the bucket of the site's files, which are public and put there anew by every deployment."""
        site = s3.Bucket(
            self,
            "Site",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            removal_policy=self._removal,
        )
        accept(site, "AwsSolutions-S1", "Everybody may read what is in it, and everybody does, by CloudFront.")
        accept(site, "AwsSolutions-S10", _POLICY_ELSEWHERE)
        return site

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

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
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
