"""Somebody with a browser: signs in on the local cloud's page as its form says."""

from __future__ import annotations

import re
from html import unescape

import httpx

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def sign_in(address: str, email: str) -> httpx.Response:
    """Open a sign-in's address, choose an account, and go where the pool sends one: its last answer."""
    with httpx.Client(timeout=30) as browser:
        page = browser.get(address)
        assert page.status_code == 200, page.text
        form = {unescape(name): unescape(value) for name, value in _HIDDEN.findall(page.text.partition("</form>")[0])}
        sent = browser.post(address.partition("?")[0], data={**form, "email": email})
        return browser.get(sent.headers["location"]) if sent.is_redirect else sent
