"""Oracle of the matching: every correspondence of two small markups, tried one by one, compared in fractions.

It shares no code with the matcher: positions are sets of characters, and the rules are read off the specification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from markup_core.model import Fragment

Pairs = tuple[tuple[int, int], ...]
Fragments = tuple[Fragment, ...]


def loss(x: Fragment, y: Fragment) -> Fraction:
    """L of a pair (R-App2 §3)."""
    if x.end == 0 or y.end == 0:
        distance = Fraction(int(x.end != y.end))
    else:
        here, there = set(range(x.start, x.end)), set(range(y.start, y.end))
        distance = 1 - Fraction(len(here & there), len(here | there))
    return distance + (distance == 1) + (x.start != y.start) + (_code(x) != _code(y))


def cost(x: Fragments, y: Fragments, pairs: Pairs) -> Fraction:
    """Q of a correspondence."""
    return sum((loss(x[i], y[k]) for i, k in pairs), Fraction(len(x) + len(y) - 2 * len(pairs)))


def key(fragment: Fragment) -> tuple[Any, ...]:
    """Return the fragment's key in the last rule."""
    f = fragment
    return (f.start, f.end, _code(f), f.subtype, f.correction, f.comment, f.explanation, f.tag)


def listed(x: Fragments, y: Fragments, pairs: Pairs) -> list[Any]:
    """Return the sorted list of couples that the last rule compares."""
    return sorted(tuple(sorted((key(x[i]), key(y[k])))) for i, k in pairs)


def rules(x: Fragments, y: Fragments, pairs: Pairs) -> tuple[Any, ...]:
    """Return the compared values, smaller is better: Q, then rules 1 to 5, then the list of rule 6."""
    couples = [(x[i], y[k]) for i, k in pairs]
    return (
        cost(x, y, pairs),
        -sum(_code(a) == _code(b) for a, b in couples),
        -len(pairs),
        -sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in couples),
        -sum(a.subtype.casefold() == b.subtype.casefold() for a, b in couples),
        -sum(_words(a.correction) == _words(b.correction) for a, b in couples),
        listed(x, y, pairs),
    )


def best(x: Fragments, y: Fragments) -> tuple[tuple[Any, ...], list[Pairs]]:
    """Return the smallest rules, and every correspondence that reaches them."""
    first = Counter((f.start, f.end, _code(f)) for f in x)
    second = Counter((f.start, f.end, _code(f)) for f in y)
    coinciding = sum((first & second).values())
    chosen: list[Pairs] = []
    smallest: tuple[Any, ...] | None = None
    for pairs in _correspondences(x, y, 0, frozenset()):
        if sum(loss(x[i], y[k]) == 0 for i, k in pairs) < coinciding:
            continue
        value = rules(x, y, pairs)
        if smallest is None or value < smallest:
            smallest, chosen = value, [pairs]
        elif value == smallest:
            chosen.append(pairs)
    assert smallest is not None
    return smallest, chosen


def _correspondences(x: Fragments, y: Fragments, i: int, taken: frozenset[int]) -> Iterator[Pairs]:
    if i == len(x):
        yield ()
        return
    yield from _correspondences(x, y, i + 1, taken)
    for k in range(len(y)):
        if k not in taken and loss(x[i], y[k]) < 2:
            for rest in _correspondences(x, y, i + 1, taken | {k}):
                yield ((i, k), *rest)


def _code(fragment: Fragment) -> str:
    return fragment.code.casefold()


def _words(text: str) -> list[str]:
    return text.casefold().split()
