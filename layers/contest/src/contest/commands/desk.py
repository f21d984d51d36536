"""HTTP client of the command: requests to the platform in the name of a signed-in user."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import click

from contest.commands import signing_in
from contest.commands.signing_in import TIMEOUT, Login
from contest.commands.words import complaint, in_language
from contest.routes import Route
from contest.texts import say

if TYPE_CHECKING:  # loaded with the first request
    import httpx

_DONE: Final = (200, 201, 202, 307)
_NOT_BELIEVED: Final = (401, 403)
_PUT_OFF_AT_MOST: Final = 3
_TRIES: Final = 3
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

        ``tell`` hears how many bytes have come.
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

        :class:`click.ClickException` when they cannot be brought.
        """
        import httpx

        refusal = ""
        for _ in range(_TRIES):
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
        method, path = route.method, route.path.format(**{name: quote(value, "") for name, value in names.items()})
        self._keep(signing_in.fresh(self._login))
        answered = self._patiently(method, path, **more)
        if answered.status_code in _NOT_BELIEVED and "error" not in answered.text:
            # The gateway refuses the token; a refusal of the platform gives a reason.
            # This machine's clock may be another than the platform's: the token may be over all the same.
            self._keep(signing_in.renewed(self._login))
            answered = self._patiently(method, path, **more)
        if answered.status_code not in _DONE:
            raise NotDoneError(answered)
        return answered

    def _keep(self, login: Login) -> None:
        if login is not self._login:
            signing_in.save(self._cycle, login, latest=False)
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
            raise complaint("{url} cannot be reached: {error}", url=url, error=error) from None


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
        place = say("line {number}", number=detail["line"]) if "line" in detail else detail.get("field", "")
        details.append(f"  {place}: {in_language(detail)}" if place else f"  {in_language(detail)}")
    request = say("request")
    return "\n".join([f"{error['code']}: {in_language(error)} ({request} {error['request_id']})", *details])
