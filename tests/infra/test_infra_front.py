"""One host for the HTTP interface and the event channel: nothing is lost on the way, and kept what all may read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from aws_cdk.assertions import Match, Template

from contest import settings
from contest.edge import published_document
from contest.route import SHARES
from contest.routes import INTERFACE_PATHS, LEGACY_BASE, ROUTES
from infra.config import for_cycle
from infra.constructs.front import (
    EVENTS_PATH,
    PACKS_PATH,
    PUBLISHED_PATH,
    UPLOADS_PATH,
    WEB_ACL,
    cached_paths,
)
from infra.constructs.gateways import STAGE
from infra.constructs.site import REACT_ARIA_STYLE, TO_THE_PAGE, TO_THE_STAGE
from infra.rights import FUNCTIONS
from local.gateways.site import object_name
from tests.infra.conftest import CERTIFICATE

pytestmark = pytest.mark.slow

NODE = str(Path(sys.executable).parent / "node")

UNCACHED_PATHS = (EVENTS_PATH, PUBLISHED_PATH, UPLOADS_PATH, PACKS_PATH, *INTERFACE_PATHS, f"{LEGACY_BASE}*")
"""Behaviours that are no route's."""
UNCACHED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
"""AWS' managed cache policy CachingDisabled."""
ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
"""AWS' managed origin request policy AllViewerExceptHostHeader."""


def one(document: Mapping[str, Any], kind: str, prefix: str = "") -> tuple[str, Any]:
    matching = [
        (name, item["Properties"])
        for name, item in document["Resources"].items()
        if item["Type"] == kind and name.startswith(prefix)
    ]
    assert len(matching) == 1, [name for name, _ in matching]
    return matching[0]


@pytest.fixture(scope="module")
def distribution(synthesis: Any) -> Any:
    return one(synthesis.template, "AWS::CloudFront::Distribution")[1]["DistributionConfig"]


def behaviours(distribution: Any) -> dict[str, Any]:
    return {behaviour["PathPattern"]: behaviour for behaviour in distribution["CacheBehaviors"]}


def test_what_a_program_asks_is_not_cached_and_everything_but_the_host_passes(distribution: Any) -> None:
    events = behaviours(distribution)[EVENTS_PATH]
    for behaviour in (*(behaviours(distribution)[path] for path in INTERFACE_PATHS), events):
        assert behaviour["CachePolicyId"] == UNCACHED
        assert behaviour["OriginRequestPolicyId"] == ALL_BUT_HOST
        assert set(behaviour["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"}
        assert behaviour["ViewerProtocolPolicy"] == "https-only"


def test_every_path_has_its_origin_and_what_is_no_interfaces_is_the_sites(synthesis: Any, distribution: Any) -> None:
    assert (EVENTS_PATH, PUBLISHED_PATH) == ("/socket.io/*", "/published/*")
    assert INTERFACE_PATHS == ("/v1", "/v1/*", "/docs*")
    origins = {origin["Id"]: origin["DomainName"] for origin in distribution["Origins"]}

    def behind(behaviour: Any) -> str:
        domain = origins[behaviour["TargetOriginId"]]
        name = domain["Fn::GetAtt"][0] if "Fn::GetAtt" in domain else domain["Fn::Join"][1][0]["Ref"]
        return str(name)

    exchange = one(synthesis.template, "AWS::ApiGatewayV2::Api", "Exchange")[0]
    objects = one(synthesis.template, "AWS::S3::Bucket", "StorageObjects")[0]
    expected = {
        EVENTS_PATH: one(synthesis.template, "AWS::ApiGatewayV2::Api", "Events")[0],
        **dict.fromkeys((PUBLISHED_PATH, UPLOADS_PATH, PACKS_PATH), objects),
        **dict.fromkeys((f"{LEGACY_BASE}*", *cached_paths(), *INTERFACE_PATHS), exchange),
    }
    assert {path: behind(behaviour) for path, behaviour in behaviours(distribution).items()} == expected
    assert behind(distribution["DefaultCacheBehavior"]) == one(synthesis.template, "AWS::S3::Bucket", "StorageSite")[0]
    for route in ROUTES:
        path = re.sub(r"{\w+}", "x" * 20, route.path)
        assert any(fnmatchcase(path, pattern) for pattern in expected), f"{route.key} would be a page of the site"
    patterns = [behaviour["PathPattern"] for behaviour in distribution["CacheBehaviors"]]
    assert patterns[-3:] == list(INTERFACE_PATHS), "the first pattern that fits decides"


def test_the_site_has_one_page_for_every_address_and_its_bucket_is_private(synthesis: Any, distribution: Any) -> None:
    default = distribution["DefaultCacheBehavior"]
    name, function = one(synthesis.template, "AWS::CloudFront::Function", "SiteToThePage")
    assert function["FunctionCode"] == TO_THE_PAGE.code
    assert default["FunctionAssociations"] == [
        {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    ]
    assert set(default["AllowedMethods"]) == {"GET", "HEAD"}
    _, bucket = one(synthesis.template, "AWS::S3::Bucket", "StorageSite")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    paths = ["/", "/boards", "/runs/3h6x0w8t2r5e9q1m4k7s", "/signin/callback", "/assets/x-1.js", "/hurdle.svg"]
    events = json.dumps([{"request": {"uri": path}} for path in paths])
    program = f"{TO_THE_PAGE.code}\nconsole.log(JSON.stringify({events}.map((each) => handler(each).uri)))"
    finished = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == [*["/index.html"] * 4, *paths[4:]]
    assert [f"/{object_name(path)}" for path in paths] == json.loads(finished.stdout), "the local cloud does the same"


def test_the_site_runs_nothing_but_its_own_files_and_asks_nobody_but_its_host_and_the_issuers(
    synthesis: Any, distribution: Any
) -> None:
    name, headers = one(synthesis.template, "AWS::CloudFront::ResponseHeadersPolicy", "SiteHeaders")
    assert distribution["DefaultCacheBehavior"]["ResponseHeadersPolicyId"] == {"Ref": name}
    security = headers["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
    parts = security["ContentSecurityPolicy"]["ContentSecurityPolicy"]["Fn::Join"][1]
    text = "".join(part if isinstance(part, str) else f"<{part['Ref']}>" for part in parts)
    policy = dict(directive.split(" ", 1) for directive in text.split("; "))
    pool = "https://hurdle-demo-<AWS::AccountId>-{}.auth.<AWS::Region>.amazoncognito.com"
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "worker-src": "'self'",
        "style-src": f"'self' {REACT_ARIA_STYLE}",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": " ".join(
            (
                "'self'",
                "https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>",
                pool.format("participants"),
                pool.format("staff"),
            )
        ),
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "hurdle",
    }
    assert security["FrameOptions"]["FrameOption"] == "DENY"
    assert security["ReferrerPolicy"]["ReferrerPolicy"] == "no-referrer"
    assert security["StrictTransportSecurity"]["AccessControlMaxAgeSec"] == 365 * 24 * 3600


def test_what_everybody_may_read_is_kept_and_nothing_else_is(synthesis: Any, distribution: Any) -> None:
    cached = {path: behaviour for path, behaviour in behaviours(distribution).items() if path not in UNCACHED_PATHS}
    assert sorted(cached) == cached_paths()
    resources = synthesis.template["Resources"]
    policies = {name: each for name, each in resources.items() if each["Type"] == "AWS::CloudFront::CachePolicy"}
    parameters: dict[str, set[str]] = {name: set() for name in policies}
    for path, behaviour in cached.items():
        assert set(behaviour["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS"}
        assert behaviour["Compress"] is True
        parameters[behaviour["CachePolicyId"]["Ref"]] |= asked_with(path)
    for name, policy in policies.items():
        caching = policy["Properties"]["CachePolicyConfig"]
        assert (caching["MinTTL"], caching["DefaultTTL"], caching["MaxTTL"]) == (0, 0, 300)
        key = caching["ParametersInCacheKeyAndForwardedToOrigin"]
        query = {"QueryStringBehavior": "whitelist", "QueryStrings": sorted(parameters[name])}
        assert key["QueryStringsConfig"] == query
        assert len(parameters[name]) <= QUERY_NAMES
        assert key["HeadersConfig"] == {"HeaderBehavior": "none"}
    for route in ROUTES:
        path = re.sub(r"{\w+}", "x" * 20, route.path)
        assert any(fnmatchcase(path, pattern) for pattern in cached) is bool(route.cached_s), route.key


QUERY_NAMES = 10
"""CloudFront's quota "Query strings per cache policy"."""


def asked_with(pattern: str) -> set[str]:
    """List the query parameters of the cached routes of a path pattern, by the API's document."""
    described = json.loads(published_document.text())
    operations = [
        described["paths"][route.path][route.method.lower()]
        for route in ROUTES
        if route.cached_s and route.documented and fnmatchcase(re.sub(r"{\w+}", "x" * 20, route.path), pattern)
    ]
    parameters = (
        parameter for operation in operations for parameter in published_document.parameters(described, operation)
    )
    return {parameter["name"] for parameter in parameters if parameter["in"] == "query"}


def test_an_error_is_never_kept(distribution: Any) -> None:
    """A file that is not open yet, or a busy platform, would otherwise be ten seconds old for everybody."""
    seconds_kept = {
        response["ErrorCode"]: response["ErrorCachingMinTTL"] for response in distribution["CustomErrorResponses"]
    }
    assert seconds_kept == dict.fromkeys((400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504), 0)


def test_the_distribution_says_the_origins_secret_that_functions_know(synthesis: Any, distribution: Any) -> None:
    secret, _ = one(synthesis.template, "AWS::SecretsManager::Secret", "KeysOrigin")
    value = {"Fn::Join": ["", ["{{resolve:secretsmanager:", {"Ref": secret}, ":SecretString:::}}"]]}
    for origin in (candidate for candidate in distribution["Origins"] if "CustomOriginConfig" in candidate):
        assert origin["OriginCustomHeaders"] == [{"HeaderName": settings.ORIGIN_HEADER, "HeaderValue": value}]
    for item in synthesis.template["Resources"].values():
        if item["Type"] == "AWS::Lambda::Function":
            assert item["Properties"]["Environment"]["Variables"].get(settings.ORIGIN_SECRET, value) == value


def test_the_distribution_stands_behind_the_firewall_of_us_east_1(synthesis: Any, distribution: Any) -> None:
    assert distribution["WebACLId"] == {"Ref": WEB_ACL}
    assert "Default" not in synthesis.template["Parameters"][WEB_ACL]
    name, acl = one(synthesis.firewall, "AWS::WAFv2::WebACL")
    assert synthesis.firewall["Outputs"][WEB_ACL]["Value"] == {"Fn::GetAtt": [name, "Arn"]}
    assert acl["Scope"] == "CLOUDFRONT"
    stack = synthesis.json("manifest.json")["artifacts"]["hurdle-demo--firewall"]
    assert stack["environment"].endswith("/us-east-1")


def test_the_firewall_counts_by_address_and_by_token_and_refuses_with_429(synthesis: Any) -> None:
    _, acl = one(synthesis.firewall, "AWS::WAFv2::WebACL")
    config = for_cycle("demo")
    rates = {rule["Name"]: rule["Statement"]["RateBasedStatement"] for rule in acl["Rules"]}
    assert {name: (rate["AggregateKeyType"], rate["Limit"]) for name, rate in rates.items()} == {
        "Address": ("IP", config.requests_per_address),
        "WithoutToken": ("IP", config.requests_without_token),
        "Connections": ("IP", config.connections_per_address),
        "Token": ("CUSTOM_KEYS", config.requests_per_token),
        "TokenInQuery": ("CUSTOM_KEYS", config.connections_per_address),
    }
    assert {rate["EvaluationWindowSec"] for rate in rates.values()} == {60}
    for rule in acl["Rules"]:
        assert rule["Action"]["Block"]["CustomResponse"]["ResponseCode"] == 429
        assert rule["VisibilityConfig"]["SampledRequestsEnabled"] is False, "samples hold tokens"


def test_the_way_to_the_origins_is_tls_of_today(distribution: Any) -> None:
    buckets = [origin for origin in distribution["Origins"] if "CustomOriginConfig" not in origin]
    assert len(buckets) == 2
    assert all(bucket["OriginAccessControlId"] for bucket in buckets)
    for origin in (candidate for candidate in distribution["Origins"] if candidate not in buckets):
        protocols = origin["CustomOriginConfig"]
        assert (protocols["OriginProtocolPolicy"], protocols["OriginSSLProtocols"]) == ("https-only", ["TLSv1.2"])


def test_the_path_becomes_the_stages_root_and_the_query_stays(synthesis: Any, distribution: Any) -> None:
    name, function = one(synthesis.template, "AWS::CloudFront::Function", "FrontToTheStage")
    assert function["FunctionCode"] == TO_THE_STAGE.code
    (association,) = behaviours(distribution)[EVENTS_PATH]["FunctionAssociations"]
    assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    query = {"token": {"value": "t"}, "EIO": {"value": "3"}}
    event = {"request": {"method": "GET", "uri": "/socket.io/", "querystring": query, "headers": {}}}
    program = f"{TO_THE_STAGE.code}\nconsole.log(JSON.stringify(handler({json.dumps(event)})))"
    finished = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == {**event["request"], "uri": f"/{STAGE}"}


def test_the_event_channel_has_three_routes_of_one_function(synthesis: Any) -> None:
    routes = {
        item["Properties"]["RouteKey"]: item["Properties"]
        for name, item in synthesis.template["Resources"].items()
        if item["Type"] == "AWS::ApiGatewayV2::Route" and name.startswith("Events")
    }
    assert set(routes) == {"$connect", "$default", "$disconnect"}
    assert len({json.dumps(item["Target"]) for item in routes.values()}) == 1


def test_the_channels_stage_is_throttled_and_logged_without_tokens(synthesis: Any) -> None:
    _, stage = one(synthesis.template, "AWS::ApiGatewayV2::Stage", "Events")
    assert stage["StageName"] == STAGE
    assert stage["AutoDeploy"] is True
    limits = stage["DefaultRouteSettings"]
    assert limits["DetailedMetricsEnabled"] is False
    assert (limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]) == (500, 1_000)
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert {"connection", "received_ms", "route", "error"} <= set(logged)
    assert not [value for value in logged.values() if "query" in value.lower() or "path" in value.lower()]


def test_functions_that_post_are_told_where_the_connections_are(synthesis: Any) -> None:
    name, _ = one(synthesis.template, "AWS::ApiGatewayV2::Api", "Events")
    expected = ["https://", {"Ref": name}, ".execute-api.", {"Ref": "AWS::Region"}, ".", {"Ref": "AWS::URLSuffix"}]
    functions = [
        resource for resource in synthesis.template["Resources"].values() if resource["Type"] == "AWS::Lambda::Function"
    ]
    environments = [function["Properties"]["Environment"]["Variables"] for function in functions]
    addresses = [
        environment[settings.SOCKET_ENDPOINT] for environment in environments if settings.SOCKET_ENDPOINT in environment
    ]
    assert len(addresses) == sum(row.posts for row in FUNCTIONS) > 0
    assert all(address == {"Fn::Join": ["", [*expected, f"/{STAGE}"]]} for address in addresses)


def test_a_cycle_with_a_domain_takes_no_tls_of_yesterday(real: Any) -> None:
    Template.from_json(real.template).has_resource_properties(
        "AWS::CloudFront::Distribution",
        {
            "DistributionConfig": {
                "Aliases": ["hurdle.example.org"],
                "ViewerCertificate": Match.object_like(
                    {"AcmCertificateArn": CERTIFICATE, "MinimumProtocolVersion": "TLSv1.2_2021"}
                ),
            }
        },
    )
    assert real.template["Outputs"]["Address"]["Value"] == "https://hurdle.example.org"


def test_what_may_be_kept_running_has_a_target_at_none_and_no_snapshot_the_others_have_one(real: Any) -> None:
    resources = real.template["Resources"]
    targets = [
        item["Properties"]
        for item in resources.values()
        if item["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    ]
    assert {target["ResourceId"] for target in targets} == {
        f"function:{settings.function_name(real.cycle, name)}:{settings.ALIAS}" for name in SHARES
    }
    for target in targets:
        assert (target["MinCapacity"], target["MaxCapacity"]) == (0, 0)
        assert "ScheduledActions" not in target
    assert not [item for item in resources.values() if "ProvisionedConcurrencyConfig" in item.get("Properties", {})]
    snapped = {
        item["Properties"]["FunctionName"]
        for item in resources.values()
        if item["Type"] == "AWS::Lambda::Function" and "SnapStart" in item["Properties"]
    }
    prompt = {row.name for row in FUNCTIONS if row.prompt}
    assert snapped == {settings.function_name(real.cycle, name) for name in prompt - set(SHARES)}


def test_without_the_files_word_no_snapshot_costs_by_the_hour(synthesis: Any) -> None:
    functions = [item for item in synthesis.template["Resources"].values() if item["Type"] == "AWS::Lambda::Function"]
    assert functions
    assert not [item for item in functions if "SnapStart" in item["Properties"]]


def test_who_has_signed_in_is_not_counted_among_those_without_a_token(synthesis: Any) -> None:
    """Fifty experts in one office save every second: that is more than strangers of one address may ask for."""
    _, acl = one(synthesis.firewall, "AWS::WAFv2::WebACL")
    (rule,) = [candidate for candidate in acl["Rules"] if candidate["Name"] == "WithoutToken"]
    scope = rule["Statement"]["RateBasedStatement"]["ScopeDownStatement"]
    *tokens, files = scope["NotStatement"]["Statement"]["OrStatement"]["Statements"]
    forms = {statement["RegexMatchStatement"]["RegexString"] for statement in tokens}
    assert (files["ByteMatchStatement"]["SearchString"], files["ByteMatchStatement"]["PositionalConstraint"]) == (
        "/assets/",
        "STARTS_WITH",
    )
    (form,) = forms
    signed = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"
    for header in (f"Bearer hrd_{'A' * 43}", f"Bearer {signed}"):
        assert re.search(form, header), header
    for unknown in ("", "Bearer x", f"Bearer hrd_{'A' * 42}", "Bearer eyJ.only-two", "Basic dXNlcjpwYXNz"):
        assert not re.search(form, unknown), unknown


def test_a_cycle_with_a_domain_lets_people_sign_in_on_its_site(real: Any) -> None:
    clients = [
        resource["Properties"]
        for resource in real.template["Resources"].values()
        if resource["Type"] == "AWS::Cognito::UserPoolClient"
    ]
    assert len(clients) == 2
    for client in clients:
        assert client["CallbackURLs"][-1] == "https://hurdle.example.org/signin/callback"
        assert client["LogoutURLs"][-1] == "https://hurdle.example.org/"
