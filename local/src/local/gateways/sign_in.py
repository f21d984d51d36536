"""Sign-in of people on the local cloud: OpenID Connect's code flow with PKCE, as a Cognito user pool offers it.

Each pool has four endpoints: discovery with its keys, the page, the token endpoint, signing out. The page lists the
pool's accounts and asks for no password and no second factor, for everything here is on the loopback address alone. The
client's duties are checked as in the cloud: client, address to return to, and verifier. Tokens have Cognito's claims,
go by the local cloud's clock, and are signed by a key that is made at its first use.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from local.aws.identity import subject_of
from local.aws.template import POOL_CLIENT_TYPE, POOL_TYPE, SIGN_IN_PATH
from local.gateways.gateway import HttpRequest, HttpResponse, message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from joserfc.jwk import RSAKey

    from local.aws.emulator import Emulator
    from local.aws.template import Deployment
    from local.clock import Clock

SITE_CALLBACK_PATH = "/signin/callback"
"""Path at which the site receives the end of a sign-in; a pool has the site's address if the cycle has a domain."""
_CODE_LASTS_MS = 300_000
_MINUTES = {"minutes": 60, "hours": 3600, "days": 86400, "seconds": 1}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign in · {pool}</title><link rel="icon" href="data:,">
<style>body{{font:1rem/1.5 system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem}}button,input{{font:inherit;
padding:.4rem .8rem;margin:.2rem 0;width:100%;box-sizing:border-box;text-align:left}}</style>
<h1>Sign in to {pool}</h1><p>The local cloud asks for no password. · Локальное облако не спрашивает пароль.</p>
{accounts}{sign_up}</html>"""
_FORM = '<form method="post">{hidden}<button name="email" value="{email}">{name} · {email}</button></form>'
_SIGN_UP = (
    '<form method="post">{hidden}<label>Another address · Другой адрес <input name="email" type="email" required>'
    "</label><button>Sign up · Зарегистрироваться</button></form>"
)


@dataclass(frozen=True)
class Pool:
    """A pool of accounts with its one client."""

    pool_id: str
    name: str
    lets_sign_up: bool
    client_id: str
    redirects: tuple[str, ...]
    logouts: tuple[str, ...]
    access_s: int
    refresh_s: int


@dataclass(frozen=True)
class _Grant:
    """The person and client that tokens may be issued for."""

    pool: Pool
    subject: str
    expires_ms: int
    redirect: str = ""
    challenge: str = ""
    nonce: str = ""


class _RefusedError(Exception):
    """The request is refused; the argument is OAuth's error code."""


def pools_of(deployment: Deployment, url: str) -> tuple[Pool, ...]:
    """Return the template's pools of accounts, each with its client, which knows the site at `url`."""
    return tuple(_pool(deployment, pool.logical_id, url) for pool in deployment.template.of_type(POOL_TYPE))


def _pool(deployment: Deployment, logical_id: str, url: str) -> Pool:
    pool, pool_id = deployment.template.resources[logical_id], deployment.ref(logical_id)
    clients = deployment.template.of_type(POOL_CLIENT_TYPE)
    client = next(candidate for candidate in clients if candidate.properties["UserPoolId"] == {"Ref": logical_id})
    properties = client.properties
    units = properties.get("TokenValidityUnits", {})
    return Pool(
        pool_id=pool_id,
        name=str(pool.properties.get("UserPoolName", logical_id)),
        lets_sign_up=not pool.properties.get("AdminCreateUserConfig", {}).get("AllowAdminCreateUserOnly", False),
        client_id=deployment.ref(client.logical_id),
        redirects=(*properties["CallbackURLs"], f"{url}{SITE_CALLBACK_PATH}"),
        logouts=(*properties.get("LogoutURLs", ()), f"{url}/"),
        access_s=int(properties["AccessTokenValidity"]) * _MINUTES[units.get("AccessToken", "hours")],
        refresh_s=int(properties["RefreshTokenValidity"]) * _MINUTES[units.get("RefreshToken", "days")],
    )


class SignIn:
    """The sign-in of all pools of a template."""

    def __init__(self, pools: tuple[Pool, ...], emulator: Emulator, clock: Clock, url: str) -> None:
        self._pools = {pool.pool_id: pool for pool in pools}
        self._emulator = emulator
        self._clock = clock
        self._url = url
        self._codes: dict[str, _Grant] = {}
        self._refreshes: dict[str, _Grant] = {}

    async def answer(self, request: HttpRequest, path: str) -> HttpResponse:
        """Answer a request below :data:`SIGN_IN_PATH`; the key is made, and accounts are asked for, in a thread."""
        pool_id, _, place = path.removeprefix(SIGN_IN_PATH).partition("/")
        pool = self._pools.get(pool_id)
        calls = {
            ("GET", ".well-known/openid-configuration"): self._discovery,
            ("GET", ".well-known/jwks.json"): self._keys,
            ("GET", "oauth2/authorize"): self._page,
            ("POST", "oauth2/authorize"): self._signed_in,
            ("POST", "oauth2/token"): self._token,
            ("POST", "oauth2/revoke"): self._revoke,
            ("GET", "logout"): self._logout,
        }
        call = calls.get((request.method, place))
        if pool is None or call is None:
            return message(404, "Not Found")
        fields = dict(parse_qsl(request.body.decode("utf-8", "replace") if request.method == "POST" else request.query))
        try:
            return await asyncio.to_thread(call, pool, fields)
        except _RefusedError as error:
            return _json({"error": str(error)}, 400)

    def _discovery(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        del fields
        issuer = self._issuer(pool)
        return _json(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/oauth2/authorize",
                "token_endpoint": f"{issuer}/oauth2/token",
                "revocation_endpoint": f"{issuer}/oauth2/revoke",
                "end_session_endpoint": f"{issuer}/logout",
                "jwks_uri": f"{issuer}/.well-known/jwks.json",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
                "scopes_supported": ["openid"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    def _keys(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        del pool, fields
        return _json({"keys": [self._key.as_dict(private=False)]})

    def _page(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        self._check(pool, fields)
        hidden = "".join(
            f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in fields.items()
        )
        open_accounts = [account for account in self._accounts(pool) if account["is_open"]]
        forms = [
            _FORM.format(hidden=hidden, email=escape(account["email"]), name=escape(account["name"]))
            for account in open_accounts
        ]
        sign_up = _SIGN_UP.format(hidden=hidden) if pool.lets_sign_up else ""
        page = _PAGE.format(pool=escape(pool.name), accounts="".join(forms), sign_up=sign_up)
        headers = (("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"))
        return HttpResponse(200, headers, page.encode())

    def _signed_in(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        self._check(pool, fields)
        email = fields.get("email", "").strip().lower()
        accounts = {account["email"]: account for account in self._accounts(pool)}
        if email not in accounts and pool.lets_sign_up and "@" in email:
            call = {"UserPoolId": pool.pool_id, "Username": email}
            self._emulator.client("cognito-idp").admin_create_user(**call)
        elif email not in accounts or not accounts[email]["is_open"]:
            raise _RefusedError("access_denied")
        code = secrets.token_urlsafe(32)
        self._codes[code] = _Grant(
            pool=pool,
            subject=subject_of(pool.pool_id, email),
            expires_ms=self._clock.now_ms() + _CODE_LASTS_MS,
            redirect=fields["redirect_uri"],
            challenge=fields["code_challenge"],
            nonce=fields.get("nonce", ""),
        )
        returned = {"code": code, **({"state": fields["state"]} if "state" in fields else {})}
        return _redirect(f"{fields['redirect_uri']}?{urlencode(returned)}")

    def _token(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        if fields.get("client_id") != pool.client_id:
            raise _RefusedError("invalid_client")
        if fields.get("grant_type") == "authorization_code":
            grant = self._codes.pop(fields.get("code", ""), None)
            digest = hashlib.sha256(fields.get("code_verifier", "").encode()).digest()
            proven = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if grant is None or (grant.redirect, grant.challenge) != (fields.get("redirect_uri"), proven):
                raise _RefusedError("invalid_grant")
        elif fields.get("grant_type") == "refresh_token":
            grant = self._refreshes.get(fields.get("refresh_token", ""))
        else:
            raise _RefusedError("unsupported_grant_type")
        now = self._clock.now_ms()
        subjects = {
            subject_of(pool.pool_id, account["email"]) for account in self._accounts(pool) if account["is_open"]
        }
        if grant is None or grant.pool is not pool or grant.expires_ms <= now or grant.subject not in subjects:
            raise _RefusedError("invalid_grant")
        return _json(self._tokens(grant, now))

    def _tokens(self, grant: _Grant, now: int) -> dict[str, Any]:
        pool = grant.pool
        common = {
            "sub": grant.subject,
            "iss": self._issuer(pool),
            "iat": now // 1000,
            "exp": now // 1000 + pool.access_s,
            "jti": secrets.token_hex(16),
        }
        access = {**common, "token_use": "access", "client_id": pool.client_id, "scope": "openid"}
        identity = {
            **common,
            "token_use": "id",
            "aud": pool.client_id,
            **({"nonce": grant.nonce} if grant.nonce else {}),
        }
        refresh = {}
        if grant.challenge:  # of a sign-in; deployed pools keep the token, and give no other, until it ends
            token = secrets.token_urlsafe(32)
            self._refreshes[token] = _Grant(pool, grant.subject, now + pool.refresh_s * 1000)
            refresh["refresh_token"] = token
        return {
            "access_token": self._signed(access),
            "id_token": self._signed(identity),
            **refresh,
            "token_type": "Bearer",
            "expires_in": pool.access_s,
        }

    def _revoke(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        del pool
        self._refreshes.pop(fields.get("token", ""), None)
        return HttpResponse(200, (), b"")

    def _logout(self, pool: Pool, fields: Mapping[str, str]) -> HttpResponse:
        if fields.get("client_id") != pool.client_id or fields.get("logout_uri") not in pool.logouts:
            raise _RefusedError("invalid_request")
        return _redirect(fields["logout_uri"])

    def _check(self, pool: Pool, fields: Mapping[str, str]) -> None:
        """Refuse the requests that a pool in the cloud would: nobody is sent to an address that is not registered."""
        if fields.get("client_id") != pool.client_id or fields.get("redirect_uri") not in pool.redirects:
            raise _RefusedError("redirect_mismatch")
        if fields.get("response_type") != "code" or "openid" not in fields.get("scope", "").split():
            raise _RefusedError("invalid_request")
        if fields.get("code_challenge_method") != "S256" or not fields.get("code_challenge"):
            raise _RefusedError("invalid_request")

    def _accounts(self, pool: Pool) -> list[dict[str, Any]]:
        return list(self._emulator.call("accounts").get(pool.pool_id, []))

    def _issuer(self, pool: Pool) -> str:
        return f"{self._url}{SIGN_IN_PATH}{pool.pool_id}"

    @cached_property
    def _key(self) -> RSAKey:
        from joserfc.jwk import RSAKey

        return RSAKey.generate_key(2048, {"kid": secrets.token_hex(8), "use": "sig", "alg": "RS256"})

    def _signed(self, claims: Mapping[str, Any]) -> str:
        from joserfc import jws

        return jws.serialize_compact({"alg": "RS256", "kid": self._key.kid}, json.dumps(claims).encode(), self._key)


def _json(body: Mapping[str, Any], status: int = 200) -> HttpResponse:
    headers = (("content-type", "application/json"), ("cache-control", "no-store"))
    return HttpResponse(status, headers, json.dumps(body).encode())


def _redirect(address: str) -> HttpResponse:
    return HttpResponse(302, (("location", address), ("cache-control", "no-store")), b"")
