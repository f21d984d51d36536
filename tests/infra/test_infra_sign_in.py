"""Where people sign in: who may have an account, with what, and where a sign-in may end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from contest import settings

pytestmark = pytest.mark.slow


def named(template: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Properties of the resources of a type, by the pool they are of."""
    by_pool = {}
    for logical_id, item in template["Resources"].items():
        if item["Type"] == f"AWS::Cognito::{kind}":
            by_pool["staff" if logical_id.startswith("SignInStaff") else "participants"] = item["Properties"]
    return by_pool


def test_the_staff_is_invited_and_has_a_second_factor(synthesis: Any) -> None:
    pools = named(synthesis.template, "UserPool")
    assert (pools["staff"]["MfaConfiguration"], pools["staff"]["EnabledMfas"]) == ("ON", ["SOFTWARE_TOKEN_MFA"])
    assert pools["staff"]["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    assert pools["participants"]["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is False
    for pool in pools.values():
        assert pool["UsernameAttributes"] == ["email"]
        assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] >= 12


def test_a_client_has_no_secret_and_takes_the_code_flow_alone(synthesis: Any) -> None:
    clients = named(synthesis.template, "UserPoolClient")
    assert set(clients) == {"staff", "participants"}
    for client in clients.values():
        assert client["GenerateSecret"] is False
        assert (client["AllowedOAuthFlows"], client["AllowedOAuthScopes"]) == (["code"], ["openid"])
        assert (client["EnableTokenRevocation"], client["PreventUserExistenceErrors"]) == (True, "ENABLED")
        assert "RefreshTokenRotation" not in client, "the local cloud's pools keep a refresh token"
        assert (client["AccessTokenValidity"], client["RefreshTokenValidity"]) == (15, 12 * 60)
        assert set(client["TokenValidityUnits"].values()) == {"minutes"}


def test_a_sign_in_ends_on_this_machine_or_on_the_cycles_own_site(synthesis: Any) -> None:
    """CloudFront's own name cannot be known to the pools: a cycle without a domain has the command alone."""
    loopback = [f"http://localhost:{port}{settings.LOOPBACK_PATH}" for port in settings.LOOPBACK_PORTS]
    for client in named(synthesis.template, "UserPoolClient").values():
        assert client["CallbackURLs"] == loopback
        assert client["LogoutURLs"] == loopback


def test_functions_that_read_tokens_are_told_whose_to_believe(synthesis: Any) -> None:
    functions = [
        resource for resource in synthesis.template["Resources"].values() if resource["Type"] == "AWS::Lambda::Function"
    ]
    ours = [
        function["Properties"]["Environment"]["Variables"]
        for function in functions
        if "Environment" in function["Properties"]
    ]
    [pool] = {
        json.dumps(environment[settings.STAFF_POOL_ID]) for environment in ours if settings.STAFF_POOL_ID in environment
    }
    believing = [environment for environment in ours if settings.STAFF_ISSUER in environment]
    assert believing
    for environment in believing:
        assert environment[settings.STAFF_ISSUER] != environment[settings.PARTICIPANTS_ISSUER]
        issuer = environment[settings.STAFF_ISSUER]["Fn::Join"][1]
        assert (issuer[0], json.dumps(issuer[-1])) == ("https://cognito-idp.", pool)
