"""Signed addresses: CloudFront's signed URLs with a custom policy, by two RSA keys that the distribution trusts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import cast

from botocore.signers import CloudFrontSigner  # type: ignore[import-untyped]  # the SDK has no types
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from contest.adapters import aws
from contest.domain.canonical import sha256_hex
from contest.domain.moments import Millis

_ANYWHERE = "http*://*/"
"""The distribution has two names where the cycle has a domain, and trusts keys of its own: the host adds nothing."""


@dataclass(frozen=True, slots=True)
class AddressKey:
    """A key that signs addresses: how the distribution calls it, and the name of the secret that holds it, as JSON
    ``{"private": PEM, "public": PEM}``."""

    key_id: str
    secret: str


class CloudFrontAddresses:
    """:class:`contest.ports.addresses.Addresses` with a key for what is put and another for what is read.

    Who may sign the one kind of address can read nothing, and who may sign the other can bring nothing.
    """

    def __init__(self, uploads: AddressKey, downloads: AddressKey) -> None:
        self._uploads = _Signer(uploads)
        self._downloads = _Signer(downloads)

    def to_put(self, name: str, until: Millis) -> str:
        return self._uploads.address(name, until)

    def to_get(self, name: str, until: Millis) -> str:
        return self._downloads.address(name, until)

    def sealed(self, digest: str) -> str:
        return self._downloads.sealed(digest)


class _Signer:
    """A key pair that the distribution knows by its id; the private part is read when it is first needed."""

    def __init__(self, key: AddressKey) -> None:
        self._told = key

    def address(self, name: str, until: Millis) -> str:
        moment = datetime.fromtimestamp(until // 1000, UTC)
        signer = CloudFrontSigner(self._told.key_id, self._sign)
        return str(signer.generate_presigned_url(f"/{name}", policy=signer.build_policy(_ANYWHERE + name, moment)))

    def sealed(self, digest: str) -> str:
        return sha256_hex(self._sign(f"sealed {digest}".encode()))

    @cached_property
    def _sign(self) -> Callable[[bytes], bytes]:
        held = json.loads(aws.client("secretsmanager").get_secret_value(SecretId=self._told.secret)["SecretString"])
        # Validating a key takes 35 ms of each cold start; this one was made by the deployment (infra/address_keys).
        pem = held["private"].encode()
        key = cast(RSAPrivateKey, load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True))
        # What is signed is made here from names that are made here: nobody can prepare a second text of the same hash.
        return lambda content: key.sign(content, PKCS1v15(), SHA1())  # noqa: S303 -- CloudFront knows no other
