"""Entity tags (RFC 9110 §8.8, §13.1.2): who has the present answer already is told so in place of the answer.

A tag is made of the answer's body, which is made in full first: it costs a hash and not one call to the storage more,
and it cannot be older than what it stands for.

**Decision**: ``server_time`` is left out of the hash, or no answer would ever equal the one before. Such an answer's
bytes differ from one request to the next under one tag, so the tag is a weak one (``W/``), as the standard asks; bodies
without a time of their own (reports, scores, keys, the classifier, the document) have strong ones. ``If-None-Match``
compares both in the same way. Who is told 304 has the time from the answer's ``Date``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

_TIME: Final = re.compile(r'"server_time":"[^"]*"')
"""Nowhere inside a JSON string: its quotation marks would be escaped."""
_TAG: Final = re.compile(r'(?:W/)?"([^"]*)"')
_LENGTH: Final = 32
"""Hexadecimal digits of a tag."""
PRIVATE: Final = "private, no-cache"
"""Kept by who asked alone, and asked for again each time."""


def tag_of(body: str, *, shipped: bool = False) -> str:
    """Return the entity tag of an answer's body; a text shipped with the code has times in examples alone. O(body)."""
    timeless, times = (body, 0) if shipped else _TIME.subn('"server_time":""', body)
    digest = hashlib.sha256(timeless.encode("utf-8")).hexdigest()[:_LENGTH]
    return f'W/"{digest}"' if times else f'"{digest}"'


def matches(asked: str, tag: str) -> bool:
    """Whether ``If-None-Match`` names the tag, compared weakly; ``*`` names any."""
    (opaque,) = _TAG.findall(tag)
    return asked.strip() == "*" or opaque in _TAG.findall(asked)


def conditional(answered: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """A successful answer with its tag; without its body where the request says that this is known.

    The content's type stays: a gateway would put its own in the place of none, and caches would believe it.
    """
    tag = tag_of(str(answered["body"]), shipped="Vary" in answered["headers"])
    told = {**answered["headers"], "ETag": tag, "Cache-Control": PRIVATE}
    asked = next((value for name, value in headers.items() if name.lower() == "if-none-match"), "")
    if not matches(asked, tag):
        return {**answered, "headers": told}
    return {**answered, "statusCode": int(HTTPStatus.NOT_MODIFIED), "headers": told, "body": ""}
