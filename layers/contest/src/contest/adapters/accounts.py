"""Accounts of the staff in their Cognito user pool, whose users are named by their e-mail addresses."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types

from contest.adapters import aws

_THERE_ALREADY = "UsernameExistsException"
_MISSING = "UserNotFoundException"


class CognitoAccounts:
    """:class:`contest.ports.people.Accounts`."""

    def __init__(self, pool_id: str) -> None:
        self._pool_id = pool_id

    def invite(self, email: str, name: str) -> str:
        """See the port. Cognito sends the mail, with a password for the first time alone."""
        attributes = [
            {"Name": "email", "Value": email},
            {"Name": "email_verified", "Value": "true"},
            {"Name": "name", "Value": name},
        ]
        try:
            made = self._call("admin_create_user", email, UserAttributes=attributes, DesiredDeliveryMediums=["EMAIL"])
            return _subject(made["User"]["Attributes"])
        except ClientError as error:
            if _code(error) != _THERE_ALREADY:
                raise
        return _subject(self._call("admin_get_user", email)["UserAttributes"])

    def close(self, email: str) -> None:
        try:
            self._call("admin_disable_user", email)
            self._call("admin_user_global_sign_out", email)
        except ClientError as error:
            if _code(error) != _MISSING:
                raise

    def reopen(self, email: str) -> None:
        self._call("admin_enable_user", email)

    def _call(self, operation: str, email: str, **more: Any) -> Any:
        return getattr(aws.client("cognito-idp"), operation)(UserPoolId=self._pool_id, Username=email, **more)


def _subject(attributes: list[dict[str, str]]) -> str:
    return next(each["Value"] for each in attributes if each["Name"] == "sub")


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])
