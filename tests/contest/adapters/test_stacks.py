"""What a cycle's stack says to the organizer's command, on emulated CloudFormation and Lambda."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from moto import mock_aws

from contest import settings
from contest.adapters import aws
from contest.operations.store import Stacks
from contest.ports import NoStackError

pytestmark = pytest.mark.integration

VARIABLES = {settings.CYCLE: "spring-2027", settings.BUCKET: "the-bucket"}


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "eu-central-1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        monkeypatch.setattr(aws, "client", boto3.client)
        yield


def deploy(outputs: dict[str, Any]) -> None:
    template = {"Resources": {"Any": {"Type": "AWS::SQS::Queue"}}, "Outputs": outputs}
    boto3.client("cloudformation").create_stack(StackName="hurdle-spring-2027", TemplateBody=json.dumps(template))


def make_function(name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("handler.py", "")
    trusted = json.dumps({"Version": "2012-10-17", "Statement": []})
    role = boto3.client("iam").create_role(RoleName="any", AssumeRolePolicyDocument=trusted)["Role"]["Arn"]
    boto3.client("lambda").create_function(
        FunctionName=name,
        Runtime="python3.12",
        Role=role,
        Handler="handler.main",
        Code={"ZipFile": packed.getvalue()},
        Environment={"Variables": VARIABLES},
    )


def test_the_variables_are_those_of_the_function_that_the_stack_names(account: None) -> None:
    make_function("organize-7")
    deploy({"Address": {"Value": "https://x.example"}, settings.COMMAND_FUNCTION: {"Value": "organize-7"}})
    assert Stacks().variables("hurdle-spring-2027", settings.COMMAND_FUNCTION) == VARIABLES


def test_a_cycle_that_was_not_deployed_is_named_with_its_stack(account: None) -> None:
    with pytest.raises(NoStackError, match=r"hurdle-autumn.*does not exist"):
        Stacks().variables("hurdle-autumn", settings.COMMAND_FUNCTION)


def test_a_stack_of_an_earlier_version_is_to_be_deployed_anew(account: None) -> None:
    deploy({"Address": {"Value": "https://x.example"}})
    with pytest.raises(NoStackError, match="deploy it anew"):
        Stacks().variables("hurdle-spring-2027", settings.COMMAND_FUNCTION)


def test_without_credentials_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setattr(aws, "client", lambda service: boto3.session.Session().client(service))
    with pytest.raises(NoStackError, match="credentials"):
        Stacks().variables("hurdle-spring-2027", settings.COMMAND_FUNCTION)
