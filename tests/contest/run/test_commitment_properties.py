"""Merkle properties: every leaf's proof verifies, any flipped bit fails, more files never change earlier leaves."""

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


@given(LEAVES)
def test_every_leafs_proof_verifies_and_is_short(leaves: list[str]) -> None:
    root = commitment.root(leaves)
    for index, leaf in enumerate(leaves):
        steps = commitment.proof(leaves, index)
        assert commitment.proves(leaf, steps, root)
        assert len(steps) <= (len(leaves) - 1).bit_length()


@given(LEAVES, st.data())
def test_any_flipped_bit_of_leaf_proof_or_root_fails(leaves: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    steps, root = commitment.proof(leaves, index), commitment.root(leaves)
    parts = [leaves[index], *(each.sha256 for each in steps), root]
    which, bit = data.draw(st.integers(0, len(parts) - 1)), data.draw(st.integers(0, 255))
    parts[which] = f"{int(parts[which], 16) ^ (1 << bit):064x}"
    leaf, *hashes, other = parts
    changed = [commitment.Step(step.side, sha256) for step, sha256 in zip(steps, hashes, strict=True)]
    assert not commitment.proves(leaf, changed, other)


@given(LEAVES, st.data())
def test_a_proof_of_one_place_is_no_proof_of_another(leaves: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    other = data.draw(st.integers(0, len(leaves) - 1))
    steps = commitment.proof(leaves, index)
    assert commitment.proves(leaves[other], steps, commitment.root(leaves)) == (leaves[other] == leaves[index])
