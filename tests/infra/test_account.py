"""Read deployed templates with their nested stacks, and none where no stack is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infra import assembly
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
