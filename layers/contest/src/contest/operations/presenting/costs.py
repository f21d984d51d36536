"""Conversion of costs to bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contest.operations.wire.costs import CostBody, DaysCostBody, PlayedBody, PriceBody

if TYPE_CHECKING:
    from contest.operations.overview import CycleCost


def cost(estimate: CycleCost) -> CostBody:
    """Return the whole estimate with its prices."""
    of_days = sum(line.cost for line in estimate.lines)
    return CostBody.from_value(
        estimate,
        currency=estimate.prices["currency"],
        region=estimate.prices["region"],
        cost=sum(final.cost for final in estimate.finals) + of_days,
        days=DaysCostBody.from_value(estimate, cost=of_days),
        prices=[PriceBody(kind=kind, **price) for kind, price in estimate.prices["prices"].items()],
        played=[PlayedBody(teams=teams, files=count) for teams, count in estimate.played],
    )
