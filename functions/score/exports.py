"""Routes of reports to print and of tables to keep: a session's, a run's for the commission."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from contest import errors, routes
from contest.contracts.reports import CommissionBody, RunFilesBody
from contest.contracts.results import ScoringBody
from contest.edge import present_reports as present
from contest.edge import web
from contest.edge.documentation import CSV, HTML, XLSX
from contest.edge.languages import Accepted, Wanted, language_of
from contest.edge.web import Reply, arrival
from contest.errors.exports import ExportTooLargeError
from contest.services.results import commission, reporting
from contest.wiring import platform
from score.router import app

Team = Annotated[str | None, Query(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="This team's part alone")]

_SCORING = {int(HTTPStatus.ACCEPTED): ScoringBody}
_OF_A_SESSION = (
    errors.UnknownSessionError,
    errors.SessionOpenError,
    errors.RunNotOverError,
    errors.BusyError,
    ExportTooLargeError,
)
_OF_A_RUN = (errors.UnknownRunError, errors.RunNotOverError, errors.BusyError, ExportTooLargeError)


@web.on(
    app, routes.REPORT_PAGE, HTML, "Report of a closed session to print (R 6.5, 7.11)", *_OF_A_SESSION, others=_SCORING
)
def session_report_page(session_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The report as a page with charts, in Russian or English."""
    found = reporting.session_report(platform(), web.request(app, session_id))
    return present.page(app, found, language_of(lang, accepted))


@web.on(app, routes.REPORT_CSV, CSV, "Files of a closed session as CSV", *_OF_A_SESSION, others=_SCORING)
def session_report_csv(session_id: str) -> Response[Any]:
    """Every file with its times and every metric. What a table's program would run as a formula has a `'` before it."""
    return present.csv(app, reporting.session_report(platform(), web.request(app, session_id)))


@web.on(app, routes.REPORT_XLSX, XLSX, "A closed session's report as XLSX", *_OF_A_SESSION, others=_SCORING)
def session_report_xlsx(session_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """Every file with its times and every metric, to be sorted by any, and the report's other tables as sheets."""
    found = reporting.session_report(platform(), web.request(app, session_id))
    return present.xlsx(app, found, language_of(lang, accepted))


@web.on(app, routes.COMMISSION_RECORD, CommissionBody, "A run for the commission (R 8.3)", *_OF_A_RUN)
def commission_record(run_id: str) -> Reply:
    """Causes and evidence of annulments, decisions, protocols, results with the abstention audit, the log."""
    return present.commission_record(app, commission.record(platform(), run_id, arrival(app)))


@web.on(app, routes.COMMISSION_PAGE, HTML, "A run for the commission to print (R 8.3)", *_OF_A_RUN)
def commission_page(run_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The same as a page with charts, in Russian or English."""
    found = commission.record(platform(), run_id, arrival(app))
    return present.commission_page(app, found, language_of(lang, accepted))


@web.on(app, routes.COMMISSION_XLSX, XLSX, "A run for the commission as XLSX (R 8.3)", *_OF_A_RUN)
def commission_xlsx(run_id: str, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The same as sheets."""
    found = commission.record(platform(), run_id, arrival(app))
    return present.commission_xlsx(app, found, language_of(lang, accepted))


@web.on(app, routes.RUN_FILES, RunFilesBody, "Every file of every team of a run", *_OF_A_RUN)
def run_files(run_id: str, team: Team = None) -> Reply:
    """States, causes, times, and every metric once the results are out."""
    return present.run_files(app, run_id, commission.reports(platform(), run_id, team, arrival(app)))


@web.on(app, routes.RUN_FILES_CSV, CSV, "Every file of every team of a run as CSV", *_OF_A_RUN)
def run_files_csv(run_id: str, team: Team = None) -> Response[Any]:
    """The same, a line for every file and team."""
    return present.run_files_csv(app, run_id, commission.reports(platform(), run_id, team, arrival(app)))


@web.on(app, routes.RUN_FILES_XLSX, XLSX, "Every file of every team of a run as XLSX", *_OF_A_RUN)
def run_files_xlsx(run_id: str, team: Team = None, lang: Wanted = None, accepted: Accepted = None) -> Response[Any]:
    """The same as a workbook."""
    found = commission.reports(platform(), run_id, team, arrival(app))
    return present.run_files_xlsx(app, run_id, found, language_of(lang, accepted))
