"""Findings of cdk-nag that are accepted, each with its reason."""

from __future__ import annotations

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def accept(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept one rule's findings on the construct and below it; the reason says why they are right here."""
    Validations.of(construct).acknowledge(Acknowledgment(id=rule, reason=reason))
