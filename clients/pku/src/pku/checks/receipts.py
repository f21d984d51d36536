"""Check receipts without the platform: signatures against keys that were saved before (platform §4).

A receipt is signed over the canonical JSON of its ``receipt`` object (:func:`markup_core.receipt.canonical_bytes`). The
keys are those of ``GET /v1/keys``, saved by ``pku login``; a platform that changed its key or a receipt afterwards
is found out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from markup_core.lazy import dataclass
from markup_core.receipt import canonical_bytes
from pku.errors import PkuError
from pku.wire.answers import Receipt

Json = Any


class PublicKey(Protocol):
    """A key of the platform."""

    def verify(self, signature: bytes, data: bytes) -> None:
        """Return for a good signature; cryptography's ``InvalidSignature`` for any other."""


_HALF: Final = 32
"""Bytes of each of the two numbers of an ES256 signature (RFC 7518 §3.4)."""


class _Es256PublicKey:
    """A key of P-256, from its uncompressed point."""

    def __init__(self, point: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        self._key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)

    def verify(self, signature: bytes, data: bytes) -> None:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        if len(signature) != 2 * _HALF:
            raise InvalidSignature
        r, s = int.from_bytes(signature[:_HALF], "big"), int.from_bytes(signature[_HALF:], "big")
        self._key.verify(encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one receipt: ``fault`` is None, or ``unknown_key``, ``bad_signature`` or ``bad_times``."""

    receipt: Receipt
    fault: str | None


def read_keys(raw: Json) -> dict[str, PublicKey]:
    """Read public keys by their ids from the answer of ``GET /v1/keys``; :class:`PkuError` ``bad_keys`` for others.

    Earlier keys count like the last: what they signed stays signed.
    """
    try:
        listed = raw["keys"] if isinstance(raw, Mapping) else raw
        return {key["key_id"]: _read_key(key) for key in listed}
    except (KeyError, TypeError, ValueError) as error:
        raise PkuError("bad_keys", why=f"{type(error).__name__}: {error}") from None


def _read_key(key: Json) -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    content, algorithm = base64.b64decode(key["public_key"], validate=True), key.get("algorithm", "Ed25519")
    if algorithm == "Ed25519":
        return Ed25519PublicKey.from_public_bytes(content)
    if algorithm == "ES256":
        return _Es256PublicKey(content)
    raise ValueError(f"algorithm {algorithm!r}")


def check(receipt: Receipt, keys: Mapping[str, PublicKey]) -> str | None:
    """Return None for a receipt that the platform signed and whose times can be, else the fault's code."""
    fault = fault_of(receipt.raw["receipt"], receipt.raw["signature"], keys)
    if fault is not None:
        return fault
    if receipt.decided_at is not None and receipt.decided_at < receipt.received_at:
        return "bad_times"
    return None


def fault_of(receipt: Json, signature: str, keys: Mapping[str, PublicKey]) -> str | None:
    """Return None for a statement that the platform signed, else ``unknown_key`` or ``bad_signature``."""
    from cryptography.exceptions import InvalidSignature

    key = keys.get(receipt["key_id"])
    if key is None:
        return "unknown_key"
    try:
        key.verify(base64.b64decode(signature, validate=True), canonical_bytes(receipt))
    except (InvalidSignature, binascii.Error):
        return "bad_signature"
    return None


def check_all(receipts: Iterable[Receipt], keys: Mapping[str, PublicKey]) -> tuple[Checked, ...]:
    """Check each receipt; the results keep their order."""
    return tuple(Checked(receipt, check(receipt, keys)) for receipt in receipts)
