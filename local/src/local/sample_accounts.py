"""The sample participant of a demonstration: an account that signs up and becomes the captain of a team."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

CAPTAIN = "participant@example.org"
ORGANIZER = "organizer@example.org"
_PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A sign-in at a local cloud, as OpenID Connect has it."""

    token_endpoint: str
    client_id: str
    access_token: str
    refresh_token: str


def token(url: str, email: str, pool: str) -> str:
    """An access token for somebody who signs in at a local cloud; participants sign up by it."""
    return sign_in(url, email, pool).access_token


def sign_in(url: str, email: str, pool: str) -> SignedIn:
    """Sign somebody in at a local cloud, whose page asks for no password; participants sign up by it."""
    with httpx.Client(timeout=_PATIENCE_S) as browser:
        said = _told(browser.get(f"{url}/v1/sign-in"))
        place = _told(browser.get(f"{said[pool]['issuer']}/.well-known/openid-configuration"))
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        who = {"client_id": said[pool]["client_id"], "redirect_uri": said["loopback_redirects"][0]}
        wanted = {
            **who,
            "response_type": "code",
            "scope": "openid",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        sent = browser.post(place["authorization_endpoint"], data={**wanted, "email": email})
        code = parse_qs(urlsplit(sent.headers["location"]).query)["code"][0]
        grant = {**who, "grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        told = _told(browser.post(place["token_endpoint"], data=grant))
    return SignedIn(place["token_endpoint"], who["client_id"], told["access_token"], told["refresh_token"])


def make_captain(url: str, team: str) -> None:
    """Invite the sample participant to a team, in the organizer's name, and accept in the participant's."""
    invited = ask(url, ORGANIZER, f"/v1/teams/{team}/invitations", {"note": "", "as_captain": True})
    accepted = {"code": invited["code"], "person_name": "Sample participant", "contact": CAPTAIN}
    ask(url, CAPTAIN, "/v1/invitations/accept", accepted, pool="participants")


def ask(url: str, email: str, path: str, body: Any, *, pool: str = "staff", method: str = "POST") -> Any:
    """What the interface answers to somebody who signs in for it."""
    headers = {"Authorization": f"Bearer {token(url, email, pool)}"}
    return _told(httpx.request(method, f"{url}{path}", headers=headers, json=body, timeout=_PATIENCE_S))


def _told(answer: httpx.Response) -> Any:
    return answer.raise_for_status().json()
