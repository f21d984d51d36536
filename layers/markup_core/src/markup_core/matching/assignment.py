"""Exact heaviest matching in a bipartite graph, and the choice between equally good ones (markup-scoring §2).

:func:`heaviest` is the solver for sparse graphs and whole numbers of any size (plain Python); the solver for
large dense graphs is :mod:`markup_core.matching.dense`. Both give dual values, from which :func:`undecided` finds every
edge that some optimum uses and some other optimum does not, grouped into independent blocks. Successive tie
rules are settled by solving the blocks again, each with its own weights.

The last tie rule (rule 6): :func:`settle` and :func:`smallest_list` take a block in which rules 1–5 leave several
optima, all with the same number of pairs, and the keys of its fragments. The outcome depends on the keys alone, not on
the numbering of the nodes, except between fragments with the same key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from typing import Any, Final, NamedTuple

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


# Clause: MS §2 optimum
def heaviest(rows: Rows, size_y: int) -> Solution:
    """Find the heaviest matching, not necessarily the largest, by successive shortest augmenting paths.

    Weights are integers > 0. Time O(n · (E + (n+m) log)) for n left nodes and E edges, n·(n+m) additions of
    weights; no recursion. Source: the primal-dual method for weighted bipartite matching (Kuhn, Munkres; Tomizawa;
    Edmonds and Karp), with a node's dual value as the price of leaving it free.
    """
    size_x = len(rows)
    solution = Solution(
        [FREE] * size_x, [FREE] * size_y, [max((weight for _, weight in row), default=0) for row in rows], [0] * size_y
    )
    for x in range(size_x):
        _insert(rows, solution, x)
    return solution


def _insert(rows: Rows, solution: Solution, root: int) -> None:
    """Add left node ``root``: match it along the cheapest path, or leave free the node that is cheapest to free."""
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
    """Move each node's dual value by the difference between the path's length and the node's distance."""
    for node, at in nodes:
        values[node] += sign * (best - at)


def undecided(
    tight: list[list[int]], mate_x: list[int], mate_y: list[int], may_x: list[bool], may_y: list[bool]
) -> list[Block]:
    """Return blocks in which an optimal matching has alternatives; outside them every optimum agrees with the mates.

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
    inner_rows = {
        x: [y for y in row if component[x] == component[hub if mate_y[y] == FREE else mate_y[y]]]
        for x, row in enumerate(tight)
        if inside[x]
    }
    return [
        Block(xs, ys, edges, {x for x in xs if not may_x[x]}, {y for y in ys if not may_y[y]})
        for xs, ys, edges in connected(inner_rows)
        if len(edges) > 1
    ]


def connected(rows: dict[int, list[int]]) -> Iterator[tuple[list[int], list[int], list[tuple[int, int]]]]:
    """Yield the connected components of a bipartite graph: (left nodes, right nodes, edges), each sorted.

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
    """Compute each node's strongly connected component (Tarjan's algorithm without recursion)."""
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


EXACT_SIDE: Final = 12
"""Up to this many fragments on a side the smallest list of pairs is found exactly."""

Key = tuple[Any, ...]
Pairs = list[tuple[int, int]]


def settle(block: Block, mates: Mapping[int, int], key_x: Mapping[int, Key], key_y: Mapping[int, Key]) -> Pairs:
    """Return the pairs of a block by rule 6; ``mates`` is any optimum of the block (left node → right node)."""
    if max(len(block.xs), len(block.ys)) <= EXACT_SIDE:
        return smallest_list(block, key_x, key_y)
    if sorted(key_x[x] for x in block.xs) <= sorted(key_y[y] for y in block.ys):
        return each_its_smallest(block, mates, key_x, key_y)
    turned = Block(block.ys, block.xs, [(y, x) for x, y in block.edges], block.must_y, block.must_x)
    pairs = each_its_smallest(turned, {y: x for x, y in mates.items()}, key_y, key_x)
    return [(x, y) for y, x in pairs]


# Clause: MS §2 ties
def smallest_list(block: Block, key_x: Mapping[int, Key], key_y: Mapping[int, Key]) -> Pairs:
    """Return the optimum whose sorted list of pairs is smallest, a pair being the sorted couple of its two keys.

    Lists of one length compare like their counts of the smallest couple, then of the next one, and so on; so a
    matching is heaviest when a couple weighs more than all greater couples together can.
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
    """Pair left fragments in key order, each with the smallest partner that some optimum still allows.

    Free places are filled up with dummies, so that optima are the perfect matchings; right nodes are numbered in
    key order, dummies last, and sets of nodes are the bits of an integer. Time O(n · E) bit operations on words.
    """
    xs = sorted(block.xs, key=lambda x: (key_x[x], x))
    ys = sorted(block.ys, key=lambda y: (key_y[y], y))
    allowed, mate = _filled_up(block, xs, ys, mates)
    columns = [0] * len(mate)
    for left_node, row in enumerate(allowed):
        for right_node in _places(row):
            columns[right_node] |= 1 << left_node
    open_lefts = open_rights = (1 << len(mate)) - 1
    for left_node in range(len(xs)):
        open_lefts ^= 1 << left_node
        options = allowed[left_node] & open_rights
        if options & -options != 1 << mate[left_node]:  # else the smallest that is left is its mate already
            follow, reach = _ways_back(mate[left_node], columns, open_lefts, mate)
            options &= reach
            _rotate(left_node, (options & -options).bit_length() - 1, mate, follow)
        open_rights ^= 1 << mate[left_node]
    return [(x, ys[mate[left_node]]) for left_node, x in enumerate(xs) if mate[left_node] < len(ys)]


def _filled_up(block: Block, xs: list[int], ys: list[int], mates: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """Return allowed right nodes of every left node as bits, and the mates, both with dummies for the free nodes."""
    at_x = {x: place for place, x in enumerate(xs)}
    at_y = {y: place for place, y in enumerate(ys)}
    used = {at_y[mates[x]] for x in xs if x in mates}
    free_xs = [place for place, x in enumerate(xs) if x not in mates]
    free_ys = [place for place in range(len(ys)) if place not in used]
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
    """Yield the numbers of the bits that are set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _ways_back(goal: int, columns: list[int], lefts: int, mate: list[int]) -> tuple[dict[int, int], int]:
    """Find right nodes from whose mate an alternating path leads to ``goal``, with the next right node on it."""
    follow: dict[int, int] = {}
    reach = 1 << goal
    queue = [goal]
    for right_node in queue:
        fresh = columns[right_node] & lefts
        lefts ^= fresh
        for left_node in _places(fresh):
            before = mate[left_node]
            follow[before] = right_node
            reach |= 1 << before
            queue.append(before)
    return follow, reach


def _rotate(left_node: int, partner: int, mate: list[int], follow: dict[int, int]) -> None:
    holder = {right_node: node for node, right_node in enumerate(mate)}
    goal = mate[left_node]
    while partner != goal:
        displaced = holder[partner]
        mate[left_node] = partner
        left_node, partner = displaced, follow[partner]
    mate[left_node] = goal
