"""Correspondence between the fragments of two markups (R-App2 §3, markup-scoring §2).

For a pair (i, k), with the positions of the fragments as sets of characters::

    J = 1 - |x ∩ y| / |x ∪ y|              two full-text fragments: 0; a full-text and a located one: 1
    L = J + [J = 1] + [B_i ≠ B_k] + [C_i ≠ C_k]
    Q(M) = Σ L over the pairs of M + number of unmatched fragments on both sides

The matching taken is the one with the least Q and, among those, the first by the tie rules; see :func:`match`.
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

from markup_core.matching.assignment import Block, connected
from markup_core.matching.candidates import Sides, candidates, columns
from markup_core.matching.settling import DENSE, key_x, key_y, settle
from markup_core.model import Markup, check_markups
from markup_core.params import DEFAULT, ScoringParams

Pairs = list[tuple[int, int]]


class Matching(NamedTuple):
    """``pairs`` (index in X, index in Y) sorted, the cost ``q``, and the indices left over, sorted."""

    pairs: tuple[tuple[int, int], ...]
    q: float
    unmatched_x: tuple[int, ...]
    unmatched_y: tuple[int, ...]

    def transposed(self) -> Matching:
        """The matching of Y with X."""
        return Matching(tuple(sorted([(k, i) for i, k in self.pairs])), self.q, self.unmatched_y, self.unmatched_x)


def match(x: Markup, y: Markup, params: ScoringParams = DEFAULT) -> Matching:
    """Match the fragments of two markups of one text: least Q, ties by the written rules, all compared exactly.

    Coinciding fragments with equal codes (L = 0) are matched first; then count, among the optima of Q,
    (1) the most pairs with equal codes, (2) the most pairs, (3) the largest overlap in characters, (4) the most
    pairs with equal subtypes, (5) the most pairs with equal corrections (two absent ones are equal in both),
    (6) the smallest sorted list of pairs, where a pair is the sorted couple of its fragments' keys (start, end,
    folded code, subtype, correction, comment, explanation, tag).

    Rule 6 is exact wherever rules 1–5 leave at most 12 fragments on a side open, hence in every connected component
    of that size. A larger open part is settled so: of the two sides, the one whose sorted list of keys is smaller
    goes through its fragments in key order, and each takes the partner with the smallest key that an optimum still
    allows (no partner only if there is no other way).

    The result follows the fragments' contents alone: shuffling a file or renumbering its ids gives the same
    pairs of fragments, swapping X and Y the transposed matching. Fragments alike in every field are
    interchangeable; of them the earlier in the file is matched first.

    Time: about linear in fragments and overlaps where components are small; O(N³) for a component of N fragments.

    Clause: R-App2 §1.2
    """
    check_markups(x, y)
    sides = columns(x.fragments, y.fragments, params.separate_groups)
    found = candidates(sides, params.separate_groups)
    pairs = found.coinciding
    if found.rows:
        pairs += _settle_components(sides, found.rows)
        if found.doubles:
            pairs = _in_file_order(sides, pairs)
    pairs.sort()
    return _complete(sides, pairs)


def _settle_components(sides: Sides, rows: dict[int, list[int]]) -> Pairs:
    pairs: Pairs = []
    callers: dict[int, int] = {}
    for partners in rows.values():
        for y in partners:
            callers[y] = callers.get(y, 0) + 1
    shared: dict[int, list[int]] = {}
    for x, partners in rows.items():
        if len(partners) == 1 and callers[partners[0]] == 1:
            pairs.append((x, partners[0]))
        else:
            shared[x] = partners
    for xs, ys, edges in connected(shared):
        pairs += _settle_component(sides, Block(xs, ys, edges, set(), set()))
    return pairs


def _settle_component(sides: Sides, block: Block) -> Pairs:
    if len(block.edges) <= DENSE or min(len(block.xs), len(block.ys)) == 1:
        return settle(sides, block)
    from markup_core.matching import dense  # needs numpy, which a markup of usual size does not

    return dense.settle(sides, block)


def _in_file_order(sides: Sides, pairs: Pairs) -> Pairs:
    """Give the places of fragments that are alike to the earliest of them, in the order of their partners.

    Clause: MS §2 symmetry
    """
    class_x, class_y = {i: key_x(sides, i) for i, _ in pairs}, {k: key_y(sides, k) for _, k in pairs}
    linked = sorted((class_x[i], class_y[k]) for i, k in pairs)
    from_y = sorted(range(len(linked)), key=lambda place: (linked[place][1], linked[place][0]))
    alike_x: dict[object, list[int]] = {}
    for i in range(len(sides.start_x) - 1, -1, -1):
        alike_x.setdefault(key_x(sides, i), []).append(i)
    alike_y: dict[object, list[int]] = {}
    for k in range(len(sides.start_y) - 1, -1, -1):
        alike_y.setdefault(key_y(sides, k), []).append(k)
    first = [alike_x[one].pop() for one, _ in linked]
    second = [0] * len(linked)
    for place in from_y:
        second[place] = alike_y[linked[place][1]].pop()
    return list(zip(first, second, strict=True))


def _complete(sides: Sides, pairs: Pairs) -> Matching:
    """Clause: R-App2 §3"""
    start_x, end_x, code_x = sides.start_x, sides.end_x, sides.code_x
    start_y, end_y, code_y = sides.start_y, sides.end_y, sides.code_y
    whole = len(start_x) + len(start_y) - 2 * len(pairs)
    parts = []
    for i, k in pairs:
        a, b, c, d = start_x[i], end_x[i], start_y[k], end_y[k]
        whole += (a != c) + (code_x[i] != code_y[k])
        if a != c or b != d:
            union = max(b, d) - min(a, c)
            parts.append((union - min(b, d) + max(a, c)) / union)
    matched_x = {i for i, _ in pairs}
    matched_y = {k for _, k in pairs}
    return Matching(
        tuple(pairs),
        whole + fsum(parts),
        tuple([i for i in range(len(start_x)) if i not in matched_x]),
        tuple([k for k in range(len(start_y)) if k not in matched_y]),
    )
