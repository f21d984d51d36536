"""Routes of reports, scores and comparisons."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.contracts.results import ComparisonBody, OwnAnswerBody, ReportBody, ScoreBody, ScoringBody
from contest.edge import present, web
from contest.edge.documentation import SVG
from contest.edge.web import Reply
from contest.errors import steps
from contest.route import Function
from contest.services.results import one_file, reporting
from contest.wiring import platform
from score import exports
from score.router import app

__all__ = ["app", "exports", "handler"]

Markup = Annotated[
    str | None,
    Query(pattern=r"^(answer|[0-9]{1,3})$", description="`answer`, or an expert's markup by its index in `experts`"),
]

_SCORING = {int(HTTPStatus.ACCEPTED): ScoringBody}


@web.on(
    app,
    routes.REPORT,
    ReportBody,
    "Report of a closed session (R 6.5, 6.7, 7.8)",
    errors.UnknownSessionError,
    errors.SessionOpenError,
    errors.RunNotOverError,
    steps.ResultsLaterError,
    errors.BusyError,
    others=_SCORING,
)
def session_report(session_id: str) -> Reply:
    """The report, the same bytes at every request; 202 while scores are being made."""
    return present.outcome(reporting.session_report(platform(), web.request(app, session_id)))


@web.on(
    app,
    routes.SCORE,
    ScoreBody,
    "Score of a file",
    errors.UnknownSessionError,
    errors.UnknownFileError,
    errors.FileNotHandedOutError,
    errors.NotAnsweredError,
    errors.SessionOpenError,
    errors.ResultsNotPublishedError,
    steps.ResultsLaterError,
    errors.TotalsOnlyError,
    others=_SCORING,
)
def file_score(session_id: str, number: int) -> Reply:
    """The score record of the counting answer; of a test set after the session's end."""
    return present.outcome(one_file.file_score(platform(), web.request(app, session_id, number)))


@web.on(
    app,
    routes.COMPARISON,
    ComparisonBody,
    "Own answer beside the experts' (R 6.5.3)",
    errors.UnknownSessionError,
    errors.UnknownFileError,
    errors.FileNotHandedOutError,
    errors.NotAnsweredError,
    errors.ComparisonNotAllowedError,
    errors.ResultsNotPublishedError,
    errors.TotalsOnlyError,
    others=_SCORING,
)
def file_comparison(session_id: str, number: int, x: Markup = None, y: Markup = None) -> Reply:
    """Answer, experts' markups and score record, and pairs of them compared; on a training set only."""
    wanted = present.compared(x), present.compared(y)
    return present.outcome(one_file.comparison(platform(), web.request(app, session_id, number), *wanted))


@web.on(
    app,
    routes.OWN_ANSWER,
    OwnAnswerBody,
    "Own answer to a file",
    errors.UnknownSessionError,
    errors.UnknownFileError,
    errors.FileNotHandedOutError,
    errors.NotAnsweredError,
)
def own_answer(session_id: str, number: int) -> Reply:
    """The answer that counts, with the content that was handed out; of every set, during a session and after it."""
    return web.answer(OwnAnswerBody.from_value(one_file.own_answer(platform(), web.request(app, session_id, number))))


@web.on(
    app,
    routes.SESSION_TIMELINE,
    SVG,
    "A closed session of a run as a chart",
    errors.UnknownSessionError,
    errors.UnknownRunError,
    errors.SessionOpenError,
    errors.BusyError,
)
def session_timeline(session_id: str) -> Reply:
    """Openings, hand-outs and answers of one session, as SVG."""
    return web.drawing(one_file.session_timeline(platform(), web.request(app, session_id)))


web.start(app, Function.RESULTS)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
