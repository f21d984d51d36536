"""Keys of signed addresses, as the distribution and the functions know them; infra.address_keys makes the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from aws_cdk import SecretValue
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.address_keys import PUBLIC, PURPOSES, Purpose, secret_name
from infra.config import CycleConfig


@dataclass(frozen=True, slots=True)
class AddressKey:
    """One pair: its id at CloudFront, who trusts it, and where its private part lies."""

    key_id: str
    group: cloudfront.KeyGroup
    secret_name: str
    secret_arn: str


class Addresses(Construct):
    """A key for addresses at which something is put, another one for those at which something is read."""

    def __init__(self, scope: Construct, id: str, config: CycleConfig) -> None:  # noqa: A002 -- CDK's own name
        super().__init__(scope, id)
        self._config = config
        self.keys: MappingProxyType[Purpose, AddressKey] = MappingProxyType(
            {each: self._key(each) for each in PURPOSES}
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
