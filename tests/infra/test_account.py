"""An account as operators' commands see it: deployed templates with their nested stacks, and refusals that end alike.

Each refusal says what stopped the command and what to do, with exit code 1, and nothing is built before.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from botocore import exceptions

from infra import assembly, deploy, destroy, preflight, restore, trial_run
from infra.account import CREDENTIALS, RefusedError, guarded
from infra.assembly import StackFile, SynthesisError
from tests.infra.recorded import Recorded, error, stack, stacks
from tests.infra.test_preflight import NOW

OUTER = {"Resources": {"Alarms": {"Type": "AWS::CloudFormation::Stack", "Properties": {}}}}
INNER = {"Resources": {"Alarm": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Threshold": 1}}}}
NEW = StackFile("hurdle-spring", "us-east-1", {"Resources": {}}, {}, frozenset({"before"}))


def answers(status: str, physical: str | None = "arn:inner") -> dict[str, Any]:
    def template(params: Mapping[str, Any]) -> Any:
        return {"TemplateBody": json.dumps(INNER if params["StackName"] == "arn:inner" else OUTER)}

    detail = {
        "LogicalResourceId": "Alarms",
        "ResourceType": "AWS::CloudFormation::Stack",
        "LastUpdatedTimestamp": NOW,
        "ResourceStatus": "CREATE_COMPLETE",
    }
    named = {"PhysicalResourceId": physical} if physical else {}
    return {
        "cloudformation:DescribeStacks@us-east-1": stacks(stack("hurdle-spring", status)),
        "cloudformation:GetTemplate@us-east-1": template,
        "cloudformation:DescribeStackResource@us-east-1": {"StackResourceDetail": detail | named},
    }


def test_a_deployed_stack_comes_with_those_within_it_from_its_own_region() -> None:
    deployed = Recorded(answers("UPDATE_COMPLETE")).account().deployed_as(NEW)
    assert deployed == StackFile("hurdle-spring", "us-east-1", OUTER, {"Alarms": INNER}, frozenset({"before"}))


def test_a_stack_within_that_was_never_made_has_no_template() -> None:
    deployed = Recorded(answers("UPDATE_ROLLBACK_COMPLETE", None)).account().deployed_as(NEW)
    assert deployed is not None
    assert deployed.nested == {}


@pytest.mark.parametrize("status", ["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"])
def test_where_a_creation_failed_or_never_began_nothing_is_deployed(status: str) -> None:
    assert Recorded(answers(status)).account().deployed_as(NEW) is None


def test_another_error_than_a_missing_stack_is_no_missing_stack() -> None:
    account = Recorded({"cloudformation:DescribeStacks": error("AccessDenied", "DescribeStacks")}).account()
    with pytest.raises(Exception, match="AccessDenied"):
        account.stack("hurdle-spring")


def test_a_synthesis_is_told_cycle_and_protection_and_a_failed_one_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments: list[Mapping[str, str]] = []

    def run(words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        environments.append(more["env"])
        return subprocess.CompletedProcess(words, 2, "", "infra: the cycle spring has no file\n")

    monkeypatch.setattr(assembly.subprocess, "run", run)
    with pytest.raises(SynthesisError, match=r"^infra: the cycle spring has no file$"):
        assembly.synthesize("spring", tmp_path, {"protected": "hurdle-spring"})
    assert json.loads(environments[0]["CDK_CONTEXT_JSON"]) == {"cycle": "spring", "protected": "hurdle-spring"}
    assert environments[0]["CDK_OUTDIR"] == str(tmp_path)


ROOT = Path(__file__).parents[2]
MAINS: dict[str, tuple[Callable[[Sequence[str]], int], Sequence[str]]] = {
    "preflight": (preflight.main, ["demo"]),
    "preflight --first": (preflight.main, ["demo", "--first"]),
    "deploy": (deploy.main, ["demo"]),
    "destroy": (destroy.main, ["demo"]),
    "restore": (restore.main, ["demo", "2026-11-29T12:00:00Z"]),
}


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Leave nothing in the environment by which somebody could be known to AWS."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    return monkeypatch


@pytest.mark.parametrize("command", MAINS)
@pytest.mark.parametrize(
    ("profile", "region", "what", "remedy"),
    [
        ("", "eu-central-1", "Unable to locate credentials", CREDENTIALS),
        ("gone", "eu-central-1", "The config profile (gone) could not be found", CREDENTIALS),
        ("", "", "no region is chosen", "export AWS_REGION=REGION"),
    ],
)
def test_without_credentials_or_region_each_command_says_what_is_missing_and_what_to_do(
    command: str,
    profile: str,
    region: str,
    what: str,
    remedy: str,
    nobody: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    nobody.setenv("AWS_REGION", region)
    if profile:
        nobody.setenv("AWS_PROFILE", profile)
    main, words = MAINS[command]
    assert main(words) == 1
    printed = "".join(capsys.readouterr())
    assert what in printed
    assert f"do: {remedy}" in printed


def test_acceptance_passes_on_what_preflight_says_and_leaves_nothing(
    nobody: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody.setattr(trial_run.Trial, "make", lambda self, *words: refuse(f"make {words[0]}: {CREDENTIALS}"))
    assert trial_run.main(["demo"]) == 1
    printed = capsys.readouterr().out
    assert CREDENTIALS in printed
    assert "What is there stays" not in printed, "nothing was made yet"


def refuse(why: str) -> str:
    raise trial_run.FailedError(why)


@pytest.mark.parametrize(
    ("raised", "does"),
    [
        (RefusedError("no: do this"), "no: do this"),
        (exceptions.NoCredentialsError(), CREDENTIALS),
        (exceptions.UnauthorizedSSOTokenError(), CREDENTIALS),
        (exceptions.NoRegionError(), "export AWS_REGION=REGION"),
        (error("ExpiredToken", "DeleteStack"), "the credentials are wrong or have expired"),
        (error("AccessDenied", "DeleteStack"), "let these credentials call DeleteStack: docs/operations.md"),
        (error("Throttling", "DeleteStack"), "mend the reason"),
        (exceptions.EndpointConnectionError(endpoint_url="https://there"), "mend the reason"),
    ],
)
def test_what_stops_a_command_in_between_has_its_remedy(raised: Exception, does: str) -> None:
    lines: list[str] = []

    def work() -> int:
        raise raised

    assert guarded("destroy", lines.append, work) == 1
    assert lines[0].startswith("destroy: ")
    assert does in lines[0]


@pytest.mark.parametrize("target", ["preflight", "deploy"])
def test_the_cycles_file_is_read_before_anything_is_built(target: str) -> None:
    words = ["/usr/bin/env", "make", "-n", target, "CYCLE=demo"]
    printed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert 0 < printed.index("infra.preflight demo --first") < printed.index("infra.layers")
