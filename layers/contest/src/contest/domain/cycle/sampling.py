"""Which files a session gets, in which order (R 6.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from contest.domain.cycle.cycle import ALL_LANGUAGES, Item


def eligible(items: Sequence[Item], language: str) -> tuple[Item, ...]:
    """Items a session in this language may get."""
    return tuple(item for item in items if language in {ALL_LANGUAGES, item.language})


def of_groups(items: Sequence[Item], names: Collection[str]) -> tuple[Item, ...]:
    """Items of groups that are named."""
    return tuple(item for item in items if item.group in names)


def choose_groups(items: Sequence[Item], session_id: str, count: int, per_group: int | None = None) -> tuple[Item, ...]:
    """Sample groups of items without replacement, as :func:`choose` samples items; their items in random order.

    The groups are whole, or ``per_group`` items of each. O(n log n).

    Clause: TS U-3, TS T6
    """

    def draw(group: str) -> bytes:
        return hashlib.sha256(f"{session_id}\n\n{group}".encode()).digest()

    drawn = frozenset(sorted({item.group for item in items}, key=draw)[:count])
    possible = [item for item in items if item.group in drawn]
    if per_group is not None:
        groups = ([item for item in possible if item.group == group] for group in sorted(drawn))
        possible = [item for group in groups for item in choose(group, session_id, per_group)]
    return choose(possible, session_id, len(possible))


def choose(items: Sequence[Item], session_id: str, count: int) -> tuple[Item, ...]:
    """Sample without replacement, in random order, seeded by the session's id.

    Items are ordered by SHA-256 of session id and item id and the first ``count`` taken: uniform over samples and
    orders as far as the hash is, the same in every language and version of anything, independent of the order of
    ``items``. O(n log n).

    Clause: R 6.4
    """

    def draw(item: Item) -> bytes:
        return hashlib.sha256(f"{session_id}\n{item.item_id}".encode()).digest()

    return tuple(sorted(items, key=draw)[:count])
