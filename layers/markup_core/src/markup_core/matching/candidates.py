"""Which fragments of two markups can be matched at all (markup-scoring §2).

A pair costs less than leaving both fragments alone (L < 2) exactly when the spans overlap and the starts or the
codes are equal. A full-text fragment is treated as the span [-1, 0): it coincides with its like and overlaps
nothing else, which is what the definition of J says of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from markup_core.model import Fragment, fold

folded: Final = lru_cache(maxsize=4096)(fold)
"""Key of a code; codes come from a classifier of some fifty, so the same few are asked for again and again."""

SHORT_LIST: Final = 8

Rows = dict[int, list[int]]


class Sides(NamedTuple):
    """Both fragment lists by columns; starts and ends as the matcher counts them (full text: -1, 0)."""

    fragments_x: tuple[Fragment, ...]
    fragments_y: tuple[Fragment, ...]
    start_x: list[int]
    end_x: list[int]
    code_x: list[str]
    start_y: list[int]
    end_y: list[int]
    code_y: list[str]


class Candidates(NamedTuple):
    """``coinciding`` pairs that every matching must take; ``rows``: the possible partners of the other fragments.

    ``doubles``: some span and code occur twice in one file, so that fragments may be alike.
    """

    coinciding: list[tuple[int, int]]
    rows: Rows
    doubles: bool


def columns(fragments_x: tuple[Fragment, ...], fragments_y: tuple[Fragment, ...], separate_groups: bool) -> Sides:
    """Take both lists apart. With ``separate_groups`` the group counts as a part of the code.

    Clause: MS §2 full text
    """
    return Sides(
        fragments_x,
        fragments_y,
        [f[0] if f[1] else -1 for f in fragments_x],
        [f[1] for f in fragments_x],
        _codes(fragments_x, separate_groups),
        [f[0] if f[1] else -1 for f in fragments_y],
        [f[1] for f in fragments_y],
        _codes(fragments_y, separate_groups),
    )


def _codes(fragments: tuple[Fragment, ...], separate_groups: bool) -> list[str]:
    """Clause: MS §2 groups"""
    if separate_groups:
        return [f"{f.group} {folded(f.code)}" for f in fragments]
    return [folded(f[2]) for f in fragments]


def candidates(sides: Sides, separate_groups: bool) -> Candidates:
    """Find the pairs with L < 2, and among them those that are matched first because L = 0.

    Where a span with one code is marked a times in X and b times in Y, min(a, b) pairs of it are matched with each
    other, so the fragments of the side with fewer of them have no partners elsewhere. Time O((n+m) log(n+m) +
    candidates) for spans that do not contain each other; never worse than O(n·m).

    Clause: R-App2 §3
    """
    class_y: dict[tuple[int, int, str], list[int]] = {}
    for k, key in enumerate(zip(sides.start_y, sides.end_y, sides.code_y, strict=True)):
        class_y.setdefault(key, []).append(k)
    class_x: dict[tuple[int, int, str], list[int]] = {}
    for i, key in enumerate(zip(sides.start_x, sides.end_x, sides.code_x, strict=True)):
        class_x.setdefault(key, []).append(i)
    found = Candidates([], {}, len(class_x) < len(sides.start_x) or len(class_y) < len(sides.start_y))
    loose_x: list[int] = []
    closed_y: set[int] = set()
    for key, members in class_x.items():
        twins = class_y.get(key)
        if twins is None:
            loose_x += members
            continue
        if len(members) == len(twins) == 1:
            found.coinciding.append((members[0], twins[0]))
        else:
            found.rows.update((i, list(twins)) for i in members)
        if len(twins) <= len(members):
            closed_y.update(twins)
        if len(members) > len(twins):
            loose_x += members
    loose_y = [k for k in range(len(sides.start_y)) if k not in closed_y]
    if loose_x and loose_y:
        _add_same_start(sides, loose_x, loose_y, found.rows, separate_groups)
        _add_same_code(sides, loose_x, loose_y, found.rows)
    return found


def _add_same_start(sides: Sides, loose_x: list[int], loose_y: list[int], rows: Rows, separate_groups: bool) -> None:
    """Add the pairs with equal starts: they overlap, as long as neither is empty.

    Clause: MS §2 groups
    """
    at: dict[int, list[int]] = {}
    for k in loose_y:
        if sides.end_y[k] > sides.start_y[k]:
            at.setdefault(sides.start_y[k], []).append(k)
    for i in loose_x:
        partners = at.get(sides.start_x[i])
        if partners is None or sides.end_x[i] <= sides.start_x[i]:
            continue
        if separate_groups:
            group = sides.fragments_x[i].group
            partners = [k for k in partners if sides.fragments_y[k].group == group]
        if partners:
            rows.setdefault(i, []).extend(partners)


def _add_same_code(sides: Sides, loose_x: list[int], loose_y: list[int], rows: Rows) -> None:
    """Add the overlapping pairs with equal codes and different starts."""
    of_code: dict[str, list[int]] = {}
    for k in loose_y:
        of_code.setdefault(sides.code_y[k], []).append(k)
    long_lists: dict[str, tuple[list[int], list[int], list[int]]] = {}
    for i in loose_x:
        code = sides.code_x[i]
        partners = of_code.get(code)
        if partners is None:
            continue
        start, end = sides.start_x[i], sides.end_x[i]
        if len(partners) > SHORT_LIST:
            if code not in long_lists:
                long_lists[code] = _by_start(partners, sides)
            partners = _window(long_lists[code], start, end)
        for k in partners:
            other = sides.start_y[k]
            if other != start and max(other, start) < min(end, sides.end_y[k]):
                rows.setdefault(i, []).append(k)


def _by_start(partners: list[int], sides: Sides) -> tuple[list[int], list[int], list[int]]:
    """Fragments in order of start, with the starts, and the furthest end so far."""
    ordered = sorted(partners, key=sides.start_y.__getitem__)
    return (
        ordered,
        [sides.start_y[k] for k in ordered],
        list(accumulate((sides.end_y[k] for k in ordered), max)),
    )


def _window(ordered: tuple[list[int], list[int], list[int]], start: int, end: int) -> list[int]:
    """The part of the list outside which nothing overlaps [start, end)."""
    members, starts, furthest = ordered
    return members[bisect_right(furthest, start) : bisect_left(starts, end)]
