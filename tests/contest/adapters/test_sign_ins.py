"""The pools' keys: read once, read again when a pool has changed them, and never as often as a stranger likes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from joserfc import jws
from joserfc.jwk import RSAKey

from contest.people import accounts
from contest.people.accounts import READ_AGAIN, PoolSignIns
from contest.people.rules import Pool, SignedIn

ISSUER, CLIENT = "https://pool.example/staff", "the-client"
FIRST, SECOND = (RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"}) for name in ("one", "two"))
KNOWN = SignedIn(Pool.STAFF, "anna", 60_000)


class Issuer:
    """A pool that says its keys, and counts who asks."""

    def __init__(self) -> None:
        self.keys = [FIRST]
        self.asked = 0
        self.passed = 0.0
        self.reads = PoolSignIns([(Pool.STAFF, ISSUER, CLIENT)])

    def opened(self, address: str, timeout: float) -> io.BytesIO:
        assert (address, timeout > 0) == (f"{ISSUER}/.well-known/jwks.json", True)
        self.asked += 1
        return io.BytesIO(json.dumps({"keys": [each.as_dict(private=False) for each in self.keys]}).encode())

    def read(self, key: RSAKey, kid: str | None = None) -> SignedIn | None:
        claims = {"iss": ISSUER, "client_id": CLIENT, "token_use": "access", "sub": "anna", "exp": 60}
        header = {"alg": "RS256", "kid": kid or str(key.kid)}
        return self.reads.read(jws.serialize_compact(header, json.dumps(claims).encode(), key))


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    made = Issuer()
    with (
        patch.object(accounts.urllib.request, "urlopen", made.opened),
        patch.object(accounts.time, "monotonic", lambda: made.passed),
    ):
        yield made


def test_a_pools_keys_are_read_once(issuer: Issuer) -> None:
    assert [issuer.read(FIRST) for _ in range(3)] == [KNOWN] * 3
    assert issuer.asked == 1


def test_a_key_that_the_pool_has_changed_to_is_believed_a_minute_later_at_most(issuer: Issuer) -> None:
    assert issuer.read(FIRST) == KNOWN
    issuer.keys = [SECOND]
    issuer.passed = READ_AGAIN - 0.001
    assert issuer.read(SECOND) is None
    issuer.passed = READ_AGAIN
    assert issuer.read(SECOND) == KNOWN
    assert issuer.read(FIRST) is None


def test_made_up_names_of_keys_make_no_requests(issuer: Issuer) -> None:
    assert [issuer.read(SECOND, f"name-{number}") for number in range(50)] == [None] * 50
    assert issuer.asked == 1


def test_a_pool_that_cannot_be_reached_refuses_nobody(issuer: Issuer) -> None:
    """It is the platform's fault, not the caller's: no answer that says the token is wrong."""
    with (
        patch.object(accounts.urllib.request, "urlopen", side_effect=OSError("no route")),
        pytest.raises(OSError, match="no route"),
    ):
        issuer.read(FIRST)
    assert issuer.read(FIRST) == KNOWN
