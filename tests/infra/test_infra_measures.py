"""Programs of declared measures run without a way out and without rights; without a measure nothing is deployed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.rights import FUNCTIONS
from tracks.custom.running import IN_IMAGE

pytestmark = pytest.mark.slow
HANDLER = "tracks.custom.running.handler"


@pytest.fixture(scope="module")
def template(real: Any) -> dict[str, Any]:
    assert real.returncode == 0, real.output
    synthesized: dict[str, Any] = real.template
    return synthesized


def of_type(template: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: one["Properties"] for name, one in template["Resources"].items() if one["Type"] == kind}


def function_of(template: dict[str, Any]) -> dict[str, Any]:
    """Return the function's properties."""
    function: dict[str, Any]
    [function] = [one for one in of_type(template, "AWS::Lambda::Function").values() if one.get("Handler") == HANDLER]
    return function


def of_image(template: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of the function that is made of a container image."""
    function: dict[str, Any]
    functions = of_type(template, "AWS::Lambda::Function").values()
    [function] = [one for one in functions if one.get("PackageType") == "Image"]
    return function


def test_a_cycle_without_a_measure_has_nothing_of_it(synthesis: Any) -> None:
    text = json.dumps(synthesis.template)
    assert [word for word in (HANDLER, "AWS::EC2", "HURDLE_MEASURES") if word in text] == []


def test_no_route_leads_out_of_its_network(template: dict[str, Any]) -> None:
    network = function_of(template)["VpcConfig"]
    assert len(network["SubnetIds"]) == 2
    kinds = {one["Type"] for one in template["Resources"].values()}
    assert {"AWS::EC2::VPC", "AWS::EC2::RouteTable"} <= kinds
    assert not kinds & {
        "AWS::EC2::Route",
        "AWS::EC2::InternetGateway",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::NatGateway",
        "AWS::EC2::VPCEndpoint",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    for subnet in of_type(template, "AWS::EC2::Subnet").values():
        assert subnet["MapPublicIpOnLaunch"] is False
    [group] = of_type(template, "AWS::EC2::SecurityGroup").values()
    assert "SecurityGroupIngress" not in group
    assert [rule["CidrIp"] for rule in group["SecurityGroupEgress"]] == ["255.255.255.255/32"], "nothing may go out"


def test_its_role_may_write_its_log_and_be_put_into_its_network(template: dict[str, Any]) -> None:
    role = function_of(template)["Role"]["Fn::GetAtt"][0]
    statements = [
        statement
        for policy in of_type(template, "AWS::IAM::Role")[role]["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    actions = {action for statement in statements for action in statement["Action"]}
    assert {action.partition(":")[0] for action in actions} == {"logs", "ec2"}
    assert not any("Environment" in one for one in [function_of(template), of_image(template)]), "they are told nothing"


def test_a_measures_image_has_a_function_in_the_same_place_with_the_same_bounds(template: dict[str, Any]) -> None:
    function, beside = of_image(template), function_of(template)
    for name in ("VpcConfig", "Role", "MemorySize", "Timeout"):
        assert function[name] == beside[name]
    assert function["FunctionName"] == f"{beside['FunctionName']}{IN_IMAGE}", "by which tracks.custom calls it"
    assert function["Architectures"] == ["x86_64"]


def test_the_rows_that_compute_results_may_invoke_it_and_no_others(template: dict[str, Any]) -> None:
    functions = {one["FunctionName"]: one for one in of_type(template, "AWS::Lambda::Function").values()}
    may = set()
    for one in functions.values():
        role = of_type(template, "AWS::IAM::Role")[one["Role"]["Fn::GetAtt"][0]]
        text = json.dumps([policy["PolicyDocument"] for policy in role.get("Policies", ())])
        if '"lambda:InvokeFunction"' in text:
            may.add(one.get("Handler"))
            assert text.count('"lambda:InvokeFunction"') == 2
            assert '"Resource": "*"' not in text.partition('"lambda:InvokeFunction"')[2].partition("}")[0]
    assert may == {row.handler for row in FUNCTIONS if row.measures}
