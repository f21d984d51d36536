"""API Gateway's HTTP API as data: routes in their order, events of payload format 2.0, limits, and AWS WAF before it.

Nothing here does input or output; `front` serves it. Facts kept from the service: `rawPath` is decoded;
repeated headers and query parameters are joined by commas; cookies stand apart; a body that is not text
is base64; a request without a matching route never reaches a function.

The template sets limits of requests per second for a stage and for single routes. They go by real time even while the
clock is held: they protect the machine, and a held clock would refill no bucket.

AWS WAF stands before the distribution, as far as the template's web ACL uses it: by rules that count requests. A rule
counts the requests of one address, or of one value of a header or query argument, in its window, refused requests too,
and blocks those beyond its limit. It goes by real time, as the gateways' limits do. (The service looks every ten
seconds or so and may pass some hundreds more; here the number is exact.)
"""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote, unquote_to_bytes

from local.aws.emulator import read_json
from local.aws.template import DISTRIBUTION_TYPE, FIREWALL_TYPE, TemplateError
from local.clock import monotonic_s, utc
from local.environment import ACCOUNT, REGION
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from local.aws.template import Deployment


class Limit(NamedTuple):
    """A rate limit: requests per second, and the burst that is allowed after a pause."""

    per_second: float
    burst: float

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limit | None:
        """Return the limit that route settings have, None without one."""
        if "ThrottlingRateLimit" not in settings or "ThrottlingBurstLimit" not in settings:
            return None
        return cls(float(settings["ThrottlingRateLimit"]), float(settings["ThrottlingBurstLimit"]))


class _Bucket:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self._limit = limit
        self._left, self._seen_s = limit.burst, now_s

    def take(self, now_s: float) -> bool:
        self._left = min(self._limit.burst, self._left + (now_s - self._seen_s) * self._limit.per_second)
        self._seen_s = now_s
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Throttle:
    """The limits of a stage's request rate. Routes without a limit of their own share the stage's."""

    def __init__(
        self, stage: Limit | None, routes: Mapping[str, Limit], now_s: Callable[[], float] = monotonic_s
    ) -> None:
        self._now_s = now_s
        self._stage = _Bucket(stage, now_s()) if stage else None
        self._routes = {key: _Bucket(limit, now_s()) for key, limit in routes.items()}

    def passes(self, route: str) -> bool:
        """Count a request for a route and return whether it may pass; only a request that passes is counted."""
        bucket = self._routes.get(route, self._stage)
        return bucket is None or bucket.take(self._now_s())


_TEXT_TYPE = re.compile(r"text/.*|application/(json|javascript|xml|[^;]*\+(json|xml))")
_SENDABLE = re.compile(r"[\t\x20-\x7e\xa0-\xff]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PARAMETER = re.compile(r"\{([^}+]+)(\+?)\}")
_ANY = "ANY"
BODILESS = (204, 304)


class BadPathError(Exception):
    """The path is not UTF-8 or has control characters; such a request reaches no handler."""


@dataclass(frozen=True)
class Authorizer:
    """A REQUEST authorizer with simple responses: its function, identity sources and the time its answer is cached."""

    name: str
    function: str
    identity_sources: tuple[str, ...]
    ttl_s: int


@dataclass(frozen=True)
class Cors:
    """The API's CORS configuration; empty tuples where it says nothing."""

    origins: tuple[str, ...]
    methods: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    expose: tuple[str, ...] = ()
    max_age_s: int | None = None
    credentials: bool = False

    def response_headers(self, origin: str | None) -> list[tuple[str, str]]:
        """Return the headers of every response to this origin; none for an origin that is not allowed."""
        allowed = next((rule for rule in self.origins if rule in ("*", origin)), None)
        if allowed is None or origin is None:
            return []
        headers = [("access-control-allow-origin", "*" if allowed == "*" else origin)]
        if allowed != "*":
            headers.append(("vary", "origin"))
        if self.expose:
            headers.append(("access-control-expose-headers", ",".join(self.expose)))
        if self.credentials:
            headers.append(("access-control-allow-credentials", "true"))
        return headers

    def preflight_headers(self, origin: str) -> list[tuple[str, str]]:
        """Return the headers of the answer to a preflight request."""
        headers = self.response_headers(origin)
        if headers and self.methods:
            headers.append(("access-control-allow-methods", ",".join(self.methods)))
        if headers and self.headers:
            headers.append(("access-control-allow-headers", ",".join(self.headers)))
        if headers and self.max_age_s is not None:
            headers.append(("access-control-max-age", str(self.max_age_s)))
        return headers


@dataclass(frozen=True)
class Route:
    """One route of the API: its key as in the template, its function and its authorizer."""

    key: str
    function: str
    authorizer: Authorizer | None = None

    def parts(self) -> tuple[str, str]:
        """Return method and path template; `$default` takes any method and any path."""
        if self.key == "$default":
            return _ANY, "/{proxy+}"
        method, _, path = self.key.partition(" ")
        return method, path


class Api(NamedTuple):
    """An HTTP API before its functions: routes, CORS, headers that the distribution adds, limits, its id."""

    routes: tuple[Route, ...]
    cors: Cors | None = None
    added_headers: tuple[tuple[str, str], ...] = ()
    stage_limit: Limit | None = None
    limits: Mapping[str, Limit] = MappingProxyType({})
    name: str = ""


class Match(NamedTuple):
    """A request's route and the decoded values of its path's parameters."""

    route: Route
    parameters: Mapping[str, str]


class RouteTable:
    """Finds the route of a request, the most specific first.

    A path without parameters goes before one with them, longer before shorter, greedy ones come later,
    a named method before ANY, `$default` last.
    """

    def __init__(self, routes: Sequence[Route]) -> None:
        ordered = sorted(routes, key=_generality)
        self._longest = max((route.parts()[1].count("/") for route in routes), default=0)
        self._entries = {
            (method, length): [
                (*_pattern(path), route)
                for route in ordered
                for own_method, path in [route.parts()]
                if own_method in (method, _ANY) and (path.count("/") == length or path.endswith("+}"))
            ]
            for method in {_ANY, *(route.parts()[0] for route in routes)}
            for length in range(self._longest + 2)
        }
        """Patterns, parameters' names and routes by method and number of slashes: a request tries few patterns."""

    def find(self, method: str, encoded_path: str) -> Match | None:
        """Return the route for a method and a path as it was sent, or None."""
        length = min(encoded_path.count("/"), self._longest + 1)
        for pattern, names, route in self._entries.get((method, length)) or self._entries[_ANY, length]:
            if match := pattern.fullmatch(encoded_path):
                values = dict(zip(names, map(unquote, match.groups()), strict=True))
                return Match(route, values if route.key != "$default" else {})
        return None


def _generality(route: Route) -> tuple[bool, bool, int, int, bool]:
    method, path = route.parts()
    segments = path.split("/")
    parameters = sum(segment.startswith("{") for segment in segments)
    return route.key == "$default", path.endswith("+}"), parameters, -len(segments), method == _ANY


@cache
def _pattern(path: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return the regular expression of a path template, and its parameters' names in order."""
    position, pattern, names = 0, "", []
    for match in _PARAMETER.finditer(path):
        pattern += re.escape(path[position : match.start()]) + ("(.*)" if match[2] else "([^/]+)")
        names.append(match[1])
        position = match.end()
    return re.compile(pattern + re.escape(path[position:])), tuple(names)


def by_the_front(
    headers: tuple[tuple[str, str], ...], added: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Return a request's headers, with the distribution's own in place of the client's of the same names."""
    names = {name for name, _ in added}
    return (*(pair for pair in headers if pair[0] not in names), *added)


class HttpRequest(NamedTuple):
    """A request as the front received it; headers in order with names in lower case."""

    method: str
    encoded_path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    source_ip: str
    received_ms: int
    request_id: str
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return a header's values joined by commas, None without it."""
        values = [value for key, value in self.headers if key == name]
        return ",".join(values) if values else None

    def path(self) -> str:
        """Return the decoded path. BadPathError when no text without control characters comes out."""
        try:
            path = unquote_to_bytes(self.encoded_path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadPathError from error
        if _CONTROL.search(path):
            raise BadPathError
        return path


def forwarded_for(from_client: str | None, source_ip: str) -> str:
    """Return `X-Forwarded-For` as a function gets it: what the client said, its address by the distribution, and the
    distribution's by the gateway."""
    return ", ".join([*([from_client] if from_client else []), source_ip, DISTRIBUTION_ADDRESS])


DISTRIBUTION_ADDRESS = "192.0.2.1"
"""IP address of the distribution, of the range for documentation (RFC 5737): no machine has it."""


def proxy_event(request: HttpRequest, match: Match, identity: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the event of payload format 2.0; `identity` is the authorizer's context, None without one."""
    event = _common(request, match)
    if identity is not None:
        event["requestContext"]["authorizer"] = {"lambda": identity}
    text = _text_body(request)
    if request.body:
        event["body"] = base64.b64encode(request.body).decode() if text is None else text
    event["isBase64Encoded"] = bool(request.body) and text is None
    return event


def authorizer_event(request: HttpRequest, match: Match, identity_sources: Sequence[str]) -> dict[str, Any]:
    """Return the event that a REQUEST authorizer gets."""
    method, path = request.method, request.path()
    arn = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:local/$default/{method}{path}"
    common = _common(request, match)
    return {**common, "type": "REQUEST", "routeArn": arn, "identitySource": list(identity_sources)}


def identity_of(request: HttpRequest, authorizer: Authorizer) -> tuple[str, ...] | None:
    """Return the values of the identity sources, None when one is missing (then nobody is asked).

    ValueError for a kind of source that the local cloud does not know.
    """
    values = []
    for source in authorizer.identity_sources:
        kind, _, name = source.partition("$request.header.")
        if kind or not name:
            raise ValueError(f"authorizer {authorizer.name}: unknown identity source {source}")
        value = request.header(name.lower())
        if not value:
            return None
        values.append(value)
    return tuple(values)


def _common(request: HttpRequest, match: Match) -> dict[str, Any]:
    headers: dict[str, str] = {}
    for name, value in request.headers:
        if name != "cookie":
            headers[name] = f"{headers[name]},{value}" if name in headers else value
    cookies = [part.strip() for name, value in request.headers if name == "cookie" for part in value.split(";")]
    query: dict[str, str] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    host, path = headers.get("host", ""), request.path()
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": match.route.key,
        "rawPath": path,
        "rawQueryString": request.query,
        "headers": {
            **headers,
            "x-forwarded-for": forwarded_for(headers.get("x-forwarded-for"), request.source_ip),
            "x-forwarded-proto": "http",
        },
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split(".")[0],
            "http": {
                "method": request.method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": request.source_ip,
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": request.request_id,
            "routeKey": match.route.key,
            "stage": "$default",
            "time": utc(request.received_ms).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": request.received_ms,
        },
    }
    optional = {
        "cookies": [cookie for cookie in cookies if cookie],
        "queryStringParameters": query,
        "pathParameters": match.parameters,
    }
    return event | {name: value for name, value in optional.items() if value}


def _text_body(request: HttpRequest) -> str | None:
    """Return the body as text, None where the event carries it as base64."""
    kind = (request.header("content-type") or "text/plain").split(";")[0].strip().lower()
    if not _TEXT_TYPE.fullmatch(kind):
        return None
    try:
        return request.body.decode("utf-8")
    except UnicodeDecodeError:
        return None


class HttpResponse(NamedTuple):
    """The response to the client."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def message(status: int, text: str) -> HttpResponse:
    """Return one of the gateway's own answers."""
    body = json.dumps({"message": text}).encode()
    return HttpResponse(status, (("content-type", "application/json"),), body)


def response_of(payload: bytes) -> HttpResponse:
    """Return the response that a function's result means. ValueError when it means none."""
    result = read_json(payload)
    if not isinstance(result, dict) or "statusCode" not in result:
        return HttpResponse(200, (("content-type", "application/json"),), payload)
    status, body = result["statusCode"], result.get("body")
    if not isinstance(status, int | str) or not 200 <= int(status) <= 599 or not isinstance(body, str | None):
        raise ValueError("statusCode is no HTTP status, or body is no text")
    content = base64.b64decode(body or "") if result.get("isBase64Encoded") else (body or "").encode()
    headers = [(str(name).lower(), str(value)) for name, value in (result.get("headers") or {}).items()]
    if not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=utf-8"))
    headers += [("set-cookie", str(cookie)) for cookie in result.get("cookies") or []]
    if not all(_SENDABLE.fullmatch(name + value) for name, value in headers):
        raise ValueError("a header has characters that cannot be sent")
    return HttpResponse(int(status), tuple(headers), b"" if int(status) in BODILESS else content)


_ACL = "WebACLId"
_USUAL_WINDOW_S = 300
_BLOCKED = message(403, "Forbidden")
# Beyond so many addresses or values a rule forgets those that it has not seen for longest.
_COUNTED = 10_000


class FirewallRequest(NamedTuple):
    """The parts of a request that the firewall looks at."""

    source_ip: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]


@dataclass
class _Rule:
    limit: int
    window_s: float
    key: Callable[[FirewallRequest], str | None]
    fits: Callable[[FirewallRequest], bool]
    answer: HttpResponse
    counted: dict[str, deque[float]] = field(default_factory=dict)

    def blocks(self, request: FirewallRequest, now_s: float) -> bool:
        key = self.key(request) if self.fits(request) else None
        if key is None:
            return False
        times = self.counted.pop(key, None) or deque(maxlen=self.limit + 1)
        self.counted[key] = times
        if len(self.counted) > _COUNTED:
            del self.counted[next(iter(self.counted))]
        while times and times[0] <= now_s - self.window_s:
            times.popleft()
        times.append(now_s)
        return len(times) > self.limit


class Firewall:
    """The rules before the distribution; without a web ACL there are none."""

    def __init__(self, rules: Sequence[_Rule] = (), now_s: Callable[[], float] = monotonic_s) -> None:
        self._rules = tuple(rules)
        self._now_s = now_s

    def refusal(self, request: FirewallRequest) -> HttpResponse | None:
        """Return the answer that blocks a request, None for one that may pass. Every rule counts it."""
        now_s = self._now_s()
        blocked = [rule.answer for rule in self._rules if rule.blocks(request, now_s)]
        return blocked[0] if blocked else None


def firewall_of(deployment: Deployment, now_s: Callable[[], float] = monotonic_s) -> Firewall:
    """Return the firewall of the template's distribution. TemplateError names an unknown statement."""
    distributions = deployment.template.of_type(DISTRIBUTION_TYPE)
    named = [deployment.resolver.value(one.properties["DistributionConfig"].get(_ACL), _ACL) for one in distributions]
    rules = [
        (int(statement["Priority"]), _rule(statement, f"{resource.logical_id}.{statement['Name']}"))
        for resource in deployment.template.of_type(FIREWALL_TYPE)
        if deployment.attributes(resource.logical_id)["Arn"] in named
        for statement in resource.properties["Rules"]
    ]
    return Firewall([rule for _, rule in sorted(rules, key=lambda pair: pair[0])], now_s)


def _rule(rule: Mapping[str, Any], where: str) -> _Rule:
    match rule:
        case {"Statement": {"RateBasedStatement": dict(rate)}, "Action": {"Block": dict(block)}}:
            only, answer = rate.get("ScopeDownStatement"), block.get("CustomResponse", {})
            header_rows = answer.get("ResponseHeaders", ())
            headers = [(str(header["Name"]).lower(), str(header["Value"])) for header in header_rows]
            return _Rule(
                int(rate["Limit"]),
                float(rate.get("EvaluationWindowSec", _USUAL_WINDOW_S)),
                _key(rate, where),
                _condition(only, where) if only else lambda _: True,
                HttpResponse(int(answer["ResponseCode"]), tuple(headers), b"") if answer else _BLOCKED,
            )
    raise TemplateError(tr("{where}: only rules that count requests and block are known here", where=where))


def _key(rate: Mapping[str, Any], where: str) -> Callable[[FirewallRequest], str | None]:
    match rate:
        case {"AggregateKeyType": "IP"}:
            return lambda request: request.source_ip
        case {"AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"Header": dict(told)}]}:
            named = {"SingleHeader": {"Name": told["Name"]}}
        case {"AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"QueryArgument": dict(told)}]}:
            named = {"SingleQueryArgument": {"Name": told["Name"]}}
        case _:
            raise TemplateError(
                tr("{where}: requests are counted by address, one header or one argument here", where=where)
            )
    _check_plain(told, where)
    return _part(named, where)


def _part(part: Mapping[str, Any], where: str) -> Callable[[FirewallRequest], str | None]:
    """Return what reads the part of a request that a statement names; it returns None when a request has none."""
    match part:
        case {"SingleHeader": {"Name": str(name)}}:
            header = name.lower()
            return lambda request: next((value for key, value in request.headers if key == header), None)
        case {"SingleQueryArgument": {"Name": str(name)}}:
            return lambda request: dict(parse_qsl(request.query, keep_blank_values=True)).get(name)
        case {"UriPath": {}}:
            return lambda request: request.path
    raise TemplateError(tr("{where}: of a request {part} is not known here", where=where, part=", ".join(part)))


def _condition(statement_of_rule: Mapping[str, Any], where: str) -> Callable[[FirewallRequest], bool]:
    match statement_of_rule:
        case {"NotStatement": {"Statement": dict(inner)}}:
            negated = _condition(inner, where)
            return lambda request: not negated(request)
        case {"OrStatement": {"Statements": list(inner)}}:
            several = [_condition(one, where) for one in inner]
            return lambda request: any(condition(request) for condition in several)
        case {"RegexMatchStatement": {"RegexString": str(text), "FieldToMatch": dict(part)} as statement}:
            _check_plain(statement, where)
            pattern, searched = re.compile(text), _part(part, where)
            return lambda request: pattern.search(searched(request) or "") is not None
        case {
            "ByteMatchStatement": {
                "PositionalConstraint": "STARTS_WITH",
                "SearchString": str(text),
                "FieldToMatch": dict(part),
            } as statement
        }:
            _check_plain(statement, where)
            compared = _part(part, where)
            return lambda request: (compared(request) or "").startswith(text)
    raise TemplateError(
        tr(
            "{where}: a statement of the form {statement_of_rule} is not known here",
            where=where,
            statement_of_rule=", ".join(statement_of_rule),
        )
    )


def _check_plain(statement: Mapping[str, Any], where: str) -> None:
    if any(transformation["Type"] != "NONE" for transformation in statement["TextTransformations"]):
        raise TemplateError(tr("{where}: text is compared as it stands here, without transformations", where=where))
