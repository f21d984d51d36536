"""Stands in for the browser that ``contest login`` opens: chooses an account on the local cloud's sign-in page.

``python -m rehearsal.browser EMAIL ADDRESS``
"""

from __future__ import annotations

import re
import sys
from html import unescape

import httpx

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')
_PATIENCE_S = 60


def choose(email: str, address: str) -> None:
    """Open the page, send its first form with the account, and go where the pool sends one."""
    with httpx.Client(timeout=_PATIENCE_S) as browser:
        page = browser.get(address).raise_for_status()
        form = {unescape(name): unescape(value) for name, value in _HIDDEN.findall(page.text.partition("</form>")[0])}
        sent = browser.post(address.partition("?")[0], data={**form, "email": email})
        browser.get(sent.headers["location"]).raise_for_status()


if __name__ == "__main__":
    choose(*sys.argv[1:])
