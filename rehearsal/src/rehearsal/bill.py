"""The cost of a rehearsal, beside the organizer's estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bill:
    """The requests of a rehearsal to the cloud, and the estimate of a final of its size in requests and costs, by kind,
    in the currency of the price list. Of a kind that follows from others (logs, traffic) nothing is counted."""

    counted: Mapping[str, float]
    estimated: Mapping[str, float]
    prices: Mapping[str, float]
    """Of a unit of each kind."""
    currency: str

    def cost(self, counts: Mapping[str, float]) -> float:
        """Return the cost of counts."""
        return sum(count * self.prices[kind] for kind, count in counts.items() if kind in self.prices)
