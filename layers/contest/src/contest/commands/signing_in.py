"""``contest login``: OpenID Connect's code flow with PKCE (RFC 7636), ended on a loopback address (RFC 8252).

One refresh token is stored for each cycle, in a file that only its owner can read.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import click

from contest import routes, settings
from contest.adapters.system import SystemClock
from contest.texts import say
from contest.values import SECOND
from markup_core.lazy import dataclass

PATIENCE_S: Final = 300
"""How long somebody may take to sign in."""
LOCAL: Final = "--local"
"""Under what the sign-in at a local cloud is kept: no cycle can be called so."""
TIMEOUT: Final = (5.0, 30.0, 30.0, 30.0)
"""Seconds to connect, to read, to write, to get a free connection."""
_EARLY_S: Final = 60
"""How long before its end an access token is renewed."""
_DONE: Final = (
    "<!doctype html><meta charset=utf-8><title>Hurdle</title><p>Signed in; close this window. · "
    "Вход выполнен; это окно можно закрыть."
)
_FAILED: Final = (
    "<!doctype html><meta charset=utf-8><title>Hurdle</title><p>Not signed in; the command says why. · "
    "Вход не выполнен; причина — в терминале."
)


@dataclass(frozen=True, slots=True)
class Login:
    """A sign-in to a cycle's platform."""

    url: str
    token_endpoint: str
    client_id: str
    refresh_token: str
    access_token: str = ""
    expires_at: float = 0.0
    """Of the access token, in seconds since the epoch by this machine's clock."""


class SignInError(click.ClickException):
    """Nobody is signed in; the message states the reason and the remedy."""


def sign_in(url: str, pool: str, show: Callable[[str], None]) -> Login:
    """Sign in at a platform's pool (``staff`` or ``participants``) in a browser, whose address ``show`` is given."""
    pools = _get(f"{url}{routes.SIGN_IN.path}", url)
    client = pools[pool]
    endpoints = _get(f"{client['issuer']}/.well-known/openid-configuration", client["issuer"])
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
    digest = hashlib.sha256(verifier.encode()).digest()
    with _listening(pools["loopback_redirects"]) as (server, redirect):
        query = {
            "response_type": "code",
            "client_id": client["client_id"],
            "redirect_uri": redirect,
            "scope": "openid",
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        show(f"{endpoints['authorization_endpoint']}?{urlencode(query)}")
        returned = server.wait(PATIENCE_S)
    if returned.get("state") != state or "code" not in returned:
        why = returned.get("error", say("no answer within five minutes"))
        raise SignInError(say("the sign-in was not finished: {why}", why=why))
    grant = {"grant_type": "authorization_code", "code": returned["code"], "redirect_uri": redirect}
    begun = Login(url, endpoints["token_endpoint"], client["client_id"], "")
    return _granted(begun, {**grant, "code_verifier": verifier})


def cycle_of(url: str) -> str:
    """Return the name of a platform's cycle; its host's where none is loaded yet."""
    import httpx

    try:
        return str(httpx.get(f"{url}{routes.CYCLE.path}", timeout=TIMEOUT).json()["cycle"])
    except (httpx.HTTPError, ValueError, KeyError):
        return urlsplit(url).netloc


def fresh(login: Login) -> Login:
    """Return the login with an access token that lasts another minute at least."""
    return login if login.expires_at - _now_s() > _EARLY_S else renewed(login)


def renewed(login: Login) -> Login:
    """Return the login with new tokens.

    :class:`SignInError` where the sign-in is over, or the account was closed.
    """
    return _granted(login, {"grant_type": "refresh_token", "refresh_token": login.refresh_token})


def save(cycle: str, login: Login, *, latest: bool = True) -> Path:
    """Keep a login under its cycle's name, and as ``latest`` the one that is meant where none is named."""
    stored = _stored()
    stored["logins"] = {**stored.get("logins", {}), cycle: asdict(login)}
    return write(_file(), {**stored, "latest": cycle} if latest else stored)


def load(cycle: str | None) -> tuple[str, Login] | None:
    """Return the login of a cycle, or the latest one, with its cycle's name."""
    stored = _stored()
    name = cycle or stored.get("latest")
    login = stored.get("logins", {}).get(name)
    return None if login is None else (str(name), Login(**login))


def forget(cycle: str) -> None:
    """Forget a login."""
    stored = _stored()
    stored.get("logins", {}).pop(cycle, None)
    others = [name for name in stored.get("logins", {}) if name != LOCAL]
    write(
        _file(), {**stored, "latest": stored["latest"] if stored.get("latest") in others else next(iter(others), None)}
    )


def _granted(login: Login, grant: Mapping[str, str]) -> Login:
    """Return a login with the tokens that the pool gives for a grant."""
    import httpx

    try:
        answered = httpx.post(login.token_endpoint, data={**grant, "client_id": login.client_id}, timeout=TIMEOUT)
    except httpx.HTTPError as error:
        place = login.token_endpoint
        raise SignInError(say("{place} cannot be reached: {error}", place=place, error=error)) from None
    if answered.status_code != httpx.codes.OK:
        raise SignInError(say("the sign-in is over or was ended: contest login again"))
    tokens = answered.json()
    return replace(
        login,
        access_token=tokens["access_token"],
        expires_at=_now_s() + tokens["expires_in"],
        # A pool that does not rotate says no new one: the old one stays.
        refresh_token=tokens.get("refresh_token", login.refresh_token),
    )


def _now_s() -> float:
    return SystemClock().now() / SECOND


def _get(address: str, whose: str) -> Any:
    import httpx

    try:
        return httpx.get(address, timeout=TIMEOUT).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise SignInError(
            say("{whose} does not answer as a platform does: {error}", whose=whose, error=error)
        ) from None


class _listening:  # noqa: N801 -- used as a function
    """Return a server at the first registered loopback address that is free on this machine."""

    def __init__(self, redirects: list[str]) -> None:
        self._redirects = redirects

    def __enter__(self) -> tuple[_Server, str]:
        for redirect in self._redirects:
            try:
                self._server = _Server(urlsplit(redirect).port or 0, urlsplit(redirect).path)
            except OSError:
                continue
            return self._server, redirect
        ports = ", ".join(str(urlsplit(redirect).port) for redirect in self._redirects)
        raise SignInError(
            say("the ports {ports} of this machine are taken: free one of them, the pool knows no others", ports=ports)
        )

    def __exit__(self, *_: object) -> None:
        self._server.close()


class _Server:
    """Server that waits for the browser to come back."""

    def __init__(self, port: int, path: str) -> None:
        from http.server import BaseHTTPRequestHandler, HTTPServer

        returned: dict[str, str] = {}
        came = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                address = urlsplit(self.path)
                if address.path != path:
                    self.send_error(404)
                    return
                returned.update(parse_qsl(address.query))
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write((_DONE if "code" in returned else _FAILED).encode())
                came.set()

            def log_message(self, *_: Any) -> None:
                """Write no log: the requested address has the code in it."""

        self._returned = returned
        self._came = came
        self._server = HTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> dict[str, str]:
        """Return the browser's parameters; an empty mapping if no browser came."""
        self._came.wait(seconds)
        return dict(self._returned)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _file() -> Path:
    return settings.command_home() / "contest.json"


def _stored() -> dict[str, Any]:
    try:
        content = json.loads(_file().read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SignInError(
            say("{file} cannot be read: {error}; remove it and log in again", file=_file(), error=error)
        ) from None
    return content if isinstance(content, dict) else {}


def write(place: Path, content: Mapping[str, Any]) -> Path:
    """Replace a file of JSON atomically; its owner alone can read it at any moment."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem}.")  # made with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file)
    Path(name).replace(place)
    return place
