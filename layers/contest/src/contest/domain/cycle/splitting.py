"""One folder into several sets by shares, the same for the same seed (platform §7)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction


def split(items: Mapping[str, str], shares: Mapping[str, Fraction], seed: int) -> dict[str, list[str]]:
    """Ids of items for each set, in ascending order. ``items`` maps an id to its stratum, such as its subject; every
    stratum is divided by the shares, which make one together, as evenly as whole items allow.

    Who comes where is decided by SHA-256 of seed and id, whatever the order of the items. :class:`ValueError` for ones
    that do not make one. O(n log n + n · sets).
    """
    if sum(shares.values()) != 1 or min(shares.values()) <= 0:
        raise ValueError(shares)

    def drawn(item: str) -> tuple[str, bytes]:
        return items[item], hashlib.sha256(f"{seed}\n{item}".encode()).digest()

    made: dict[str, list[str]] = {name: [] for name in shares}
    for number, item in enumerate(sorted(items, key=drawn), 1):
        # The set that is furthest behind its share gets the item: equal ones in the order of their names.
        behind = max(sorted(shares), key=lambda name: shares[name] * number - len(made[name]))
        made[behind].append(item)
    return {name: sorted(chosen) for name, chosen in made.items()}
