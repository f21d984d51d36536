"""Conversion of reports to pages and tables, or to 202 while they are being made."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.edge import files, web
from contest.edge.pages import reports as report_pages
from contest.results.one_file import ANSWER, Compared, Comparison
from contest.results.reporting import Pending
from contest.results.rules import file_tables
from contest.results.wire import boards as wire
from contest.results.wire.results import ComparisonBody

if TYPE_CHECKING:
    from contest.edge.languages import Language
    from contest.edge.web import Reply
    from contest.submissions.scoring import Waiting

    Unfinished = Pending | Waiting


SCORING_RETRY_S = 2
"""Seconds after which to ask again while scores are computed."""


def scoring(pending: Pending) -> Reply:
    """Return 202 while scores are being made."""
    only_rating = pending.unrated and pending.scored + pending.unrated == pending.answered
    body = wire.ScoringBody(
        status="rating" if only_rating else "scoring", scored=pending.scored, files=pending.answered
    )
    return web.answer(body, HTTPStatus.ACCEPTED, SCORING_RETRY_S)


def waiting(pending: Waiting) -> Reply:
    """Return 202 while a submission is being scored."""
    body = wire.SubmissionPending(state=pending.state)
    return web.answer(body, HTTPStatus.ACCEPTED, retry_after_s=pending.again_s)


def page(app: APIGatewayHttpResolver, content: bytes | Unfinished, language: Language) -> Reply:
    """Return the report of a session or submission to print; 202 while scores are being made."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    return files.page(app, report_pages.session_page(json.loads(content), language), language)


def csv(app: APIGatewayHttpResolver, content: bytes | Unfinished) -> Reply:
    """Return the files of a session, or the items of a submission, with all their measures."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    report = json.loads(content)
    return files.table(app, _name(report), file_tables.main(report))


def xlsx(app: APIGatewayHttpResolver, content: bytes | Unfinished, language: Language) -> Reply:
    """Return the same with the report's other tables."""
    if not isinstance(content, bytes):
        return _unfinished(content)
    report = json.loads(content)
    return files.workbook(app, _name(report), file_tables.of_report(report), language)


def _unfinished(unfinished: Unfinished) -> Reply:
    return scoring(unfinished) if isinstance(unfinished, Pending) else waiting(unfinished)


def _name(report: Any) -> str:
    if "submission" in report:
        return f"submission-{report['submission']['submission_id']}"
    return f"session-{report['session']['session_id']}"


def compared(named: str | None) -> Compared | None:
    """Return the annotation that a query names."""
    if named is None:
        return None
    return ANSWER if named == ANSWER else int(named)


def outcome(document: bytes | Comparison | Pending) -> web.Reply:
    """Return a stored document, a comparison, or 202 while scores are being made."""
    if isinstance(document, Pending):
        return scoring(document)
    if isinstance(document, Comparison):
        return web.answer(ComparisonBody.from_value(document))
    return web.answer(document)
