"""Sizes, limits and names of a cycle are checked before anything is deployed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.config import (
    CYCLES,
    HOT,
    LONGEST_CYCLE_NAME,
    SIZES,
    ConfigError,
    CycleConfig,
    FunctionSize,
    for_cycle,
    is_yes,
    main,
)


@pytest.mark.parametrize("name", ["demo", "spring-2027", "a", "x" * LONGEST_CYCLE_NAME, "a1-b2-c3"])
def test_a_plain_name_is_a_cycle(name: str) -> None:
    assert for_cycle(name).cycle == name


@pytest.mark.parametrize(
    "name", ["Demo", "2027", "-a", "a-", "a--b", "a_b", "весна", "a b", "x" * (LONGEST_CYCLE_NAME + 1), "demo\n"]
)
def test_a_bad_cycle_name_is_refused_and_told_how_to_be_right(name: str) -> None:
    with pytest.raises(ConfigError, match="spring-2027"):
        for_cycle(name)


@pytest.mark.parametrize(("said", "armed"), [(None, False), ("", False), ("no", False), ("yes", True)])
def test_a_cycle_is_armed_when_the_command_says_so(said: str | None, armed: bool) -> None:
    assert is_yes("armed", said) is armed


@pytest.mark.parametrize("said", ["true", "Yes", 1, True])
def test_a_word_that_may_mean_either_arms_nothing(said: object) -> None:
    with pytest.raises(ConfigError, match="-c armed=yes"):
        is_yes("armed", said)


@pytest.mark.parametrize("name", ["", None, 7])
def test_a_missing_cycle_name_says_where_to_give_it(name: object) -> None:
    with pytest.raises(ConfigError, match="-c cycle=demo"):
        for_cycle(name)  # type: ignore[arg-type]  # the context of a CDK app is not typed


@given(st.from_regex(r"[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,3}){0,4}", fullmatch=True))
def test_every_function_of_every_cycle_fits_lambdas_64_characters(name: str) -> None:
    longest = max(len(function) for function in SIZES)
    assert len(f"hurdle-{for_cycle(name).cycle}-") + longest <= 64


def test_a_cycle_nobody_configured_keeps_its_data() -> None:
    assert "spring-2027" not in CYCLES
    assert for_cycle("spring-2027").retain_data


def test_the_demonstration_leaves_nothing_behind() -> None:
    assert not for_cycle("demo").retain_data


def test_an_alarm_address_changes_nothing_else() -> None:
    assert for_cycle("demo", alarm_email="a@example.org") == replace(for_cycle("demo"), alarm_email="a@example.org")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("log_retention_days", 8),
        ("access_log_retention_days", 0),
        ("scoring_max_concurrency", 1),
        ("scoring_batch_size", 11),
        ("relay_batch_size", 0),
        ("push_batch_size", 11),
        ("push_max_concurrency", 1),
        ("audit_interval_hours", 0),
    ],
)
def test_a_value_that_aws_would_refuse_is_refused_by_name(field: str, value: int) -> None:
    with pytest.raises(ConfigError, match=field):
        replace(CycleConfig("demo"), **{field: value})  # type: ignore[arg-type]  # mypy sees no keys


def test_a_message_is_not_offered_again_while_its_scoring_may_still_run() -> None:
    with pytest.raises(ConfigError, match="scoring_visibility_s"):
        CycleConfig("demo", scoring_visibility_s=SIZES["Score"].timeout_s - 1)


def test_a_push_is_not_offered_again_while_it_may_still_run() -> None:
    with pytest.raises(ConfigError, match="push_visibility_s"):
        CycleConfig("demo", push_visibility_s=SIZES["Push"].timeout_s - 1)


def test_only_an_armed_cycle_keeps_functions_running() -> None:
    assert for_cycle("spring-2027").provisioned("Dispatch") is None
    armed = for_cycle("spring-2027", armed=True)
    assert armed.provisioned("Dispatch") == HOT["Dispatch"]
    assert armed.provisioned("Score") is None


def test_only_what_somebody_waits_for_can_be_kept_running() -> None:
    with pytest.raises(ConfigError, match="names Score: only what somebody waits for"):
        CycleConfig("demo", provisioned_concurrency=MappingProxyType({"Score": 1}))


def test_no_more_can_be_kept_running_than_may_run() -> None:
    sizes = MappingProxyType({**SIZES, "Submit": replace(SIZES["Submit"], reserved_concurrency=20)})
    with pytest.raises(ConfigError, match=r"Submit = 25 is outside 1…20"):
        CycleConfig("demo", sizes=sizes)


CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"


@pytest.mark.parametrize(
    ("domain", "certificate", "complaint"),
    [
        ("hurdle.example.org", None, "belong together"),
        (None, CERTIFICATE, "belong together"),
        ("hurdle.example.org", CERTIFICATE.replace("us-east-1", "eu-central-1"), "us-east-1"),
    ],
)
def test_a_domain_has_a_certificate_that_cloudfront_takes(
    domain: str | None, certificate: str | None, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        CycleConfig("demo", domain_name=domain, certificate_arn=certificate)


@pytest.mark.parametrize(("memory", "timeout", "reserved"), [(64, 1, None), (128, 901, None), (128, 1, 0)])
def test_a_function_cannot_be_larger_than_lambda(memory: int, timeout: int, reserved: int | None) -> None:
    with pytest.raises(ConfigError):
        FunctionSize(memory, timeout, reserved)


def test_a_deployment_file_says_what_differs_from_the_usual(tmp_path: Path) -> None:
    place = tmp_path / "deployment.json"
    place.write_text('{"cycle": "spring", "retain_data": false, "allowed_origins": ["https://a.example"]}', "utf-8")
    made = for_cycle("spring", deployment=str(place), armed=True)
    assert made == CycleConfig("spring", retain_data=False, allowed_origins=("https://a.example",), armed=True)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{", "cannot be read"),
        ("[]", "names its cycle"),
        ('{"retain_data": true}', "names its cycle"),
        ('{"cycle": "autumn"}', "spring is to be deployed"),
        ('{"cycle": "spring", "sizes": {}}', "sizes cannot be chosen"),
        ('{"cycle": "spring", "log_retention_days": "14"}', "not of its kind"),
        ('{"cycle": "spring", "retain_data": 1}', "not of its kind"),
        ('{"cycle": "spring", "log_retention_days": true}', "not of its kind"),
        ('{"cycle": "spring", "allowed_origins": "https://a.example"}', "not of its kind"),
        ('{"cycle": "spring", "log_retention_days": 13}', "CloudWatch keeps logs"),
    ],
)
def test_a_deployment_file_that_cannot_be_is_told_why(tmp_path: Path, said: str, told: str) -> None:
    place = tmp_path / "deployment.json"
    place.write_text(said, "utf-8")
    with pytest.raises(ConfigError, match=told):
        for_cycle("spring", deployment=str(place))


def test_whether_a_cycle_runs_programs_is_asked_before_their_machines_are_deployed(tmp_path: Path) -> None:
    deployment = tmp_path / "deployment.json"
    deployment.write_text('{"cycle": "fusion-2027", "programs": true, "program_machine": "g6.8xlarge"}', "utf-8")
    assert main(["fusion-2027", str(deployment)]) == 0
    assert main(["fusion-2027"]) == 1
    assert for_cycle("fusion-2027", deployment=str(deployment)).program_machine == "g6.8xlarge"
    assert for_cycle("fusion-2027", programs=True).programs
