"""The route by which organizers look a deployed cycle over before a final."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.contracts.checks import ChecksBody
from contest.edge import present_cycle as present
from contest.edge import web
from contest.edge.web import Reply, arrival
from contest.services import checking
from contest.wiring import platform
from organize.router import app

RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the next one")]


@web.on(
    app,
    routes.CHECK,
    ChecksBody,
    "Look the cycle over before a final (platform §7)",
    errors.NoCycleError,
    errors.UnknownRunError,
)
def check_cycle(run: RunName = None) -> Reply:
    """Timer, clock, sizes of sets, scoring; of a planned final its teams, capacity, experts and notice periods."""
    return web.answer(present.checked(checking.check(platform(), arrival(app), run)))
