"""Reports and exports as answers."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.contracts import reports as wire
from contest.domain.moments import Millis
from contest.domain.results import run_tables, session_report, session_tables
from contest.domain.tables import Table
from contest.edge import downloads, present, present_submissions
from contest.edge.languages import Language
from contest.edge.pages import of_experts, of_run, of_session
from contest.edge.web import Reply
from contest.errors.exports import NoTablesError
from contest.services.experts.progressing import MarkingReport
from contest.services.results.boards import Board
from contest.services.results.reporting import Pending
from contest.services.submissions.submitted_report import Waiting

Unfinished = Pending | Waiting


def page(app: APIGatewayHttpResolver, found: bytes | Unfinished, language: Language) -> Reply:
    """Return the report of a session or submission to print; 202 while scores are being made."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    return downloads.page(app, of_session.page(json.loads(found), language), language)


def csv(app: APIGatewayHttpResolver, found: bytes | Unfinished) -> Reply:
    """Return the files of a session, or the items of a submission, with all their measures."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    report = json.loads(found)
    return downloads.table(app, _name(report), session_tables.main(report))


def xlsx(app: APIGatewayHttpResolver, found: bytes | Unfinished, language: Language) -> Reply:
    """Return the same with the report's other tables."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    report = json.loads(found)
    return downloads.workbook(app, _name(report), session_tables.of_report(report), language)


def _unfinished(found: Unfinished) -> Reply:
    return present.outcome(found) if isinstance(found, Pending) else present_submissions.report(found)


def _name(report: Any) -> str:
    if "submission" in report:
        return f"submission-{report['submission']['submission_id']}"
    return f"session-{report['session']['session_id']}"


def commission_record(app: APIGatewayHttpResolver, found: dict[str, Any]) -> Reply:
    """The commission's record."""
    return downloads.json_text(app, wire.CommissionBody(**found).model_dump_json())


def commission_page(app: APIGatewayHttpResolver, found: dict[str, Any], language: Language) -> Reply:
    """The commission's record to print."""
    return downloads.page(app, of_run.page(found, language), language)


def commission_xlsx(app: APIGatewayHttpResolver, found: dict[str, Any], language: Language) -> Reply:
    """Its tables."""
    name = f"commission-{found['run']['run_id']}"
    return downloads.workbook(app, name, run_tables.of_record(found), language)


def run_files(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]]) -> Reply:
    """Every file of every team."""
    body = wire.RunFilesBody.from_value(run_id=run_id, files=list(run_tables.files(found).records()))
    return downloads.json_text(app, body.model_dump_json())


def run_files_csv(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]]) -> Reply:
    """The same as a table."""
    return downloads.table(app, f"run-{run_id}", run_tables.files(found))


def run_files_xlsx(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]], language: Language) -> Reply:
    """The same as a workbook."""
    return downloads.workbook(app, f"run-{run_id}", [run_tables.files(found)], language)


def board_csv(app: APIGatewayHttpResolver, name: str, found: Board) -> Reply:
    """A board."""
    return downloads.table(app, f"board-{name}", run_tables.board(found.rows, found.names, found.rules, found.present))


def board_xlsx(app: APIGatewayHttpResolver, name: str, found: Board, language: Language) -> Reply:
    """The same as a workbook."""
    return downloads.workbook(
        app, f"board-{name}", [run_tables.board(found.rows, found.names, found.rules, found.present)], language
    )


def compared_csv(app: APIGatewayHttpResolver, name: str, found: Board) -> Reply:
    """The first of a board's tables over all teams."""
    return downloads.table(app, f"teams-{name}", _compared(found)[0])


def compared_xlsx(app: APIGatewayHttpResolver, name: str, found: Board, language: Language) -> Reply:
    """All of them as a workbook."""
    return downloads.workbook(app, f"teams-{name}", _compared(found), language)


def _compared(found: Board) -> list[Table]:
    if not found.compared:
        raise NoTablesError
    return [session_tables.section(session_report.section(each)) for each in found.compared]


def marking_report(found: MarkingReport, now: Millis) -> wire.MarkingReportBody:
    """The coordinator's report."""
    agreement, work = found.agreement, found.progress
    speeds = {each.expert_id: each for each in agreement.speeds}
    decided = [each.essay.third for each in work.essays if each.essay.third is not None]
    experts = [
        wire.ExpertReportBody.from_value(
            each, pseudonym=found.pseudonyms.get(each.expert_id), speed=speeds.get(each.expert_id)
        )
        for each in work.experts
    ]
    return wire.MarkingReportBody.from_value(
        marking=found.marking,
        essays=len(work.essays),
        done=work.done,
        lacking=work.lacking,
        thirds=work.thirds,
        third_reasons=dict(sorted(Counter(str(one["code"]) for each in decided for one in each.reasons).items())),
        experts=experts,
        agreement=agreement.agreement,
        server_time=now,
    )


def marking_page(app: APIGatewayHttpResolver, found: MarkingReport, now: Millis, language: Language) -> Reply:
    """The coordinator's report to print."""
    return downloads.page(app, of_experts.page(found, now, language), language)


def marking_csv(app: APIGatewayHttpResolver, found: MarkingReport) -> Reply:
    """The experts' table."""
    return downloads.table(app, f"experts-{found.marking.marking_id}", of_experts.tables(found)[0])


def marking_xlsx(app: APIGatewayHttpResolver, found: MarkingReport, language: Language) -> Reply:
    """All tables of the coordinator's report."""
    return downloads.workbook(app, f"experts-{found.marking.marking_id}", of_experts.tables(found), language)
