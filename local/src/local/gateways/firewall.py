"""AWS WAF before the distribution, as far as the template's web ACL uses it: rules that count requests.

A rule counts the requests of one address, or of one value of a header or query argument, in its window, refused
requests too, and blocks those beyond its limit. It goes by real time, as the gateways' limits do. (The service looks
every ten seconds or so and may pass some hundreds more; here the number is exact.)
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from local.aws.resources import DISTRIBUTION_TYPE, FIREWALL_TYPE
from local.aws.template import TemplateError
from local.clock import monotonic_s
from local.gateways.gateway import HttpResponse, message
from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from local.aws.resources import Deployment

_ACL = "WebACLId"
_USUAL_WINDOW_S = 300
_BLOCKED = message(403, "Forbidden")
# Beyond so many addresses or values a rule forgets those that it has not seen for longest.
_COUNTED = 10_000


class Asked(NamedTuple):
    """The parts of a request that the firewall looks at."""

    source_ip: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]

    def field(self, part: Mapping[str, Any], where: str) -> str | None:
        """Return the part of the request that a statement names, None when the request has none."""
        match part:
            case {"SingleHeader": {"Name": str(name)}}:
                return next((value for key, value in self.headers if key == name.lower()), None)
            case {"SingleQueryArgument": {"Name": str(name)}}:
                return dict(parse_qsl(self.query, keep_blank_values=True)).get(name)
            case {"UriPath": {}}:
                return self.path
        raise TemplateError(tr("{where}: of a request {part} is not known here", where=where, part=", ".join(part)))


@dataclass
class _Rule:
    limit: int
    window_s: float
    key: Callable[[Asked], str | None]
    fits: Callable[[Asked], bool]
    answer: HttpResponse
    counted: dict[str, deque[float]] = field(default_factory=dict)

    def blocks(self, request: Asked, now_s: float) -> bool:
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

    def refusal(self, request: Asked) -> HttpResponse | None:
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


def _key(rate: Mapping[str, Any], where: str) -> Callable[[Asked], str | None]:
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
    return lambda request: request.field(named, where)


def _condition(statement_of_rule: Mapping[str, Any], where: str) -> Callable[[Asked], bool]:
    match statement_of_rule:
        case {"NotStatement": {"Statement": dict(inner)}}:
            negated = _condition(inner, where)
            return lambda request: not negated(request)
        case {"OrStatement": {"Statements": list(inner)}}:
            several = [_condition(one, where) for one in inner]
            return lambda request: any(condition(request) for condition in several)
        case {"RegexMatchStatement": {"RegexString": str(text), "FieldToMatch": dict(part)} as statement}:
            _check_plain(statement, where)
            pattern = re.compile(text)
            return lambda request: pattern.search(request.field(part, where) or "") is not None
        case {
            "ByteMatchStatement": {
                "PositionalConstraint": "STARTS_WITH",
                "SearchString": str(text),
                "FieldToMatch": dict(part),
            } as statement
        }:
            _check_plain(statement, where)
            return lambda request: (request.field(part, where) or "").startswith(text)
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
