"""Routes of the earlier clients that fetch what they were told of, and send what they found (legacy exchange)."""

from __future__ import annotations

from typing import Any

from contest import errors, routes
from contest.edge import earlier, web
from contest.edge.web import Reply
from contest.errors import earlier as refusals
from contest.routes import Function
from contest.services.channel import earlier_tasks
from contest.wiring import platform

app = web.resolver()
_COMMON = (
    refusals.UnknownTokenError,
    refusals.SessionNotStartedError,
    refusals.TaskNotFoundError,
    refusals.EarlierRequestError,
    errors.BusyError,
)


@web.on(app, routes.EARLIER_DOCUMENT, "application/xml", "An epicrisis as it was handed out", *_COMMON)
def epicrisis() -> Reply:
    """The XML of the latest version of an epicrisis that the open session was given."""
    return earlier.document(earlier_tasks.epicrisis(platform(), earlier.fetched(app)))


@web.on(app, routes.EARLIER_FRAGMENT, "application/xml", "A study's document", *_COMMON)
def fragment() -> Reply:
    """The XML of one of the documents that a study brought."""
    return earlier.document(earlier_tasks.fragment(platform(), earlier.fetched(app)))


@web.on(app, routes.EARLIER_RECEIVED, "application/json", "An epicrisis has arrived", *_COMMON)
def receive_callback() -> Reply:
    """Take note that a document has arrived."""
    earlier_tasks.received(platform(), earlier.sent(app))
    return earlier.taken({})


@web.on(
    app,
    routes.EARLIER_UPLOAD,
    "application/json",
    "Send an answer",
    *_COMMON,
    refusals.PreliminaryGivenError,
    refusals.PreliminaryFirstError,
)
def upload_result() -> Reply:
    """Take an answer to a task and give its receipt."""
    return earlier.taken(earlier_tasks.upload(platform(), earlier.sent(app)))


@web.on(
    app,
    routes.EARLIER_TEST,
    "application/json",
    "Ask for a study",
    *_COMMON,
    refusals.NothingAskedYetError,
    refusals.StudyNotFoundError,
    refusals.TaskOverdueError,
)
def get_test() -> Reply:
    """List the documents of a study, each with its address."""
    return earlier.listed(app, earlier_tasks.get_test(platform(), earlier.sent(app)))


@web.on(app, routes.EARLIER_TEST_RECEIVED, "application/json", "A study's document has arrived", *_COMMON)
def test_is_rec() -> Reply:
    """Take note that a study's document has arrived."""
    earlier_tasks.test_received(platform(), earlier.sent(app))
    return earlier.taken({})


@web.on(app, routes.EARLIER_ABORT, "application/json", "End the session", *_COMMON)
def abort() -> Reply:
    """End the open session; in a run this ends the participation."""
    earlier_tasks.abort(platform(), earlier.sent(app))
    return earlier.taken({})


web.start(app, Function.EARLIER)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
