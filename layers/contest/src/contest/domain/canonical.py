"""One way of writing JSON, so that equal values have equal bytes and hashes: the scoring library's own."""

from __future__ import annotations

from markup_core.receipt import canonical_bytes as canonical
from markup_core.receipt import sha256_hex

__all__ = ["canonical", "sha256_hex"]
