"""Routes of reports, scores, comparisons and leaderboards."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors
from contest.bootstrap import platform, present, web
from contest.bootstrap.web import Reply, arrival, caller
from contest.contracts.results import BoardBody, ComparisonBody, ReportBody, ScoreBody, ScoringBody
from contest.contracts.runs import RecordBody
from contest.services import board, reporting, results
from contest.services import run_record as records

app = web.resolver()

Language = Annotated[str, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="A language of the cycle, or `all`")]
RunName = Annotated[str | None, Query(pattern=r"^[a-z0-9]{20}$", description="A final; by default the latest one")]
_SCORING = {int(HTTPStatus.ACCEPTED): ScoringBody}


@app.get(
    "/v1/sessions/<session_id>/report",
    **web.guarded(
        ReportBody,
        "Report of a closed session (R 6.5, 6.7, 7.8)",
        errors.UnknownSessionError,
        errors.SessionOpenError,
        errors.RunNotOverError,
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


@app.get(
    "/v1/leaderboards/final",
    **web.documented(
        BoardBody, "The board of a final (R 7.12)", [errors.ResultsNotPublishedError, errors.UnknownRunError]
    ),
)
def final(run: RunName = None) -> Reply:
    """Every team's result in a final, by default the latest one whose results are out."""
    found = board.final_board(platform(), run)
    return web.answer(present.leaderboard(found, platform().clock.now()))


@app.get(
    "/v1/runs/<run_id>/record",
    **web.documented(RecordBody, "Record of a run", [errors.UnknownRunError, errors.RunNotOverError]),
)
def run_record(run_id: str) -> Reply:
    """After the run: releases, leaves with salts, hand-outs and answers of every team, signed."""
    return web.answer(records.published(platform(), run_id, arrival(app)))


@app.get(
    "/v1/runs/<run_id>/timeline",
    **web.drawn(web.documented(RecordBody, "A run as a chart", [errors.UnknownRunError, errors.RunNotOverError])),
)
def run_timeline(run_id: str) -> Reply:
    """Openings, hand-outs and answers of every team along the run's time, as SVG."""
    return web.drawing(records.timeline(platform(), run_id, arrival(app)))


@app.get(
    "/v1/sessions/<session_id>/timeline",
    **web.drawn(
        web.guarded(
            ReportBody,
            "A closed session of a run as a chart",
            errors.UnknownSessionError,
            errors.UnknownRunError,
            errors.SessionOpenError,
            errors.BusyError,
        )
    ),
)
def session_timeline(session_id: str) -> Reply:
    """Openings, hand-outs and answers of one session, as SVG."""
    return web.drawing(results.session_timeline(platform(), caller(app), session_id, arrival(app)))


web.start(app)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of the gateway."""
    return web.serve(app, event, context)
