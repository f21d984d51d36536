"""Statements with the platform's signature: receipts, commitments, amendments, records."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from contest.domain.canonical import canonical
from contest.services.platform import Platform


def signed(platform: Platform, name: str, said: Mapping[str, Any]) -> bytes:
    """A statement under its name with the signature over its canonical bytes, as canonical JSON."""
    signature = base64.b64encode(platform.signer.sign(canonical(said))).decode("ascii")
    return canonical({name: said, "signature": signature})
