"""Routes of reports, scores, comparisons and leaderboards."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors
from contest.bootstrap import platform, present, web
from contest.bootstrap.web import Reply, arrival, caller
from contest.contracts.results import BoardBody, ComparisonBody, ReportBody, ScoreBody, ScoringBody
from contest.services import board, reporting, results

app = web.resolver()

Language = Annotated[str, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the cycle, or `all`")]
_SCORING = {int(HTTPStatus.ACCEPTED): ScoringBody}


@app.get(
    "/v1/sessions/<session_id>/report",
    **web.guarded(
        ReportBody,
        "Report of a closed session (R 6.5)",
        errors.UnknownSessionError,
        errors.SessionOpenError,
        errors.BusyError,
        others=_SCORING,
    ),
)
def session_report(session_id: str) -> Reply:
    """The report, the same bytes at every request; 202 while scores are being made."""
    return present.outcome(reporting.session_report(platform(), caller(app), session_id, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>/files/<number>/score",
    **web.guarded(
        ScoreBody,
        "Score of a file",
        errors.UnknownSessionError,
        errors.UnknownFileError,
        errors.FileNotHandedOutError,
        errors.NotAnsweredError,
        errors.SessionOpenError,
        errors.ResultsNotPublishedError,
        others=_SCORING,
    ),
)
def file_score(session_id: str, number: int) -> Reply:
    """The score record of the counting answer; of a test set after the session's end."""
    return present.outcome(results.file_score(platform(), caller(app), session_id, number, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>/files/<number>/comparison",
    **web.guarded(
        ComparisonBody,
        "Own answer beside the experts' (R 6.5.3)",
        errors.UnknownSessionError,
        errors.UnknownFileError,
        errors.FileNotHandedOutError,
        errors.NotAnsweredError,
        errors.ComparisonNotAllowedError,
        errors.ResultsNotPublishedError,
        others=_SCORING,
    ),
)
def comparison(session_id: str, number: int) -> Reply:
    """Answer, experts' markups and score record; on a training set only."""
    return present.outcome(results.comparison(platform(), caller(app), session_id, number, arrival(app)))


@app.get("/v1/leaderboards/qualification", **web.documented(BoardBody, "The qualification leaderboard (R 6.10)"))
def qualification(language: Language = "all") -> Reply:
    """Best result of each team over sessions that answered at least 95 % of the whole test set."""
    found = board.qualification_board(platform(), language)
    return web.answer(present.leaderboard(found, platform().clock.now()))


web.start(app)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
