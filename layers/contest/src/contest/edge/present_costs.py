"""A cycle's cost as an answer on the wire."""

from __future__ import annotations

from contest.contracts import costs as wire
from contest.services.operations.costing import CycleCost


def cost(found: CycleCost) -> wire.CostBody:
    """Return the whole estimate with its prices."""
    of_days = sum(each.cost for each in found.lines)
    return wire.CostBody.from_value(
        found,
        currency=found.prices["currency"],
        region=found.prices["region"],
        cost=sum(each.cost for each in found.finals) + of_days,
        days=wire.DaysCostBody.from_value(found, cost=of_days),
        prices=[wire.PriceBody(kind=kind, **told) for kind, told in found.prices["prices"].items()],
        played=[wire.PlayedBody(teams=teams, files=count) for teams, count in found.played],
    )
