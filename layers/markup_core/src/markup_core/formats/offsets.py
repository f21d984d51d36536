"""Positions as Java and JavaScript count them, in UTF-16 code units, turned into code points."""

from __future__ import annotations

from bisect import bisect_left


class Utf16:
    """The code units of a text. Building is linear in the text, a look-up takes O(log n)."""

    __slots__ = ("_pairs", "_units")

    def __init__(self, text: str) -> None:
        self._pairs: list[int] = []
        """Where the first half of each surrogate pair stands."""
        for point, character in enumerate(text):
            if character > "\uffff":
                self._pairs.append(point + len(self._pairs))
        self._units = len(text) + len(self._pairs)

    def code_point(self, unit: int) -> int | None:
        """The position in code points; None outside the text and inside a surrogate pair."""
        before = bisect_left(self._pairs, unit)
        if not 0 <= unit <= self._units or (before and self._pairs[before - 1] == unit - 1):
            return None
        return unit - before
