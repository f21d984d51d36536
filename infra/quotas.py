"""Compare a cycle's needs with the account's quotas.

A quota's own value comes from Service Quotas by its name; where the account's is not listed, the default stands in its
place, with the page of AWS' documentation that gives it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.account import Account
from infra.assembly import FIREWALL_REGION, StackFile


@dataclass(frozen=True, slots=True)
class Quota:
    """One quota: its service's code and its name in Service Quotas, None where it is not there."""

    service: str
    name: str | None
    default: float
    page: str
    region: str | None = None

    def value(self, account: Account) -> tuple[float, bool]:
        """Return the quota, and whether it is the account's own (False: the documented default)."""
        if self.name is not None:
            client = account.client("service-quotas", self.region)
            for operation in ("list_service_quotas", "list_aws_default_service_quotas"):
                for page in client.get_paginator(operation).paginate(ServiceCode=self.service):
                    for quota in page["Quotas"]:
                        if quota.get("QuotaName") == self.name and "Value" in quota:
                            return quota["Value"], True
        return self.default, False


_CLOUDFRONT_PAGE: Final = "CloudFront developer guide, Quotas"
_API_PAGE: Final = "API Gateway developer guide, Quotas for configuring and running an HTTP API"


def _cloudfront(name: str | None, default: float) -> Quota:
    return Quota("cloudfront", name, default, _CLOUDFRONT_PAGE, FIREWALL_REGION)


HTTP_ROUTES: Final = Quota("apigateway", "Routes per HTTP API", 300, _API_PAGE)
CACHE_BEHAVIORS: Final = _cloudfront("Cache behaviors per distribution", 75)
CONCURRENCY_LEFT: Final = 100
"""Executions that Lambda always leaves to functions without a reservation (Lambda developer guide, Configuring reserved
concurrency)."""
MACHINES: Final[Mapping[str, Quota]] = {
    letter: Quota("ec2", name, 0, "EC2 user guide, On-Demand Instance quotas")
    for letter, name in {
        "g": "Running On-Demand G and VT instances",
        "v": "Running On-Demand G and VT instances",
        "p": "Running On-Demand P instances",
    }.items()
}
"""Quotas of processors, by the first letter of a machine's name. New accounts may have 0."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A kind of resource of which an account may have so many: how they are counted there."""

    code: str
    kind: str
    quota: Quota
    count: Callable[[Any], int]


def _listed(operation: str, answer: str, **words: str) -> Callable[[Any], int]:
    """Count everything that a listing operation of CloudFront answers, over all its pages."""

    def count(client: Any) -> int:
        total, marker = 0, ""
        while True:
            more = {"Marker": marker} if marker else {}
            page = getattr(client, operation)(**words, **more)[answer]
            total += len(page.get("Items", ()))
            marker = page.get("NextMarker", "")
            if not marker:
                return total

    return count


OF_AN_ACCOUNT: Final = (
    Counted(
        "key_groups",
        "AWS::CloudFront::KeyGroup",
        _cloudfront("Key groups per AWS account", 10),
        _listed("list_key_groups", "KeyGroupList"),
    ),
    Counted(
        "public_keys", "AWS::CloudFront::PublicKey", _cloudfront(None, 10), _listed("list_public_keys", "PublicKeyList")
    ),
    Counted(
        "cache_policies",
        "AWS::CloudFront::CachePolicy",
        _cloudfront("Cache policies per AWS account", 20),
        _listed("list_cache_policies", "CachePolicyList", Type="custom"),
    ),
    Counted(
        "header_policies",
        "AWS::CloudFront::ResponseHeadersPolicy",
        _cloudfront("Response headers policies per AWS account", 20),
        _listed("list_response_headers_policies", "ResponseHeadersPolicyList", Type="custom"),
    ),
)


def new_of(kind: str, stacks: Sequence[StackFile], deployed: Mapping[str, StackFile | None]) -> int:
    """Count the resources of a kind that a deployment makes: a new one comes before the one that it replaces goes."""
    total = 0
    for stack in stacks:
        before = deployed.get(stack.name)
        there = {name for name, _ in before.resources(kind)} if before else set()
        total += sum(name not in there for name, _ in stack.resources(kind))
    return total


def http_routes(stacks: Sequence[StackFile]) -> int:
    """Count the routes of the HTTP API that has the most."""
    routes = Counter[str]()
    for stack in stacks:
        for _, route in stack.resources("AWS::ApiGatewayV2::Route"):
            routes[json.dumps(route["Properties"]["ApiId"])] += 1
        for name, api in stack.resources("AWS::ApiGatewayV2::Api"):
            paths = api["Properties"].get("Body", {}).get("paths", {})
            routes[json.dumps({"Ref": name})] += sum(len(path.keys() - {"parameters"}) for path in paths.values())
    return max(routes.values(), default=0)


def cache_behaviors(stacks: Sequence[StackFile]) -> int:
    """Count the cache behaviors of the distribution that has the most, the default one apart."""
    distributions = _of(stacks, "AWS::CloudFront::Distribution")
    return max((len(each["DistributionConfig"].get("CacheBehaviors", ())) for each in distributions), default=0)


def reserved(stacks: Sequence[StackFile]) -> int:
    """Sum the executions that the functions reserve for themselves."""
    return sum(function.get("ReservedConcurrentExecutions", 0) for function in _of(stacks, "AWS::Lambda::Function"))


def at_most(stacks: Sequence[StackFile]) -> int:
    """Sum the executions that the queues' workers may have at once."""
    sources = _of(stacks, "AWS::Lambda::EventSourceMapping")
    return sum(source.get("ScalingConfig", {}).get("MaximumConcurrency", 0) for source in sources)


def _of(stacks: Sequence[StackFile], kind: str) -> Iterator[Mapping[str, Any]]:
    for stack in stacks:
        for _, resource in stack.resources(kind):
            yield resource["Properties"]
