"""Rights of roles as a part of the roles: the last step of a stack, after everything has added to them."""

from __future__ import annotations

from typing import Final, cast

from aws_cdk import aws_iam as iam
from constructs import Construct

_BESIDE: Final = "DefaultPolicy"
"""CDK's name of the policy beside a role, where it writes every right that somebody adds to the role."""


def put_into_roles(scope: Construct) -> None:
    """Move each role's policy into the role: one resource less for each, and no function runs before it has its rights.

    CDK keeps them apart for roles in a circle with what they may use; here there is none, which CloudFormation checks.
    """
    for role in scope.node.find_all():
        policy = role.node.try_find_child(_BESIDE)
        if isinstance(role, iam.Role) and isinstance(policy, iam.Policy):
            inline = iam.CfnRole.PolicyProperty(policy_name="Rights", policy_document=policy.document)
            cast(iam.CfnRole, role.node.default_child).policies = [inline]
            role.node.try_remove_child(_BESIDE)
