"""Choosing the matching of one connected component: the cost Q first, then the tie rules (markup-scoring §2).

All criteria are sums over the pairs, so they are packed into one whole number per pair, the more important one
in the higher digits; nothing is rounded, as the overlap shares are brought to a common denominator.
"""

from __future__ import annotations

from math import lcm
from typing import Final, NamedTuple

from markup_core.comparable import text_key
from markup_core.matching import ties
from markup_core.matching.assignment import FREE, Block, Solution, heaviest, undecided
from markup_core.matching.candidates import Sides, folded
from markup_core.model import Fragment, fold

DENSE: Final = 3_000
"""More candidate pairs than this are first thinned out by the solver for dense graphs."""

Pairs = list[tuple[int, int]]
Edges = list[tuple[int, int]]


class Merit(NamedTuple):
    """What a pair is worth: the overlap ``shared / union`` plus ``bonus``, and what the tie rules count.

    Matching the pair lowers Q by ``shared / union + bonus``, where ``bonus`` is 1 if start and code are equal.
    """

    shared: int
    union: int
    bonus: int
    coincides: int
    same_code: int
    same_subtype: int
    same_correction: int


def merit(sides: Sides, x: int, y: int) -> Merit:
    """Judge one candidate pair.

    Clause: R-App2 §3, MS §2 ties
    """
    start_x, end_x, start_y, end_y = sides.start_x[x], sides.end_x[x], sides.start_y[y], sides.end_y[y]
    shared = min(end_x, end_y) - max(start_x, start_y)
    same_code = sides.code_x[x] == sides.code_y[y]
    same_start = start_x == start_y
    one, other = sides.fragments_x[x], sides.fragments_y[y]
    return Merit(
        shared,
        max(end_x, end_y) - min(start_x, start_y) or 1,
        same_code and same_start,
        same_code and same_start and end_x == end_y,
        same_code,
        one.subtype == other.subtype or fold(one.subtype) == fold(other.subtype),
        one.correction == other.correction or text_key(one.correction) == text_key(other.correction),
    )


def fragment_key(fragment: Fragment) -> ties.Key:
    """Key of a fragment in rule 6; the code's own spelling and the group come last, only to tell keys apart.

    Clause: MS §2 symmetry
    """
    return (
        fragment.start,
        fragment.end,
        folded(fragment.code),
        fragment.subtype,
        fragment.correction,
        fragment.comment,
        fragment.explanation,
        fragment.tag,
        fragment.code,
        fragment.group,
    )


def weights(sides: Sides, block: Block) -> list[int]:
    """One number per edge of the block: whom the pair must cover, the cost it saves, then rules 1–5.

    Clause: MS §2 ties
    """
    merits = [merit(sides, x, y) for x, y in block.edges]
    common = lcm(*{one.union for one in merits})
    count = min(len(block.xs), len(block.ys)).bit_length()
    overlap = count + max(one.shared for one in merits).bit_length()
    saving = count + (2 * common).bit_length()
    packed = []
    for (x, y), one in zip(block.edges, merits, strict=True):
        number = (x in block.must_x) + (y in block.must_y)
        number = (number << saving) + one.bonus * common + one.shared * (common // one.union)
        number = (number << count) + one.coincides
        number = (number << count) + one.same_code
        number = (number << count) + 1
        number = (number << overlap) + one.shared
        number = (number << count) + one.same_subtype
        number = (number << count) + one.same_correction
        packed.append(number)
    return packed


def settle(sides: Sides, block: Block) -> Pairs:
    """Pairs of a connected component, or of a block of it, by Q and all tie rules.

    For up to DENSE candidate pairs; larger ones :func:`markup_core.matching.dense.settle` thins out first.
    """
    if len(block.xs) == 1 or len(block.ys) == 1:
        return [_best_of_star(sides, block)]
    return settle_exactly(sides, block)


def _best_of_star(sides: Sides, block: Block) -> tuple[int, int]:
    """The best edge where all edges meet in one fragment."""
    packed = weights(sides, block)
    best = max(packed)
    tied = [edge for edge, weight in zip(block.edges, packed, strict=True) if weight == best]
    return tied[0] if len(tied) == 1 else min(tied, key=lambda edge: _couple(sides, edge))


def _couple(sides: Sides, edge: tuple[int, int]) -> tuple[ties.Key, ties.Key]:
    one, other = key_x(sides, edge[0]), key_y(sides, edge[1])
    return (one, other) if one <= other else (other, one)


def key_x(sides: Sides, x: int) -> ties.Key:
    """Rule 6 key of fragment ``x`` of X."""
    return fragment_key(sides.fragments_x[x])


def key_y(sides: Sides, y: int) -> ties.Key:
    """Rule 6 key of fragment ``y`` of Y."""
    return fragment_key(sides.fragments_y[y])


def settle_exactly(sides: Sides, block: Block) -> Pairs:
    """One solution in whole numbers of any size, then rule 6 where it is not the only one."""
    at_y = {y: place for place, y in enumerate(block.ys)}
    at_x = {x: place for place, x in enumerate(block.xs)}
    rows: list[list[tuple[int, int]]] = [[] for _ in block.xs]
    for (x, y), weight in zip(block.edges, weights(sides, block), strict=True):
        rows[at_x[x]].append((at_y[y], weight))
    solution = heaviest(rows, len(block.ys))
    tight = [[y for y, weight in row if solution.u[x] + solution.v[y] == weight] for x, row in enumerate(rows)]
    fixed, blocks = open_blocks(block, solution, tight, 0)
    for part, mates in blocks:
        fixed += last_rule(sides, part, mates)
    return fixed


def open_blocks(
    block: Block, solution: Solution, tight: list[list[int]], slack: int
) -> tuple[Pairs, list[tuple[Block, dict[int, int]]]]:
    """Split a solved block into the pairs that stand and the blocks still open, each with its present mates.

    Dual values up to ``slack`` count as 0.
    """
    mate_x, mate_y, u, v = solution
    may_x = [value <= slack and x not in block.must_x for value, x in zip(u, block.xs, strict=True)]
    may_y = [value <= slack and y not in block.must_y for value, y in zip(v, block.ys, strict=True)]
    xs, ys = block.xs, block.ys
    mates = {xs[place]: ys[mate] for place, mate in enumerate(mate_x) if mate != FREE}
    found = []
    parts = undecided(tight, mate_x, mate_y, may_x, may_y)
    while parts:
        part = parts.pop()
        inner = {xs[place]: mates.pop(xs[place]) for place in part.xs if mate_x[place] != FREE}
        named = Block(
            [xs[place] for place in part.xs],
            [ys[place] for place in part.ys],
            [(xs[one], ys[other]) for one, other in part.edges],
            {xs[place] for place in part.must_x},
            {ys[place] for place in part.must_y},
        )
        found.append((named, inner))
    return list(mates.items()), found


def last_rule(sides: Sides, block: Block, mates: dict[int, int]) -> Pairs:
    """Apply rule 6 to a block whose optima rules 1–5 cannot tell apart."""
    return ties.settle(block, mates, {x: key_x(sides, x) for x in block.xs}, {y: key_y(sides, y) for y in block.ys})
