"""One host for the HTTP interface and the event channel, signed addresses, and the sign-in page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from moto import mock_aws

from contest import settings
from contest.edge import documentation
from contest.routes import INTERFACE_PATHS, LEGACY_BASE, ROUTES, SHARES
from infra.account import PRIVATE, PUBLIC, PURPOSES, make_missing, secret_name
from infra.config import CycleConfig, for_cycle
from infra.constructs.front import (
    AS_ANNOUNCED,
    EVENTS_PATH,
    PACKS_PATH,
    PUBLISHED_PATH,
    REACT_ARIA_STYLE,
    TO_THE_PAGE,
    TO_THE_STAGE,
    UPLOADS_PATH,
    WEB_ACL,
    cached_paths,
)
from infra.constructs.gateways import STAGE
from infra.rights import FUNCTIONS
from local.gateways.gateway import HttpRequest
from local.gateways.objects import _as_announced, object_name
from tests.infra.conftest import CERTIFICATE
from tests.infra.templates import in_node, of_type, one, variables_of

pytestmark = pytest.mark.slow

UNCACHED_PATHS = (EVENTS_PATH, PUBLISHED_PATH, UPLOADS_PATH, PACKS_PATH, *INTERFACE_PATHS, f"{LEGACY_BASE}*")
"""Paths of the behaviours that belong to no route."""
UNCACHED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
"""AWS' managed cache policy CachingDisabled."""
ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
"""AWS' managed origin request policy AllViewerExceptHostHeader."""


@pytest.fixture(scope="module")
def distribution(synthesis: Any) -> Any:
    return one(synthesis.template, "CloudFront::Distribution")[1]["DistributionConfig"]


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

    exchange = one(synthesis.template, "ApiGatewayV2::Api", "Exchange")[0]
    objects = one(synthesis.template, "S3::Bucket", "StorageObjects")[0]
    expected = {
        EVENTS_PATH: one(synthesis.template, "ApiGatewayV2::Api", "Events")[0],
        **dict.fromkeys((PUBLISHED_PATH, UPLOADS_PATH, PACKS_PATH), objects),
        **dict.fromkeys((f"{LEGACY_BASE}*", *cached_paths(), *INTERFACE_PATHS), exchange),
    }
    assert {path: behind(behaviour) for path, behaviour in behaviours(distribution).items()} == expected
    assert behind(distribution["DefaultCacheBehavior"]) == one(synthesis.template, "S3::Bucket", "StorageSite")[0]
    for route in ROUTES:
        path = re.sub(r"{\w+}", "x" * 20, route.path)
        assert any(fnmatchcase(path, pattern) for pattern in expected), f"{route.key} would be a page of the site"
    patterns = [behaviour["PathPattern"] for behaviour in distribution["CacheBehaviors"]]
    assert patterns[-3:] == list(INTERFACE_PATHS), "the first pattern that fits decides"


def test_the_site_has_one_page_for_every_address_and_its_bucket_is_private(synthesis: Any, distribution: Any) -> None:
    default = distribution["DefaultCacheBehavior"]
    name, function = one(synthesis.template, "CloudFront::Function", "SiteToThePage")
    assert function["FunctionCode"] == TO_THE_PAGE.code
    assert default["FunctionAssociations"] == [
        {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    ]
    assert set(default["AllowedMethods"]) == {"GET", "HEAD"}
    _, bucket = one(synthesis.template, "S3::Bucket", "StorageSite")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    paths = ["/", "/boards", "/runs/3h6x0w8t2r5e9q1m4k7s", "/signin/callback", "/assets/x-1.js", "/hurdle.svg"]
    events = json.dumps([{"request": {"uri": path}} for path in paths])
    pages = in_node(TO_THE_PAGE.code, f"{events}.map((event) => handler(event).uri)")
    assert pages == [*["/index.html"] * 4, *paths[4:]]
    assert [f"/{object_name(path)}" for path in paths] == pages, "the local cloud does the same"


def test_the_site_runs_nothing_but_its_own_files_and_asks_nobody_but_its_host_and_the_issuers(
    synthesis: Any, distribution: Any
) -> None:
    name, headers = one(synthesis.template, "CloudFront::ResponseHeadersPolicy", "SiteHeaders")
    assert distribution["DefaultCacheBehavior"]["ResponseHeadersPolicyId"] == {"Ref": name}
    security = headers["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
    parts = security["ContentSecurityPolicy"]["ContentSecurityPolicy"]["Fn::Join"][1]
    text = "".join(part if isinstance(part, str) else f"<{part['Ref']}>" for part in parts)
    policy = dict(directive.split(" ", 1) for directive in text.split("; "))
    issuer = "https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>"
    pool = "https://hurdle-demo-<AWS::AccountId>-{}.auth.<AWS::Region>.amazoncognito.com"
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "worker-src": "'self'",
        "style-src": f"'self' {REACT_ARIA_STYLE}",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": f"'self' {issuer} {pool.format('participants')} {pool.format('staff')}",
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
    policies = of_type(synthesis.template, "CloudFront::CachePolicy")
    parameters: dict[str, set[str]] = {name: set() for name in policies}
    for path, behaviour in cached.items():
        assert set(behaviour["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS"}
        assert behaviour["Compress"] is True
        parameters[behaviour["CachePolicyId"]["Ref"]] |= asked_with(path)
    for name, policy in policies.items():
        caching = policy["CachePolicyConfig"]
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
    described = json.loads(documentation.text())
    operations = [
        described["paths"][route.path][route.method.lower()]
        for route in ROUTES
        if route.cached_s and route.documented and fnmatchcase(re.sub(r"{\w+}", "x" * 20, route.path), pattern)
    ]
    parameters = (parameter for operation in operations for parameter in documentation.parameters(described, operation))
    return {parameter["name"] for parameter in parameters if parameter["in"] == "query"}


def test_an_error_is_never_kept(distribution: Any) -> None:
    """A file that is not open yet, or a busy platform, would otherwise be ten seconds old for everybody."""
    seconds_kept = {
        response["ErrorCode"]: response["ErrorCachingMinTTL"] for response in distribution["CustomErrorResponses"]
    }
    assert seconds_kept == dict.fromkeys((400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504), 0)


def test_the_distribution_says_the_origins_secret_that_functions_know(synthesis: Any, distribution: Any) -> None:
    secret, _ = one(synthesis.template, "SecretsManager::Secret", "KeysOrigin")
    value = {"Fn::Join": ["", ["{{resolve:secretsmanager:", {"Ref": secret}, ":SecretString:::}}"]]}
    for origin in (candidate for candidate in distribution["Origins"] if "CustomOriginConfig" in candidate):
        assert origin["OriginCustomHeaders"] == [{"HeaderName": settings.ORIGIN_HEADER, "HeaderValue": value}]
    for variables in variables_of(synthesis.template).values():
        assert variables.get(settings.ORIGIN_SECRET, value) == value


def test_the_distribution_stands_behind_the_firewall_of_us_east_1(synthesis: Any, distribution: Any) -> None:
    assert distribution["WebACLId"] == {"Ref": WEB_ACL}
    assert "Default" not in synthesis.template["Parameters"][WEB_ACL]
    name, acl = one(synthesis.firewall, "WAFv2::WebACL")
    assert synthesis.firewall["Outputs"][WEB_ACL]["Value"] == {"Fn::GetAtt": [name, "Arn"]}
    assert acl["Scope"] == "CLOUDFRONT"
    stack = synthesis.json("manifest.json")["artifacts"]["hurdle-demo--firewall"]
    assert stack["environment"].endswith("/us-east-1")


def test_the_firewall_counts_by_address_and_by_token_and_refuses_with_429(synthesis: Any) -> None:
    _, acl = one(synthesis.firewall, "WAFv2::WebACL")
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
    name, function = one(synthesis.template, "CloudFront::Function", "FrontToTheStage")
    assert function["FunctionCode"] == TO_THE_STAGE.code
    (association,) = behaviours(distribution)[EVENTS_PATH]["FunctionAssociations"]
    assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    query = {"token": {"value": "t"}, "EIO": {"value": "3"}}
    event = {"request": {"method": "GET", "uri": "/socket.io/", "querystring": query, "headers": {}}}
    request = in_node(TO_THE_STAGE.code, f"handler({json.dumps(event)})")
    assert request == {**event["request"], "uri": f"/{STAGE}"}


def test_the_event_channel_has_three_routes_of_one_function(synthesis: Any) -> None:
    routes = of_type(synthesis.template, "ApiGatewayV2::Route", "Events").values()
    assert {route["RouteKey"] for route in routes} == {"$connect", "$default", "$disconnect"}
    assert len({json.dumps(route["Target"]) for route in routes}) == 1


def test_the_channels_stage_is_throttled_and_logged_without_tokens(synthesis: Any) -> None:
    _, stage = one(synthesis.template, "ApiGatewayV2::Stage", "Events")
    assert stage["StageName"] == STAGE
    assert stage["AutoDeploy"] is True
    limits = stage["DefaultRouteSettings"]
    assert limits["DetailedMetricsEnabled"] is False
    assert (limits["ThrottlingRateLimit"], limits["ThrottlingBurstLimit"]) == (500, 1_000)
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert {"connection", "received_ms", "route", "error"} <= set(logged)
    assert not [value for value in logged.values() if "query" in value.lower() or "path" in value.lower()]


def test_functions_that_post_are_told_where_the_connections_are(synthesis: Any) -> None:
    name, _ = one(synthesis.template, "ApiGatewayV2::Api", "Events")
    expected = ["https://", {"Ref": name}, ".execute-api.", {"Ref": "AWS::Region"}, ".", {"Ref": "AWS::URLSuffix"}]
    environments = variables_of(synthesis.template).values()
    addresses = [told[settings.SOCKET_ENDPOINT] for told in environments if settings.SOCKET_ENDPOINT in told]
    assert len(addresses) == sum(row.posts for row in FUNCTIONS) > 0
    assert all(address == {"Fn::Join": ["", [*expected, f"/{STAGE}"]]} for address in addresses)


def test_a_cycle_with_a_domain_takes_no_tls_of_yesterday(real: Any) -> None:
    config = one(real.template, "CloudFront::Distribution")[1]["DistributionConfig"]
    assert config["Aliases"] == ["hurdle.example.org"]
    certificate = {"AcmCertificateArn": CERTIFICATE, "MinimumProtocolVersion": "TLSv1.2_2021"}
    assert config["ViewerCertificate"].items() >= certificate.items()
    assert real.template["Outputs"]["Address"]["Value"] == "https://hurdle.example.org"


def test_what_may_be_kept_running_has_a_target_at_none_and_no_snapshot_the_others_have_one(real: Any) -> None:
    targets = of_type(real.template, "ApplicationAutoScaling::ScalableTarget").values()
    assert {target["ResourceId"] for target in targets} == {
        f"function:{settings.function_name(real.cycle, name)}:{settings.ALIAS}" for name in SHARES
    }
    for target in targets:
        assert (target["MinCapacity"], target["MaxCapacity"]) == (0, 0)
        assert "ScheduledActions" not in target
    assert "ProvisionedConcurrencyConfig" not in json.dumps(real.template)
    functions = of_type(real.template, "Lambda::Function").values()
    snapped = {function["FunctionName"] for function in functions if "SnapStart" in function}
    prompt = {row.name for row in FUNCTIONS if row.prompt}
    assert snapped == {settings.function_name(real.cycle, name) for name in prompt - set(SHARES)}


def test_without_the_files_word_no_snapshot_costs_by_the_hour(synthesis: Any) -> None:
    functions = of_type(synthesis.template, "Lambda::Function").values()
    assert not [function for function in functions if "SnapStart" in function]


def test_who_has_signed_in_is_not_counted_among_those_without_a_token(synthesis: Any) -> None:
    """Fifty experts in one office save every second: that is more than strangers of one address may ask for."""
    _, acl = one(synthesis.firewall, "WAFv2::WebACL")
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
    clients = of_type(real.template, "Cognito::UserPoolClient").values()
    assert len(clients) == 2
    for client in clients:
        assert client["CallbackURLs"][-1] == "https://hurdle.example.org/signin/callback"
        assert client["LogoutURLs"][-1] == "https://hurdle.example.org/"


SHA = "0a" * 32


@pytest.mark.long
@pytest.mark.clause("TS T12", "TS T13")
def test_two_prefixes_are_reached_with_an_address_that_is_signed_by_a_key_of_their_own(
    synthesis: Any, distribution: Any
) -> None:
    assert (UPLOADS_PATH, PACKS_PATH) == ("/uploads/*", "/packs/*")
    for path, purpose in ((UPLOADS_PATH, "Uploads"), (PACKS_PATH, "Downloads")):
        group, key_group = one(synthesis.template, "CloudFront::KeyGroup", f"Keys{purpose}")
        key, public = one(synthesis.template, "CloudFront::PublicKey", f"Keys{purpose}")
        behaviour = behaviours(distribution)[path]
        assert behaviour["TrustedKeyGroups"] == [{"Ref": group}]
        assert key_group["KeyGroupConfig"]["Items"] == [{"Ref": key}]
        encoded = public["PublicKeyConfig"]["EncodedKey"]
        assert encoded == f"{{{{resolve:secretsmanager:hurdle-demo-{purpose.lower()}-1:SecretString:public::}}}}"
        assert (behaviour["CachePolicyId"], behaviour["ViewerProtocolPolicy"]) == (UNCACHED, "https-only")
        assert "OriginRequestPolicyId" not in behaviour, "no header and no query goes on to the bucket"
    trusting = [path for path, behaviour in behaviours(distribution).items() if "TrustedKeyGroups" in behaviour]
    assert sorted(trusting) == [PACKS_PATH, UPLOADS_PATH]
    assert "TrustedKeyGroups" not in distribution["DefaultCacheBehavior"]
    assert set(behaviours(distribution)[PACKS_PATH]["AllowedMethods"]) == {"GET", "HEAD"}


def test_the_functions_are_told_the_keys_that_the_distribution_trusts(synthesis: Any) -> None:
    for purpose in PURPOSES:
        key, _ = one(synthesis.template, "CloudFront::PublicKey", f"Keys{purpose.title()}")
        names = f"HURDLE_{purpose.upper()}_KEY", f"HURDLE_{purpose.upper()}_SECRET"
        environments = variables_of(synthesis.template).values()
        of_signers = [[told[name] for name in names] for told in environments if names[0] in told]
        assert len(of_signers) == sum(getattr(row, f"signs_{purpose}") for row in FUNCTIONS) > 0
        assert all(values == [{"Ref": key}, f"hurdle-demo-{purpose}-1"] for values in of_signers)


CASES: list[tuple[str, str, Mapping[str, str], int]] = [
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "52"}, 200),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "53"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"content-length": "052"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}", {"transfer-encoding": "chunked"}, 413),
    ("PUT", f"/uploads/imports/abc/{SHA}", {"content-length": "52"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA}.html", {"content-length": "52"}, 413),
    ("PUT", f"/uploads/imports/abc/52-{SHA[:-1]}", {"content-length": "52"}, 413),
    ("PUT", "/uploads/imports/abc/52-", {"content-length": "52"}, 413),
    *(
        (method, f"/uploads/imports/abc/52-{SHA}", {"content-length": "52"}, 405)
        for method in ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS")
    ),
]


@pytest.mark.clause("TS T13")
def test_a_part_is_put_with_the_bytes_that_its_name_says_in_the_cloud_and_locally(
    synthesis: Any, distribution: Any
) -> None:
    name, function = one(synthesis.template, "CloudFront::Function", "FrontAsAnnounced")
    assert function["FunctionCode"] == AS_ANNOUNCED.code
    (association,) = behaviours(distribution)[UPLOADS_PATH]["FunctionAssociations"]
    assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    events = [
        {
            "request": {
                "method": method,
                "uri": uri,
                "querystring": {},
                "headers": {key: {"value": value} for key, value in headers.items()},
            }
        }
        for method, uri, headers, _ in CASES
    ]
    answers = in_node(AS_ANNOUNCED.code, f"{json.dumps(events)}.map(handler)")
    for event, answered, (method, uri, headers, status) in zip(events, answers, CASES, strict=True):
        assert (method, uri, answered.get("statusCode", 200)) == (method, uri, status)
        assert status != 200 or answered == event["request"]
        local = _as_announced(HttpRequest(method, uri, "", tuple(headers.items()), "", 0, ""))
        assert (method, uri, local.status if local else 200) == (method, uri, status)


def test_what_is_uploaded_vanishes_after_a_week_completed_or_not(synthesis: Any) -> None:
    _, bucket = one(synthesis.template, "S3::Bucket", "StorageObjects")
    (rule,) = (rule for rule in bucket["LifecycleConfiguration"]["Rules"] if rule.get("Prefix") == "uploads/")
    assert (rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"]) == (7, {"NoncurrentDays": 1})
    assert rule["Status"] == "Enabled"


def test_keys_are_made_once_and_another_number_makes_others() -> None:
    config = CycleConfig(cycle="spring-2027", alarm_email="a@example.org")
    with mock_aws():
        secrets = boto3.client("secretsmanager", region_name="eu-central-1")
        names = [secret_name(config, key_purpose) for key_purpose in PURPOSES]
        assert names == ["hurdle-spring-2027-uploads-1", "hurdle-spring-2027-downloads-1"]
        assert make_missing(config, secrets) == names
        secret_texts = [secrets.get_secret_value(SecretId=name)["SecretString"] for name in names]
        assert len(set(secret_texts)) == 2
        for secret_text in secret_texts:
            pair = json.loads(secret_text)
            key = load_pem_private_key(pair[PRIVATE].encode(), None)
            assert isinstance(key, RSAPrivateKey)
            public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            assert (key.key_size, public.decode()) == (2048, pair[PUBLIC])
        assert make_missing(config, secrets) == []
        assert [secrets.get_secret_value(SecretId=name)["SecretString"] for name in names] == secret_texts
        assert make_missing(config.changed(address_keys=2), secrets) == [
            "hurdle-spring-2027-uploads-2",
            "hurdle-spring-2027-downloads-2",
        ]


def test_a_number_of_keys_is_from_one_on() -> None:
    with pytest.raises(ValueError, match="address_keys"):
        CycleConfig(cycle="demo", retain_data=False, address_keys=0)


def of_pools(template: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the properties of Cognito's resources of a type, by the pool they are of."""
    pools = {"staff": "SignInStaff", "participants": "SignInParticipants"}
    return {pool: one(template, f"Cognito::{kind}", prefix)[1] for pool, prefix in pools.items()}


def test_the_staff_is_invited_and_has_a_second_factor(synthesis: Any) -> None:
    pools = of_pools(synthesis.template, "UserPool")
    assert (pools["staff"]["MfaConfiguration"], pools["staff"]["EnabledMfas"]) == ("ON", ["SOFTWARE_TOKEN_MFA"])
    assert pools["staff"]["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    assert pools["participants"]["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is False
    for pool in pools.values():
        assert pool["UsernameAttributes"] == ["email"]
        assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] >= 12


def test_a_client_has_no_secret_and_takes_the_code_flow_alone(synthesis: Any) -> None:
    clients = of_pools(synthesis.template, "UserPoolClient")
    assert set(clients) == {"staff", "participants"}
    for client in clients.values():
        assert client["GenerateSecret"] is False
        assert (client["AllowedOAuthFlows"], client["AllowedOAuthScopes"]) == (["code"], ["openid"])
        assert (client["EnableTokenRevocation"], client["PreventUserExistenceErrors"]) == (True, "ENABLED")
        assert "RefreshTokenRotation" not in client, "the local cloud's pools keep a refresh token"
        assert (client["AccessTokenValidity"], client["RefreshTokenValidity"]) == (15, 12 * 60)
        assert set(client["TokenValidityUnits"].values()) == {"minutes"}


def test_a_sign_in_ends_on_this_machine_or_on_the_cycles_own_site(synthesis: Any) -> None:
    """CloudFront's own name cannot be known to the pools: a cycle without a domain has the command alone."""
    loopback = settings.LOOPBACK_REDIRECTS
    for client in of_pools(synthesis.template, "UserPoolClient").values():
        assert client["CallbackURLs"] == loopback
        assert client["LogoutURLs"] == loopback


def test_functions_that_read_tokens_are_told_whose_to_believe(synthesis: Any) -> None:
    environments = variables_of(synthesis.template).values()
    [pool] = {json.dumps(told[settings.STAFF_POOL_ID]) for told in environments if settings.STAFF_POOL_ID in told}
    believing = [told for told in environments if settings.STAFF_ISSUER in told]
    assert believing
    for environment in believing:
        assert environment[settings.STAFF_ISSUER] != environment[settings.PARTICIPANTS_ISSUER]
        issuer = environment[settings.STAFF_ISSUER]["Fn::Join"][1]
        assert (issuer[0], json.dumps(issuer[-1])) == ("https://cognito-idp.", pool)
