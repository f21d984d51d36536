"""The storage of a cycle's facts: five tables, one bucket, and the secrets and keys behind signatures.

The secrets sign receipts and addresses. Keys of signed addresses stand here as the distribution and the functions know
them; infra.address_keys makes the pairs.

Everything is encrypted at rest with keys that AWS keeps. A key of our own would be asked for on every read by every
function, and so would separate nobody from anything that the policies by table and prefix do not separate already.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from aws_cdk import Duration, RemovalPolicy, SecretValue
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from contest import settings, stored_names
from infra.acceptance import accept
from infra.address_keys import PUBLIC, PURPOSES, Purpose, secret_name
from infra.config import CycleConfig
from infra.rights import Table


@dataclass(frozen=True, slots=True)
class AddressKey:
    """A key pair: its id at CloudFront, the group that trusts it, and the secret with its private part."""

    key_id: str
    group: cloudfront.KeyGroup
    secret_name: str
    secret_arn: str


class Addresses(Construct):
    """A key for addresses of uploads, another one for addresses of downloads."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self._config = config
        self.keys: MappingProxyType[Purpose, AddressKey] = MappingProxyType(
            {purpose: self._key(purpose) for purpose in PURPOSES}
        )

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


_SUPERSEDED_OBJECT_DAYS = 30
_UNFINISHED_UPLOAD_DAYS = 1
_IMPORT_DAYS = 7


class Storage(Construct):
    """Tables, bucket and signing secret of one cycle; kept when the stack goes, if the cycle is a real one."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self._config = config
        self._removal = RemovalPolicy.RETAIN if config.retain_data else RemovalPolicy.DESTROY
        self.tables: MappingProxyType[Table, dynamodb.Table] = MappingProxyType(
            {
                "Exchange": self._table("Exchange", stream=dynamodb.StreamViewType.NEW_IMAGE),
                "Scores": self._table("Scores"),
                "Catalogue": self._table("Catalogue"),
                "Identity": self._table("Identity"),
                "Experts": self._table("Experts"),
            }
        )
        self.bucket = self._bucket()
        self.signing_secret = self._signing_secret()
        self.origin_secret = self._origin_secret()
        self.addresses = Addresses(self, "Addresses", config)

    def _table(self, name: str, stream: dynamodb.StreamViewType | None = None) -> dynamodb.Table:
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
            stream=stream,
            deletion_protection=self._config.retain_data,
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
        return s3.Bucket(
            self,
            "Objects",
            versioned=True,
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            server_access_logs_bucket=access_logs,
            removal_policy=self._removal,
            lifecycle_rules=self._lifecycle(),
        )

    def _lifecycle(self) -> list[s3.LifecycleRule]:
        return [
            s3.LifecycleRule(
                id="forget-client-logs",
                prefix=stored_names.LOGS,
                expiration=Duration.days(self._config.log_retention_days),
                noncurrent_version_expiration=Duration.days(_SUPERSEDED_OBJECT_DAYS),
            ),
            s3.LifecycleRule(
                id="forget-imports",
                prefix=stored_names.IMPORTS,
                expiration=Duration.days(_IMPORT_DAYS),
                noncurrent_version_expiration=Duration.days(_UNFINISHED_UPLOAD_DAYS),
            ),
            s3.LifecycleRule(
                id="forget-uploads",
                prefix=stored_names.UPLOADS,
                expiration=Duration.days(_IMPORT_DAYS),
                noncurrent_version_expiration=Duration.days(_UNFINISHED_UPLOAD_DAYS),
            ),
            s3.LifecycleRule(
                id="drop-unfinished-uploads",
                abort_incomplete_multipart_upload_after=Duration.days(_UNFINISHED_UPLOAD_DAYS),
            ),
        ]

    def _signing_secret(self) -> secretsmanager.Secret:
        return self._secret(
            "SigningSecret",
            "The receipts' Ed25519 key is derived from this value",
            "A receipt must stay verifiable for the whole cycle: the key changes only by an "
            "organizer's decision, as docs/operations.md describes, never by a timer.",
            self._removal,
        )

    def _origin_secret(self) -> secretsmanager.Secret:
        """Add the secret that the distribution sends to the gateways. It guards no data, so it goes with the stack."""
        return self._secret(
            "OriginSecret",
            "Tells the gateways that a request came by the distribution",
            "Distribution and functions are told it by the same deployment; a timer would change one before the other.",
        )

    def _secret(
        self, name: str, description: str, unrotated: str, removal: RemovalPolicy | None = None
    ) -> secretsmanager.Secret:
        """Add a secret of 64 letters and digits, and why no timer changes it."""
        secret = secretsmanager.Secret(
            self,
            name,
            description=description,
            generate_secret_string=secretsmanager.SecretStringGenerator(
                password_length=64, exclude_punctuation=True, include_space=False
            ),
            removal_policy=removal,
        )
        accept(secret, "AwsSolutions-SMG4", unrotated)
        return secret


def origin_secret_value(secret: secretsmanager.Secret) -> str:
    """Return the origin secret's value, written into the template as a reference that CloudFormation resolves."""
    return secret.secret_value.unsafe_unwrap()
