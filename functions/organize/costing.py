"""The route by which organizers see what the cycle costs."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.contracts.costs import CostBody
from contest.edge import present_costs, web
from contest.edge.web import Reply
from contest.services.operations import costing
from contest.wiring import platform
from organize.conduct_router import app

_IN_PLACE = "in the place of the cycle's own"
Teams = Annotated[int | None, Query(ge=1, le=10_000, description=f"Teams of every final, {_IN_PLACE}")]
Files = Annotated[int | None, Query(ge=1, le=1_000, description=f"Files of every final, {_IN_PLACE}")]
Listening = Annotated[
    int | None, Query(ge=0, le=10_000, description="Of the teams those on the event channel; a fifth where unknown")
]
Days = Annotated[int | None, Query(ge=0, le=3_660, description=f"Days of the deployment, {_IN_PLACE}")]


@web.on(app, routes.COST, CostBody, "What the cycle's finals and days cost (platform §7)")
def cycle_cost(teams: Teams = None, files: Files = None, listening: Listening = None, days: Days = None) -> Reply:
    """An estimate from the cycle's own figures and a dated price list, every part of it told; nothing was billed."""
    wish = costing.Wish(teams, files, listening, days)
    return web.answer(present_costs.cost(costing.of_cycle(platform(), wish)))
