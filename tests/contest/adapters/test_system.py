"""Clocks that wait, a pool's keys and a deployment's parameter: adapters of the machine and of AWS accounts."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3  # type: ignore[import-untyped]  # ships no types
import pytest
from joserfc import jws
from joserfc.jwk import RSAKey
from moto import mock_aws

from contest import settings
from contest.adapters import aws
from contest.adapters.system import FileClock, SystemClock
from contest.operations.store import DeployedParameters
from contest.people import accounts
from contest.people.accounts import READ_AGAIN, PoolSignIns
from contest.people.rules import Pool, SignedIn
from contest.ports import NoDeploymentError


class Time:
    """A system's time that sleeping moves, and nothing else does."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000_000_000
        self.slept: list[float] = []

    def time_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.ns += round(seconds * 1e9)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    result = Time()
    monkeypatch.setattr("contest.adapters.system.time", result)
    return result


def file_clock(folder: Path, **said: Any) -> FileClock:
    path = folder / "clock.json"
    path.write_text(json.dumps({"held_ms": None, "offset_ms": 0, **said}), "utf-8")
    return FileClock(str(path))


@pytest.mark.parametrize("kind", ["system", "file"])
def test_a_clock_waits_until_the_very_millisecond_but_two_and_a_half_seconds_at_most(
    time: Time, tmp_path: Path, kind: str
) -> None:
    clock = SystemClock() if kind == "system" else file_clock(tmp_path, offset_ms=-5_000)
    assert clock.now() == SystemClock().now() - (5_000 if kind == "file" else 0)
    assert clock.wait_until(clock.now()) == clock.now()
    assert time.slept == [], "what has come is not waited for"
    moment = clock.now() + 1_234
    assert clock.wait_until(moment) == clock.now() == moment
    time.slept.clear()
    moment = clock.now() + 60_000
    assert clock.wait_until(moment) < moment
    assert 2.5 <= sum(time.slept) < 2.7


def test_a_clock_that_stands_is_not_waited_for(time: Time, tmp_path: Path) -> None:
    clock = file_clock(tmp_path, held_ms=7_000, offset_ms=99)
    assert clock.wait_until(7_001) == clock.wait_until(7_000) == 7_000
    assert time.slept == []


def test_a_clock_stopped_meanwhile_is_not_waited_for(
    time: Time, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = file_clock(tmp_path)
    start = clock.now()
    sleep = time.sleep

    def stopping(seconds: float) -> None:
        sleep(seconds)
        file_clock(tmp_path, held_ms=start + 100)

    monkeypatch.setattr(time, "sleep", stopping)
    assert clock.wait_until(start + 1_000) == start + 100
    assert len(time.slept) == 1


ISSUER, CLIENT_ID = "https://pool.example/staff", "the-client"
FIRST, SECOND = (RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"}) for name in ("one", "two"))
KNOWN = SignedIn(Pool.STAFF, "anna", 60_000)


class Issuer:
    """Pool that returns its keys, and counts the requests."""

    def __init__(self) -> None:
        self.keys = [FIRST]
        self.asked = 0
        self.passed = 0.0
        self.reads = PoolSignIns([(Pool.STAFF, ISSUER, CLIENT_ID)])

    def opened(self, address: str, timeout: float) -> io.BytesIO:
        assert (address, timeout > 0) == (f"{ISSUER}/.well-known/jwks.json", True)
        self.asked += 1
        return io.BytesIO(json.dumps({"keys": [each.as_dict(private=False) for each in self.keys]}).encode())

    def read(self, key: RSAKey, kid: str | None = None) -> SignedIn | None:
        claims = {"iss": ISSUER, "client_id": CLIENT_ID, "token_use": "access", "sub": "anna", "exp": 60}
        header = {"alg": "RS256", "kid": kid or str(key.kid)}
        return self.reads.read(jws.serialize_compact(header, json.dumps(claims).encode(), key))


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    result = Issuer()
    with (
        patch.object(accounts.urllib.request, "urlopen", result.opened),
        patch.object(accounts.time, "monotonic", lambda: result.passed),
    ):
        yield result


def test_a_pools_keys_are_read_once_whatever_names_are_made_up(issuer: Issuer) -> None:
    assert [issuer.read(FIRST) for _ in range(3)] == [KNOWN] * 3
    assert issuer.asked == 1
    assert [issuer.read(SECOND, f"name-{number}") for number in range(50)] == [None] * 50
    assert issuer.asked == 1


def test_a_key_that_the_pool_has_changed_to_is_believed_a_minute_later_at_most(issuer: Issuer) -> None:
    assert issuer.read(FIRST) == KNOWN
    issuer.keys = [SECOND]
    issuer.passed = READ_AGAIN - 0.001
    assert issuer.read(SECOND) is None
    issuer.passed = READ_AGAIN
    assert issuer.read(SECOND) == KNOWN
    assert issuer.read(FIRST) is None


def test_a_pool_that_cannot_be_reached_refuses_nobody(issuer: Issuer) -> None:
    """Check that a platform's fault is not answered as a wrong token."""
    with (
        patch.object(accounts.urllib.request, "urlopen", side_effect=OSError("no route")),
        pytest.raises(OSError, match="no route"),
    ):
        issuer.read(FIRST)
    assert issuer.read(FIRST) == KNOWN


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


def test_the_variables_are_those_of_the_cycles_parameter_and_a_missing_one_is_named(account: None) -> None:
    with pytest.raises(NoDeploymentError, match=r"/hurdle/spring-2027/command.*deploy the cycle"):
        DeployedParameters().variables(PARAMETER)
    boto3.client("ssm").put_parameter(Name=PARAMETER, Value=json.dumps(VARIABLES), Type="String")
    assert settings.command_parameter("spring-2027") == PARAMETER
    assert DeployedParameters().variables(PARAMETER) == VARIABLES


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
