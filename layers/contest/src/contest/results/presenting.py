"""Conversion of results to bodies, files and pages.

It covers conclusions and admission, the independent recomputation of finals and submissions, reports and exports.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.edge import files, present
from contest.edge.languages import Language
from contest.edge.pages import reports as report_pages
from contest.edge.web import Reply
from contest.errors import NoTablesError
from contest.experts.progress import MarkingReport
from contest.results.boards import Board
from contest.results.qualifying import TeamStanding
from contest.results.reporting import Pending
from contest.results.rules import file_tables, reports
from contest.results.rules.jobs import Recomputed
from contest.results.rules.qualification import Conclusion
from contest.results.wire import reviews
from contest.results.wire.reviews import DifferenceBody, RecomputationBody, SubmissionsRecomputationBody
from contest.submissions import presenting
from contest.submissions.rules import Recomputed as RecomputedSubmissions
from contest.submissions.scoring import Waiting
from contest.tables import Table
from contest.values import Millis


def conclusion(found: Conclusion) -> reviews.ConclusionBody:
    """Return a conclusion with its rulings. Who ruled stays in the audit log."""
    return reviews.ConclusionBody.from_value(
        found,
        rulings=[reviews.RulingBody.from_value(each, counts=each.report == found.report) for each in found.rulings],
        possible=[reviews.PossibleRulingBody(step=step, positive=positive) for step, positive in found.possible()],
    )


def team_standing(found: TeamStanding) -> reviews.TeamStandingBody:
    """Return how far a team has come."""
    decided = found.admission
    admission = reviews.AdmissionBody.from_value(decided, by=found.decided_by) if decided else None
    return reviews.TeamStandingBody.from_value(found, admission=admission)


def standings(found: Sequence[TeamStanding]) -> reviews.StandingsBody:
    """Return the teams on their way to the final."""
    return reviews.StandingsBody(teams=[team_standing(each) for each in found])


_NOTHING: Final[Mapping[str, Any]] = {"checked": {}, "total": 0, "differences": []}


def recomputation(run_id: str, found: Recomputed) -> RecomputationBody:
    """Return the findings, cell by cell, or the progress."""
    result = found.result or _NOTHING
    return RecomputationBody(
        run_id=run_id,
        state="recomputing" if found.result is None else "clean" if found.is_clean else "different",
        teams=found.teams,
        made=found.made,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**each) for each in result["differences"]],
    )


def of_submissions(found: RecomputedSubmissions) -> SubmissionsRecomputationBody:
    """Return the findings on submissions, cell by cell, or the progress."""
    result = found.result or _NOTHING
    return SubmissionsRecomputationBody(
        state="recomputing" if found.result is None else "clean" if found.is_clean else "different",
        submissions=found.submissions,
        made=found.made,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**each) for each in result["differences"]],
    )


Unfinished = Pending | Waiting


def page(app: APIGatewayHttpResolver, found: bytes | Unfinished, language: Language) -> Reply:
    """Return the report of a session or submission to print; 202 while scores are being made."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    return files.page(app, report_pages.session_page(json.loads(found), language), language)


def csv(app: APIGatewayHttpResolver, found: bytes | Unfinished) -> Reply:
    """Return the files of a session, or the items of a submission, with all their measures."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    report = json.loads(found)
    return files.table(app, _name(report), file_tables.main(report))


def xlsx(app: APIGatewayHttpResolver, found: bytes | Unfinished, language: Language) -> Reply:
    """Return the same with the report's other tables."""
    if not isinstance(found, bytes):
        return _unfinished(found)
    report = json.loads(found)
    return files.workbook(app, _name(report), file_tables.of_report(report), language)


def _unfinished(found: Unfinished) -> Reply:
    return present.outcome(found) if isinstance(found, Pending) else presenting.report(found)


def _name(report: Any) -> str:
    if "submission" in report:
        return f"submission-{report['submission']['submission_id']}"
    return f"session-{report['session']['session_id']}"


def commission_record(app: APIGatewayHttpResolver, found: dict[str, Any]) -> Reply:
    """Return the commission's record."""
    return files.json_text(app, reviews.CommissionBody(**found).model_dump_json())


def commission_page(app: APIGatewayHttpResolver, found: dict[str, Any], language: Language) -> Reply:
    """Return the commission's record to print."""
    return files.page(app, report_pages.run_page(found, language), language)


def commission_xlsx(app: APIGatewayHttpResolver, found: dict[str, Any], language: Language) -> Reply:
    """Return the tables of the commission's record as a workbook."""
    name = f"commission-{found['run']['run_id']}"
    return files.workbook(app, name, file_tables.of_record(found), language)


def run_files(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]]) -> Reply:
    """Return every file of every team."""
    body = reviews.RunFilesBody.from_value(run_id=run_id, files=list(file_tables.files(found).records()))
    return files.json_text(app, body.model_dump_json())


def run_files_csv(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]]) -> Reply:
    """Return a run's files as a table."""
    return files.table(app, f"run-{run_id}", file_tables.files(found))


def run_files_xlsx(app: APIGatewayHttpResolver, run_id: str, found: list[dict[str, Any]], language: Language) -> Reply:
    """Return a run's files as a workbook."""
    return files.workbook(app, f"run-{run_id}", [file_tables.files(found)], language)


def board_csv(app: APIGatewayHttpResolver, name: str, found: Board) -> Reply:
    """Return a board as CSV."""
    return files.table(app, f"board-{name}", file_tables.board(found.rows, found.names, found.rules, found.present))


def board_xlsx(app: APIGatewayHttpResolver, name: str, found: Board, language: Language) -> Reply:
    """Return a board as a workbook."""
    return files.workbook(
        app, f"board-{name}", [file_tables.board(found.rows, found.names, found.rules, found.present)], language
    )


def compared_csv(app: APIGatewayHttpResolver, name: str, found: Board) -> Reply:
    """Return the first of a board's tables over all teams."""
    return files.table(app, f"teams-{name}", _compared(found)[0])


def compared_xlsx(app: APIGatewayHttpResolver, name: str, found: Board, language: Language) -> Reply:
    """Return all of a board's tables over all teams as a workbook."""
    return files.workbook(app, f"teams-{name}", _compared(found), language)


def _compared(found: Board) -> list[Table]:
    if not found.compared:
        raise NoTablesError
    return [file_tables.section(reports.section(each)) for each in found.compared]


def marking_report(found: MarkingReport, now: Millis) -> reviews.MarkingReportBody:
    """Return the coordinator's report."""
    agreement, work = found.agreement, found.progress
    speeds = {each.expert_id: each for each in agreement.speeds}
    decided = [each.essay.third for each in work.essays if each.essay.third is not None]
    experts = [
        reviews.ExpertReportBody.from_value(
            each, pseudonym=found.pseudonyms.get(each.expert_id), speed=speeds.get(each.expert_id)
        )
        for each in work.experts
    ]
    return reviews.MarkingReportBody.from_value(
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
    """Return the coordinator's report to print."""
    return files.page(app, report_pages.experts_page(found, now, language), language)


def marking_csv(app: APIGatewayHttpResolver, found: MarkingReport) -> Reply:
    """Return the experts' table."""
    return files.table(app, f"experts-{found.marking.marking_id}", report_pages.tables(found)[0])


def marking_xlsx(app: APIGatewayHttpResolver, found: MarkingReport, language: Language) -> Reply:
    """Return all tables of the coordinator's report."""
    return files.workbook(app, f"experts-{found.marking.marking_id}", report_pages.tables(found), language)
