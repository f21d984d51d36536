"""The RSA keys of signed addresses, which must exist before a cycle is deployed.

``make deploy`` makes those that are missing. A pair is made here, for CloudFormation makes no RSA keys; Secrets Manager
keeps it, the template takes the public part from there, and the private part is read by the one function that signs
with it. Pairs that are there stay as they are.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from infra.account import unless_absent
from infra.config import CycleConfig

Purpose = Literal["uploads", "downloads"]
PURPOSES: Final[tuple[Purpose, ...]] = ("uploads", "downloads")
PUBLIC: Final = "public"
PRIVATE: Final = "private"
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
        secret = {"Name": name, "Description": description, "SecretString": pair()}
        if unless_absent("ResourceExistsException", secrets.create_secret, **secret) is not None:
            names.append(name)
    return names
