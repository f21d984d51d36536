"""The RSA keys of signed addresses, which must exist before a cycle is deployed.

``python -m infra.address_keys CYCLE`` makes those that are missing, as ``make deploy`` does. A pair is
made here, for CloudFormation makes no RSA keys; Secrets Manager keeps it, the template takes the public part from
there, and the private part is read by the one function that signs with it. Pairs that are there stay as they are.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import boto3  # type: ignore[import-untyped]  # ships no types
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]  # ships no types
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from infra.config import ConfigError, CycleConfig, for_cycle

Purpose = Literal["uploads", "downloads"]
PURPOSES: Final[tuple[Purpose, ...]] = ("uploads", "downloads")
PUBLIC: Final = "public"
PRIVATE: Final = "private"
_NOBODY: Final[Mapping[str, str]] = {
    "en": "Nothing is deployed. It needs an AWS account: credentials and a region in the environment (AWS_PROFILE, "
    "AWS_REGION), prepared as docs/operations.md says. To look at the template without one: make synth",
    "ru": "Ничего не развёрнуто. Нужна учётная запись AWS: реквизиты доступа и регион в окружении (AWS_PROFILE, "
    "AWS_REGION); как её подготовить, сказано в docs/operations.ru.md. Посмотреть шаблон без неё: make synth",
}
_BITS: Final = 2048
"""What CloudFront takes."""


def secret_name(config: CycleConfig, purpose: Purpose) -> str:
    """Return the name of the secret with a pair; another number, another pair."""
    return f"hurdle-{config.cycle}-{purpose}-{config.address_keys}"


def pair() -> str:
    """Return a new pair as the secret holds it: JSON with two PEM texts."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=_BITS)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return json.dumps({PRIVATE: private.decode(), PUBLIC: public.decode()})


def make_missing(config: CycleConfig, secrets: Any) -> list[str]:
    """Make the pairs that are not there, with a client of Secrets Manager; their secrets' names."""
    names = []
    for purpose in PURPOSES:
        name = secret_name(config, purpose)
        description = f"Hurdle {config.cycle}: signs addresses of {purpose}"
        try:
            secrets.create_secret(Name=name, Description=description, SecretString=pair())
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceExistsException":
                raise
        else:
            names.append(name)
    return names


def main(words: Sequence[str]) -> int:
    """Make what is missing, in the region of the environment's credentials; exit code 2 where AWS lets nobody in, or
    the cycle cannot be deployed as it is described."""
    try:
        names = make_missing(for_cycle(words[0]), boto3.client("secretsmanager"))
    except (BotoCoreError, ClientError, ConfigError) as error:
        print(f"deploy: {error}", file=sys.stderr)
        if not isinstance(error, ConfigError):
            # The system's language, as POSIX has it.
            spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG", "")
            print(_NOBODY["ru" if spoken.startswith("ru") else "en"], file=sys.stderr)
        return 2
    for name in names:
        print(f"made {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
