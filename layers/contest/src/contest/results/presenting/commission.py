"""Conversion of the commission's record and of a run's files to answers, pages and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.edge import files
from contest.edge.pages import reports as report_pages
from contest.results.rules import file_tables
from contest.results.wire import commission as wire

if TYPE_CHECKING:
    from contest.edge.languages import Language
    from contest.edge.web import Reply


def commission_record(app: APIGatewayHttpResolver, record: dict[str, Any]) -> Reply:
    """Return the commission's record."""
    return files.json_text(app, wire.CommissionBody(**record).model_dump_json())


def commission_page(app: APIGatewayHttpResolver, record: dict[str, Any], language: Language) -> Reply:
    """Return the commission's record to print."""
    return files.page(app, report_pages.run_page(record, language), language)


def commission_xlsx(app: APIGatewayHttpResolver, record: dict[str, Any], language: Language) -> Reply:
    """Return the tables of the commission's record as a workbook."""
    name = f"commission-{record['run']['run_id']}"
    return files.workbook(app, name, file_tables.of_record(record), language)


def run_files(app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]]) -> Reply:
    """Return every file of every team."""
    body = wire.RunFilesBody.from_value(run_id=run_id, files=list(file_tables.files(team_reports).records()))
    return files.json_text(app, body.model_dump_json())


def run_files_csv(app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]]) -> Reply:
    """Return a run's files as a table."""
    return files.table(app, f"run-{run_id}", file_tables.files(team_reports))


def run_files_xlsx(
    app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]], language: Language
) -> Reply:
    """Return a run's files as a workbook."""
    return files.workbook(app, f"run-{run_id}", [file_tables.files(team_reports)], language)
