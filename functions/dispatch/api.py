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
from contest.contracts.runs import RunBody, RunsBody
from contest.domain.cycle import Mode
from contest.services import exchange, public, status
from contest.services import open_session as opening

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=100, description="At most this many")]
Scheduled = Literal["technical", "final"]
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
        "Open a session (R 6.4, 6.6, 7.4)",
        errors.MalformedJsonError,
        errors.SessionAlreadyOpenError,
        errors.QuotaExhaustedError,
        errors.NoRunError,
        errors.RunNotJoinableError,
        errors.NotAdmittedError,
        errors.AlreadyParticipatedError,
        errors.BusyError,
        status=HTTPStatus.CREATED,
    ),
)
def open_session(order: OpenRequest, key: web.IdempotencyKey = None) -> Reply:
    """Open a session of random files of a set, or in a run; the same key finds the session it has opened before."""
    session = opening.open_wished(platform(), caller(app), order.wish(), key, arrival(app))
    return web.answer(
        present.session(status.fresh(platform(), session, arrival(app)), arrival(app)), HTTPStatus.CREATED
    )


@app.get("/v1/sessions", **web.guarded(SessionsBody, "Own sessions, newest first"))
def list_sessions(mode: Mode | None = None, limit: Limit = 20, before: Before = None) -> Reply:
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
    """Name the next file and, in a run, its opening; with nothing left and all settled, this finishes the session."""
    found = exchange.next_file(platform(), caller(app), session_id, arrival(app))
    return present.next_file(found, platform().clock.now())


@app.get(
    "/v1/sessions/<session_id>/files/<number>",
    **web.guarded(
        FileBody,
        "Get a file",
        errors.UnknownSessionError,
        errors.UnknownFileError,
        errors.NotOpenYetError,
        errors.FileMissedError,
        errors.SessionClosedError,
        errors.BusyError,
    ),
)
def hand_out_file(session_id: str, number: int) -> Reply:
    """Hand a file out; the time for the answer runs from the first time. Any number of times, in a run when it is open.

    A request that comes at most two seconds before an opening is held until then.
    """
    found = exchange.hand_out_file(platform(), caller(app), session_id, number, arrival(app))
    return web.answer(present.file(found, platform().clock.now()))


@app.post(
    "/v1/sessions/<session_id>/abort",
    **web.guarded(
        StatusBody,
        "End a session before its time",
        errors.MalformedJsonError,
        errors.UnknownSessionError,
        errors.ConfirmationNeededError,
        errors.BusyError,
    ),
)
def abort(session_id: str, confirmation: AbortRequest | None = None) -> Reply:
    """Abort; the session does not count, its report is made and says so, the quota stays used.

    In a final that is the end of the participation and needs `{"confirm": true}`.
    """
    confirmed = (confirmation or AbortRequest()).confirm
    view = status.abort(platform(), caller(app), session_id, arrival(app), confirmed=confirmed)
    return web.answer(present.session_status(view, arrival(app)))


@app.get("/v1/runs", **web.documented(RunsBody, "Scheduled runs, the latest start first"))
def list_runs(mode: Scheduled | None = None, limit: Limit = 20) -> Reply:
    """Runs with their schedules, limits, signed commitments and amendments."""
    known = public.runs(platform(), mode, limit)
    return web.answer(present.runs(*known, platform().clock.now()))


@app.get("/v1/runs/<run_id>", **web.documented(RunBody, "One run", [errors.UnknownRunError]))
def one_run(run_id: str) -> Reply:
    """A run: state, schedule, limits, signed commitment and amendments; nothing of its files."""
    known = public.run(platform(), run_id)
    return web.answer(present.run(*known, platform().clock.now()))


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
