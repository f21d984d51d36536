"""What a grading formula is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markup_core.criteria.tally import Tally
from markup_core.criteria.wording import Text, criterion

Points = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """The grading formula of a subject (markup-scoring §5).

    ``points`` counts the points of K1, K2 …; ``reasons`` gives, for the same criteria, the facts behind the points.
    They are apart so that a score that needs only the sum (M1) builds no sentence.
    """

    maxima: Points
    points: Callable[[Tally], Points]
    reasons: Callable[[Tally, Points], Iterable[Sequence[Text]]]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the criteria: K1, K2 …"""
        return tuple(f"K{number}" for number in range(1, len(self.maxima) + 1))

    @property
    def max(self) -> int:
        """The greatest possible total."""
        return sum(self.maxima)

    def explain(self, tally: Tally, points: Points) -> dict[str, Text]:
        """The sentence of every criterion.

        Clause: MS §5 explained
        """
        rows = zip(self.names, points, self.reasons(tally, points), strict=True)
        return {name: criterion(name, score, facts) for name, score, facts in rows}
