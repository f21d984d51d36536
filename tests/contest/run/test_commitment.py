"""The commitment's hashes against vectors; broken chains and swapped rows are found by `pku verify-run`.

``commitment_vectors.json`` was made by a program of its own: RFC 6962's recursive definition, ``json.dumps`` and
``hashlib`` written out. ``roots[n - 1]`` is the root over the first n rows. A verifier of another make may use it too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace as changed
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.run.rules import commitment
from contest.run.rules.run import Amendment, Kind, RunFile
from tests.samples import RUN_OF_FOUR as RUN

VECTORS = json.loads(Path(__file__).with_name("commitment_vectors.json").read_text("utf-8"))
FILE = RunFile("2" * 15, "item", "rus", "g", "c" * 64, "5" * 64, "m" * 64)


def test_leaves_and_roots_are_those_of_the_vectors_and_no_node_is_a_leaf() -> None:
    assert [commitment.leaf(each) for each in VECTORS["rows"]] == VECTORS["leaves"]
    roots = [commitment.root_of(VECTORS["rows"][:count]) for count in range(1, 8)]
    assert roots == VECTORS["roots"]
    with pytest.raises(ValueError, match="at least one"):
        commitment.root([])
    left, right = VECTORS["leaves"][:2]
    both = bytes.fromhex(left) + bytes.fromhex(right)
    assert commitment.root([left, right]) == hashlib.sha256(b"\x01" + both).hexdigest()
    assert commitment.root([left, right]) != hashlib.sha256(b"\x00" + both).hexdigest()


def test_a_row_names_the_file_and_its_time_and_not_the_item() -> None:
    row = commitment.row(1, 1_790_000_000_000, FILE)
    assert row == {
        "number": 1,
        "planned_at": "2026-09-21T14:13:20.000Z",
        "file_id": "2" * 15,
        "content_sha256": "c" * 64,
        "salt": "5" * 64,
    }


def test_neither_who_decided_nor_a_ruling_is_published() -> None:
    pause = Amendment(1, Kind.PAUSE, 1, 2, "who", "a reason")
    assert "who" not in commitment.amendment_statement(RUN, pause, "p" * 64, "key")
    rule = Amendment(1, Kind.RULE, 1, 1, "w", "r", {"team_id": "red", "number": 1, "cause": "platform"})
    void = Amendment(2, Kind.VOID, 1, 1, "w", "r", {"numbers": [1]})
    undo_rule = Amendment(3, Kind.UNDO, 1, 1, "w", "r", {"amendment": 1})
    undo_void = Amendment(4, Kind.UNDO, 1, 1, "w", "r", {"amendment": 2})
    run = changed(RUN, amendments=(rule, void, undo_rule, undo_void))
    assert [commitment.is_public(run, each) for each in run.amendments] == [False, True, False, True]


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


@pytest.mark.property
@given(LEAVES)
def test_the_root_is_that_of_the_standard(leaves: list[str]) -> None:
    assert commitment.root(leaves) == rfc6962([bytes.fromhex(leaf) for leaf in leaves]).hex()
