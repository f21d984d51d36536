"""Accounts of the staff in their Cognito user pool, and tokens of sign-ins by OpenID Connect (RFC 9068).

A pool's keys are read from its issuer once per process and again when a token names one that is not among them, at most
once in :data:`READ_AGAIN` seconds, so that made-up names of keys do not make requests.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterable
from typing import Any, Final

from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # the SDK has no types
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from contest.adapters import aws
from contest.people.rules import Pool, SignedIn
from contest.values import SECOND

_THERE_ALREADY = "UsernameExistsException"
_MISSING = "UserNotFoundException"


class CognitoAccounts:
    """:class:`contest.room_ports.Accounts`."""

    def __init__(self, pool_id: str) -> None:
        self._pool_id = pool_id

    def invite(self, email: str, name: str) -> str:
        """Make an account; Cognito sends the mail, with a password for the first time alone."""
        attributes = [
            {"Name": "email", "Value": email},
            {"Name": "email_verified", "Value": "true"},
            {"Name": "name", "Value": name},
        ]
        try:
            created = self._call(
                "admin_create_user", email, UserAttributes=attributes, DesiredDeliveryMediums=["EMAIL"]
            )
            return _subject(created["User"]["Attributes"])
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
    return next(attribute["Value"] for attribute in attributes if attribute["Name"] == "sub")


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


READ_AGAIN: Final = 60
_PATIENCE_S: Final = 3
_ALGORITHM: Final = "RS256"
_KEYS_PATH: Final = "/.well-known/jwks.json"


class PoolSignIns:
    """:class:`contest.room_ports.SignIns`."""

    def __init__(self, pools: Iterable[tuple[Pool, str, str]]) -> None:
        """Take the pools, each with its issuer and its client."""
        self._pools = {issuer: (pool, client_id, PoolKeys(issuer)) for pool, issuer, client_id in pools}

    def read(self, token: str) -> SignedIn | None:
        """Read an access token; an ID token is for the client alone and not taken.

        A token of these pools says its client in ``client_id``, and
        no ``aud``. Which pool's keys are asked follows from the issuer that the token names; whether it was that
        issuer, from its signature.
        """
        try:
            compact = jws.extract_compact(token.encode("ascii"))
            pool, client_id, keys = self._pools[_json(compact.payload)["iss"]]
            jws.deserialize_compact(token, keys.holding(compact.protected.get("kid")), algorithms=[_ALGORITHM])
        except (JoseError, ValueError, LookupError, TypeError):
            return None
        claims = _json(compact.payload)
        if claims.get("token_use") != "access" or claims.get("client_id") != client_id:
            return None
        return SignedIn(pool, str(claims["sub"]), int(claims["exp"]) * SECOND)


class PoolKeys:
    """The public keys of a pool by their names."""

    def __init__(self, issuer: str) -> None:
        self._address = f"{issuer}{_KEYS_PATH}"
        self._keys: KeySet | None = None
        self._names: frozenset[str] = frozenset()
        self._read_at = float("-inf")

    def holding(self, name: object) -> KeySet:
        """Return the keys, read anew when none of them has this name and the last reading is long enough ago."""
        passed = time.monotonic() - self._read_at
        if self._keys is None or (name not in self._names and passed >= READ_AGAIN):
            with urllib.request.urlopen(self._address, timeout=_PATIENCE_S) as answered:  # noqa: S310 -- the pool's own
                key_set = json.load(answered)
            self._keys = KeySet.import_key_set(key_set)
            self._names = frozenset(str(key.get("kid")) for key in key_set["keys"])
            self._read_at = time.monotonic()
        return self._keys


def _json(payload: bytes) -> dict[str, Any]:
    claims = json.loads(payload)
    if not isinstance(claims, dict):
        raise TypeError("claims are an object")
    return claims
