"""Sizes, limits and names of a cycle are checked before anything is deployed; each cycle has one file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contest.operations.minute_timer import BUDGET
from contest.routes import SHARES
from contest.values import MINUTE, SECOND
from infra import config
from infra.config import (
    CYCLES,
    LONGEST_CYCLE_NAME,
    SIZES,
    ConfigError,
    CycleConfig,
    FunctionSize,
    for_cycle,
    read,
)

ADDRESS = "organizers@example.org"


def real(cycle: str = "spring-2027", **choices: Any) -> CycleConfig:
    return CycleConfig(cycle=cycle, alarm_email=ADDRESS, **choices)


def demo(**choices: Any) -> CycleConfig:
    return for_cycle("demo").changed(**choices)


@pytest.mark.parametrize("name", ["demo", "spring-2027", "a", "x" * LONGEST_CYCLE_NAME, "a1-b2-c3"])
def test_a_plain_name_is_a_cycle(name: str) -> None:
    assert real(name).cycle == name


@pytest.mark.parametrize(
    "name", ["Demo", "2027", "-a", "a-", "a--b", "a_b", "весна", "a b", "x" * (LONGEST_CYCLE_NAME + 1), "demo\n"]
)
def test_a_bad_cycle_name_is_refused_and_told_how_to_be_right(name: str) -> None:
    with pytest.raises(ConfigError, match="for example spring-2027"):
        for_cycle(name)
    with pytest.raises(ValueError, match="for example spring-2027"):
        real(name)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("aws-2027", "paws", "amazon-2027", "cognito-cup"), "domain prefix of the sign-in"),  # words that it reserves
        (("", None, 7), "make synth CYCLE=demo"),
    ],
)
def test_a_name_that_cannot_be_or_none_is_refused_with_the_reason(names: tuple[Any, ...], reason: str) -> None:
    for name in names:
        with pytest.raises(ConfigError, match=reason):
            for_cycle(name)


def test_every_function_of_every_cycle_fits_lambdas_64_characters() -> None:
    assert len(f"hurdle-{'x' * LONGEST_CYCLE_NAME}-") + max(map(len, SIZES)) <= 64


@pytest.mark.clause("platform §2 deployment")
def test_a_cycle_without_its_file_is_refused_with_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="make cycle CYCLE=spring-2027 ARGS=") as refused:
        for_cycle("spring-2027")
    command = str(refused.value).partition("make cycle CYCLE=")[2].replace("ADDRESS", ADDRESS)
    name, arguments = command.split(" ARGS=")
    assert config.main([name, *arguments.strip('"').split(" ")], tmp_path) == 0
    assert for_cycle("spring-2027", tmp_path) == real()
    assert real().retain_data


def test_a_file_that_is_there_is_not_written_over_and_a_bad_one_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config.main(["spring", "--alarm-email", ADDRESS], tmp_path) == 0
    before = (tmp_path / "spring.yaml").read_bytes()
    assert config.main(["spring", "--alarm-email", "others@example.org"], tmp_path) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "spring.yaml").read_bytes() == before
    assert config.main(["autumn", "--alarm-email", ADDRESS, "--domain-name", "a.example"], tmp_path) == 2
    assert "belong together" in capsys.readouterr().err
    for words in ([], ["winter"]):
        with pytest.raises(SystemExit, match="2"):
            config.main(words, tmp_path)
        assert 'make cycle CYCLE=NAME ARGS="--alarm-email ADDRESS"' in capsys.readouterr().err
    for name in ("spring/2027", "\udcff"):
        assert config.main([name, "--alarm-email", ADDRESS], tmp_path) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["spring.yaml"]


def test_the_schema_for_editors_is_that_of_the_model_and_takes_every_file() -> None:
    """``make template`` writes the schema anew."""
    schema = json.loads((CYCLES / config.SCHEMA).read_text("utf-8"))
    assert schema == json.loads(config.schema())
    editor = Draft202012Validator(schema)
    for choices, faults in (
        ({"cycle": "spring", "alarm_email": ADDRESS, "sizes": {"Public": {"reserved_concurrency": 40}}}, 0),
        ({"cycle": "spring", "log_retention_days": 8}, 1),
        ({"cycle": "spring", "alarm_mail": ADDRESS}, 1),
        ({"alarm_email": ADDRESS}, 1),
    ):
        assert len(list(editor.iter_errors(choices))) == faults, choices


def test_every_checked_in_file_can_be_deployed() -> None:
    files = sorted(CYCLES.glob("*.yaml"))
    assert "demo.yaml" in [file.name for file in files]
    for file in files:
        assert for_cycle(file.stem) == read(file)


def test_the_demonstration_leaves_nothing_behind() -> None:
    assert not for_cycle("demo").retain_data


def test_a_real_cycle_has_an_address_for_alarms() -> None:
    with pytest.raises(ValueError, match="without an address that its alarms reach"):
        CycleConfig(cycle="spring-2027")
    with pytest.raises(ValueError, match="alarm_email"):
        CycleConfig(cycle="spring-2027", alarm_email="nobody")


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
        ("requests_per_second", -5),
        ("requests_burst", 0),
        ("frames_per_second", 0),
        ("frames_burst", 99_999_999_999),
        ("relay_retries", -2),
    ],
)
def test_a_value_that_aws_would_refuse_is_refused_by_name(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=field):
        demo(**{field: value})


def test_the_minute_timer_leaves_a_quarter_of_its_time_to_the_work_that_it_has_begun() -> None:
    assert BUDGET <= SIZES["MinuteTimer"].timeout_s * SECOND * 3 / 4 < MINUTE


ARMED = {"from": datetime(2027, 5, 10, 5, tzinfo=UTC), "until": datetime(2027, 5, 10, 11, tzinfo=UTC), "teams": 60}


def test_the_times_at_which_functions_are_kept_running_stand_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "spring-2027.yaml"
    file.write_text(
        f"cycle: spring-2027\nalarm_email: {ADDRESS}\narmed:\n"
        "  - {from: 2027-05-10T08:00:00+03:00, until: 2027-05-10T14:00:00+03:00, teams: 60}\n"
    )
    (window,) = read(file).armed
    assert (window.since, window.until, window.teams) == (ARMED["from"], ARMED["until"], 60)
    assert read(file).most_kept == 12 + 60 + 30 + 30 + 12 + 30
    assert real().most_kept == 145


def test_a_time_without_an_offset_or_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValueError, match="timezone"):
        real(armed=[ARMED | {"until": datetime(2027, 5, 10, 14)}])  # noqa: DTZ001 -- the fault
    with pytest.raises(ValueError, match="ends before it begins"):
        real(armed=[ARMED | {"until": ARMED["from"]}])


def test_what_may_be_kept_running_never_starts_from_a_snapshot() -> None:
    assert not real().starts_from_snapshot("Results")
    assert real(snapshots=True).starts_from_snapshot("Results")
    assert not any(real(snapshots=True).starts_from_snapshot(name) for name in SHARES)


def test_no_more_can_be_kept_running_than_may_run() -> None:
    sizes = {"Submit": {"reserved_concurrency": 20}}
    with pytest.raises(ValueError, match="30 executions of Submit running, more than the 20"):
        demo(armed=[ARMED], sizes=sizes)
    demo(sizes=sizes)


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
    with pytest.raises(ValueError, match=complaint):
        demo(domain_name=domain, certificate_arn=certificate)


@pytest.mark.parametrize(("memory", "timeout", "reserved"), [(64, 1, None), (128, 901, None), (128, 1, 0)])
def test_a_function_cannot_be_larger_than_lambda(memory: int, timeout: int, reserved: int | None) -> None:
    with pytest.raises(ValueError, match="than or equal to"):
        FunctionSize(memory_mib=memory, timeout_s=timeout, reserved_concurrency=reserved)


@pytest.mark.clause("platform §2 deployment")
def test_a_file_says_what_differs_from_the_usual_down_to_one_size_and_one_threshold(tmp_path: Path) -> None:
    (tmp_path / "spring.yaml").write_text(
        "cycle: spring\nretain_data: false\nallowed_origins: [https://a.example]\n"
        "sizes: {Public: {reserved_concurrency: 40}}\nalarms: {channel_faults: 7}\n",
        "utf-8",
    )
    config = for_cycle("spring", tmp_path)
    usual = CycleConfig(cycle="spring", retain_data=False, allowed_origins=("https://a.example",))
    public = FunctionSize(memory_mib=1_769, timeout_s=29, reserved_concurrency=40)
    assert config.sizes == {**SIZES, "Public": public}
    assert (config.alarms.channel_faults, config.alarms.dead_letters) == (7, 0)
    assert config.changed(sizes=SIZES, alarms=usual.alarms) == usual


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "cannot be read"),
        ("[]", "names its cycle"),
        ("{cycle: spring, retain_data: true, retain_data: false}", "cannot be read: retain_data stands there twice"),
        ("{cycle: spring, alarms: {dead_letters: 1, dead_letters: 2}}", "dead_letters stands there twice"),
        ("{cycle: spring, retain_data: false, alarms: {dead_letters: -1}}", r"alarms.dead_letters: .*0, not -1"),
        ("retain_data: true", "names its cycle"),
        ("{cycle: autumn, retain_data: false}", "spring is to be deployed"),
        ("{cycle: spring, alarm_mail: a@example.org}", "alarm_mail: there is no such choice"),
        ("{cycle: spring, sizes: {Dispatched: {memory_mib: 512}}}", "sizes names Dispatched"),
        ("{cycle: spring, sizes: {Dispatch: {memory_mib: 64}}}", r"sizes.Dispatch.memory_mib: .*128, not 64"),
        ("{cycle: spring, log_retention_days: '14'}", "log_retention_days: .*integer, not '14'"),
        ("{cycle: spring, retain_data: 1}", "retain_data: .*boolean, not 1"),
        ("{cycle: spring, log_retention_days: true}", "log_retention_days: .*integer, not True"),
        ("{cycle: spring, allowed_origins: https://a.example}", "allowed_origins: .*tuple"),
        ("{cycle: spring, log_retention_days: 13}", "CloudWatch keeps logs"),
    ],
)
def test_a_file_that_cannot_be_is_told_why_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "spring.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=complaint) as refused:
        for_cycle("spring", tmp_path)
    assert str(tmp_path / "spring.yaml") in str(refused.value)
