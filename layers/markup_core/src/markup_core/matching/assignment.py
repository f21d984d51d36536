"""Exact heaviest matching in a bipartite graph, and what of it is still undecided.

:func:`heaviest` is the solver for sparse graphs and whole numbers of any size (plain Python); the solver for
large dense graphs is :mod:`markup_core.matching.dense`. Both give dual values, from which :func:`undecided` finds every
edge that some optimum uses and some other optimum does not, grouped into independent blocks. Successive tie
rules are settled by solving the blocks again, each with its own weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Final, NamedTuple

Rows = list[list[tuple[int, int]]]
"""Edges of each left node: (right node, weight > 0)."""

FREE: Final = -1


class Solution(NamedTuple):
    """A heaviest matching with its proof.

    ``mate_x[i]`` is the right node of left node i or ``FREE``, ``mate_y`` the same the other way round. ``u``, ``v``
    are non-negative dual values: ``u[i] + v[k] ≥ weight`` on every edge, equality on matched ones, and 0 on free
    nodes, which proves that no matching weighs more.
    """

    mate_x: list[int]
    mate_y: list[int]
    u: list[int]
    v: list[int]


class Block(NamedTuple):
    """Nodes among which optima differ; every optimum of the whole matches them among themselves.

    ``edges`` are those some optimum uses. A node of ``must_x`` or ``must_y`` is matched in every optimum.
    """

    xs: list[int]
    ys: list[int]
    edges: list[tuple[int, int]]
    must_x: set[int]
    must_y: set[int]


def heaviest(rows: Rows, size_y: int) -> Solution:
    """Heaviest matching, not necessarily the largest, by successive shortest augmenting paths.

    Weights are integers > 0. Time O(n · (E + (n+m) log)) for n left nodes and E edges, n·(n+m) additions of
    weights; no recursion. Source: the primal-dual method for weighted bipartite matching (Kuhn, Munkres; Tomizawa;
    Edmonds and Karp), with a node's dual value as the price of leaving it free.

    Clause: MS §2 optimum
    """
    size_x = len(rows)
    solution = Solution(
        [FREE] * size_x,
        [FREE] * size_y,
        [max((weight for _, weight in row), default=0) for row in rows],
        [0] * size_y,
    )
    for x in range(size_x):
        _insert(rows, solution, x)
    return solution


def _insert(rows: Rows, solution: Solution, root: int) -> None:
    """Bring left node ``root`` in: match it along the cheapest path, or leave free whoever is cheapest to free."""
    mate_x, mate_y, u, v = solution
    best, dropped, end_y = u[root], root, FREE
    reached = [(root, 0)]
    settled: list[tuple[int, int]] = []
    distance: dict[int, int] = {}
    parent: dict[int, int] = {}
    heap: list[tuple[int, int]] = []
    x, so_far = root, 0
    while True:
        base = so_far + u[x]
        for y, weight in rows[x]:
            there = base - weight + v[y]
            if there < best and there < distance.get(y, best):
                distance[y] = there
                parent[y] = x
                heappush(heap, (there, y))
        so_far, y = _nearest(heap, distance)
        if y == FREE or so_far >= best:
            break
        if mate_y[y] == FREE:
            best, end_y = so_far, y
            break
        distance[y] = -1
        settled.append((y, so_far))
        x = mate_y[y]
        reached.append((x, so_far))
        if so_far + u[x] < best:
            best, dropped = so_far + u[x], x
    _pay(u, reached, -1, best)
    _pay(v, settled, 1, best)
    if end_y == FREE:
        end_y, mate_x[dropped] = mate_x[dropped], FREE
    while end_y != FREE:
        x = parent[end_y]
        mate_y[end_y] = x
        mate_x[x], end_y = end_y, mate_x[x]


def _nearest(heap: list[tuple[int, int]], distance: dict[int, int]) -> tuple[int, int]:
    """Take the nearest right node off the heap, skipping entries that a shorter path has made stale."""
    while heap:
        so_far, y = heappop(heap)
        if distance[y] == so_far:
            return so_far, y
    return 0, FREE


def _pay(values: list[int], nodes: list[tuple[int, int]], sign: int, best: int) -> None:
    """Move the dual values of the nodes reached by what their distance falls short of the path's length."""
    for node, at in nodes:
        values[node] += sign * (best - at)


def undecided(
    tight: list[list[int]], mate_x: list[int], mate_y: list[int], may_x: list[bool], may_y: list[bool]
) -> list[Block]:
    """Blocks in which an optimal matching has alternatives; outside them every optimum agrees with the mates.

    ``tight[i]`` are the right nodes on edges whose dual slack is 0, ``may_x``/``may_y`` say which nodes some
    optimum can leave free (dual value 0). Two optima differ by alternating cycles of tight edges, where leaving a
    node free is a step through one more node, the hub; so an edge is optional exactly inside a strongly connected
    component. The hub couples nothing, hence its component falls apart where only the hub holds it together.
    With slack and values up to a bound taken for 0, the blocks still cover every optimum within that bound.
    Time O(n + E).
    """
    hub = len(mate_x)
    arcs: list[list[int]] = []
    for x, row in enumerate(tight):
        mate = mate_x[x]
        out = [hub if mate_y[y] == FREE else mate_y[y] for y in row if y != mate]
        if mate != FREE and may_x[x]:
            out.append(hub)
        arcs.append(out)
    arcs.append([x for x, y in enumerate(mate_x) if y == FREE or may_y[y]])
    component = _strong_components(arcs)
    sizes: dict[int, int] = {}
    for mark in component:
        sizes[mark] = sizes.get(mark, 0) + 1
    inside = [sizes[mark] > 1 for mark in component]
    kept = {
        x: [y for y in row if component[x] == component[hub if mate_y[y] == FREE else mate_y[y]]]
        for x, row in enumerate(tight)
        if inside[x]
    }
    return [
        Block(xs, ys, edges, {x for x in xs if not may_x[x]}, {y for y in ys if not may_y[y]})
        for xs, ys, edges in connected(kept)
        if len(edges) > 1
    ]


def connected(rows: dict[int, list[int]]) -> Iterator[tuple[list[int], list[int], list[tuple[int, int]]]]:
    """Connected components of a bipartite graph: (left nodes, right nodes, edges), each sorted.

    ``rows`` are the right nodes of each left node, without repetition. They are used up on the way, so that only one
    component's edges are held at a time.
    """
    columns: dict[int, list[int]] = {}
    for x, row in rows.items():
        for y in row:
            columns.setdefault(y, []).append(x)
    while rows:
        first = next(iter(rows))
        xs, ys, stack = {first}, set(), [first]
        while stack:
            for y in rows[stack.pop()]:
                if y not in ys:
                    ys.add(y)
                    fresh = [x for x in columns[y] if x not in xs]
                    xs.update(fresh)
                    stack.extend(fresh)
        members = sorted(xs)
        yield members, sorted(ys), [(x, y) for x in members for y in sorted(rows.pop(x))]


def _strong_components(arcs: list[list[int]]) -> list[int]:
    """Number of each node's strongly connected component (Tarjan's algorithm without recursion)."""
    unseen: Final = -1
    order = [unseen] * len(arcs)
    low = [0] * len(arcs)
    component = [unseen] * len(arcs)
    path: list[int] = []
    counter = 0
    for start in range(len(arcs)):
        if order[start] != unseen:
            continue
        work = [(start, iter(arcs[start]))]
        order[start] = low[start] = counter
        counter += 1
        path.append(start)
        while work:
            node, following = work[-1]
            step = next((nxt for nxt in following if component[nxt] == unseen), unseen)
            if step == unseen:
                work.pop()
                _close(node, order, low, component, path)
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
            elif order[step] == unseen:
                order[step] = low[step] = counter
                counter += 1
                path.append(step)
                work.append((step, iter(arcs[step])))
            else:
                low[node] = min(low[node], order[step])
    return component


def _close(node: int, order: list[int], low: list[int], component: list[int], path: list[int]) -> None:
    if low[node] != order[node]:
        return
    while True:
        member = path.pop()
        component[member] = node
        if member == node:
            return
