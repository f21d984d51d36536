"""Who comes past the distribution in front is told nothing: limits by address and token, and the cache, are there.

A gateway's own address is no secret; what the distribution says with every request is.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, Final

from contest import settings

FORBIDDEN: Final[Mapping[str, Any]] = {
    "statusCode": 403,
    "headers": {"content-type": "application/json"},
    "body": '{"message":"Forbidden"}',
}
"""In the gateway's own form: no program that uses the cycle's address ever reads it."""


def is_in_front(headers: Mapping[str, Any] | None) -> bool:
    """Whether a request came by the distribution; the gateways write headers' names in different ways."""
    said = [str(value) for name, value in (headers or {}).items() if name.lower() == settings.ORIGIN_HEADER]
    secret = settings.origin_secret().encode("utf-8")
    return len(said) == 1 and hmac.compare_digest(said[0].encode("utf-8", "surrogatepass"), secret)
