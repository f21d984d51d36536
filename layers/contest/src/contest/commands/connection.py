"""Targets of a command: the chosen deployment, sign-ins to platforms, requests in a signed-in user's name.

A command works directly on one of three deployments: the one that the environment names, a local cloud that runs on
this machine (``contest --local``), or a deployed cycle (``contest --cycle NAME`` before anybody could sign in there). A
local cloud leaves the needed variables in a file of the command's own folder; a deployed cycle has them in a parameter
of AWS Systems Manager.

``contest login`` is OpenID Connect's code flow with PKCE (RFC 7636), ended on a loopback address (RFC 8252). One
refresh token is stored for each cycle, in a file that only its owner can read.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import click

from contest import routes, settings
from contest.adapters.system import SystemClock
from contest.commands.shell import complaint, in_language, reason_of
from contest.routes import Route
from contest.texts import say
from contest.values import SECOND
from markup_core.lazy import dataclass
from markup_core.texts import localized

if TYPE_CHECKING:
    import httpx

    from contest.wiring import Wiring


PATIENCE_S: Final = 300
"""Longest sign-in, in seconds."""
LOCAL: Final = "--local"
"""Choice of a local cloud, whose sign-in is stored under this and its address; no cycle can have such a name."""
TIMEOUT: Final = (5.0, 30.0, 30.0, 30.0)
"""Seconds to connect, to read, to write, to get a free connection."""
_EARLY_S: Final = 60
"""Seconds before its expiry at which an access token is renewed."""
_DONE_PAGE: Final = (
    "<!doctype html><meta charset=utf-8><title>Hurdle</title><p>Signed in; close this window. · "
    "Вход выполнен; это окно можно закрыть."
)
_FAILED_PAGE: Final = (
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
    """Expiry of the access token, in seconds since the epoch by this machine's clock."""


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


def fresh_login(login: Login) -> Login:
    """Return the login with an access token that lasts another minute at least."""
    return login if login.expires_at - _now_s() > _EARLY_S else renew_login(login)


def renew_login(login: Login) -> Login:
    """Return the login with new tokens.

    :class:`SignInError` where the sign-in is over, or the account was closed.
    """
    return _granted(login, {"grant_type": "refresh_token", "refresh_token": login.refresh_token})


def save_login(cycle: str, login: Login, *, latest: bool = True) -> Path:
    """Store a login under its cycle's name; ``latest`` makes it the default where no cycle is named."""
    stored = _stored_logins()
    stored["logins"] = {**stored.get("logins", {}), cycle: asdict(login)}
    return write_privately(_logins_file(), {**stored, "latest": cycle} if latest else stored)


def load_login(cycle: str | None) -> tuple[str, Login] | None:
    """Return the login of a cycle or of the local cloud, or the latest one, with the name that it is stored under."""
    stored = _stored_logins()
    name = f"{LOCAL} {_latest_local()['url']}" if cycle == LOCAL else cycle or stored.get("latest")
    login = stored.get("logins", {}).get(name)
    return None if login is None else (str(name), Login(**login))


def forget_login(cycle: str) -> None:
    """Delete a stored login."""
    stored = _stored_logins()
    stored.get("logins", {}).pop(cycle, None)
    others = [name for name in stored.get("logins", {}) if not name.startswith(LOCAL)]
    write_privately(
        _logins_file(),
        {**stored, "latest": stored["latest"] if stored.get("latest") in others else next(iter(others), None)},
    )


def _granted(login: Login, grant: Mapping[str, str]) -> Login:
    """Return a login with the tokens that the pool gives for a grant."""
    import httpx

    try:
        answered = httpx.post(login.token_endpoint, data={**grant, "client_id": login.client_id}, timeout=TIMEOUT)
    except httpx.HTTPError as error:
        place = login.token_endpoint
        raise SignInError(say("{place} cannot be reached: {error}", place=place, error=reason_of(error))) from None
    if answered.status_code != httpx.codes.OK:
        raise SignInError(say("the sign-in is over or was ended: contest login again"))
    tokens = answered.json()
    return replace(
        login,
        access_token=tokens["access_token"],
        expires_at=_now_s() + tokens["expires_in"],
        # A pool without rotation returns no new refresh token: the old one stays.
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
            say("{whose} does not answer as a platform does: {error}", whose=whose, error=reason_of(error))
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
                self.wfile.write((_DONE_PAGE if "code" in returned else _FAILED_PAGE).encode())
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


def _logins_file() -> Path:
    return settings.command_home() / "contest.json"


def _stored_logins() -> dict[str, Any]:
    try:
        content = json.loads(_logins_file().read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SignInError(
            say("{file} cannot be read: {error}; remove it and log in again", file=_logins_file(), error=error)
        ) from None
    return content if isinstance(content, dict) else {}


def write_privately(place: Path, content: Mapping[str, Any]) -> Path:
    """Replace a file of JSON atomically; its owner alone can read it at any moment."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.stem}.")  # made with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file)
    Path(name).replace(place)
    return place


def no_local_cloud() -> click.ClickException:
    """Return the message for ``--local`` without a local cloud."""
    return complaint("no local cloud runs on this machine: make up, or hurdle up --cycle FOLDER")


def named_cycle() -> str | None:
    """Return the cycle that the command names, :data:`LOCAL` for the local cloud; None where it names none."""
    name = click.get_current_context().find_root().obj
    return None if name is None else str(name)


def is_direct() -> bool:
    """Return whether commands work on the deployment itself.

    They do if the environment names it, or nobody has signed in to the named cycle.
    """
    return settings.is_deployment_named() or (named_cycle() not in {None, LOCAL} and load_login(named_cycle()) is None)


def take_on() -> None:
    """Set the chosen deployment in this process's environment; :class:`click.ClickException` without one."""
    name = named_cycle()
    if settings.is_deployment_named() or name is None:
        return
    if name == LOCAL:
        settings.take_on(_latest_local()["environment"])
        return
    from contest.operations.store import DeployedParameters
    from contest.ports import NoDeploymentError

    try:
        settings.take_on(DeployedParameters().variables(settings.command_parameter(name)))
    except NoDeploymentError as error:
        raise click.ClickException(localized(error.message)) from None


def keep_local(url: str, token_endpoint: str, client_id: str, refresh_token: str) -> None:
    """Store this process's variables of a local cloud, and a sign-in there, for ``contest --local``."""
    others = [cloud for cloud in _running_locals() if cloud["url"] != url]
    own_variables = settings.deployment_variables()
    write_privately(_local_file(), {"clouds": [*others, {"url": url, "environment": own_variables}]})
    save_login(f"{LOCAL} {url}", Login(url, token_endpoint, client_id, refresh_token), latest=False)


def forget_local(url: str) -> None:
    """Remove a local cloud's variables and its sign-in again."""
    others = [cloud for cloud in _stored_locals() if cloud["url"] != url]
    if others:
        write_privately(_local_file(), {"clouds": others})
    else:
        _local_file().unlink(missing_ok=True)
    forget_login(f"{LOCAL} {url}")


def _latest_local() -> Any:
    """Return the local cloud that was started last, once found for a command; with several, say which one it is."""
    chosen = click.get_current_context().find_root().meta
    if LOCAL not in chosen:
        clouds = _running_locals()
        if not clouds:
            raise no_local_cloud()
        chosen[LOCAL] = clouds[-1]
        if len(clouds) > 1:
            *others, latest = (f"{cloud['url']} ({cloud['environment'].get(settings.CYCLE)})" for cloud in clouds)
            sentence = say(
                "{count} local clouds run on this machine; this command works on the one started last, {latest}. "
                "For another one, {others}: contest login ADDRESS, then the command without --local",
                count=len(clouds),
                latest=latest,
                others=", ".join(others),
            )
            click.echo(sentence, err=True)
    return chosen[LOCAL]


def _running_locals() -> list[Any]:
    """Return the local clouds that answer, in the order of their start; one that was killed is still stored."""
    import httpx

    def answers(url: str) -> bool:
        try:
            return httpx.get(f"{url}{routes.SIGN_IN.path}", timeout=TIMEOUT).is_success
        except httpx.HTTPError:
            return False

    return [cloud for cloud in _stored_locals() if answers(cloud["url"])]


def _stored_locals() -> list[Any]:
    try:
        return list(json.loads(_local_file().read_bytes())["clouds"])
    except (OSError, ValueError, LookupError, TypeError):
        return []


def _local_file() -> Path:
    return settings.command_home() / "local.json"


def chosen_deployment() -> Wiring:
    """Return the chosen deployment: of the environment, of ``--local``, or of ``--cycle``."""
    from contest.wiring import platform

    take_on()
    try:
        settings.read(needed=settings.OF_COMMAND)
        return platform()
    except settings.SettingsError as error:
        raise complaint(
            "no deployment is named (contest --cycle NAME names one); missing environment variables: {names}",
            names=error.names,
        ) from None


_TAKEN: Final = (200, 201, 202, 307)
_NOT_BELIEVED: Final = (401, 403)
_PUT_OFF_AT_MOST: Final = 3
_UPLOAD_TRIES: Final = 3
_SENDING: Final = (10.0, 120.0, 120.0, 120.0)


class NotDoneError(click.ClickException):
    """Carry a refusal of the platform; ``refused`` is its body, empty where that cannot be read."""

    def __init__(self, answered: httpx.Response) -> None:
        super().__init__(_in_words(answered))
        try:
            self.refused = dict(answered.json()["error"])
        except (ValueError, KeyError, TypeError):
            self.refused = {}


class Desk:
    """Connection to a platform in the name of its caller."""

    def __init__(self, cycle: str, login: Login) -> None:
        self._cycle = cycle
        self._login = login

    def get(self, route: Route, query: Mapping[str, str | None] | None = None, **names: str) -> Any:
        """Return a route's answer, its path with these names in it."""
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        return self._request(route, names, params=parameters).json()

    def pages(
        self, route: Route, name: str, query: Mapping[str, str | None] | None = None, cursor: str = "next"
    ) -> Any:
        """Yield the entries of a list, page by page; each page says under ``cursor`` where the next one begins."""
        after: str | None = None
        while True:
            page = self.get(route, {**(query or {}), "limit": "100", "after": after})
            yield from page[name]
            after = page[cursor]
            if after is None:
                return

    def post(self, route: Route, body: Mapping[str, Any] | None = None, **names: str) -> Any:
        """Post a JSON body and return the answer; parts that are None are left out."""
        fields = {name: value for name, value in (body or {}).items() if value is not None}
        return self._request(route, names, json=fields).json()

    def put(self, route: Route, body: Mapping[str, Any], **names: str) -> Any:
        """Put a JSON body and return the answer."""
        return self._request(route, names, json=dict(body)).json()

    def content(self, route: Route, query: Mapping[str, str | None] | None = None, **names: str) -> bytes:
        """Return a file: the bytes of a route's answer, unpacked."""
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        return self._request(route, names, params=parameters).content

    def published(self, route: Route, **names: str) -> bytes:
        """Return the public object behind a route's redirect, unpacked; the request to it carries no identity."""
        import httpx

        answered = self._request(route, names, follow_redirects=False)
        if not answered.has_redirect_location:
            return answered.content
        place = answered.headers["Location"]
        try:
            return httpx.get(f"{self._login.url}{place}", timeout=TIMEOUT).raise_for_status().content
        except httpx.HTTPError as error:
            raise click.ClickException(f"{self._login.url}{place}: {error}") from None

    def digest(self, path: str, tell: Callable[[int], None]) -> str | None:
        """Return the SHA-256 of the public object at a path of the platform's own address; None without one.

        ``tell`` is called with the number of received bytes.
        """
        import httpx

        digest = hashlib.sha256()
        try:
            with httpx.stream("GET", f"{self._login.url}{path}", timeout=TIMEOUT) as answered:
                if not answered.is_success:
                    return None
                for part in answered.iter_bytes():
                    digest.update(part)
                    tell(len(part))
        except httpx.HTTPError as error:
            raise click.ClickException(f"{self._login.url}{path}: {error}") from None
        return digest.hexdigest()

    def text(self, route: Route, query: Mapping[str, str | None] | None = None) -> str:
        """Return a table."""
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        return self._request(route, {}, params=parameters).text

    def post_bytes(self, route: Route, content: bytes, query: Mapping[str, str] | None = None, **names: str) -> Any:
        """Post a body that is no JSON and return the answer."""
        return self._request(route, names, content=content, params=dict(query or {})).json()

    def put_there(self, route: Route, content: bytes, **names: str) -> None:
        """Upload the bytes to the address of a route, a new one for each try; the request carries no identity.

        :class:`click.ClickException` when they cannot be uploaded.
        """
        import httpx

        refusal = ""
        for _ in range(_UPLOAD_TRIES):
            place = self.get(route, None, **names)["address"]
            try:
                answered = httpx.put(f"{self._login.url}{place}", content=content, timeout=_SENDING)
            except httpx.HTTPError as error:
                refusal = say("the connection broke off ({error})", error=error)
                continue
            if answered.is_success:
                return
            over = say("the address is over or of something else")
            refusal = over if answered.status_code == HTTPStatus.FORBIDDEN else f"HTTP {answered.status_code}"
        raise complaint(
            "{url}: {content} bytes were not taken: {refusal}; try again",
            url=self._login.url,
            content=len(content),
            refusal=refusal,
        )

    def _request(self, route: Route, names: Mapping[str, str], **more: Any) -> httpx.Response:
        for name in names.values():
            if name in {"", ".", ".."} or "/" in name:
                raise complaint('"{name}" is no id or name of anything on the platform', name=name)
        method, path = route.method, route.path.format(**{name: quote(value, "") for name, value in names.items()})
        self._keep(fresh_login(self._login))
        answered = self._patiently(method, path, **more)
        if answered.status_code in _NOT_BELIEVED and "error" not in answered.text:
            # The gateway refuses the token; a refusal of the platform gives a reason.
            # This machine's clock may differ from the platform's: the token may have expired all the same.
            self._keep(renew_login(self._login))
            answered = self._patiently(method, path, **more)
        if answered.status_code not in _TAKEN:
            raise NotDoneError(answered)
        return answered

    def _keep(self, login: Login) -> None:
        if login is not self._login:
            save_login(self._cycle, login, latest=False)
            self._login = login

    def _patiently(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Return the answer to a request, repeated as long as the platform asks for a little time."""
        for _ in range(_PUT_OFF_AT_MOST):
            answered = self._asked(method, path, **more)
            if answered.status_code != HTTPStatus.TOO_MANY_REQUESTS:
                break
            time.sleep(float(answered.headers.get("Retry-After", 1)))
        return answered

    def _asked(self, method: str, path: str, **more: Any) -> httpx.Response:
        import httpx

        headers = {"Authorization": f"Bearer {self._login.access_token}"}
        try:
            return httpx.request(method, f"{self._login.url}{path}", headers=headers, timeout=TIMEOUT, **more)
        except httpx.HTTPError as error:
            url = self._login.url
            raise complaint("{url} cannot be reached: {error}", url=url, error=reason_of(error)) from None


def _in_words(answered: httpx.Response) -> str:
    """Write a refusal in words: the sentence, then every detail with its place."""
    try:
        error = answered.json()["error"]
    except (ValueError, KeyError, TypeError):
        again = say("contest login again, or ask an organizer for a role")
        hint = f": {again}" if answered.status_code in _NOT_BELIEVED else ""
        return f"HTTP {answered.status_code}{hint}"
    details = []
    for detail in error["details"]:
        place = say("line {number}", number=detail["line"]) if detail.get("line") else detail.get("field", "")
        details.append(f"  {place}: {in_language(detail)}" if place else f"  {in_language(detail)}")
    request = say("request")
    return "\n".join([f"{error['code']}: {in_language(error)} ({request} {error['request_id']})", *details])
