"""Routes of the earlier clients that fetch what they were told of, and send what they found (legacy exchange)."""

from __future__ import annotations

from typing import Any

from contest import errors, routes
from contest.edge import earlier, web
from contest.edge.web import Reply
from contest.errors import earlier as refusals
from contest.route import Function
from contest.services.channel import earlier_tasks
from contest.wiring import platform

app = web.resolver()
_COMMON = (refusals.UnknownTokenError, refusals.SessionNotStartedError, refusals.TaskNotFoundError, errors.BusyError)


@web.on(app, routes.EARLIER_DOCUMENT, "application/xml", "An epicrisis as it was handed out", *_COMMON)
def epicrisis() -> Reply:
    """The XML of the latest version of an epicrisis that the open session was given."""
    return earlier.document(earlier_tasks.epicrisis(platform(), earlier.fetched(app)))


@web.on(app, routes.EARLIER_FRAGMENT, "application/xml", "A study's document", *_COMMON)
def fragment() -> Reply:
    """The XML of one of the documents that a study brought."""
    return earlier.document(earlier_tasks.fragment(platform(), earlier.fetched(app)))


@web.on(app, routes.EARLIER_DEED, "application/json", "What a client sends", errors.UnknownRouteError, *_COMMON)
def deed(deed: str) -> Reply:
    """`upload-result`, `get-test`, `receive-callback`, `test-is-rec`, `abort`."""
    return earlier.done(app, deed)


web.start(app, Function.EARLIER)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
