"""One host for the HTTP interface and the event channel; nothing cached, nothing lost on the way."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Match, Template

from infra.app import refuse_findings
from infra.config import CycleConfig
from infra.constructs.events import STAGE
from infra.constructs.front import TO_THE_STAGE
from infra.stack import CycleStack

pytestmark = pytest.mark.slow

CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
UNCACHED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
"""AWS' managed cache policy CachingDisabled."""
ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
"""AWS' managed origin request policy AllViewerExceptHostHeader."""


def one(document: Mapping[str, Any], kind: str, prefix: str = "") -> tuple[str, Any]:
    found = [
        (name, item["Properties"])
        for name, item in document["Resources"].items()
        if item["Type"] == kind and name.startswith(prefix)
    ]
    assert len(found) == 1, [name for name, _ in found]
    return found[0]


@pytest.fixture(scope="module")
def distribution(synthesis: Any) -> Any:
    return one(synthesis.template, "AWS::CloudFront::Distribution")[1]["DistributionConfig"]


@pytest.fixture(scope="module")
def armed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A cycle with a domain of its own, before its final; cdk-nag has nothing to say about it either."""
    app = cdk.App(outdir=str(tmp_path_factory.mktemp("armed")))
    config = CycleConfig("spring-2027", domain_name="hurdle.example.org", certificate_arn=CERTIFICATE, armed=True)
    stack = CycleStack(app, config)
    refuse_findings(app)
    document: dict[str, Any] = dict(Template.from_stack(stack).to_json())
    return document


def test_nothing_is_cached_and_everything_but_the_host_passes(distribution: Any) -> None:
    (events,) = distribution["CacheBehaviors"]
    for behaviour in (distribution["DefaultCacheBehavior"], events):
        assert behaviour["CachePolicyId"] == UNCACHED
        assert behaviour["OriginRequestPolicyId"] == ALL_BUT_HOST
        assert set(behaviour["AllowedMethods"]) == {"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"}
        assert behaviour["ViewerProtocolPolicy"] == "https-only"


def test_the_legacy_clients_path_leads_to_the_event_channel_and_all_else_to_the_http_interface(
    synthesis: Any, distribution: Any
) -> None:
    (events,) = distribution["CacheBehaviors"]
    hosts = {origin["Id"]: origin["DomainName"]["Fn::Join"][1][0]["Ref"] for origin in distribution["Origins"]}
    assert events["PathPattern"] == "/socket.io/*"
    assert hosts[events["TargetOriginId"]] == one(synthesis.template, "AWS::ApiGatewayV2::Api", "Events")[0]
    default = distribution["DefaultCacheBehavior"]["TargetOriginId"]
    assert hosts[default] == one(synthesis.template, "AWS::ApiGatewayV2::Api", "Exchange")[0]


def test_the_way_to_the_origins_is_tls_of_today(distribution: Any) -> None:
    for origin in distribution["Origins"]:
        told = origin["CustomOriginConfig"]
        assert (told["OriginProtocolPolicy"], told["OriginSSLProtocols"]) == ("https-only", ["TLSv1.2"])


def test_the_path_becomes_the_stages_root_and_the_query_stays(synthesis: Any, distribution: Any) -> None:
    name, function = one(synthesis.template, "AWS::CloudFront::Function")
    assert function["FunctionCode"] == TO_THE_STAGE
    (association,) = distribution["CacheBehaviors"][0]["FunctionAssociations"]
    assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": [name, "FunctionARN"]}}
    query = {"token": {"value": "t"}, "EIO": {"value": "3"}}
    event = {"request": {"method": "GET", "uri": "/socket.io/", "querystring": query, "headers": {}}}
    program = f"{TO_THE_STAGE}\nconsole.log(JSON.stringify(handler({json.dumps(event)})))"
    node = shutil.which("node") or "node"
    finished = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == {**event["request"], "uri": f"/{STAGE}"}


def test_the_event_channel_has_three_routes_of_one_function(synthesis: Any) -> None:
    routes = {
        item["Properties"]["RouteKey"]: item["Properties"]
        for name, item in synthesis.template["Resources"].items()
        if item["Type"] == "AWS::ApiGatewayV2::Route" and name.startswith("Events")
    }
    assert set(routes) == {"$connect", "$default", "$disconnect"}
    assert len({json.dumps(item["Target"]) for item in routes.values()}) == 1


def test_the_channels_stage_is_throttled_measured_and_logged_without_tokens(synthesis: Any) -> None:
    _, stage = one(synthesis.template, "AWS::ApiGatewayV2::Stage", "Events")
    assert stage["StageName"] == STAGE
    assert stage["AutoDeploy"] is True
    settings = stage["DefaultRouteSettings"]
    assert settings["DetailedMetricsEnabled"] is True
    assert (settings["ThrottlingRateLimit"], settings["ThrottlingBurstLimit"]) == (500, 1_000)
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert {"connection", "received_ms", "route", "error"} <= set(logged)
    assert not [value for value in logged.values() if "query" in value.lower() or "path" in value.lower()]


def test_functions_are_told_where_the_connections_are(synthesis: Any) -> None:
    name, _ = one(synthesis.template, "AWS::ApiGatewayV2::Api", "Events")
    expected = ["https://", {"Ref": name}, ".execute-api.", {"Ref": "AWS::Region"}, ".", {"Ref": "AWS::URLSuffix"}]
    for item in synthesis.template["Resources"].values():
        if item["Type"] == "AWS::Lambda::Function":
            told = item["Properties"]["Environment"]["Variables"]["HURDLE_SOCKET_ENDPOINT"]
            assert told == {"Fn::Join": ["", [*expected, f"/{STAGE}"]]}


def test_a_cycle_with_a_domain_takes_no_tls_of_yesterday(armed: dict[str, Any]) -> None:
    Template.from_json(armed).has_resource_properties(
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
    assert armed["Outputs"]["Address"]["Value"] == "https://hurdle.example.org"


def test_an_armed_cycle_keeps_the_hot_functions_running_and_takes_no_snapshot_of_them(armed: dict[str, Any]) -> None:
    kept = {
        name.removeprefix("Functions").partition("Live")[0]: item["Properties"].get("ProvisionedConcurrencyConfig")
        for name, item in armed["Resources"].items()
        if item["Type"] == "AWS::Lambda::Alias"
    }
    assert {name: told["ProvisionedConcurrentExecutions"] for name, told in kept.items() if told} == {
        "Authorize": 10,
        "Dispatch": 50,
        "Submit": 25,
        "Socket": 25,
        "Push": 10,
    }
    snapped = {
        item["Properties"]["Handler"]
        for item in armed["Resources"].values()
        if item["Type"] == "AWS::Lambda::Function" and "SnapStart" in item["Properties"]
    }
    assert snapped == {"score.api.handler"}


def test_an_unarmed_cycle_keeps_nothing_running(synthesis: Any) -> None:
    aliases = [
        item["Properties"] for item in synthesis.template["Resources"].values() if item["Type"] == "AWS::Lambda::Alias"
    ]
    assert aliases
    assert not [item for item in aliases if "ProvisionedConcurrencyConfig" in item]
