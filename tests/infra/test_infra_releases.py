"""Hold that new versions are taken step by step, and runtimes change by a deployment alone."""

from __future__ import annotations

from typing import Any

import pytest

from infra.rights import FUNCTIONS

pytestmark = pytest.mark.slow
KIND = "AWS::CodeDeploy::DeploymentGroup"
PROMPT = {row.name for row in FUNCTIONS if row.prompt}


def of_type(document: Any, kind: str) -> dict[str, Any]:
    return {name: item for name, item in document["Resources"].items() if item["Type"] == kind}


@pytest.fixture(scope="module")
def releases(real: Any) -> Any:
    (path,) = real.folder.glob("*Releases*.nested.template.json")
    return real.json(path.name)


def test_the_alias_of_every_function_that_somebody_waits_for_moves_with_a_deployment_group_of_its_own(
    real: Any, releases: Any
) -> None:
    aliases = of_type(real.application, "AWS::Lambda::Alias")
    (application,) = (
        item["Properties"]["ApplicationName"] for item in of_type(releases, "AWS::CodeDeploy::Application").values()
    )
    groups = {item["Properties"]["DeploymentGroupName"] for item in of_type(releases, KIND).values()}
    (nested,) = (name for name in of_type(real.application, "AWS::CloudFormation::Stack") if "Releases" in name)
    moves = [item["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"] for item in aliases.values()]
    assert {move["ApplicationName"] for move in moves} == {application}
    assert {move["DeploymentGroupName"] for move in moves} == groups == PROMPT
    assert len(moves) == len(PROMPT)
    assert all(nested in item["DependsOn"] for item in aliases.values())


def test_a_tenth_of_the_calls_goes_first_and_an_error_takes_the_version_back(releases: Any) -> None:
    alarms = of_type(releases, "AWS::CloudWatch::Alarm")
    groups = [item["Properties"] for item in of_type(releases, KIND).values()]
    assert len(groups) == len(alarms) == len(PROMPT)
    watched = set()
    for group in groups:
        assert group["DeploymentConfigName"] == "CodeDeployDefault.LambdaCanary10Percent5Minutes"
        assert group["AutoRollbackConfiguration"] == {
            "Enabled": True,
            "Events": ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"],
        }
        (alarm,) = group["AlarmConfiguration"]["Alarms"]
        watched.add(alarm["Name"]["Ref"])
    assert watched == set(alarms)
    roles = {str(group["ServiceRoleArn"]) for group in groups}
    assert len(roles) == 1


def test_the_alarm_counts_the_errors_of_calls_through_the_alias(releases: Any) -> None:
    for item in of_type(releases, "AWS::CloudWatch::Alarm").values():
        alarm = item["Properties"]
        assert (alarm["MetricName"], alarm["Statistic"], alarm["Period"]) == ("Errors", "Sum", 60)
        assert (alarm["Threshold"], alarm["TreatMissingData"]) == (0, "notBreaching")
        dimensions = {dimension["Name"]: dimension["Value"] for dimension in alarm["Dimensions"]}
        assert dimensions["Resource"]["Fn::Join"][1][-1] == ":live"
        assert dimensions["FunctionName"] == dimensions["Resource"]["Fn::Join"][1][0]


def test_the_demonstration_moves_at_once(synthesis: Any) -> None:
    assert not list(synthesis.folder.glob("*Releases*"))
    assert all("UpdatePolicy" not in item for item in of_type(synthesis.application, "AWS::Lambda::Alias").values())


def test_the_runtime_changes_with_a_deployment_alone(synthesis: Any, real: Any) -> None:
    for application in (synthesis.application, real.application):
        functions = of_type(application, "AWS::Lambda::Function")
        assert len(functions) >= len(FUNCTIONS)
        for name, item in functions.items():
            updates = item["Properties"].get("RuntimeManagementConfig")
            if item["Properties"].get("PackageType") == "Image":  # it brings its interpreter along
                continue
            assert updates == {"UpdateRuntimeOn": "FunctionUpdate"}, name
