"""One way of writing JSON, so that equal values have equal bytes and hashes."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, no blanks, shortest round-trip numbers; :class:`ValueError` for NaN or infinity."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")


def sha256_hex(content: bytes) -> str:
    """SHA-256 of bytes, 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
