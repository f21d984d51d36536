"""A cycle's cost as an answer on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from contest.contracts import costs as wire
from contest.domain.operations.costs import Figure, Line
from contest.services.operations.costing import CycleCost, FinalCost


def cost(found: CycleCost) -> wire.CostBody:
    """The whole estimate with its prices."""
    finals = [_final(each) for each in found.finals]
    days = wire.DaysCostBody(days=_figure(found.days), lines=_lines(found.lines), cost=_sum(found.lines))
    return wire.CostBody(
        currency=found.prices["currency"],
        region=found.prices["region"],
        cost=sum(each.cost for each in finals) + days.cost,
        finals=finals,
        days=days,
        prices=[wire.PriceBody(kind=kind, **told) for kind, told in found.prices["prices"].items()],
        played=[wire.PlayedBody(teams=teams, files=count) for teams, count in found.played],
    )


def _final(each: FinalCost) -> wire.FinalCostBody:
    return wire.FinalCostBody(
        run_id=each.run_id,
        set=each.set_name,
        teams=_figure(each.teams),
        files=_figure(each.files),
        listening=_figure(each.listening),
        lines=_lines(each.lines),
        cost=_sum(each.lines),
    )


def _figure(found: Figure) -> wire.FigureBody:
    return wire.FigureBody(value=found.value, source=found.source)


def _lines(found: Sequence[Line]) -> list[wire.CostLineBody]:
    return [wire.CostLineBody(kind=each.kind, count=each.count, cost=each.cost) for each in found]


def _sum(found: Sequence[Line]) -> float:
    return sum(each.cost for each in found)
