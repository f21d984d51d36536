"""Conversion of a cycle's cost to its body on the wire."""

from __future__ import annotations

from contest.operations.overview import CycleCost
from contest.operations.wire import CostBody, DaysCostBody, PlayedBody, PriceBody


def cost(found: CycleCost) -> CostBody:
    """Return the whole estimate with its prices."""
    of_days = sum(each.cost for each in found.lines)
    return CostBody.from_value(
        found,
        currency=found.prices["currency"],
        region=found.prices["region"],
        cost=sum(each.cost for each in found.finals) + of_days,
        days=DaysCostBody.from_value(found, cost=of_days),
        prices=[PriceBody(kind=kind, **told) for kind, told in found.prices["prices"].items()],
        played=[PlayedBody(teams=teams, files=count) for teams, count in found.played],
    )
