"""Times that lie within one another: a request's tries, its function, the time for which a message is hidden."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contest import settings
from contest.adapters import aws
from contest.stored_names import LetterQueue

pytestmark = pytest.mark.slow

GATEWAY_S = {"authorize.api.handler": 10}
"""Amazon API Gateway developer guide, "Quotas for configuring and running a HTTP API": 10 s, 30 s of all others."""
TIMES_OF_A_TIMEOUT = 6
"""AWS Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping"."""


def of_type(template: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {
        name: resource["Properties"] for name, resource in template["Resources"].items() if resource["Type"] == kind
    }


@pytest.fixture
def functions(synthesis: Any) -> dict[str, dict[str, Any]]:
    of_lambda = of_type(synthesis.template, "AWS::Lambda::Function")
    assert len(of_lambda) > 20
    return of_lambda


def test_the_last_try_of_a_request_ends_before_its_function_does(functions: dict[str, dict[str, Any]]) -> None:
    for name, function in functions.items():
        seconds = int(function["Environment"]["Variables"][settings.TIMEOUT_S])
        assert seconds == function["Timeout"], name
        bounds = aws.patience(seconds)
        assert bounds.longest_s < seconds, name
        assert bounds.tries >= 2, f"{name}: nothing is tried again"


def test_a_function_that_somebody_waits_for_ends_before_the_gateway_gives_up(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    called = of_type(synthesis.template, "AWS::Lambda::Alias").values()
    prompt = [functions[alias["FunctionName"]["Ref"]] for alias in called]
    assert len(prompt) > 10
    for function in prompt:
        assert function["Timeout"] <= GATEWAY_S.get(function["Handler"], 29)


def test_a_message_is_hidden_for_six_times_the_timeout_of_its_function(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    template = synthesis.template
    queues, aliases = of_type(template, "AWS::SQS::Queue"), of_type(template, "AWS::Lambda::Alias")
    checked = set()
    for mapping in of_type(template, "AWS::Lambda::EventSourceMapping").values():
        source = mapping["EventSourceArn"].get("Fn::GetAtt", [""])[0]
        if source not in queues:
            continue
        target = json.dumps(mapping["FunctionName"])
        [alias] = [candidate for candidate in aliases if f'"{candidate}"' in target] or [""]
        named = json.dumps(aliases[alias]["FunctionName"]) if alias else target
        [function] = [candidate for name, candidate in functions.items() if f'"{name}"' in named]
        assert queues[source]["VisibilityTimeout"] == TIMES_OF_A_TIMEOUT * function["Timeout"], source
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"], source
        assert "MaximumBatchingWindowInSeconds" not in mapping, "it would add to the time that a message is in hand"
        checked.add(source)
    assert checked == set(queues)
    assert len(queues) == 2 * len(LetterQueue) - 2, "the stream and the timers have dead letters alone"


def test_a_worker_may_have_its_failed_message_come_again_sooner(
    synthesis: Any, functions: dict[str, dict[str, Any]]
) -> None:
    policies = of_type(synthesis.template, "AWS::IAM::Policy")
    roles = of_type(synthesis.template, "AWS::IAM::Role")
    of_roles = [policy for role in roles.values() for policy in role.get("Policies", [])]
    statements = [
        statement
        for policy in (*policies.values(), *of_roles)
        for statement in policy["PolicyDocument"]["Statement"]
        if "sqs:ChangeMessageVisibility" in statement["Action"]
    ]
    for queue in of_type(synthesis.template, "AWS::SQS::Queue"):
        with_right = [statement for statement in statements if f'"{queue}"' in json.dumps(statement["Resource"])]
        assert len(with_right) == 1, f"{queue}: its function alone"
