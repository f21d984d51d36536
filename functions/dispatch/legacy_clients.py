"""Routes of the earlier clients, which fetch announced files and send their results over HTTP (legacy exchange)."""

from __future__ import annotations

from contest import routes
from contest.channel import fetching, tasks
from contest.channel.rules import SessionNotStartedError, TaskNotFoundError, UnknownTokenError
from contest.edge import web
from contest.edge.web import Reply
from contest.errors import BusyError, UnknownRouteError
from contest.routes import Function
from contest.wiring import platform

app = web.resolver()
_COMMON = (UnknownTokenError, SessionNotStartedError, TaskNotFoundError, BusyError)


@web.handles(app, routes.LEGACY_DOCUMENT, "An epicrisis as it was handed out", *_COMMON, model="application/xml")
def epicrisis() -> Reply:
    """Return the XML of the latest version of an epicrisis that the open session has received."""
    return fetching.document(tasks.epicrisis(platform(), fetching.request_of(app)))


@web.handles(app, routes.LEGACY_FRAGMENT, "A study's document", *_COMMON, model="application/xml")
def fragment() -> Reply:
    """Return the XML of a document from a study."""
    return fetching.document(tasks.fragment(platform(), fetching.request_of(app)))


@web.handles(app, routes.LEGACY_MESSAGE, "What a client sends", UnknownRouteError, *_COMMON, model="application/json")
def deed(deed: str) -> Reply:
    """Handle `upload-result`, `get-test`, `receive-callback`, `test-is-rec`, `abort`."""
    return fetching.carry_out(app, deed)


handler = web.make_handler(app, Function.LEGACY_CLIENTS)
