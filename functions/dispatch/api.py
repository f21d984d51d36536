"""Routes of sessions and files, and what everybody may read."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors
from contest.bootstrap import document, platform, present, web
from contest.bootstrap.web import Reply, arrival, caller
from contest.contracts.exchange import (
    AbortRequest,
    FileBody,
    NextBody,
    OpenRequest,
    SessionBody,
    SessionsBody,
    StatusBody,
)
from contest.contracts.public import CycleBody, KeysBody
from contest.services import exchange, public, status
from contest.services import open_session as opening

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="At most this many sessions")]
Before = Annotated[
    str | None,
    Query(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
        description="Only sessions opened before this moment: `opened_at` of the last one seen",
    ),
]


@app.post(
    "/v1/sessions",
    **web.guarded(
        SessionBody,
        "Open a session (R 6.4)",
        errors.MalformedJsonError,
        errors.SessionAlreadyOpenError,
        errors.QuotaExhaustedError,
        errors.BusyError,
        status=HTTPStatus.CREATED,
    ),
)
def open_session(order: OpenRequest, key: web.IdempotencyKey = None) -> Reply:
    """Open a session of random files of a set; the same key finds the session it has opened before."""
    session = opening.open_session(platform(), caller(app), order.order(), key, arrival(app))
    return web.answer(
        present.session(status.fresh(platform(), session, arrival(app)), arrival(app)), HTTPStatus.CREATED
    )


@app.get("/v1/sessions", **web.guarded(SessionsBody, "Own sessions, newest first"))
def list_sessions(mode: Literal["algorithmic"] | None = None, limit: Limit = 20, before: Before = None) -> Reply:
    """The team's sessions with their counts."""
    views = status.list_sessions(platform(), caller(app), mode, limit, present.moment(before), arrival(app))
    return web.answer(present.sessions(views, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>",
    **web.guarded(StatusBody, "One session with all its files", errors.UnknownSessionError),
)
def session_status(session_id: str) -> Reply:
    """State, counts, and every file's state, times and cause."""
    view = status.session_status(platform(), caller(app), session_id, arrival(app))
    return web.answer(present.session_status(view, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>/next",
    **web.guarded(
        NextBody,
        "The earliest file not handed out yet",
        errors.UnknownSessionError,
        errors.SessionClosedError,
        errors.BusyError,
    ),
)
def next_file(session_id: str) -> Reply:
    """Name the next file; with nothing left and all answered, this request finishes the session."""
    found = exchange.next_file(platform(), caller(app), session_id, arrival(app))
    return web.answer(present.next_file(found, platform().clock.now()))


@app.get(
    "/v1/sessions/<session_id>/files/<number>",
    **web.guarded(
        FileBody,
        "Get a file",
        errors.UnknownSessionError,
        errors.UnknownFileError,
        errors.SessionClosedError,
        errors.BusyError,
    ),
)
def hand_out_file(session_id: str, number: int) -> Reply:
    """Hand a file out; the time for the answer runs from the first time. Any order, any number of times."""
    found = exchange.hand_out_file(platform(), caller(app), session_id, number, arrival(app))
    return web.answer(present.file(found, platform().clock.now()))


@app.post(
    "/v1/sessions/<session_id>/abort",
    **web.guarded(
        StatusBody,
        "End a session before its time",
        errors.MalformedJsonError,
        errors.UnknownSessionError,
        errors.BusyError,
    ),
)
def abort(
    session_id: str,
    confirmation: AbortRequest | None = None,  # noqa: ARG001 -- its form is checked; only a final asks for it
) -> Reply:
    """Abort; the session does not count, its report is made and says so, the quota stays used."""
    view = status.abort(platform(), caller(app), session_id, arrival(app))
    return web.answer(present.session_status(view, arrival(app)))


@app.get("/v1/cycle", **web.documented(CycleBody, "The cycle, its sets and parameters"))
def cycle() -> Reply:
    """What is contested and by which parameters."""
    known = public.current(platform())
    return web.answer(present.cycle(known, platform().clock.now()))


@app.get("/v1/keys", **web.documented(KeysBody, "Keys that verify receipts"))
def keys() -> Reply:
    """Public keys of the receipts' signatures."""
    return web.answer(present.keys(platform().signer.public_keys()))


@app.get("/v1/openapi.json", include_in_schema=False)
def openapi() -> Response[Any]:
    """This document."""
    return web.answer(document.text())


@app.get("/docs", include_in_schema=False)
def docs() -> Response[Any]:
    """The document as a page to read and try."""
    return Response(HTTPStatus.OK, content_types.TEXT_HTML, document.page())


web.start(app)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
