"""Correspondence between the fragments of two markups (R-App2 §3, markup-scoring §2).

For a pair (i, k), with the positions of the fragments as sets of characters::

    J = 1 - |x ∩ y| / |x ∪ y|              two full-text fragments: 0; a full-text and a located one: 1
    L = J + [J = 1] + [B_i ≠ B_k] + [C_i ≠ C_k]
    Q(M) = Σ L over the pairs of M + number of unmatched fragments on both sides

The matching taken is the one with the least Q and, among those, the first by the tie rules; see :func:`match`.

A pair costs less than leaving both fragments alone (L < 2) exactly when the spans overlap and the starts or the
codes are equal. A full-text fragment is treated as the span [-1, 0): it coincides with its like and overlaps
nothing else, which is what the definition of J says of it.

All criteria are sums over the pairs of a component, so they are packed into one whole number per pair, the more
important one in the higher digits; nothing is rounded, as the overlap shares are brought to a common denominator.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import fsum, lcm
from typing import Final, NamedTuple

from markup_core.comparable import fold, text_key
from markup_core.matching import assignment
from markup_core.matching.assignment import FREE, Block, Solution, connected, heaviest, undecided
from markup_core.model import Columns, Markup, check_markups
from markup_core.params import DEFAULT, ScoringParams

SHORT_LIST: Final = 8

Rows = dict[int, list[int]]
Pairs = list[tuple[int, int]]
_Key = tuple[int, int, str]
"""Span and code of a fragment."""


class Sides(NamedTuple):
    """Both fragment lists by columns; starts and ends as the matcher counts them (full text: -1, 0)."""

    x: Columns
    y: Columns
    start_x: Sequence[int]
    end_x: Sequence[int]
    code_x: Sequence[str]
    start_y: Sequence[int]
    end_y: Sequence[int]
    code_y: Sequence[str]


class Candidates(NamedTuple):
    """``coinciding`` pairs that every matching must take; ``rows``: the possible partners of the other fragments.

    ``doubles``: some span and code occur twice in one file, so that fragments may be alike.
    """

    coinciding: list[tuple[int, int]]
    rows: Rows
    doubles: bool


# Clause: MS §2 full text
def columns(x: Markup, y: Markup, separate_groups: bool) -> Sides:
    """Split both lists into columns. With ``separate_groups`` the group counts as a part of the code."""
    spans = (*_spans(x.columns, separate_groups), *_spans(y.columns, separate_groups))
    return Sides(x.columns, y.columns, *spans)


# Clause: MS §2 groups
def _spans(side: Columns, separate_groups: bool) -> tuple[Sequence[int], Sequence[int], Sequence[str]]:
    starts: Sequence[int] = side.starts
    if 0 in side.ends:
        starts = [start if end else -1 for start, end in zip(starts, side.ends, strict=True)]
    if not separate_groups:
        return starts, side.ends, side.keys
    return starts, side.ends, [f"{group} {key}" for group, key in zip(side.groups, side.keys, strict=True)]


# Clause: R-App2 §3
def candidates(sides: Sides, separate_groups: bool) -> Candidates:
    """Find the pairs with L < 2, and among them those that are matched first because L = 0.

    Where a span with one code is marked a times in X and b times in Y, min(a, b) pairs of it are matched with each
    other, so the fragments of the side with fewer of them have no partners elsewhere. Time O((n+m) log(n+m) +
    candidates) for spans that do not contain each other; never worse than O(n·m).
    """
    keys_x = list(zip(sides.start_x, sides.end_x, sides.code_x, strict=True))
    keys_y = list(zip(sides.start_y, sides.end_y, sides.code_y, strict=True))
    place_y = dict(zip(keys_y, range(len(keys_y)), strict=True))
    doubles = len(place_y) < len(keys_y) or len(set(keys_x)) < len(keys_x)
    coinciding: list[tuple[int, int]] = []
    rows: Rows = {}
    if doubles:
        loose_x, closed_y = _classes(keys_x, keys_y, coinciding, rows)
    else:
        twins = list(map(place_y.get, keys_x))
        coinciding = [(i, k) for i, k in enumerate(twins) if k is not None]
        loose_x, closed_y = [i for i, k in enumerate(twins) if k is None], set(twins)
    loose_y = [k for k in range(len(keys_y)) if k not in closed_y]
    if loose_x and loose_y:
        _add_same_start(sides, loose_x, loose_y, rows, separate_groups)
        _add_same_code(sides, loose_x, loose_y, rows)
    return Candidates(coinciding, rows, doubles)


def _classes(
    keys_x: Sequence[_Key], keys_y: Sequence[_Key], coinciding: Pairs, rows: Rows
) -> tuple[list[int], set[int | None]]:
    """Match coinciding fragments where some are alike; return X's fragments with other partners and Y's without."""
    class_x: dict[_Key, list[int]] = {}
    class_y: dict[_Key, list[int]] = {}
    for keys, classes in ((keys_x, class_x), (keys_y, class_y)):
        for place, key in enumerate(keys):
            classes.setdefault(key, []).append(place)
    loose_x: list[int] = []
    closed_y: set[int | None] = set()
    for key, members in class_x.items():
        twins = class_y.get(key, [])
        if len(members) == len(twins) == 1:
            coinciding.append((members[0], twins[0]))
        elif twins:
            rows.update((i, list(twins)) for i in members)
        if len(twins) <= len(members):
            closed_y.update(twins)
        if len(members) > len(twins):
            loose_x += members
    return loose_x, closed_y


# Clause: MS §2 groups
def _add_same_start(sides: Sides, loose_x: list[int], loose_y: list[int], rows: Rows, separate_groups: bool) -> None:
    """Add the pairs with equal starts: they overlap, as long as neither is empty."""
    x, y, start_x, end_x, _, start_y, end_y, _ = sides
    at: dict[int, list[int]] = {}
    for k in loose_y:
        if end_y[k] > start_y[k]:
            at.setdefault(start_y[k], []).append(k)
    for i in loose_x:
        partners = at.get(start_x[i])
        if partners is None or end_x[i] <= start_x[i]:
            continue
        if separate_groups:
            group = x.groups[i]
            partners = [k for k in partners if y.groups[k] == group]
        if i in rows:
            rows[i] += partners
        elif partners:
            rows[i] = partners[:]


def _add_same_code(sides: Sides, loose_x: list[int], loose_y: list[int], rows: Rows) -> None:
    """Add the overlapping pairs with equal codes and different starts."""
    _, _, start_x, end_x, code_x, start_y, end_y, code_y = sides
    of_code: dict[str, list[int]] = {}
    for k in loose_y:
        of_code.setdefault(code_y[k], []).append(k)
    long_lists: dict[str, tuple[list[int], list[int], list[int]]] = {}
    for i in loose_x:
        code = code_x[i]
        partners = of_code.get(code)
        if partners is None:
            continue
        start, end = start_x[i], end_x[i]
        if len(partners) > SHORT_LIST:
            if code not in long_lists:
                long_lists[code] = _by_start(partners, sides)
            members, starts, furthest = long_lists[code]  # nothing outside the part taken overlaps [start, end)
            partners = members[bisect_right(furthest, start) : bisect_left(starts, end)]
        for k in partners:
            other, last = start_y[k], end_y[k]
            # Two spans overlap where each begins before the other ends; an empty one overlaps nothing.
            if other != start and other < end and start < last and other < last and start < end:
                rows.setdefault(i, []).append(k)


def _by_start(partners: list[int], sides: Sides) -> tuple[list[int], list[int], list[int]]:
    """Return fragments in order of start, with the starts, and the furthest end so far."""
    ordered = sorted(partners, key=sides.start_y.__getitem__)
    return (ordered, [sides.start_y[k] for k in ordered], list(accumulate((sides.end_y[k] for k in ordered), max)))


DENSE: Final = 3_000
"""More candidate pairs than this are first thinned out by the solver for dense graphs."""


class Merit(NamedTuple):
    """Value of a pair: the overlap ``shared / union`` plus ``bonus``, and the numbers that the tie rules count.

    Matching the pair lowers Q by ``shared / union + bonus``, where ``bonus`` is 1 if start and code are equal.
    """

    shared: int
    union: int
    bonus: int
    coincides: int
    same_code: int
    same_subtype: int
    same_correction: int


# Clause: R-App2 §3, MS §2 ties
def merit(sides: Sides, x: int, y: int) -> Merit:
    """Judge one candidate pair."""
    one, other, starts_x, ends_x, codes_x, starts_y, ends_y, codes_y = sides
    start_x, end_x, start_y, end_y = starts_x[x], ends_x[x], starts_y[y], ends_y[y]
    first, last = (start_x, start_y) if start_x < start_y else (start_y, start_x)
    least, greatest = (end_x, end_y) if end_x < end_y else (end_y, end_x)
    same_code = codes_x[x] == codes_y[y]
    same_start = start_x == start_y
    subtype, other_subtype = one.subtypes[x], other.subtypes[y]
    correction, other_correction = one.corrections[x], other.corrections[y]
    return Merit(
        least - last,
        greatest - first or 1,
        same_code and same_start,
        same_code and same_start and end_x == end_y,
        same_code,
        subtype == other_subtype or fold(subtype) == fold(other_subtype),
        correction == other_correction or text_key(correction) == text_key(other_correction),
    )


# Clause: MS §2 symmetry
def fragment_key(side: Columns, place: int) -> assignment.Key:
    """Return the key of a fragment in rule 6; the code's own spelling and the group only tell equal keys apart."""
    return (
        side.starts[place],
        side.ends[place],
        side.keys[place],
        side.subtypes[place],
        side.corrections[place],
        side.comments[place],
        side.explanations[place],
        side.tags[place],
        side.codes[place],
        side.groups[place],
    )


# Clause: MS §2 ties
def weights(sides: Sides, block: Block) -> list[int]:
    """Return one number per edge of the block: mandatory fragments in the pair, the saved cost, then rules 1–5."""
    merits = [merit(sides, x, y) for x, y in block.edges]
    common = lcm(*{one.union for one in merits})
    count = min(len(block.xs), len(block.ys)).bit_length()
    overlap = count + max(one.shared for one in merits).bit_length()
    saving = count + (2 * common).bit_length()
    must_x, must_y, packed = block.must_x, block.must_y, []
    for (x, y), one in zip(block.edges, merits, strict=True):
        shared, union, bonus, coincides, same_code, same_subtype, same_correction = one
        number = (x in must_x) + (y in must_y)
        number = (number << saving) + bonus * common + shared * (common // union)
        number = (number << count) + coincides
        number = (number << count) + same_code
        number = (number << count) + 1
        number = (number << overlap) + shared
        number = (number << count) + same_subtype
        number = (number << count) + same_correction
        packed.append(number)
    return packed


def settle(sides: Sides, block: Block) -> Pairs:
    """Match a connected component, or a block of it, by Q and all tie rules.

    For up to DENSE candidate pairs; larger ones :func:`markup_core.matching.dense.settle` thins out first.
    """
    if len(block.xs) == 1 or len(block.ys) == 1:
        packed = weights(sides, block)
        best = max(packed)
        tied = [edge for edge, weight in zip(block.edges, packed, strict=True) if weight == best]
        return [tied[0] if len(tied) == 1 else min(tied, key=lambda edge: _couple(sides, edge))]
    if len(block.xs) == len(block.ys) == 2:
        packed = weights(sides, block)
        # Every weight is positive, so the best of all matchings is one of the two that cover most.
        crossing = [(x == block.xs[0]) != (y == block.ys[0]) for x, y in block.edges]
        lead = sum([-weight if crosses else weight for crosses, weight in zip(crossing, packed, strict=True)])
        if lead:
            return [edge for edge, crosses in zip(block.edges, crossing, strict=True) if crosses == (lead < 0)]
    return settle_exactly(sides, block)


def _couple(sides: Sides, edge: tuple[int, int]) -> tuple[assignment.Key, assignment.Key]:
    one, other = key_x(sides, edge[0]), key_y(sides, edge[1])
    return (one, other) if one <= other else (other, one)


def key_x(sides: Sides, x: int) -> assignment.Key:
    """Return the rule 6 key of fragment ``x`` of X."""
    return fragment_key(sides.x, x)


def key_y(sides: Sides, y: int) -> assignment.Key:
    """Return the rule 6 key of fragment ``y`` of Y."""
    return fragment_key(sides.y, y)


def settle_exactly(sides: Sides, block: Block) -> Pairs:
    """Find one solution in whole numbers of any size; apply rule 6 where it is not the only one."""
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
    blocks = []
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
        blocks.append((named, inner))
    return list(mates.items()), blocks


def last_rule(sides: Sides, block: Block, mates: dict[int, int]) -> Pairs:
    """Apply rule 6 to a block whose optima rules 1–5 cannot tell apart."""
    return assignment.settle(
        block, mates, {x: key_x(sides, x) for x in block.xs}, {y: key_y(sides, y) for y in block.ys}
    )


@dataclass(frozen=True, slots=True)
class Matching:
    """``pairs`` (index in X, index in Y) sorted; the cost and the unmatched fragments are computed on demand."""

    pairs: tuple[tuple[int, int], ...]
    sides: Sides = field(repr=False)

    # Clause: R-App2 §3
    @property
    def q(self) -> float:
        """Return the cost Q of the pairs and of the unmatched fragments."""
        _, _, start_x, end_x, code_x, start_y, end_y, code_y = self.sides
        whole = len(start_x) + len(start_y) - 2 * len(self.pairs)
        parts = []
        for i, k in self.pairs:
            a, b, c, d = start_x[i], end_x[i], start_y[k], end_y[k]
            if a == c and b == d:
                whole += code_x[i] != code_y[k]
                continue
            whole += (a != c) + (code_x[i] != code_y[k])
            last, first = (b, d) if b > d else (d, b)
            union = last - (a if a < c else c)
            parts.append((union - first + (c if a < c else a)) / union)
        return whole + fsum(parts)

    @property
    def unmatched_x(self) -> tuple[int, ...]:
        """Return the indices of unmatched fragments in X, sorted."""
        return tuple(sorted({*range(len(self.sides.start_x))} - {i for i, _ in self.pairs}))

    @property
    def unmatched_y(self) -> tuple[int, ...]:
        """Return the indices of unmatched fragments in Y, sorted."""
        return tuple(sorted({*range(len(self.sides.start_y))} - {k for _, k in self.pairs}))

    def transposed(self) -> Matching:
        """Return the matching of Y with X."""
        sides = Sides(self.sides.y, self.sides.x, *self.sides[5:], *self.sides[2:5])
        return Matching(tuple(sorted([(k, i) for i, k in self.pairs])), sides)


# Clause: R-App2 §1.2
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
    """
    check_markups(x, y)
    sides = columns(x, y, params.separate_groups)
    partners = candidates(sides, params.separate_groups)
    pairs = partners.coinciding
    if partners.rows:
        pairs += _settle_components(sides, partners.rows)
        if partners.doubles:
            pairs = _in_file_order(sides, pairs)
    pairs.sort()
    return Matching(tuple(pairs), sides)


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
        block = Block(xs, ys, edges, set(), set())
        if len(edges) <= DENSE or min(len(xs), len(ys)) == 1:
            pairs += settle(sides, block)
        else:
            from markup_core.matching import dense  # needs numpy, which a markup of usual size does not

            pairs += dense.settle(sides, block)
    return pairs


# Clause: MS §2 symmetry
def _in_file_order(sides: Sides, pairs: Pairs) -> Pairs:
    """Give the places of fragments that are alike to the earliest of them, in the order of their partners."""
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
