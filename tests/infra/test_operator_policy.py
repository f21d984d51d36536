"""An operator's policies name the calls that the code makes, and no others; tests that call AWS hold to them too
(`Recorded.answer`, and the restore's clients)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra import operator_policy
from infra.operator_policy import CALLS, FOLDER, actions_of, files, of_contest, of_make

ROOT = Path(__file__).parents[2]
LARGEST = 6_144
"""Characters of a managed policy, white space apart ("IAM and AWS STS quotas")."""
WAITERS = {"stack_delete_complete": "describe_stacks", "table_exists": "describe_table"}
OWN = {"publish", "copy"}
"""Names of our own functions, and of boto3's copying, which is a head and a copy."""
COPIED = {"s3:CopyObject", "s3:HeadObject"}


def actions(policy: dict[str, Any]) -> set[str]:
    return {action for statement in policy["Statement"] for action in statement["Action"]}


@cache
def named() -> set[str]:
    """Return every attribute and text of the package, but for its constructs, which call nothing."""
    nodes = [node for path in (ROOT / "infra").glob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)} | texts


@cache
def methods() -> dict[str, set[str]]:
    """Return the calls of the services in the table, by the methods of boto3."""
    calls: dict[str, set[str]] = {}
    session = boto3.Session(aws_access_key_id="x", aws_secret_access_key="x")
    for service in sorted({call.partition(":")[0] for call in CALLS}):
        client = session.client(service, region_name="us-east-1")
        for method, operation in client.meta.method_to_api_mapping.items():
            calls.setdefault(method, set()).add(f"{service}:{operation}")
    return calls


def test_the_examples_are_those_that_the_code_writes() -> None:
    there = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert there == files(), "python -m infra.operator_policy"
    for content in there.values():
        assert len(json.dumps(json.loads(content), separators=(",", ":"))) <= LARGEST


def differences(calls: Collection[str]) -> tuple[set[str], set[str]]:
    """Return the methods that the code calls without a right, and the rights that no call needs."""
    names, operations = named() - OWN, methods()
    called = {method for method in operations if method in names}
    called |= {method for waiter, method in WAITERS.items() if waiter in names}
    reached = set().union(*(operations[method] for method in called)) | COPIED
    return {method for method in called if not operations[method] & set(calls)}, set(calls) - reached


def test_every_call_of_the_code_has_its_right_and_every_right_a_call() -> None:
    assert differences(CALLS) == (set(), set())
    assert {action for call in CALLS for action in actions_of(call)} <= actions(of_make())


def test_a_call_without_a_right_and_a_right_without_a_call_are_seen() -> None:
    assert differences(CALLS.keys() - {"logs:DeleteLogGroup"}) == ({"delete_log_group"}, set())
    assert differences({*CALLS, "ssm:DeleteParameters"}) == (set(), {"ssm:DeleteParameters"})


def test_nobody_is_given_a_whole_service_or_the_right_to_give_rights() -> None:
    template = json.loads((ROOT / "local/src/local/template.json").read_text("utf-8"))
    for policy in (of_make(), of_contest(template)):
        assert not [action for action in actions(policy) if action.endswith(":*") or action == "*"]
        assert {action for action in actions(policy) if action.startswith("iam:")} <= {"iam:PassRole"}
        for statement in policy["Statement"]:
            reads = all(re.search(r":(Get|GET|List|Describe)", action) for action in statement["Action"])
            schedules = all(action.startswith("application-autoscaling:") for action in statement["Action"])
            assert statement["Resource"] != ["*"] or reads or schedules


def test_the_policies_of_a_cycle_name_it_its_region_and_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_policy, "ROOT", tmp_path)
    monkeypatch.setattr(operator_policy, "FILLED", tmp_path / "filled")
    assert operator_policy.main(["spring-2027"]) == 2
    assert operator_policy.main(["spring-2027", "eu-central-1", "111122223333"]) == 0
    policies = {path.name: path.read_text("utf-8") for path in (tmp_path / "filled").iterdir()}
    assert policies.keys() == files().keys()
    for content in policies.values():
        assert not re.search("CYCLE|REGION|ACCOUNT", content)
        assert "arn:aws:dynamodb:eu-central-1:111122223333:table/hurdle-spring-2027-*" in content
