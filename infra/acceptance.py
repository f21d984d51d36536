"""Findings of cdk-nag that are accepted, each with its reason."""

from __future__ import annotations

from typing import Any

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def accept(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept one rule's findings on the construct and below it; the reason says why they are right here."""
    Validations.of(construct).acknowledge(Acknowledgment(id=rule, reason=reason))


def nag_arn(arn: dict[str, list[Any]]) -> str:
    """Return an ARN of parts as cdk-nag writes it: references in angle brackets, what is imported by its name."""
    return "".join(part if isinstance(part, str) else _reference(part) for part in arn["Fn::Join"][1])


def _reference(part: dict[str, Any]) -> str:
    if "Fn::GetAtt" in part:
        return f"<{'.'.join(part['Fn::GetAtt'])}>"
    return f"<{part['Ref']}>" if "Ref" in part else str(part["Fn::ImportValue"])
