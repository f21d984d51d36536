"""Public keys of the platform's statements, and from when until when each was the one that signs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

from contest.values import Millis
from markup_core.lazy import dataclass

Algorithm = Literal["Ed25519", "ES256"]
"""Names of JSON Web Algorithms (RFC 9864, RFC 7518): a signature of either has 64 bytes, ES256's is r and s."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key; ``key_id`` is the first 16 hexadecimal digits of the SHA-256 of ``content``."""

    key_id: str
    algorithm: Algorithm
    content: bytes
    """Ed25519: 32 bytes; ES256: the uncompressed point of P-256, 65 bytes (SEC 1 §2.3.3)."""


@dataclass(frozen=True, slots=True)
class UsedKey:
    """A key, and when it first signed."""

    key: PublicKey
    since: Millis


@dataclass(frozen=True, slots=True)
class ValidKey:
    """A key with the time in which it was the one that signs; what it signed stays verifiable."""

    key: PublicKey
    since: Millis | None
    """None: it has signed nothing yet."""
    until: Millis | None
    """When the next key first signed; None for the last."""


def with_validity(used: Iterable[UsedKey], current: PublicKey) -> Iterator[ValidKey]:
    """Yield all keys by their first signatures; the current one is the last if it has signed nothing yet."""
    ordered = sorted(used, key=lambda used_key: (used_key.since, used_key.key.key_id))
    first_uses: list[tuple[PublicKey, Millis | None]] = [(used_key.key, used_key.since) for used_key in ordered]
    if current not in (key for key, _ in first_uses):
        first_uses.append((current, None))
    for (key, since), (_, next_since) in pairwise([*first_uses, (current, None)]):
        yield ValidKey(key, since, next_since)
