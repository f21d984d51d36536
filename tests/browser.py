"""Person with a browser who signs in on the local cloud's page as its form says."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def token(url: str, email: str, pool: str) -> str:
    """Return an access token of a person who signs in at a local cloud; participants sign up by it."""
    said = httpx.get(f"{url}/v1/sign-in", timeout=30).json()
    place = httpx.get(f"{said[pool]['issuer']}/.well-known/openid-configuration", timeout=30).json()
    verifier = "v" * 48
    digest = hashlib.sha256(verifier.encode()).digest()
    wanted = {
        "response_type": "code",
        "client_id": said[pool]["client_id"],
        "redirect_uri": said["loopback_redirects"][0],
        "scope": "openid",
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    sent = httpx.post(place["authorization_endpoint"], data={**wanted, "email": email}, timeout=30)
    code = parse_qs(urlsplit(sent.headers["location"]).query)["code"][0]
    grant = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
    told = {name: wanted[name] for name in ("client_id", "redirect_uri")}
    given = httpx.post(place["token_endpoint"], data={**grant, **told}, timeout=30)
    return str(given.json()["access_token"])


def sign_in(address: str, email: str) -> httpx.Response:
    """Open a sign-in's address, choose an account, and go where the pool sends one: its last answer."""
    with httpx.Client(timeout=30) as browser:
        page = browser.get(address)
        assert page.status_code == 200, page.text
        form = {unescape(name): unescape(value) for name, value in _HIDDEN.findall(page.text.partition("</form>")[0])}
        sent = browser.post(address.partition("?")[0], data={**form, "email": email})
        return browser.get(sent.headers["location"]) if sent.is_redirect else sent
