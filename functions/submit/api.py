"""Routes of answers, receipts and logs."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors
from contest.bootstrap import platform, present, web
from contest.bootstrap.web import Reply, arrival, caller, raw_body
from contest.contracts.receipts import LogBody, ReceiptBody, ReceiptsBody
from contest.services import status
from contest.services.store_log import store_log as keep_log
from contest.services.submit_answer import submit_answer as take_answer

app = web.resolver()

Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many receipts")]
After = Annotated[str | None, Query(pattern=r"^\d{4}#[A-Za-z0-9#]{2,80}$", description="`next` of the page before")]


@app.put(
    "/v1/sessions/<session_id>/files/<number>/answer",
    **web.guarded(
        ReceiptBody,
        "Send an answer",
        errors.MalformedJsonError,
        errors.UnknownSessionError,
        errors.UnknownFileError,
        errors.FileNotHandedOutError,
        errors.AnswerTooLargeError,
        errors.InvalidAnswerError,
        errors.BusyError,
    ),
)
def submit_answer(session_id: str, number: int, key: web.IdempotencyKey = None) -> Reply:
    """Take an answer of at most 2 MiB and give a signed receipt: accepted, late, or ignored beyond ten sends."""
    body = raw_body(app)
    return web.answer(take_answer(platform(), caller(app), session_id, number, body, key, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>/receipts",
    **web.guarded(ReceiptsBody, "Receipts of a session", errors.UnknownSessionError),
)
def receipts(session_id: str, limit: Limit = 1000, after: After = None) -> Reply:
    """All receipts by file and send, in pages."""
    page = status.session_receipts(platform(), caller(app), session_id, limit, after, arrival(app))
    return web.answer(present.receipts(page))


@app.put(
    "/v1/sessions/<session_id>/log",
    **web.guarded(LogBody, "Keep a log of the program", errors.UnknownSessionError, errors.AnswerTooLargeError),
)
def store_log(session_id: str) -> Reply:
    """Keep a text or JSON of at most 1 MiB with the session; the latest 20 stay."""
    digest = keep_log(platform(), caller(app), session_id, raw_body(app), arrival(app))
    return web.answer(LogBody(sha256=digest))


web.start(app)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
