"""The smallest blocks of sentences that can be evaluated apart (tracks.md §3; G, "Расчет оценки", step 1).

**Decision**: a block is the set of sentences that must not be parted, and no others: two sentences tied by a group do
not draw in those between them, on which nothing depends. An edit ties all sentences from its first to its last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from tracks.gec.m2 import Edit, Unit


class Tie(NamedTuple):
    """An edit over the sentences ``first`` to ``last``, both included; ``group`` names the edits it depends on."""

    first: int
    last: int
    group: str | int | None = None


def blocks(sentences: int, ties: Iterable[Tie]) -> list[list[int]]:
    """Sentences ``0 … sentences − 1`` in the smallest blocks that part no edit and no group, each in order.

    The blocks stand in the order of their first sentences; the order of the ties does not matter. Nearly linear in
    sentences and ties (disjoint sets with path halving). Raises ValueError for a tie outside the sentences.

    Clause: G concentrated 1
    """
    parent = list(range(sentences))
    homes: dict[str | int, int] = {}
    crossings = [0] * (sentences + 1)  # how many edits begin, less how many end, to cross the border before a sentence
    for first, last, group in ties:
        if not 0 <= first <= last < sentences:
            raise ValueError(f"an edit over the sentences {first} to {last} does not lie in 0 to {sentences - 1}")
        crossings[first + 1] += 1
        crossings[last + 1] -= 1
        if group is not None:
            _join(parent, homes.setdefault(group, first), first)
    for sentence, crossing in enumerate(accumulate(crossings[:sentences])):
        if crossing:
            _join(parent, sentence - 1, sentence)
    found: dict[int, list[int]] = {}
    for sentence in range(sentences):
        found.setdefault(_root(parent, sentence), []).append(sentence)
    return list(found.values())


def joined(units: Sequence[Unit], grouping: Iterable[Sequence[int]]) -> tuple[Unit, ...]:
    """One unit per block: the sentences behind one another, their edits moved along (G, Table 3: by text).

    An annotator of any sentence of a block is one of the block; where he has no lines he changed nothing.
    """
    return tuple(_one([units[place] for place in block]) for block in grouping)


def _one(members: Sequence[Unit]) -> Unit:
    if len(members) == 1:
        return members[0]
    annotators: dict[int, list[Edit]] = {}
    moved = 0
    for member in members:
        for annotator, edits in (member.annotators or {0: ()}).items():
            shifted = (edit._replace(start=edit.start + moved, end=edit.end + moved) for edit in edits)
            annotators.setdefault(annotator, []).extend(shifted)
        moved += len(member.tokens)
    source = " ".join(member.source for member in members)
    return Unit(source, {number: tuple(edits) for number, edits in sorted(annotators.items())}, members[0].line)


def _join(parent: list[int], one: int, other: int) -> None:
    """Make two sets one, under the smaller of their sentences."""
    low, high = sorted((_root(parent, one), _root(parent, other)))
    parent[high] = low


def _root(parent: list[int], place: int) -> int:
    while parent[place] != place:
        parent[place] = parent[parent[place]]
        place = parent[place]
    return place
