"""People of a cycle: each signs in by themselves, types commands in a home of their own, and works in a browser."""

from __future__ import annotations

import base64
import hashlib
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from local.cloud import LocalCloud
from local.environment import base_environment
from local.organizing import COMMAND, OrganizerError, run
from local.rehearsal.moments import MINUTE, SECOND, Millis
from local.whole_cycle.telling import show
from markup_core.speaking import OPTION, language

Json = Any
STAFF, PARTICIPANTS = "staff", "participants"
_VERIFIER: Final = "v" * 48
_PATIENCE_S: Final = 60
_RENEWED_BEFORE: Final[Millis] = MINUTE
"""So long before its end a browser gets another token."""
_LOGIN_LASTS: Final[Millis] = 11 * 60 * MINUTE
"""Shorter than it lasts, in the cycle's time, which flies."""


class RequestRefusedError(Exception):
    """The platform refused a request of somebody who should have been allowed; the text is what it said."""


@dataclass
class Person:
    """Somebody with an account in a pool, a terminal and a browser; ``home`` is where their commands keep things."""

    name: str
    pool: str
    cloud: LocalCloud
    home: Path
    _token: str = ""
    _token_ends_at: Millis = 0
    _logged_in_at: Millis = 0

    @property
    def email(self) -> str:
        """The address of their account."""
        return f"{self.name}@example.org"

    def login(self) -> None:
        """Type ``contest login`` and choose the account in the browser that it opens."""
        words = ("login", self.cloud.url, *(["--participant"] if self.pool == PARTICIPANTS else []))
        self._logged_in_at = self.cloud.clock.now_ms()
        self.contest(*words)

    def contest(self, *words: str, may_fail: bool = False) -> str:
        """Type ``contest WORDS``, as everybody sees; what it printed. OrganizerError when it fails, unless it may."""
        if self.cloud.clock.now_ms() - self._logged_in_at > _LOGIN_LASTS:
            self.login()
        show(f"{self.name}$ contest {shlex.join(words)}")
        browser = f"{sys.executable} -m local.whole_cycle.browser {self.email} %s"
        environment = {**base_environment(), "HURDLE_HOME": str(self.home), "BROWSER": browser, "COLUMNS": "120"}
        try:
            return run(COMMAND, environment, OPTION, language(), *words).strip()
        except OrganizerError as error:
            if may_fail:
                return str(error)
            raise

    def ask(self, route: str, body: Json = None, headers: Mapping[str, str] | None = None) -> Json:
        """What a route answers to this person's browser: ``POST /v1/team/tokens``. RequestRefusedError unless done."""
        method, path = route.split()
        sent = {"Authorization": f"Bearer {self._fresh_token()}", **(headers or {})}
        answered = httpx.request(method, f"{self.cloud.url}{path}", headers=sent, json=body, timeout=_PATIENCE_S)
        if not answered.is_success:
            raise RequestRefusedError(f"{self.name}: {route}: HTTP {answered.status_code}: {answered.text}")
        return answered.json()

    def _fresh_token(self) -> str:
        now = self.cloud.clock.now_ms()
        if now > self._token_ends_at - _RENEWED_BEFORE:
            self._token, lasts = _token(self.cloud.url, self.email, self.pool)
            self._token_ends_at = now + lasts
        return self._token


def _token(url: str, email: str, pool: str) -> tuple[str, Millis]:
    """Sign in as the site does, with code flow and PKCE, on the local cloud's page; an access token, and for how
    long it is one."""
    said = httpx.get(f"{url}/v1/sign-in", timeout=_PATIENCE_S).json()
    place = httpx.get(f"{said[pool]['issuer']}/.well-known/openid-configuration", timeout=_PATIENCE_S).json()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(_VERIFIER.encode()).digest()).rstrip(b"=").decode()
    client, redirect = said[pool]["client_id"], said["loopback_redirects"][0]
    wanted = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": redirect,
        "scope": "openid",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "email": email,
    }
    sent = httpx.post(place["authorization_endpoint"], data=wanted, timeout=_PATIENCE_S)
    [code] = parse_qs(urlsplit(sent.headers["location"]).query)["code"]
    grant = {"grant_type": "authorization_code", "code": code, "code_verifier": _VERIFIER}
    told = {"client_id": client, "redirect_uri": redirect}
    given = httpx.post(place["token_endpoint"], data={**grant, **told}, timeout=_PATIENCE_S).json()
    return str(given["access_token"]), int(given["expires_in"]) * SECOND
