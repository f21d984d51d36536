"""Exact heaviest matching for large dense components, on numpy's 64-bit integers.

A criterion that fits into 62 bits is solved exactly. The overlap shares of Q, whose common denominator can have
thousands of digits, are first taken as fixed-point numbers: the dual values then prove which pairs cannot belong
to any exact optimum, and the few blocks left open are settled exactly (:func:`markup_core.matching.match.settle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markup_core.comparable import fold, text_key
from markup_core.matching.assignment import FREE, Block, Solution
from markup_core.matching.match import DENSE, Pairs, Sides, last_rule, open_blocks, settle_exactly

Ints = NDArray[np.int64]

BITS: Final = 60
"""Weights of one stage stay below 2^60, so that sums of three of them fit into 64 bits."""

_FAR: Final = np.int64(1 << 62)


class Merits(NamedTuple):
    """:class:`markup_core.matching.match.Merit` of many pairs, a column each."""

    shared: Ints
    union: Ints
    bonus: Ints
    coincides: Ints
    same_code: Ints
    same_subtype: Ints
    same_correction: Ints


class Task(NamedTuple):
    """A block with the places of its edges' ends, and the criteria still to settle, the first first."""

    block: Block
    at_x: Ints
    at_y: Ints
    criteria: list[Ints]


def settle(sides: Sides, block: Block) -> Pairs:
    """Match a component by Q and all tie rules; same outcome as :func:`settling.settle_exactly`.

    Time O(n · m) numpy operations on rows of m numbers for each of a few stages.
    """
    task = _task(block, [])
    merits = _merits(sides, task)
    exact = _exact_saving(merits, min(len(block.xs), len(block.ys)))
    if exact is not None:
        pairs = np.ones_like(exact)
        rules = [merits.coincides, merits.same_code, pairs, merits.shared]
        rules += [merits.same_subtype, merits.same_correction]
        return _in_stages(sides, task._replace(criteria=[exact, *rules]))
    return _approximately(sides, task, merits)


def _approximately(sides: Sides, task: Task, merits: Merits) -> Pairs:
    """Settle Q where its common denominator is too large: in fixed point, then exactly in what is left open."""
    block = task.block
    pairs, parts = _thin_out(task, merits)
    for part, _ in parts:
        if len(part.edges) <= DENSE or len(part.edges) == len(block.edges):
            pairs += settle_exactly(sides, part)
        else:
            pairs += settle(sides, part)
    return pairs


def _task(block: Block, criteria: list[Ints]) -> Task:
    place_x = {x: place for place, x in enumerate(block.xs)}
    place_y = {y: place for place, y in enumerate(block.ys)}
    at_x = np.fromiter((place_x[x] for x, _ in block.edges), np.int64, len(block.edges))
    at_y = np.fromiter((place_y[y] for _, y in block.edges), np.int64, len(block.edges))
    return Task(block, at_x, at_y, criteria)


def _merits(sides: Sides, task: Task) -> Merits:
    """Judge all candidate pairs; the array form of :func:`markup_core.matching.match.merit`."""
    xs, ys = task.block.xs, task.block.ys
    start_x, end_x = _column(sides.start_x, xs)[task.at_x], _column(sides.end_x, xs)[task.at_x]
    start_y, end_y = _column(sides.start_y, ys)[task.at_y], _column(sides.end_y, ys)[task.at_y]
    one, other = sides.x, sides.y
    same_code = _same(task, [sides.code_x[x] for x in xs], [sides.code_y[y] for y in ys])
    bonus = same_code * (start_x == start_y)
    return Merits(
        np.minimum(end_x, end_y) - np.maximum(start_x, start_y),
        np.maximum(np.maximum(end_x, end_y) - np.minimum(start_x, start_y), 1),
        bonus,
        bonus * (end_x == end_y),
        same_code,
        _same(task, [fold(one.subtypes[x]) for x in xs], [fold(other.subtypes[y]) for y in ys]),
        _same(task, [text_key(one.corrections[x]) for x in xs], [text_key(other.corrections[y]) for y in ys]),
    )


def _column(values: Sequence[int], chosen: list[int]) -> Ints:
    return np.array([values[place] for place in chosen], dtype=np.int64)


def _same(task: Task, of_x: list[str], of_y: list[str]) -> Ints:
    """Mark with 1 the edges whose two ends have equal strings."""
    numbers: dict[str, int] = {}
    ids_x = np.array([numbers.setdefault(value, len(numbers)) for value in of_x], dtype=np.int64)
    ids_y = np.array([numbers.setdefault(value, len(numbers)) for value in of_y], dtype=np.int64)
    same: Ints = (ids_x[task.at_x] == ids_y[task.at_y]).astype(np.int64)
    return same


def _exact_saving(merits: Merits, count: int) -> Ints | None:
    """Return each pair's saving of Q, times the common denominator; None if the sums would not fit."""
    common = 1
    for one in np.unique(merits.union).tolist():
        common = lcm(common, one)
        if (2 * common * count * 4).bit_length() > BITS:
            return None
    saving: Ints = merits.bonus * common + merits.shared * (common // merits.union)
    return saving


def _thin_out(task: Task, merits: Merits) -> tuple[Pairs, list[tuple[Block, dict[int, int]]]]:
    """Solve Q in fixed point and keep every pair that an exact optimum can hold.

    Each saving is rounded down by less than one unit, so an exact optimum stays within min(n, m) units of the
    rounded one, and so does the slack of each of its pairs.
    """
    count = min(len(task.block.xs), len(task.block.ys))
    digits = BITS - 3 - (2 * count).bit_length() - 1
    digits = min(digits, 62 - int(merits.union.max()).bit_length())
    saving = (merits.bonus << digits) + (merits.shared << digits) // merits.union
    solution, tight = _solve(task, _with_musts(task, saving, digits + 1, count), count)
    return open_blocks(task.block, solution, tight, count)


def _in_stages(sides: Sides, task: Task) -> Pairs:
    """Settle as many criteria at a time as fit into a number, then the open blocks with the others."""
    count = min(len(task.block.xs), len(task.block.ys))
    packed, used, width = _packed(task.criteria, count)
    solution, tight = _solve(task, _with_musts(task, packed, width, count), 0)
    pairs, parts = open_blocks(task.block, solution, tight, 0)
    for part, mates in parts:
        if len(part.edges) <= DENSE:
            pairs += settle_exactly(sides, part)
        elif used == len(task.criteria):
            pairs += last_rule(sides, part, mates)
        else:
            size = task.block.ys[-1] + 1
            # Where the part's edges stand among those of the whole; both are sorted.
            chosen = np.searchsorted(_numbered(task.block, size), _numbered(part, size))
            pairs += _in_stages(sides, _task(part, [one[chosen] for one in task.criteria[used:]]))
    return pairs


def _numbered(block: Block, width: int) -> Ints:
    return np.fromiter((x * width + y for x, y in block.edges), np.int64, len(block.edges))


def _packed(criteria: list[Ints], count: int) -> tuple[Ints, int, int]:
    """Pack the leading criteria into one number per edge; return also their count, and the bits that a sum takes.

    A criterion that is a multiple of an earlier one decides nothing and takes no room.
    """
    packed = np.zeros_like(criteria[0])
    width = used = 0
    distinct: list[Ints] = []
    for one in criteria:
        reduced = one // (int(np.gcd.reduce(one)) or 1)
        needed = (int(reduced.max()) * count).bit_length()
        if not any(np.array_equal(reduced, earlier) for earlier in distinct):
            if distinct and width + needed + 3 > BITS:
                break
            packed = (packed << needed) + reduced
            width += needed
            distinct.append(reduced)
        used += 1
    return packed, used, width


def _with_musts(task: Task, weights: Ints, width: int, count: int) -> Ints:
    """Let covering a fragment that every optimum covers outweigh everything else."""
    block = task.block
    if not block.must_x and not block.must_y:
        return weights
    must_x = np.array([x in block.must_x for x in block.xs], dtype=np.int64)
    must_y = np.array([y in block.must_y for y in block.ys], dtype=np.int64)
    lift = max(width, (int(weights.max()) * count).bit_length())
    return weights + ((must_x[task.at_x] + must_y[task.at_y]) << lift)


def _solve(task: Task, weights: Ints, slack: int) -> tuple[Solution, list[list[int]]]:
    """Solve one stage; also the edges of each left node with a dual slack up to ``slack``."""
    size_x, size_y = len(task.block.xs), len(task.block.ys)
    cost = np.full((size_x, size_y), _FAR)
    cost[task.at_x, task.at_y] = -weights
    solver = _Solver(cost)
    u, v = solver.u, solver.v
    tight: list[list[int]] = [[] for _ in range(size_x)]
    near = u[task.at_x] + v[task.at_y] - weights <= slack
    for x, y in zip(task.at_x[near].tolist(), task.at_y[near].tolist(), strict=True):
        tight[x].append(y)
    return Solution(solver.mate_x, solver.mate_y, u.tolist(), v.tolist()), tight


class _Solver:
    """Shortest augmenting paths as in :func:`assignment.heaviest`, a row of the cost matrix at a time.

    ``cost`` holds the negative weights, ``_FAR`` where there is no edge.
    """

    def __init__(self, cost: Ints) -> None:
        size_x, size_y = cost.shape
        self.cost = cost
        self.u = np.maximum(-cost.min(axis=1), 0)
        self.v = np.zeros(size_y, np.int64)
        self.mate_x = [FREE] * size_x
        self.mate_y = [FREE] * size_y
        self._start()
        for x in range(size_x):
            if self.mate_x[x] == FREE:
                self._insert(x)

    def _start(self) -> None:
        """Match every left node that has a best edge to a right node nobody has taken yet."""
        free = np.ones(len(self.v), np.bool_)
        for x, row in enumerate(self.cost):
            best = free & (row == -self.u[x])
            y = int(best.argmax())
            if best[y]:
                self.mate_x[x], self.mate_y[y] = y, x
                free[y] = False

    def _insert(self, root: int) -> None:
        size_y = len(self.v)
        parent = np.full(size_y, root, np.int64)
        best, dropped, end_y = int(self.u[root]), root, FREE
        distance = self.cost[root] + self.v
        distance += best
        waiting = distance.copy()
        reached, settled = [(root, 0)], []
        while True:
            y = int(waiting.argmin())
            so_far = int(waiting[y])
            if so_far >= best:
                break
            x = self.mate_y[y]
            if x == FREE:
                best, end_y = so_far, y
                break
            waiting[y] = _FAR
            settled.append((y, so_far))
            reached.append((x, so_far))
            base = so_far + int(self.u[x])
            if base < best:
                best, dropped = base, x
            there = self.cost[x] + self.v
            there += base
            nearer = there < distance
            np.copyto(distance, there, where=nearer)
            np.copyto(waiting, there, where=nearer)
            parent[nearer] = x
        for node, at in reached:
            self.u[node] -= best - at
        for node, at in settled:
            self.v[node] += best - at
        self._flip(dropped, end_y, parent)

    def _flip(self, dropped: int, end_y: int, parent: Ints) -> None:
        if end_y == FREE:
            end_y, self.mate_x[dropped] = self.mate_x[dropped], FREE
        while end_y != FREE:
            x = int(parent[end_y])
            self.mate_y[end_y] = x
            self.mate_x[x], end_y = end_y, self.mate_x[x]
