"""What functions and the organizer's command are told: by their rights, and as long as AWS takes it.

The longest values are computed, for nothing is deployed here: names as CloudFormation makes them of the stack's name,
the logical id and twelve signs ("Name type", AWS CloudFormation user guide), in the longest name of a region.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from contest import settings
from infra.rights import FUNCTIONS, LANES, variables
from tests.infra.conftest import REAL_CYCLE

pytestmark = pytest.mark.slow
LONGEST_NAME = "z" * settings.LONGEST_CYCLE_NAME
PSEUDO = {
    "AWS::Region": "ap-southeast-1",
    "AWS::AccountId": "1" * 12,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}
MADE = "x" * 12
MOST_OF_A_FUNCTION = 2_048
"""Half of what Lambda takes, which it measures as JSON (4 KB: AWS Lambda developer guide, "Lambda quotas")."""
MOST_OF_A_PARAMETER = 4_096
"""AWS Systems Manager user guide, "Managing parameter tiers": a standard parameter, which costs nothing."""
PROMISED = {row.handler: variables(row) for row in FUNCTIONS}


class Deployed:
    """A cycle of the longest name, with submitted programs, as CloudFormation would name what it consists of."""

    def __init__(self, storage: Mapping[str, Any], whole: Mapping[str, Any]) -> None:
        self._stored = set(storage["Resources"])
        text = json.dumps(whole).replace(REAL_CYCLE, LONGEST_NAME)
        self.resources: dict[str, Any] = json.loads(text)["Resources"]

    def value(self, raw: Any) -> str:
        if isinstance(raw, str):
            return re.sub(r"\{\{resolve:secretsmanager:[^}]*\}\}", "s" * 64, raw)
        [(function, argument)] = raw.items()
        if function == "Fn::Join":
            return self.value("".join(map(self.value, argument[1])))
        if function == "Ref":
            return PSEUDO.get(argument) or self._ref(argument)
        name, attribute = argument
        named = {"QueueName": self._name, "Arn": self._signing}
        return named[attribute](name)

    def _signing(self, logical_id: str) -> str:
        """Return the ARN of a secret, which is longer than that of a key in AWS KMS."""
        place = f"{PSEUDO['AWS::Region']}:{PSEUDO['AWS::AccountId']}"
        return f"arn:aws:secretsmanager:{place}:secret:{logical_id}-{MADE}-{MADE[:6]}"

    def _name(self, logical_id: str) -> str:
        stack = settings.stack_name(LONGEST_NAME) + ("--storage" if logical_id in self._stored else "")
        return f"{stack}-{logical_id}-{MADE}"

    def _ref(self, logical_id: str) -> str:
        forms: dict[str, Callable[[], str]] = {
            "AWS::DynamoDB::Table": lambda: self._name(logical_id),
            "AWS::S3::Bucket": lambda: self._name(logical_id)[:63],
            "AWS::SQS::Queue": lambda: (
                f"https://sqs.{PSEUDO['AWS::Region']}.amazonaws.com/{PSEUDO['AWS::AccountId']}/{self._name(logical_id)}"
            ),
            "AWS::SecretsManager::Secret": lambda: self._signing(logical_id),
            "AWS::CloudFront::PublicKey": lambda: "K" + "X" * 13,
            "AWS::Cognito::UserPool": lambda: f"{PSEUDO['AWS::Region']}_{'x' * 9}",
            "AWS::Cognito::UserPoolClient": lambda: "x" * 26,
            "AWS::ApiGatewayV2::Api": lambda: "x" * 10,
        }
        return forms[self.resources[logical_id]["Type"]]()

    def environments(self) -> dict[str, dict[str, str]]:
        """Return the variables of every function by its handler."""
        functions = [each["Properties"] for each in self.resources.values() if each["Type"] == "AWS::Lambda::Function"]
        return {
            each["Handler"]: {name: self.value(raw) for name, raw in each["Environment"]["Variables"].items()}
            for each in functions
        }

    def parameter(self) -> dict[str, Any]:
        [found] = [each for each in self.resources.values() if each["Type"] == "AWS::SSM::Parameter"]
        properties: dict[str, Any] = found["Properties"]
        return properties


@pytest.fixture(scope="module")
def deployed(real: Any) -> Deployed:
    assert real.returncode == 0, real.output
    return Deployed(real.storage, real.template)


@pytest.mark.clause("platform §2 deployment")
def test_every_function_is_told_what_its_rights_are_about_in_half_of_the_room_there_is(deployed: Deployed) -> None:
    environments = deployed.environments()
    assert {handler: frozenset(told) for handler, told in environments.items()} == PROMISED
    sizes = {handler: len(json.dumps(told, separators=(",", ":"))) for handler, told in environments.items()}
    assert max(sizes.values()) <= MOST_OF_A_FUNCTION, sizes


def test_a_cycle_without_programs_tells_nobody_where_they_run(synthesis: Any) -> None:
    functions = [each for each in synthesis.template["Resources"].values() if each["Type"] == "AWS::Lambda::Function"]
    for each in functions:
        properties = each["Properties"]
        assert {*properties["Environment"]["Variables"]} == PROMISED[properties["Handler"]] - {*LANES}


def test_the_origins_secret_is_told_to_those_who_stand_behind_the_distribution_alone(deployed: Deployed) -> None:
    behind = {handler for handler, told in deployed.environments().items() if settings.ORIGIN_SECRET in told}
    workers = {row.handler for row in FUNCTIONS if not row.prompt} | {"dispatch.push.handler"}
    assert behind == {row.handler for row in FUNCTIONS} - workers


def test_the_command_is_told_names_alone_in_a_parameter_that_costs_nothing(deployed: Deployed) -> None:
    parameter = deployed.parameter()
    assert parameter["Name"] == settings.command_parameter(LONGEST_NAME) == f"/hurdle/{LONGEST_NAME}/command"
    assert parameter["Type"] == "String"
    value = deployed.value(parameter["Value"])
    told = json.loads(value)
    assert set(told) == {*settings.OF_COMMAND, *LANES}
    assert "resolve:" not in json.dumps(parameter), "a secret's value"
    assert len(value.encode()) <= MOST_OF_A_PARAMETER
    everywhere = [told, *deployed.environments().values()]
    for name in told:
        assert len({each[name] for each in everywhere if name in each}) == 1, f"{name} has one value"
