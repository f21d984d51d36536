"""One HTTP request that survives passing failures: lost connections, a busy platform, a rate limit.

Repeated: a request that never reached the platform or was put off by it (no connection, 429, 502, 503, 504, 500 and an
answer that did not come in time). A request that would do something a second time is repeated only where the platform
surely did nothing (no connection, 429, 503). Never repeated: every other refusal, and ``quota_exhausted``, whose end is
tomorrow. The waits double from half a second to fifteen, each shortened at random by up to a half so that programs
that failed together do not return together; ``Retry-After`` is a lower bound. Where a deadline runs the waits double to
two seconds only. When one request exceeds the caller's patience, the last failure is raised.
"""

from __future__ import annotations

import random
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Final

import httpx

from markup_core.lazy import dataclass
from markup_core.texts import EN, RU
from pku.config import Clock, parse_retry_after
from pku.errors import Detail, ExchangeError, PkuError, Trouble, Waiting, reason, sentence

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 15.0
FILE_S: Final = 60.0
URGENT_WAIT_S: Final = 2.0
URGENT_TIMEOUT: Final = httpx.Timeout(10.0, connect=3.0)
"""Time-out of urgent requests (ten seconds for a file, R-App2): a repeated request is better than a long wait."""

_SVG: Final = "image/svg+xml"
"""The one answer that is no JSON: a picture, which :attr:`Reply.body` holds as text."""
_PUT_OFF: Final = frozenset({429, 503})
_FAILED: Final = frozenset({500, 502, 504})
_NOT_PASSING: Final = frozenset({"quota_exhausted", "no_run"})


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful response: its status, its JSON and how long to wait before asking again, if the platform says."""

    status: int
    body: Any
    retry_after_s: float | None
    content: bytes = b""
    """The body as it came."""


class Pace:
    """Keeps requests under a number per second, so that the rate limit is never met in the first place.

    Of any ``per_second + 1`` consecutive requests the last starts at least a second after the first.
    """

    def __init__(self, clock: Clock, per_second: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._starts: deque[float] = deque(maxlen=max(1, per_second))
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next request may start; nothing is paced at 0 per second."""
        if self._per_second <= 0:
            return
        with self._lock:
            now = self._clock.now()
            full = len(self._starts) == self._starts.maxlen
            start = max(now, self._starts[0] + 1.0) if full and self._starts[0] <= now + 1.0 else now
            self._starts.append(start)
        if start > now:
            self._clock.sleep(start - now)


class Connection:
    """The HTTP side of :class:`pku.exchange.Exchange`; safe to share between threads."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        transport: httpx.BaseTransport | None,
        clock: Clock,
        language: str,
        waiting: Waiting,
        requests_per_second: int,
    ) -> None:
        address = _address(base_url)
        self._host = address.netloc.decode("ascii")
        client = partial(httpx.Client, base_url=address, transport=transport, verify=_trusted())
        time_out = partial(httpx.Timeout, connect=waiting.patience.connect_s)
        self._client = client(headers=dict(headers), timeout=time_out(waiting.patience.answer_s))
        # Signed addresses get no token, and of the headers the user agent alone: they are their own permission.
        plain_headers = {"User-Agent": headers["User-Agent"], "Accept-Encoding": "identity"}
        self._plain = client(headers=plain_headers, timeout=time_out(FILE_S))
        self._clock = clock
        self._language = language
        self._waiting = waiting
        self._pace = Pace(clock, requests_per_second)
        self._random = random.Random()  # noqa: S311  spreads retries, guards nothing

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._plain.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        repeatable: bool = True,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        urgent: bool = False,
    ) -> Reply:
        """Ask until there is an answer or a failure that waiting does not mend; :class:`ExchangeError` for those.

        ``urgent`` requests are given up and asked again sooner, since a deadline runs.
        """
        longest, timeout = (URGENT_WAIT_S, URGENT_TIMEOUT) if urgent else (LONGEST_WAIT_S, self._client.timeout)
        return self._persisted(
            lambda: self._once(method, path, headers, content, params, timeout), repeatable=repeatable, longest=longest
        )

    def put(self, address: str, content: bytes) -> None:
        """Put bytes at an address of the same host until they are there, without a token; putting them twice is once.

        :class:`ExchangeError`: ``address_over`` where it is refused, ``unexpected_response`` for another host's.
        """
        self._check_host(address)
        self._persisted(lambda: self._put_once(address, content), repeatable=True, longest=LONGEST_WAIT_S)

    def _check_host(self, address: str) -> None:
        if not address.startswith("/") or address.startswith("//"):
            raise self.unexpected("an address of another host", 200)

    def _put_once(self, address: str, content: bytes) -> Reply:
        with self._failures():
            response = self._plain.put(address, content=content)
        self._check_address(response)
        return Reply(response.status_code, None, None)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Raise :class:`ExchangeError` for httpx's error of a request without an answer."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise self._lost("connection_failed", error, reached=False) from error
        except httpx.TimeoutException as error:
            raise self._lost("timeout", error, reached=True) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._lost("connection_failed", error, reached=True) from error

    def _check_address(self, response: httpx.Response) -> None:
        """Refuse the answer of an address that is over, or has failed."""
        if response.status_code == httpx.codes.FORBIDDEN:
            raise self._own("address_over", status=response.status_code)
        if not response.is_success:
            raise self._own("http_error", status=response.status_code, what=f"HTTP {response.status_code}")

    def _persisted(self, once: Callable[[], Reply], *, repeatable: bool, longest: float) -> Reply:
        """Ask until there is an answer, a failure that waiting does not mend, or the patience is at its end."""
        waited, pause, tries, since = 0.0, FIRST_WAIT_S, 0, self._clock.now()
        while True:
            try:
                with self._waiting.around():
                    reply = once()
            except ExchangeError as error:
                delay = max(pause * self._random.uniform(0.5, 1.0), error.retry_after_s or 0.0)
                # Unanswered tries take time themselves.
                remaining_s = (
                    self._waiting.patience.unreachable_s - (self._clock.now() - since)
                    if error.status == 0
                    else self._waiting.patience.refused_s - waited
                )
                if not _passes(error, repeatable=repeatable) or delay > remaining_s:
                    raise
                tries += 1
                self._waiting.on_trouble(Trouble(tries, since, self._clock.now() + remaining_s, error))
            else:
                if tries:
                    self._waiting.on_trouble(None)
                return reply
            self._clock.sleep(delay)
            waited += delay
            pause = min(2 * pause, longest)

    def _once(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None,
        content: bytes | None,
        params: Mapping[str, Any] | None,
        timeout: httpx.Timeout,
    ) -> Reply:
        self._pace.wait()
        with self._failures():
            response = self._client.request(
                method,
                path,
                headers=headers,
                content=content,
                params=params,
                timeout=timeout,
                follow_redirects=method == "GET",  # a record too large for an answer is under another path
            )
        retry_after = parse_retry_after(response.headers.get("Retry-After"), self._clock.now())
        try:
            body = response.json()
        except ValueError:
            body = None
        if not response.is_success:
            raise self._refused(response, body, retry_after)
        if response.headers.get("Content-Type", "").startswith(_SVG):
            return Reply(response.status_code, response.text, retry_after)
        if body is None:
            raise self.unexpected(f"{method} {path}: HTTP {response.status_code}", response.status_code)
        return Reply(response.status_code, body, retry_after, response.content)

    def followed(self, address: str, most: int) -> bytes:
        """Return the content of an address of the same host, asked for once, without a token and without redirects.

        :class:`ExchangeError`: ``address_over`` where it is refused, ``unexpected_response`` for an address of another
        host and for more than ``most`` bytes.
        """
        self._check_host(address)
        content = bytearray()
        with self._failures(), self._plain.stream("GET", address) as response:
            self._check_address(response)
            for some in response.iter_bytes():
                content += some
                if len(content) > most:
                    raise self.unexpected("more bytes than the platform named", response.status_code)
        return bytes(content)

    def unexpected(self, what: str, status: int) -> ExchangeError:
        """Return the error for a response that is not the API's."""
        return self._own("unexpected_response", status=status, what=what)

    def _lost(self, code: str, error: Exception, *, reached: bool) -> ExchangeError:
        named, raw = reason(error), str(error) or type(error).__name__
        english, russian = (
            sentence(
                f"error.{code}",
                language,
                host=self._host,
                why=sentence(f"reason.{named}", language) if named else raw,
            )
            for language in (EN, RU)
        )
        failure = ExchangeError(code, message=english, message_ru=russian, language=self._language)
        failure.details = (
            Detail("reached" if reached else "not_reached", str(error), str(error), {"reached": reached}),
        )
        return failure

    def _own(self, code: str, *, status: int = 0, **values: Any) -> ExchangeError:
        english, russian = (sentence(f"error.{code}", language, **values) for language in (EN, RU))
        return ExchangeError(code, message=english, message_ru=russian, status=status, language=self._language)

    def _refused(self, response: httpx.Response, body: Any, retry_after: float | None) -> ExchangeError:
        refusal = body.get("error") if isinstance(body, dict) else None
        if not isinstance(refusal, dict) or not isinstance(refusal.get("code"), str):
            return self._from_gateway(response, retry_after)
        message = str(refusal.get("message") or refusal["code"])
        raw = refusal.get("details")
        return ExchangeError(
            refusal["code"],
            message=message,
            message_ru=str(refusal.get("message_ru") or message),
            status=response.status_code,
            details=[Detail.read(detail) for detail in raw if isinstance(detail, dict)]
            if isinstance(raw, list)
            else (),
            request_id=refusal.get("request_id"),
            retry_after_s=retry_after,
            language=self._language,
        )

    def _from_gateway(self, response: httpx.Response, retry_after: float | None) -> ExchangeError:
        """Convert refusals of the gateway itself: ``{"message": "Unauthorized"}`` and the like, or no JSON at all."""
        status = response.status_code
        codes = {
            401: "unauthenticated",
            403: "forbidden",
            404: "unexpected_response",
            405: "unexpected_response",
            501: "unexpected_response",
            413: "answer_too_large",
            429: "rate_limited",
            503: "busy",
        }
        error = self._own(codes.get(status, "http_error"), status=status, what=f"HTTP {status}")
        error.retry_after_s = retry_after
        error.request_id = response.headers.get("apigw-requestid")
        return error


@cache
def _trusted() -> ssl.SSLContext:
    """Return the trusted authorities; read once a process, since reading them takes longer than a request."""
    return httpx.create_ssl_context()


def _address(base_url: str) -> httpx.URL:
    """Parse the API's address; :class:`PkuError` ``bad_url`` before a token is sent to a wrong place."""
    try:
        url = httpx.URL(base_url.rstrip("/"))
    except httpx.InvalidURL:
        raise PkuError("bad_url", url=base_url) from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise PkuError("bad_url", url=base_url)
    return url


def _passes(error: ExchangeError, *, repeatable: bool) -> bool:
    """Return whether the same request may succeed a little later, and nothing happens twice."""
    if error.code in _NOT_PASSING:
        return False
    if error.status in _PUT_OFF:
        return True
    if error.status == 0:
        return repeatable or error.detail("reached") is False
    return repeatable and error.status in _FAILED
