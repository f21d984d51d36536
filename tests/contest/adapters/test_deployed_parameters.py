"""A deployed cycle's parameter for the organizer's command, on emulated AWS Systems Manager."""

from __future__ import annotations

import json
from collections.abc import Iterator

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from moto import mock_aws

from contest import settings
from contest.adapters import aws
from contest.operations.store import DeployedParameters
from contest.ports import NoDeploymentError

pytestmark = pytest.mark.integration

PARAMETER = "/hurdle/spring-2027/command"
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


def test_the_variables_are_those_of_the_cycles_parameter(account: None) -> None:
    boto3.client("ssm").put_parameter(Name=PARAMETER, Value=json.dumps(VARIABLES), Type="String")
    assert settings.command_parameter("spring-2027") == PARAMETER
    assert DeployedParameters().variables(PARAMETER) == VARIABLES


def test_of_a_cycle_that_was_not_deployed_the_missing_parameter_is_named(account: None) -> None:
    with pytest.raises(NoDeploymentError, match=r"/hurdle/spring-2027/command.*deploy the cycle"):
        DeployedParameters().variables(PARAMETER)


def test_without_credentials_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setattr(aws, "client", lambda service: boto3.session.Session().client(service))
    with pytest.raises(NoDeploymentError, match="credentials"):
        DeployedParameters().variables(PARAMETER)
