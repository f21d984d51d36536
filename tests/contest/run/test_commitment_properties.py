"""The Merkle root of any leaves is that of the standard's definition."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.run.rules import commitment

pytestmark = pytest.mark.property

LEAVES = st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=40).map(
    lambda parts: [hashlib.sha256(part).hexdigest() for part in parts]
)


def rfc6962(leaves: list[bytes]) -> bytes:
    """Compute the root by the standard's recursive definition, as an oracle."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + rfc6962(leaves[:split]) + rfc6962(leaves[split:])).digest()


@given(LEAVES)
def test_the_root_is_that_of_the_standard(leaves: list[str]) -> None:
    assert commitment.root(leaves) == rfc6962([bytes.fromhex(each) for each in leaves]).hex()
