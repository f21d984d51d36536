"""The commitment's hashes against vectors, and what a broken chain or a swapped row looks like.

``commitment_vectors.json`` was made by a program of its own: RFC 6962's recursive definition, ``json.dumps`` and
``hashlib`` written out. ``roots[n - 1]`` is the root over the first n rows. A verifier of another make may use it too.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import pytest

from contest.run.rules import commitment
from contest.run.rules.run import Amendment, Kind, Run, RunFile
from tests.contest.run.run_facts import RUN

VECTORS = json.loads(Path(__file__).with_name("commitment_vectors.json").read_text("utf-8"))
FILE = RunFile("2" * 15, "item", "rus", "g", "c" * 64, "5" * 64, "m" * 64)


def test_leaves_and_roots_are_those_of_the_vectors() -> None:
    assert [commitment.leaf(each) for each in VECTORS["rows"]] == VECTORS["leaves"]
    roots = [commitment.root_of(VECTORS["rows"][:count]) for count in range(1, 8)]
    assert roots == VECTORS["roots"]


def test_one_file_is_its_own_root_and_has_an_empty_proof() -> None:
    (leaf,) = VECTORS["leaves"][:1]
    assert commitment.root([leaf]) == leaf
    assert commitment.proof([leaf], 0) == ()
    assert commitment.proves(leaf, (), leaf)


def test_there_is_no_root_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        commitment.root([])


def test_a_leaf_and_a_node_are_never_taken_for_each_other() -> None:
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


def chain() -> list[dict[str, Any]]:
    first = commitment.statement(RUN, VECTORS["roots"][6], "key")
    pause = Amendment(1, Kind.PAUSE, 1, 2, "who", "a reason")
    second = commitment.amendment_statement(RUN, pause, commitment.digest(first), "key")
    details = {"numbers": [1, 2], "slot": 9, "first": 8, "root": VECTORS["roots"][1]}
    replace = Amendment(2, Kind.REPLACE, 3, 4, "who", "a reason", details)
    third = commitment.amendment_statement(RUN, replace, commitment.digest(second), "key")
    return [first, second, third]


def test_a_whole_chain_has_no_broken_links() -> None:
    assert list(commitment.broken_links(chain())) == []


def test_a_statement_left_out_changed_or_moved_breaks_the_chain() -> None:
    first, second, third = chain()
    assert list(commitment.broken_links([first, third]))
    assert list(commitment.broken_links([first, {**second, "reason": "another"}, third]))
    assert list(commitment.broken_links([first, third, second]))
    assert list(commitment.broken_links([second, third]))
    assert list(commitment.broken_links([]))
    assert list(commitment.broken_links([first, {**second, "run_id": "x"}]))


def test_who_decided_is_not_published() -> None:
    assert "who" not in chain()[1]


def test_rulings_and_taking_them_back_are_no_statements_to_everybody() -> None:
    rule = Amendment(1, Kind.RULE, 1, 1, "w", "r", {"team_id": "red", "number": 1, "cause": "platform"})
    void = Amendment(2, Kind.VOID, 1, 1, "w", "r", {"numbers": [1]})
    undo_rule = Amendment(3, Kind.UNDO, 1, 1, "w", "r", {"amendment": 1})
    undo_void = Amendment(4, Kind.UNDO, 1, 1, "w", "r", {"amendment": 2})
    run = _with(rule, void, undo_rule, undo_void)
    assert [commitment.is_public(run, each) for each in run.amendments] == [False, True, False, True]


def test_revealed_rows_are_those_committed_to() -> None:
    plans: list[Any] = [
        {"amendment": 0, "rows": VECTORS["rows"]},
        {"amendment": 2, "rows": VECTORS["rows"][:2]},
    ]
    assert list(commitment.broken_roots(chain(), plans)) == []
    swapped = [{**plans[0], "rows": VECTORS["rows"][::-1]}, plans[1]]
    assert list(commitment.broken_roots(chain(), swapped)) == ["the rows of the commitment do not lead to its root"]
    assert list(commitment.broken_roots(chain(), plans[:1])) == ["the rows of amendment 2 are not revealed"]
    extra = [*plans, {"amendment": 5, "rows": VECTORS["rows"]}]
    assert list(commitment.broken_roots(chain(), extra)) == ["rows are revealed that amendment 5 never promised"]
    empty = [{**plans[0], "rows": []}, plans[1]]
    assert list(commitment.broken_roots(chain(), empty)) == ["the rows of the commitment do not lead to its root"]


def _with(*amendments: Amendment) -> Run:
    return changed(RUN, amendments=amendments)
