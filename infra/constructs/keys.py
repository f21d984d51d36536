"""Keys that the distribution and the functions know together: those of signed addresses, and the origin's secret.

They guard no stored data and change with a deployment of the application, so they stand in its stack: a value that
another stack exports cannot change while it is imported. infra.address_keys makes the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from aws_cdk import RemovalPolicy, SecretValue
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.acceptance import accept
from infra.address_keys import PUBLIC, PURPOSES, Purpose, secret_name
from infra.config import CycleConfig


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

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
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
        return self._origin.secret_value.unsafe_unwrap()

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
