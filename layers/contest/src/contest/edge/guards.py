"""Guards at the edge: requests that bypass the distribution, the policy of browsers, failures that are logged.

Requests that bypass CloudFront are refused without details: limits by address and token, and the cache, are there. A
gateway's own address is no secret; a secret header of the distribution, sent with every request, is. By the policy a
browser loads the built parts of an interface page and nothing else, whatever the page holds.

The authorizer and the relay must start fast: the module imports little.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, Final

from contest import settings

FORBIDDEN: Final[Mapping[str, Any]] = {
    "statusCode": 403,
    "headers": {"content-type": "application/json"},
    "body": '{"message":"Forbidden"}',
}
"""In the gateway's own form: no program that uses the cycle's address ever reads it."""


def caller_address(headers: Mapping[str, Any] | None) -> str | None:
    """Return the address from which the distribution was asked; None for a request that did not come through it.

    The gateways write headers' names in different ways. CloudFront adds the address at the end of ``X-Forwarded-For``,
    behind whatever the caller has written there ("Request and response behavior for custom origins": client IP
    addresses), and the gateway adds CloudFront's.
    """
    secrets = [str(value) for name, value in (headers or {}).items() if name.lower() == settings.ORIGIN_HEADER]
    secret = settings.origin_secret().encode("utf-8")
    if len(secrets) != 1 or not hmac.compare_digest(secrets[0].encode("utf-8", "surrogatepass"), secret):
        return None
    forwarded = next((str(value) for name, value in (headers or {}).items() if name.lower() == _FORWARDED), "")
    hops = [hop.strip() for hop in forwarded.split(",")]
    return hops[-2] if len(hops) > 1 else ""


_FORWARDED: Final = "x-forwarded-for"
_NOTHING: Final = "default-src 'none'"
_CLOSED: Final = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ASKING: Final = "img-src 'self' data:; connect-src 'self'"
"""What a page with a script may fetch: the interface itself, and pictures that the script holds."""


@cache
def policy_of(page: str) -> str:
    """Return the Content-Security-Policy of a page of the platform: its own scripts and styles by their hashes.

    Scripts and styles are elements without attributes. O(length of the page), once a page and process.
    """
    parts = [_NOTHING]
    for kind in ("script", "style"):
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"
            for content in re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        ]
        if hashes:
            parts.append(f"{kind}-src {' '.join(hashes)}")
    if len(parts) > 1 and parts[1].startswith("script"):
        parts.append(_ASKING)
    return "; ".join([*parts, _CLOSED])


@contextmanager
def logged_failures(context: Any, **facts: Any) -> Iterator[None]:
    """Log a failure with the function's request id and these facts, then let Lambda have it.

    The log's library is loaded only then: it takes longer than all else that such a function does.
    """
    try:
        yield
    except Exception:
        logs = import_module("contest.edge.logs")
        with logs.about(context, **facts):
            logs.logger.exception("failed")
        raise
