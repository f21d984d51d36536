"""Test the functions' variables (at most AWS's length), nested time-outs and the switch to new versions.

The longest variables are computed, for nothing is deployed here (infra.assembly).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest import settings
from contest.adapters import aws
from contest.stored_names import LetterQueue
from infra import assembly
from infra.assembly import StackFile
from infra.rights import FUNCTIONS, LANES, MAILS, variables
from tests.infra.conftest import REAL_CYCLE
from tests.infra.templates import of_type, one, reference, references, variables_of

pytestmark = pytest.mark.slow
LONGEST_NAME = "z" * settings.LONGEST_CYCLE_NAME
LONGEST_REGION = "ap-southeast-1"
"""Longest name of a region with CloudFront's firewall, Cognito and Batch."""
MOST_OF_A_PARAMETER = 4_096
"""AWS Systems Manager user guide, "Managing parameter tiers": a standard parameter, which costs nothing."""
PROMISED = {row.handler: variables(row) for row in FUNCTIONS}
OF_MEASURES = "tracks.custom.running.handler"
OF_IMAGES = "the program of a measure's image"
"""Function that runs programs of measures; it gets no variables."""


class Deployed:
    """A cycle of the longest name, with submitted programs, as CloudFormation would name what it consists of."""

    def __init__(self, folder: Path) -> None:
        stacks = [renamed(stack) for stack in assembly.read(folder)]
        [self._application] = [stack for stack in stacks if stack.name == settings.stack_name(LONGEST_NAME)]
        self.filled = assembly.Filled(stacks, self._application, LONGEST_REGION, "1" * 12)

    def environments(self) -> dict[str, dict[str, str]]:
        """Return the variables of every function by its handler."""
        functions = self._application.resources("AWS::Lambda::Function")
        return {
            function["Properties"].get("Handler", OF_IMAGES): self.filled.variables(function)
            for _, function in functions
        }

    def parameter(self) -> dict[str, Any]:
        return one(self._application.template, "SSM::Parameter")[1]


def renamed(stack: StackFile) -> StackFile:
    name, text = (text.replace(REAL_CYCLE, LONGEST_NAME) for text in (stack.name, json.dumps(stack.template)))
    return replace(stack, name=name, template=json.loads(text))


@pytest.fixture(scope="module")
def deployed(real: Any) -> Deployed:
    return Deployed(real.folder)


@pytest.mark.clause("platform §2 deployment")
def test_every_function_is_told_what_its_rights_are_about_in_half_of_the_room_there_is(deployed: Deployed) -> None:
    environments = deployed.environments()
    assert {handler: frozenset(variables) for handler, variables in environments.items()} == {
        **PROMISED,
        OF_MEASURES: frozenset(),
        OF_IMAGES: frozenset(),
    }
    for row in FUNCTIONS:
        variables = environments[row.handler]
        has_objects = bool(row.reads_objects or row.writes_objects or row.deletes_objects)
        assert (settings.BUCKET in variables) == has_objects, row.name
        assert (settings.SCORING_QUEUE_URL in variables) == (LetterQueue.SCORING in row.sends), row.name
        assert (settings.PUSH_QUEUE_URL in variables) == (LetterQueue.PUSHES in row.sends), row.name
        assert (settings.SIGNING_SECRET_ARN in variables) == (row.signs or row.shows_key), row.name
    sizes = {handler: assembly.size(variables) for handler, variables in environments.items()}
    assert max(sizes.values()) <= assembly.OURS <= assembly.MOST / 2, sizes


def test_a_cycle_without_programs_and_copies_tells_nobody_of_them(synthesis: Any) -> None:
    unknown = {*LANES, *MAILS, settings.MEASURES, settings.MEASURE_IMAGE, settings.COPIES_BUCKET}
    for handler, result in variables_of(synthesis.template).items():
        assert {*result} == PROMISED[handler] - unknown


def test_the_origins_secret_is_told_to_those_who_stand_behind_the_distribution_alone(deployed: Deployed) -> None:
    environments = deployed.environments().items()
    behind = {handler for handler, variables in environments if settings.ORIGIN_SECRET in variables}
    workers = {row.handler for row in FUNCTIONS if not row.prompt} | {"dispatch.push.handler"}
    assert behind == {row.handler for row in FUNCTIONS} - workers


def test_the_command_is_told_names_alone_in_a_parameter_that_costs_nothing(deployed: Deployed) -> None:
    parameter = deployed.parameter()
    assert parameter["Name"] == settings.command_parameter(LONGEST_NAME) == f"/hurdle/{LONGEST_NAME}/command"
    assert parameter["Type"] == "String"
    value = deployed.filled.value(parameter["Value"])
    parameters = json.loads(value)
    assert set(parameters) == {*settings.OF_COMMAND, *LANES}
    assert "resolve:" not in json.dumps(parameter), "a secret's value"
    assert len(value.encode()) <= MOST_OF_A_PARAMETER
    everywhere = [parameters, *deployed.environments().values()]
    for name in parameters:
        values = {variables[name] for variables in everywhere if name in variables}
        assert len(values) == 1, f"{name} has one value"


GATEWAY_S = {"authorize.api.handler": 10}
"""Amazon API Gateway developer guide, "Quotas for configuring and running a HTTP API": 10 s, 30 s of all others."""
TIMES_OF_A_TIMEOUT = 6
"""AWS Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping"."""


@pytest.fixture
def functions(synthesis: Any) -> dict[str, dict[str, Any]]:
    of_lambda = of_type(synthesis.template, "Lambda::Function")
    assert len(of_lambda) > 20
    return of_lambda


def test_the_last_try_of_a_request_ends_before_its_function_does(functions: dict[str, dict[str, Any]]) -> None:
    for name, function in functions.items():
        seconds = int(function["Environment"]["Variables"][settings.TIMEOUT_S])
        assert seconds == function["Timeout"], name
        bounds = aws.request_bounds(seconds)
        assert bounds.longest_s < seconds, name
        assert bounds.tries >= 2, f"{name}: nothing is tried again"


def test_a_function_that_somebody_waits_for_ends_before_the_gateway_gives_up(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    called = of_type(synthesis.template, "Lambda::Alias").values()
    prompt = [functions[alias["FunctionName"]["Ref"]] for alias in called]
    assert len(prompt) > 10
    for function in prompt:
        assert function["Timeout"] <= GATEWAY_S.get(function["Handler"], 29)


def test_a_message_is_hidden_for_six_times_the_timeout_of_its_function(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    template = synthesis.template
    queues, aliases = of_type(template, "SQS::Queue"), of_type(template, "Lambda::Alias")
    checked = set()
    for mapping in of_type(template, "Lambda::EventSourceMapping").values():
        source = mapping["EventSourceArn"].get("Fn::GetAtt", [""])[0]
        if source not in queues:
            continue
        target = reference(mapping["FunctionName"])
        function = functions[reference(aliases[target]["FunctionName"]) if target in aliases else target]
        assert queues[source]["VisibilityTimeout"] == TIMES_OF_A_TIMEOUT * function["Timeout"], source
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"], source
        assert "MaximumBatchingWindowInSeconds" not in mapping, "it would add to the time that a message is in hand"
        checked.add(source)
    assert checked == set(queues)
    assert len(queues) == 2 * len(LetterQueue) - 2, "the stream and the timers have dead letters alone"


def test_a_worker_may_have_its_failed_message_come_again_sooner(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    roles = of_type(synthesis.template, "IAM::Role").values()
    able = Counter(
        name
        for role in roles
        for policy in role.get("Policies", ())
        for statement in policy["PolicyDocument"]["Statement"]
        if "sqs:ChangeMessageVisibility" in statement["Action"]
        for name in references(statement["Resource"])
    )
    assert able == dict.fromkeys(of_type(synthesis.template, "SQS::Queue"), 1), "each queue's function alone"


GROUP = "CodeDeploy::DeploymentGroup"
PROMPT = {row.name for row in FUNCTIONS if row.prompt}


@pytest.fixture
def releases(real: Any) -> Any:
    return real.nested("Releases")


def aliases_of(synthesis: Any) -> list[dict[str, Any]]:
    """Return a cycle's aliases, with what is beside their properties."""
    return [item for item in synthesis.application["Resources"].values() if item["Type"] == "AWS::Lambda::Alias"]


def test_the_alias_of_every_function_that_somebody_waits_for_moves_with_a_deployment_group_of_its_own(
    real: Any, releases: Any
) -> None:
    application = one(releases, "CodeDeploy::Application")[1]["ApplicationName"]
    groups = {group["DeploymentGroupName"] for group in of_type(releases, GROUP).values()}
    (nested,) = (name for name in of_type(real.application, "CloudFormation::Stack") if "Releases" in name)
    moves = [alias["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"] for alias in aliases_of(real)]
    assert {move["ApplicationName"] for move in moves} == {application}
    assert {move["DeploymentGroupName"] for move in moves} == groups == PROMPT
    assert len(moves) == len(PROMPT)
    assert all(nested in alias["DependsOn"] for alias in aliases_of(real))


def test_a_tenth_of_the_calls_goes_first_and_an_error_takes_the_version_back(releases: Any) -> None:
    alarms = of_type(releases, "CloudWatch::Alarm")
    groups = of_type(releases, GROUP).values()
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
    for alarm in of_type(releases, "CloudWatch::Alarm").values():
        assert (alarm["MetricName"], alarm["Statistic"], alarm["Period"]) == ("Errors", "Sum", 60)
        assert (alarm["Threshold"], alarm["TreatMissingData"]) == (0, "notBreaching")
        dimensions = {dimension["Name"]: dimension["Value"] for dimension in alarm["Dimensions"]}
        assert dimensions["Resource"]["Fn::Join"][1][-1] == ":live"
        assert dimensions["FunctionName"] == dimensions["Resource"]["Fn::Join"][1][0]


def test_the_demonstration_moves_at_once(synthesis: Any) -> None:
    assert not list(synthesis.folder.glob("*Releases*"))
    assert not [alias for alias in aliases_of(synthesis) if "UpdatePolicy" in alias]


def test_the_runtime_changes_with_a_deployment_alone(synthesis: Any, real: Any) -> None:
    for application in (synthesis.application, real.application):
        functions = of_type(application, "Lambda::Function")
        assert len(functions) >= len(FUNCTIONS)
        for name, function in functions.items():
            if function.get("PackageType") != "Image":  # it brings its interpreter along
                assert function["RuntimeManagementConfig"] == {"UpdateRuntimeOn": "FunctionUpdate"}, name
