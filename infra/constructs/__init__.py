"""One construct for each capability, which the stacks compose; rights of roles, and accepted findings of cdk-nag.

Each finding is accepted with the reason for which it is right here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Acknowledgment, Stack, Validations
from aws_cdk import aws_iam as iam
from constructs import IConstruct


def accept(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept one rule's findings on the construct and below it; the reason says why they are right here."""
    Validations.of(construct).acknowledge(Acknowledgment(id=rule, reason=reason))


def allow(
    role: iam.Role, actions: Sequence[str], *resources: str, star: str = "", where: Mapping[str, Any] | None = None
) -> None:
    """Let a role do some actions with some resources, where conditions have these values.

    ``star`` says why resources with a star are right here: cdk-nag finds each.
    """
    conditions = None if where is None else {"StringEquals": where}
    role.add_to_policy(iam.PolicyStatement(actions=[*actions], resources=[*resources], conditions=conditions))
    for resource in resources if star else ():
        accept(role, f"AwsSolutions-IAM5[Resource::{_nag_arn(Stack.of(role).resolve(resource))}]", star)


def _nag_arn(arn: str | dict[str, list[Any]]) -> str:
    """Return an ARN as cdk-nag writes it: references in angle brackets, what is imported by its name."""
    parts = [arn] if isinstance(arn, str) else arn["Fn::Join"][1]
    return "".join(part if isinstance(part, str) else _reference(part) for part in parts)


def _reference(part: dict[str, Any]) -> str:
    if "Fn::GetAtt" in part:
        return f"<{'.'.join(part['Fn::GetAtt'])}>"
    return f"<{part['Ref']}>" if "Ref" in part else str(part["Fn::ImportValue"])
