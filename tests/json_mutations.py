"""JSON values for tests of what must hold whatever a program sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hypothesis import strategies as st

_NUMBERS: Final = st.integers() | st.floats() | st.sampled_from([10**400, -1, 0, 1e308])
NESTED: Final = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
"""Any value that :func:`json.dumps` writes, NaN and infinities among them."""


def mutated(value: Any, change: Any) -> Iterator[Any]:
    """Yield the value with one of its parts replaced, with one of its fields left out, or with one more."""
    yield change
    if isinstance(value, dict):
        yield {**value, "more": change}
        for key, part in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            yield from ({**value, key: each} for each in mutated(part, change))
    if isinstance(value, list):
        yield [*value, change]
        for place, part in enumerate(value):
            yield from ([*value[:place], each, *value[place + 1 :]] for each in mutated(part, change))
