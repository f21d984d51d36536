"""Routes of reports, scores, comparisons and exports, on this function's router.

Reports to print and tables to keep are a session's, and a run's for the commission.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.edge import files, pages, web
from contest.edge.files import Accepted, Wanted, language_of
from contest.edge.web import CSV, HTML, SVG, XLSX, Reply, arrival
from contest.errors import ResultsLaterError
from contest.results import commission, one_file, reporting
from contest.results import presenting as present_reports
from contest.results.rules import file_tables
from contest.results.wire import ScoringBody
from contest.routes import Function
from contest.session import wire
from contest.wiring import platform

app = web.resolver()
handles = partial(web.handles, app)
_ANSWERED = (errors.UnknownSessionError, errors.UnknownFileError, errors.FileNotHandedOutError, errors.NotAnsweredError)

Team = Annotated[str | None, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="This team's part alone")]

_SCORING = {int(HTTPStatus.ACCEPTED): ScoringBody}
_OF_A_SESSION = (
    errors.UnknownSessionError,
    errors.SessionOpenError,
    errors.RunNotOverError,
    errors.BusyError,
    errors.ExportTooLargeError,
)
_OF_A_RUN = (errors.UnknownRunError, errors.RunNotOverError, errors.BusyError, errors.ExportTooLargeError)


@handles(
    routes.REPORT_PAGE, "Report of a closed session to print (R 6.5, 7.11)", *_OF_A_SESSION, model=HTML, others=_SCORING
)
def session_report_page(session_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the report as a page with charts, in Russian or English."""
    report = reporting.session_report(platform(), web.request(app, session_id))
    return present_reports.page(app, report, language_of(lang, accepted))


@handles(routes.REPORT_CSV, "Files of a closed session as CSV", *_OF_A_SESSION, model=CSV, others=_SCORING)
def session_report_csv(session_id: str) -> Response[Any]:
    """List every file with its times and every metric. A cell that a spreadsheet would run as a formula begins with
    `'`."""
    return present_reports.csv(app, reporting.session_report(platform(), web.request(app, session_id)))


@handles(routes.REPORT_XLSX, "A closed session's report as XLSX", *_OF_A_SESSION, model=XLSX, others=_SCORING)
def session_report_xlsx(session_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return every file with its times and metrics, and the report's other tables as sheets."""
    report = reporting.session_report(platform(), web.request(app, session_id))
    return present_reports.xlsx(app, report, language_of(lang, accepted))


@handles(routes.COMMISSION_RECORD, "A run for the commission (R 8.3)", *_OF_A_RUN, model=wire.CommissionBody)
def commission_record(run_id: str) -> Reply:
    """Return causes and evidence of annulments, decisions, protocols, results with the abstention audit, and the
    log."""
    body = wire.CommissionBody(**commission.record(platform(), run_id, arrival(app)))
    return files.json_text(app, body.model_dump_json())


@handles(routes.COMMISSION_PAGE, "A run for the commission to print (R 8.3)", *_OF_A_RUN, model=HTML)
def commission_page(run_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the record as a page with charts, in Russian or English."""
    record = commission.record(platform(), run_id, arrival(app))
    language = language_of(lang, accepted)
    return pages.answer(app, pages.run_page(record, language), language)


@handles(routes.COMMISSION_XLSX, "A run for the commission as XLSX (R 8.3)", *_OF_A_RUN, model=XLSX)
def commission_xlsx(run_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the record's tables as sheets."""
    record = commission.record(platform(), run_id, arrival(app))
    return files.workbook(app, f"commission-{run_id}", file_tables.of_record(record), language_of(lang, accepted))


@handles(routes.RUN_FILES, "Every file of every team of a run", *_OF_A_RUN, model=wire.RunFilesBody)
def run_files(run_id: str, team: Team = None) -> Reply:
    """List states, causes, times, and every metric once the results are published."""
    table = file_tables.files(commission.reports(platform(), run_id, team, arrival(app)))
    body = wire.RunFilesBody.from_value(run_id=run_id, files=list(table.records()))
    return files.json_text(app, body.model_dump_json())


@handles(routes.RUN_FILES_CSV, "Every file of every team of a run as CSV", *_OF_A_RUN, model=CSV)
def run_files_csv(run_id: str, team: Team = None) -> Response[Any]:
    """Write a line for every file and team."""
    table = file_tables.files(commission.reports(platform(), run_id, team, arrival(app)))
    return files.table(app, f"run-{run_id}", table)


@handles(routes.RUN_FILES_XLSX, "Every file of every team of a run as XLSX", *_OF_A_RUN, model=XLSX)
def run_files_xlsx(run_id: str, team: Team = None, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Return the same table as a workbook."""
    table = file_tables.files(commission.reports(platform(), run_id, team, arrival(app)))
    return files.workbook(app, f"run-{run_id}", [table], language_of(lang, accepted))


Markup = Annotated[
    str | None,
    Query(pattern=r"^(answer|[0-9]{1,3})$", description="`answer`, or an expert's markup by its index in `experts`"),
]


@handles(
    routes.REPORT,
    "Report of a closed session (R 6.5, 6.7, 7.8)",
    errors.UnknownSessionError,
    errors.SessionOpenError,
    errors.RunNotOverError,
    ResultsLaterError,
    errors.BusyError,
    model=wire.ReportBody,
    others=_SCORING,
)
def session_report(session_id: str) -> Reply:
    """Return the report, the same bytes at every request; 202 while it is being scored."""
    return present_reports.outcome(reporting.session_report(platform(), web.request(app, session_id)))


@handles(
    routes.SCORE,
    "Score of a file",
    *_ANSWERED,
    errors.SessionOpenError,
    errors.ResultsNotPublishedError,
    ResultsLaterError,
    errors.TotalsOnlyError,
    model=wire.ScoreBody,
    others=_SCORING,
)
def file_score(session_id: str, number: int) -> Reply:
    """Return the score record of the counting answer; of a test set after the session's end."""
    return present_reports.outcome(one_file.file_score(platform(), web.request(app, session_id, number)))


@handles(
    routes.COMPARISON,
    "Own answer beside the experts' (R 6.5.3)",
    *_ANSWERED,
    errors.ComparisonNotAllowedError,
    errors.ResultsNotPublishedError,
    errors.TotalsOnlyError,
    model=wire.ComparisonBody,
    others=_SCORING,
)
def file_comparison(session_id: str, number: int, x: Markup = None, y: Markup = None) -> Reply:
    """Return answer, experts' markups and score record, and pairs of them compared; on a training set only."""
    sides = present_reports.markup_named(x), present_reports.markup_named(y)
    return present_reports.outcome(one_file.comparison(platform(), web.request(app, session_id, number), *sides))


@handles(routes.OWN_ANSWER, "Own answer to a file", *_ANSWERED)
def own_answer(session_id: str, number: int) -> wire.OwnAnswerBody:
    """Return the answer that counts, with the content that was handed out; of every set, during a session and after
    it."""
    return wire.OwnAnswerBody.from_value(one_file.own_answer(platform(), web.request(app, session_id, number)))


@handles(
    routes.SESSION_TIMELINE,
    "A closed session of a run as a chart",
    errors.UnknownSessionError,
    errors.UnknownRunError,
    errors.SessionOpenError,
    errors.BusyError,
    model=SVG,
)
def session_timeline(session_id: str) -> Reply:
    """Draw openings, hand-outs and answers of one session, as SVG."""
    return web.picture(one_file.session_timeline(platform(), web.request(app, session_id)))


handler = web.make_handler(app, Function.RESULTS)
