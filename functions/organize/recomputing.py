"""Routes of the independent recomputation of finals, for organizers and the commission."""

from __future__ import annotations

from contest import errors, routes
from contest.contracts.shadow import RecomputationBody
from contest.edge import present_shadow as present
from contest.edge import web
from contest.edge.web import Reply
from contest.errors import shadow
from contest.services.results import shadowing
from contest.wiring import platform
from organize.router import app


@web.on(
    app,
    routes.RECOMPUTATION,
    RecomputationBody,
    "What the independent recomputation of a final found",
    errors.UnknownRunError,
    shadow.NoBoardError,
)
def recomputation(run_id: str) -> Reply:
    """Every cell in which the platform and the recomputation differ. A final with any is not published."""
    return web.answer(present.recomputation(run_id, shadowing.found_of(platform(), run_id)))


@web.on(
    app,
    routes.RECOMPUTE,
    RecomputationBody,
    "Recompute a final once more",
    errors.UnknownRunError,
    shadow.NoBoardError,
)
def recompute(run_id: str) -> Reply:
    """Of every team, whatever was found before; what was found stands until the new result is there."""
    return web.answer(present.recomputation(run_id, shadowing.again(platform(), run_id)))
