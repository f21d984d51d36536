"""A signer whose key is in an emulated KMS."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA256
from moto import mock_aws
from moto.kms.responses import KmsResponse

from contest.adapters import aws
from contest.adapters.signatures import signer_of
from contest.ports import Signer


@contextmanager
def emulated_kms() -> Iterator[Signer]:
    """Yield the signer; of a digest the emulator by itself would sign the digest's hash."""
    plain = KmsResponse.sign

    def sign(own: KmsResponse) -> str:
        if own._get_param("MessageType") != "DIGEST":
            return plain(own)
        digest = own._get_param("Message")
        assert len(digest) == 32
        key = own.kms_backend.describe_key(own._get_param("KeyId"))
        signature = key.private_key.private_key.sign(digest, ec.ECDSA(Prehashed(SHA256())))
        return json.dumps({"Signature": base64.b64encode(signature).decode()})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KmsResponse, "sign", sign)
        patch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        aws.client.cache_clear()
        with mock_aws():
            created = aws.client("kms").create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")
            yield signer_of(created["KeyMetadata"]["Arn"])
        aws.client.cache_clear()
