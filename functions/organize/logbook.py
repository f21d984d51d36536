"""Routes by which organizers take the log of changes with them: days, filters, pages, as CSV and as JSON lines."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import routes
from contest.contracts.wire import RealDay
from contest.edge import web
from contest.edge.documentation import CSV, LINES
from contest.errors import operations
from contest.services.operations import logbook
from contest.services.operations.logbook import LogOrder
from contest.wiring import platform
from organize.router import app

First = Annotated[RealDay, Query(alias="from", description="The first day in UTC")]
Last = Annotated[RealDay, Query(alias="to", description="The last day in UTC, included")]
Who = Annotated[str | None, Query(max_length=200, description="Whose changes: `person:ID` or `command:NAME`, whole")]
What = Annotated[str | None, Query(max_length=200, description="Part of what was done, in any case")]
Subject = Annotated[str | None, Query(max_length=400, description="What was changed, whole: a team, a person, a run")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Entries of a page; fewer come at the end alone")]
After = Annotated[str | None, Query(pattern=r"^[0-9]{13}-[0-9a-f]{16}$", description="The last known `cursor`")]


@web.on(app, routes.AUDIT_CSV, CSV, "What people changed, as CSV", operations.LogRangeError)
def audit_log_csv(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """In order, in UTF-8, with a first line of names; the last line's cursor asks for the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.table(logbook.as_csv(logbook.entries(platform(), order, limit, after)))


@web.on(app, routes.AUDIT_LINES, LINES, "What people changed, as JSON lines", operations.LogRangeError)
def audit_log_lines(
    first: First,
    last: Last,
    who: Who = None,
    what: What = None,
    subject: Subject = None,
    limit: Limit = 1000,
    after: After = None,
) -> Response[Any]:
    """One entry a line, in order; the last line's cursor asks for the next page."""
    order = LogOrder(first, last, who, what, subject)
    return web.lines(logbook.as_lines(logbook.entries(platform(), order, limit, after)))
