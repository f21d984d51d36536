"""Routes of sessions and files."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.edge import web
from contest.edge.web import Reply, arrival
from contest.exchange import files
from contest.exchange import presenting as present
from contest.exchange.wire import AbortRequest, FileBody, NextBody, OpenRequest, SessionBody, SessionsBody, StatusBody
from contest.people.errors import NoTeamError
from contest.results.errors import UnknownModulesError
from contest.routes import Function
from contest.session import access, opening
from contest.wiring import platform

app = web.resolver()

ModeName = Annotated[
    str | None, Query(pattern=r"^[a-z][a-z0-9-]{0,39}$", description="Only sessions of this mode, one of the contest's")
]

Limit = Annotated[int, Query(ge=1, le=100, description="At most this many")]
Before = Annotated[
    str | None,
    Query(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
        description="Before this moment: `opened_at` of the last one seen",
    ),
]


@web.handles(
    app,
    routes.OPEN_SESSION,
    "Open a session (R 6.4, 6.6, 7.4)",
    errors.SessionAlreadyOpenError,
    errors.QuotaExhaustedError,
    errors.OutsideStageError,
    errors.NoRunError,
    errors.RunNotJoinableError,
    errors.NotAdmittedError,
    errors.NotSelectedError,
    UnknownModulesError,
    errors.AlreadyParticipatedError,
    errors.SetAnnulledError,
    errors.KeyReusedError,
    errors.BusyError,
    status=HTTPStatus.CREATED,
)
def open_session(order: OpenRequest, key: web.IdempotencyKey = None) -> SessionBody:
    """Open a session of random files of a set, or in a run; the same key finds the session it has opened before."""
    session = opening.open_wished(platform(), web.request(app, key=key), order.wish())
    return present.session(access.fresh(platform(), session, arrival(app)), arrival(app))


@web.handles(app, routes.LIST_SESSIONS, "Own sessions, newest first", NoTeamError)
def list_sessions(mode: ModeName = None, limit: Limit = 20, before: Before = None) -> SessionsBody:
    """List the team's sessions with their counts."""
    views = access.list_sessions(platform(), web.request(app), mode, limit, present.moment(before))
    return present.sessions(views, arrival(app))


@web.handles(app, routes.TEAM_SESSIONS, "A team's sessions, newest first", errors.UnknownRouteError)
def team_sessions(team_id: str, mode: ModeName = None, limit: Limit = 20, before: Before = None) -> SessionsBody:
    """List them for people who may read all reports."""
    views = access.sessions_of(platform(), team_id, mode, limit, present.moment(before), arrival(app))
    return present.sessions(views, arrival(app))


@web.handles(app, routes.SESSION_STATUS, "A session with all its files", errors.UnknownSessionError)
def session_status(session_id: str) -> StatusBody:
    """Return state, counts, and every file's state, times and cause."""
    request = web.request(app, session_id)
    view = access.session_status(platform(), request)
    return present.session_status(view, request.arrival)


@web.handles(
    app,
    routes.NEXT_FILE,
    "The earliest file not handed out yet",
    errors.UnknownSessionError,
    errors.SessionClosedError,
    errors.BusyError,
    model=NextBody,
)
def next_file(session_id: str) -> Reply:
    """Return the next file and, in a run, its opening.

    Without a run the answer to the last file finishes a session; in a run the last deadline does, or this request
    where everything is settled before.
    """
    coming = files.next_file(platform(), web.request(app, session_id))
    return present.next_file(coming, platform().clock.now())


@web.handles(
    app,
    routes.FILE,
    "Get a file",
    errors.UnknownSessionError,
    errors.UnknownFileError,
    errors.NotOpenYetError,
    errors.FileMissedError,
    errors.SessionClosedError,
    errors.BusyError,
)
def hand_out_file(session_id: str, number: int) -> FileBody:
    """Hand a file out; the time for the answer runs from the first time. Any number of times, in a run when it is open.

    A request that comes at most two seconds before an opening is held until then.
    """
    handed_out = files.hand_out_file(platform(), web.request(app, session_id, number))
    return present.file(handed_out, platform().clock.now())


@web.handles(
    app,
    routes.ABORT,
    "End a session before its time",
    errors.UnknownSessionError,
    errors.ConfirmationNeededError,
    errors.BusyError,
)
def abort_session(session_id: str, confirmation: AbortRequest | None = None) -> StatusBody:
    """Abort; the session does not count, which its report states; the quota stays used.

    In a final that is the end of the participation and needs `{"confirm": true}`.
    """
    confirmed = (confirmation or AbortRequest()).confirm
    view = access.abort(platform(), web.request(app, session_id), confirmed=confirmed)
    return present.session_status(view, arrival(app))


handler = web.make_handler(app, Function.DISPATCH)
