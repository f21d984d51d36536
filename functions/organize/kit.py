"""The route by which organizers publish the participants' kit: beside decisions about runs, for its list is signed."""

from __future__ import annotations

from contest import errors, routes
from contest.contracts.kit import KitRequest, PublishedKitBody
from contest.edge import present_cycle as present
from contest.edge import web
from contest.edge.web import Reply, caller
from contest.errors.cycle import KitVersionTakenError
from contest.services.cycle import kits
from contest.services.people.cabinet import author
from contest.wiring import platform
from organize.conduct_router import app


@web.on(
    app,
    routes.PUBLISH_KIT,
    PublishedKitBody,
    "Publish the participants' kit (R 4.2, 4.3)",
    errors.MalformedJsonError,
    errors.NoCycleError,
    KitVersionTakenError,
    errors.BusyError,
)
def publish_kit(said: KitRequest) -> Reply:
    """Its list is signed, its modules are known from now on, and a draft about it waits among the announcements."""
    return web.answer(present.published_kit(kits.publish(platform(), author(caller(app)), said.listed())))
