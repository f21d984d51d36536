"""Hold the variables of functions and of the organizer's command to their rights and to AWS's length.

The longest values are computed, for nothing is deployed here (infra.environment).
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest import settings
from infra import assembly, environment
from infra.assembly import StackFile
from infra.rights import FUNCTIONS, LANES, MAILS, variables
from tests.infra.conftest import REAL_CYCLE

pytestmark = pytest.mark.slow
LONGEST_NAME = "z" * settings.LONGEST_CYCLE_NAME
LONGEST_REGION = "ap-southeast-1"
"""Longest name of a region with CloudFront's firewall, Cognito and Batch."""
MOST_OF_A_PARAMETER = 4_096
"""AWS Systems Manager user guide, "Managing parameter tiers": a standard parameter, which costs nothing."""
PROMISED = {row.handler: variables(row) for row in FUNCTIONS}
OF_MEASURES = "tracks.custom.running.handler"
OF_IMAGES = "the program of a measure's image"
"""The function that runs programs of measures; it is told nothing."""


class Deployed:
    """A cycle of the longest name, with submitted programs, as CloudFormation would name what it consists of."""

    def __init__(self, folder: Path) -> None:
        stacks = [renamed(stack) for stack in assembly.read(folder)]
        [self._application] = [stack for stack in stacks if stack.name == settings.stack_name(LONGEST_NAME)]
        self.filled = environment.Filled(stacks, self._application, LONGEST_REGION, "1" * 12)

    def environments(self) -> dict[str, dict[str, str]]:
        """Return the variables of every function by its handler."""
        functions = self._application.resources("AWS::Lambda::Function")
        return {
            function["Properties"].get("Handler", OF_IMAGES): self.filled.variables(function)
            for _, function in functions
        }

    def parameter(self) -> dict[str, Any]:
        [(_, resource)] = self._application.resources("AWS::SSM::Parameter")
        properties: dict[str, Any] = resource["Properties"]
        return properties


def renamed(stack: StackFile) -> StackFile:
    name, text = (text.replace(REAL_CYCLE, LONGEST_NAME) for text in (stack.name, json.dumps(stack.template)))
    return replace(stack, name=name, template=json.loads(text))


@pytest.fixture(scope="module")
def deployed(real: Any) -> Deployed:
    assert real.returncode == 0, real.output
    return Deployed(real.folder)


@pytest.mark.clause("platform §2 deployment")
def test_every_function_is_told_what_its_rights_are_about_in_half_of_the_room_there_is(deployed: Deployed) -> None:
    environments = deployed.environments()
    assert {handler: frozenset(settings_of_it) for handler, settings_of_it in environments.items()} == {
        **PROMISED,
        OF_MEASURES: frozenset(),
        OF_IMAGES: frozenset(),
    }
    for row in FUNCTIONS:
        variables = environments[row.handler]
        has_objects = bool(row.reads_objects or row.writes_objects or row.deletes_objects)
        assert (settings.BUCKET in variables) == has_objects, row.name
        assert (settings.SCORING_QUEUE_URL in variables) == row.sends_scoring, row.name
        assert (settings.PUSH_QUEUE_URL in variables) == row.sends_pushes, row.name
        assert (settings.SIGNING_SECRET_ARN in variables) == (row.signs or row.shows_key), row.name
    sizes = {handler: environment.size(settings_of_it) for handler, settings_of_it in environments.items()}
    assert max(sizes.values()) <= environment.OURS <= environment.MOST / 2, sizes


def test_a_cycle_without_programs_and_copies_tells_nobody_of_them(synthesis: Any) -> None:
    functions = [
        resource for resource in synthesis.template["Resources"].values() if resource["Type"] == "AWS::Lambda::Function"
    ]
    for function in functions:
        properties = function["Properties"]
        assert {*properties["Environment"]["Variables"]} == PROMISED[properties["Handler"]] - {
            *LANES,
            *MAILS,
            settings.MEASURES,
            settings.MEASURE_IMAGE,
            settings.COPIES_BUCKET,
        }


def test_the_origins_secret_is_told_to_those_who_stand_behind_the_distribution_alone(deployed: Deployed) -> None:
    behind = {
        handler
        for handler, settings_of_it in deployed.environments().items()
        if settings.ORIGIN_SECRET in settings_of_it
    }
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
        assert len({settings_of_it[name] for settings_of_it in everywhere if name in settings_of_it}) == 1, (
            f"{name} has one value"
        )
