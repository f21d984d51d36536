"""An AWS account that answers what a test says, by the shapes that botocore documents; nothing leaves the machine.

A request that no answer is recorded for fails the test, and so does an answer that AWS could not give.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from botocore.validate import ParamValidator

from infra.account import Account
from infra.operator_policy import CALLS

REGION = "eu-central-1"
ACCOUNT = "123456789012"
CREATED = "2026-11-29T12:00:00Z"
Answer = Mapping[str, Any] | Exception | Callable[[Mapping[str, Any]], Any]


def error(code: str, operation: str = "Operation", message: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message or code}}, operation)


@cache
def _client(service: str, region: str) -> Any:
    """Return a client that asks whoever stands in its ``recorded``; making one takes a tenth of a second."""
    client = boto3.Session(aws_access_key_id="none", aws_secret_access_key="none").client(service, region_name=region)

    def note(params: Mapping[str, Any], model: Any, **_: Any) -> None:
        client.recorded.asked.append((f"{service}:{model.name}", region, params))

    def answer(model: Any, **_: Any) -> tuple[AWSResponse, Any]:
        return AWSResponse("https://recorded", 200, {}, None), client.recorded.answer(service, region, model)

    client.meta.events.register("provide-client-params.*.*", note)
    client.meta.events.register("before-call.*.*", answer)
    return client


class Recorded:
    """Answers by ``service:Operation``, or ``service:Operation@region`` where regions answer differently.

    An answer may be a function of the request. ``asked`` holds the requests in their order.
    """

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers: dict[str, Answer] = dict(answers)
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []

    def account(self, region: str = REGION) -> Account:
        return Account(self.client, region)

    def client(self, service: str, region: str) -> Any:
        client = _client(service, region)
        client.recorded = self
        return client

    def answer(self, service: str, region: str, model: Any) -> Any:
        """Return the recorded answer to the latest request, checked against the operation's shape."""
        name = f"{service}:{model.name}"
        assert name in CALLS, f"{name}: infra.operator_policy gives an operator no right to it"
        recorded = self.answers.get(f"{name}@{region}", self.answers.get(name))
        assert recorded is not None, f"{name} in {region} is asked, and no answer is recorded"
        answer_given = recorded(self.asked[-1][2]) if callable(recorded) else recorded
        if isinstance(answer_given, Exception):
            raise answer_given
        if model.output_shape is not None:
            report = ParamValidator().validate(answer_given, model.output_shape)
            assert not report.has_errors(), f"{name}: {report.generate_report()}"
        return deepcopy(answer_given)  # boto3 changes some answers

    def regions(self) -> dict[str, set[str]]:
        """Return the regions in which CloudFormation was asked about each stack."""
        regions: dict[str, set[str]] = {}
        for operation, region, params in self.asked:
            if operation.startswith("cloudformation:") and "StackName" in params:
                regions.setdefault(params["StackName"], set()).add(region)
        return regions

    def called(self, name: str) -> Iterator[Mapping[str, Any]]:
        """Yield what an operation was asked with."""
        return (params for operation, _, params in self.asked if operation == name)


def stack(name: str, status: str, **more: Any) -> dict[str, Any]:
    """Return a description of a stack as CloudFormation gives it."""
    return {"StackName": name, "StackStatus": status, "CreationTime": CREATED, **more}


def stacks(*described: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Answer DescribeStacks for these; another one does not exist."""
    by_name = {description["StackName"]: description for description in described}

    def answer(params: Mapping[str, Any]) -> Any:
        description = by_name.get(params["StackName"])
        return (
            {"Stacks": [description]} if description else error("ValidationError", "DescribeStacks", "does not exist")
        )

    return answer


def templates(**by_name: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Answer GetTemplate, names with ``_`` for ``-``."""

    def answer(params: Mapping[str, Any]) -> Any:
        return {"TemplateBody": json.dumps(by_name[params["StackName"].replace("-", "_")])}

    return answer


class Person:
    """Person at the terminal of a command: the answer, the lines shown, and a log of the events."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.log: list[str] = []
        self.lines: list[str] = []

    def ask(self, question: str) -> str | None:
        self.log.append("asked")
        return self.answer

    def say(self, line: str) -> None:
        self.lines.append(line)

    @property
    def printed(self) -> str:
        return "\n".join(self.lines)


class Stacks(Person):
    """Stacks of an account as CloudFormation treats them, by name, beside the answers of other services."""

    failures: Sequence[tuple[str, str]] = (("in use", "Work"),)
    """Reasons of a failed deployment and their resources, the latest first."""

    def __init__(self, answer: str, answers: Mapping[str, Answer]) -> None:
        super().__init__(answer)
        self.stacks: dict[str, dict[str, Any]] = {}
        self.open_run = False
        of_stacks = {"DescribeStacks": self._describe, "UpdateTerminationProtection": self._protect}
        of_stacks["DescribeStackEvents"] = self._events
        answers_of_stacks = {f"cloudformation:{name}": method for name, method in of_stacks.items()}
        self.recorded = Recorded({**answers, **answers_of_stacks})

    def _describe(self, params: Mapping[str, Any]) -> Any:
        standing = self.stacks.get(params["StackName"])
        if standing is None:
            return error("ValidationError", "DescribeStacks")
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in standing.get("outputs", {}).items()]
        more = {"EnableTerminationProtection": standing["protected"], "Outputs": outputs}
        return {"Stacks": [stack(params["StackName"], standing["status"], **more)]}

    def _protect(self, params: Mapping[str, Any]) -> Any:
        self.stacks[params["StackName"]]["protected"] = params["EnableTerminationProtection"]
        return {"StackId": params["StackName"]}

    def _events(self, params: Mapping[str, Any]) -> Any:
        usual = {"StackId": "s", "StackName": params["StackName"], "Timestamp": CREATED}
        usual |= {"ResourceType": "AWS::SQS::Queue", "ResourceStatus": "CREATE_FAILED"}
        return {
            "StackEvents": [
                {**usual, "EventId": name, "LogicalResourceId": name, "ResourceStatusReason": reason}
                for reason, name in self.failures
            ]
        }
