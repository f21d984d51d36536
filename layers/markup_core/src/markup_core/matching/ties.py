"""The last tie rule: which of equally good matchings is taken (markup-scoring §2, rule 6).

Both functions take a block in which rules 1–5 leave several optima, all with the same number of pairs, and the
keys of its fragments. The outcome depends on the keys alone, not on the numbering of the nodes, except between
fragments with the same key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from markup_core.matching.assignment import FREE, Block, heaviest

EXACT_SIDE: Final = 12
"""Up to this many fragments on a side the smallest list of pairs is found exactly."""

Key = tuple[Any, ...]
Pairs = list[tuple[int, int]]


def settle(block: Block, mates: Mapping[int, int], key_x: Mapping[int, Key], key_y: Mapping[int, Key]) -> Pairs:
    """Pairs of a block by rule 6; ``mates`` is any optimum of the block (left node → right node)."""
    if max(len(block.xs), len(block.ys)) <= EXACT_SIDE:
        return smallest_list(block, key_x, key_y)
    if sorted(key_x[x] for x in block.xs) <= sorted(key_y[y] for y in block.ys):
        return each_its_smallest(block, mates, key_x, key_y)
    turned = Block(block.ys, block.xs, [(y, x) for x, y in block.edges], block.must_y, block.must_x)
    pairs = each_its_smallest(turned, {y: x for x, y in mates.items()}, key_y, key_x)
    return [(x, y) for y, x in pairs]


def smallest_list(block: Block, key_x: Mapping[int, Key], key_y: Mapping[int, Key]) -> Pairs:
    """The optimum whose sorted list of pairs is smallest, a pair being the sorted couple of its two keys.

    Lists of one length compare like their counts of the smallest couple, then of the next one, and so on; so a
    matching is heaviest when a couple weighs more than all greater couples together can.

    Clause: MS §2 ties
    """
    couples = {(x, y): (key_x[x], key_y[y]) if key_x[x] <= key_y[y] else (key_y[y], key_x[x]) for x, y in block.edges}
    order = sorted(set(couples.values()), reverse=True)
    digit = min(len(block.xs), len(block.ys)).bit_length()
    worth = {couple: 1 << (digit * place) for place, couple in enumerate(order)}
    cover = 1 << (digit * len(order))
    at_x = {x: place for place, x in enumerate(block.xs)}
    at_y = {y: place for place, y in enumerate(block.ys)}
    rows: list[list[tuple[int, int]]] = [[] for _ in block.xs]
    for (x, y), couple in couples.items():
        musts = (x in block.must_x) + (y in block.must_y)
        rows[at_x[x]].append((at_y[y], cover * musts + worth[couple]))
    mate_x = heaviest(rows, len(block.ys)).mate_x
    return [(block.xs[place], block.ys[mate]) for place, mate in enumerate(mate_x) if mate != FREE]


def each_its_smallest(
    block: Block, mates: Mapping[int, int], key_x: Mapping[int, Key], key_y: Mapping[int, Key]
) -> Pairs:
    """Left fragments in key order, each given the smallest partner that some optimum still allows.

    Free places are filled up with dummies, so that optima are the perfect matchings; right nodes are numbered in
    key order, dummies last, and sets of nodes are the bits of an integer. Time O(n · E) bit operations on words.
    """
    xs = sorted(block.xs, key=lambda x: (key_x[x], x))
    ys = sorted(block.ys, key=lambda y: (key_y[y], y))
    allowed, mate = _filled_up(block, xs, ys, mates)
    columns = [0] * len(mate)
    for left, row in enumerate(allowed):
        for right in _places(row):
            columns[right] |= 1 << left
    open_lefts = (1 << len(mate)) - 1
    for left in range(len(xs)):
        open_lefts ^= 1 << left
        follow, reach = _ways_back(mate[left], columns, open_lefts, mate)
        options = allowed[left] & reach
        taken = (options & -options).bit_length() - 1
        _rotate(left, taken, mate, follow)
    return [(x, ys[mate[left]]) for left, x in enumerate(xs) if mate[left] < len(ys)]


def _filled_up(block: Block, xs: list[int], ys: list[int], mates: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """Allowed right nodes of every left node as bits, and the mates, both with dummies for the free nodes."""
    at_x = {x: place for place, x in enumerate(xs)}
    at_y = {y: place for place, y in enumerate(ys)}
    taken = {at_y[mates[x]] for x in xs if x in mates}
    free_xs = [place for place, x in enumerate(xs) if x not in mates]
    free_ys = [place for place in range(len(ys)) if place not in taken]
    dummies = ((1 << len(free_xs)) - 1) << len(ys)
    allowed = [0 if x in block.must_x else dummies for x in xs]
    for x, y in block.edges:
        allowed[at_x[x]] |= 1 << at_y[y]
    leavable = sum(1 << place for place, y in enumerate(ys) if y not in block.must_y)
    allowed.extend([leavable] * len(free_ys))
    mate = [at_y[mates[x]] if x in mates else FREE for x in xs] + free_ys
    for number, place in enumerate(free_xs):
        mate[place] = len(ys) + number
    return allowed, mate


def _places(bits: int) -> Iterator[int]:
    """Numbers of the bits that are set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _ways_back(goal: int, columns: list[int], lefts: int, mate: list[int]) -> tuple[dict[int, int], int]:
    """Right nodes from whose mate an alternating path leads to ``goal``, with the next right node on it."""
    follow: dict[int, int] = {}
    reach = 1 << goal
    queue = [goal]
    for right in queue:
        fresh = columns[right] & lefts
        lefts ^= fresh
        for left in _places(fresh):
            before = mate[left]
            follow[before] = right
            reach |= 1 << before
            queue.append(before)
    return follow, reach


def _rotate(left: int, taken: int, mate: list[int], follow: dict[int, int]) -> None:
    holder = {right: node for node, right in enumerate(mate)}
    goal = mate[left]
    while taken != goal:
        displaced = holder[taken]
        mate[left] = taken
        left, taken = displaced, follow[taken]
    mate[left] = goal
