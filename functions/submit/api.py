"""Routes of answers, receipts and logs."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.edge import web
from contest.edge.web import Reply, raw_body
from contest.errors import WrongStepError
from contest.exchange import files
from contest.exchange import presenting as present
from contest.exchange.wire import AnsweredBody, LogBody, ReceiptsBody
from contest.routes import Function
from contest.session import access
from contest.wiring import platform

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many receipts")]
After = Annotated[str | None, Query(pattern=r"^\d{4}#[A-Za-z0-9#]{2,80}$", description="`next` of the page before")]


@web.handles(
    app,
    routes.ANSWER,
    "Send an answer",
    errors.MalformedJsonError,
    errors.UnknownSessionError,
    errors.UnknownFileError,
    errors.FileNotHandedOutError,
    errors.AnswerTooLargeError,
    errors.InvalidAnswerError,
    WrongStepError,
    errors.KeyReusedError,
    errors.BusyError,
    model=AnsweredBody,
)
def submit_answer(session_id: str, number: int, key: web.IdempotencyKey = None) -> Reply:
    """Take an answer of at most 2 MiB and give a signed receipt: accepted, late, or ignored beyond ten sends.

    Without a run, the answer that leaves no file without one finishes the session: a better answer replaces an earlier
    one before that.
    """
    body = raw_body(app)
    answered = files.submit_answer(platform(), web.request(app, session_id, number, key), body)
    return web.answer(present.receipt(answered, platform().clock.now()))


@web.handles(app, routes.RECEIPTS, "Receipts of a session", errors.UnknownSessionError, model=ReceiptsBody)
def session_receipts(session_id: str, limit: Limit = 1000, after: After = None) -> Reply:
    """List all receipts by file and send, in pages."""
    page = access.session_receipts(platform(), web.request(app, session_id), limit, after)
    return web.answer(present.receipts(page))


@web.handles(app, routes.LOG, "Keep a log of the program", errors.UnknownSessionError, errors.AnswerTooLargeError)
def store_log(session_id: str) -> LogBody:
    """Keep a text or JSON of at most 1 MiB with the session; the latest 20 stay."""
    digest = access.store_log(platform(), web.request(app, session_id), raw_body(app))
    return LogBody(sha256=digest)


handler = web.make_handler(app, Function.SUBMIT)
