"""Accounts of user pools: the part of Cognito's administration that inviting people needs.

An account's subject is made of its pool and address, so that a state file's references to it stay valid.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVICE = "AWSCognitoIdentityProviderService"


@dataclass
class Account:
    """One account of a pool."""

    email: str
    name: str
    is_open: bool = True


class Answer(NamedTuple):
    """The answer to a call: an HTTP status and JSON."""

    status: int
    body: dict[str, Any]


class Accounts:
    """All accounts, by pool and address."""

    def __init__(self) -> None:
        self._pools: dict[str, dict[str, Account]] = {}

    def call(self, operation: str, request: Mapping[str, Any]) -> Answer:
        """Answer a call as Cognito does."""
        pool_id, email = str(request["UserPoolId"]), str(request["Username"]).lower()
        pool = self._pools.setdefault(pool_id, {})
        if operation == "AdminCreateUser":
            if email in pool:
                return _refused("UsernameExistsException", "User account already exists")
            attributes = {attribute["Name"]: attribute["Value"] for attribute in request.get("UserAttributes", [])}
            pool[email] = Account(email, attributes.get("name", email))
            return Answer(200, {"User": {"Username": email, "Attributes": _attributes(pool_id, pool[email])}})
        if email not in pool:
            return _refused("UserNotFoundException", "User does not exist.")
        return _of_account(operation, pool_id, pool[email])

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return all accounts as JSON, by pool."""
        return {pool: [asdict(account) for account in accounts.values()] for pool, accounts in self._pools.items()}

    def load(self, accounts: Mapping[str, Any]) -> None:
        """Put these accounts in the place of all that there are."""
        self._pools = {pool: {fields["email"]: Account(**fields) for fields in rows} for pool, rows in accounts.items()}


def subject_of(pool_id: str, email: str) -> str:
    """Return the name by which tokens call an account."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"mailto:{email.lower()}?pool={pool_id}"))


def _of_account(operation: str, pool_id: str, account: Account) -> Answer:
    match operation:
        case "AdminGetUser":
            details = {"UserAttributes": _attributes(pool_id, account), "Enabled": account.is_open}
            return Answer(200, {"Username": account.email, **details})
        case "AdminDisableUser" | "AdminEnableUser":
            account.is_open = operation == "AdminEnableUser"
        case "AdminUserGlobalSignOut":
            pass  # a refresh looks at the account each time
        case _:
            return _refused("InvalidAction", f"the local cloud does not know {operation}")
    return Answer(200, {})


def _attributes(pool_id: str, account: Account) -> list[dict[str, str]]:
    attributes = {"sub": subject_of(pool_id, account.email), "email": account.email, "name": account.name}
    return [{"Name": name, "Value": value} for name, value in attributes.items()]


def _refused(code: str, message: str) -> Answer:
    return Answer(400, {"__type": code, "message": message})
