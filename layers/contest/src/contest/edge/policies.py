"""What a browser may do with a page that is shipped with the code: its own scripts and styles, and no others."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import Final

_INLINE: Final = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@cache
def policy_of(page: str) -> str:
    """The Content-Security-Policy of a page whose scripts and styles stand in it.

    Each is allowed by its hash; requests go to this host, pictures are the page's own. Styles of one element, which
    the document's library sets, cannot be named by a hash and are allowed; they load nothing.
    """
    allowed: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
        allowed[kind].append(f"'sha256-{digest}'")
    scripts, styles = (" ".join(allowed[kind]) or "'none'" for kind in allowed)
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; style-src-attr 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
