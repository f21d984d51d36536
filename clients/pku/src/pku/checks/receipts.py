"""Check receipts without the platform: Ed25519 signatures against keys that were saved before (platform §4).

A receipt is signed over the canonical JSON of its ``receipt`` object (:func:`markup_core.receipt.canonical_bytes`). The
keys are those of ``GET /v1/keys``, saved by ``pku login``; a platform that changed its key or a receipt afterwards
is found out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markup_core.receipt import canonical_bytes
from pku.errors import PkuError
from pku.wire.answers import Receipt

if TYPE_CHECKING:  # loaded where it is used
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = Any


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one receipt: ``fault`` is None, or ``unknown_key``, ``bad_signature`` or ``bad_times``."""

    receipt: Receipt
    fault: str | None


def read_keys(raw: Json) -> dict[str, Ed25519PublicKey]:
    """Read public keys by their ids from the answer of ``GET /v1/keys``; :class:`PkuError` ``bad_keys`` for others."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        listed = raw["keys"] if isinstance(raw, Mapping) else raw
        return {
            key["key_id"]: Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"], validate=True))
            for key in listed
        }
    except (KeyError, TypeError, ValueError) as error:
        raise PkuError("bad_keys", why=f"{type(error).__name__}: {error}") from None


def check(receipt: Receipt, keys: Mapping[str, Ed25519PublicKey]) -> str | None:
    """Return None for a receipt that the platform signed and whose times can be, else the fault's code."""
    fault = fault_of(receipt.raw["receipt"], receipt.raw["signature"], keys)
    if fault is not None:
        return fault
    if receipt.decided_at is not None and receipt.decided_at < receipt.received_at:
        return "bad_times"
    return None


def fault_of(receipt: Json, signature: str, keys: Mapping[str, Ed25519PublicKey]) -> str | None:
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


def check_all(receipts: Iterable[Receipt], keys: Mapping[str, Ed25519PublicKey]) -> tuple[Checked, ...]:
    """Check each receipt; the results keep their order."""
    return tuple(Checked(receipt, check(receipt, keys)) for receipt in receipts)
