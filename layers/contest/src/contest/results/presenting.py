"""Conversion of results to bodies, files and pages.

It covers conclusions and admission, the independent recomputation of finals and submissions, reports and exports.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.edge import files, present
from contest.edge.pages import reports as report_pages
from contest.errors import NoTablesError
from contest.results.reporting import Pending
from contest.results.rules import file_tables, reports
from contest.results.wire import reviews
from contest.results.wire.reviews import DifferenceBody, RecomputationBody, SubmissionsRecomputationBody
from contest.submissions import presenting
from contest.submissions.scoring import Waiting

if TYPE_CHECKING:
    from contest.edge.languages import Language
    from contest.edge.web import Reply
    from contest.experts.progress import MarkingReport
    from contest.results.boards import Board
    from contest.results.qualifying import TeamStanding
    from contest.results.rules.qualification import Conclusion
    from contest.results.rules.recomputation import Recomputed
    from contest.submissions.rules import Recomputed as RecomputedSubmissions
    from contest.tables import Table
    from contest.values import Millis


def conclusion(conclusion: Conclusion) -> reviews.ConclusionBody:
    """Return a conclusion with its rulings. Their authors stay in the audit log."""
    return reviews.ConclusionBody.from_value(
        conclusion,
        rulings=[
            reviews.RulingBody.from_value(ruling, counts=ruling.report == conclusion.report)
            for ruling in conclusion.rulings
        ],
        possible=[reviews.PossibleRulingBody(step=step, positive=positive) for step, positive in conclusion.possible()],
    )


def team_standing(standing: TeamStanding) -> reviews.TeamStandingBody:
    """Return the body of a team's progress."""
    decided = standing.admission
    admission = reviews.AdmissionBody.from_value(decided, by=standing.decided_by) if decided else None
    return reviews.TeamStandingBody.from_value(standing, admission=admission)


def standings(teams: Sequence[TeamStanding]) -> reviews.StandingsBody:
    """Return the teams on their way to the final."""
    return reviews.StandingsBody(teams=[team_standing(team) for team in teams])


_NOTHING: Final[Mapping[str, Any]] = {"checked": {}, "total": 0, "differences": []}


def recomputation(run_id: str, recomputed: Recomputed) -> RecomputationBody:
    """Return the findings, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return RecomputationBody(
        run_id=run_id,
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        teams=recomputed.teams,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )


def of_submissions(recomputed: RecomputedSubmissions) -> SubmissionsRecomputationBody:
    """Return the findings on submissions, cell by cell, or the progress."""
    result = recomputed.result or _NOTHING
    return SubmissionsRecomputationBody(
        state="recomputing" if recomputed.result is None else "clean" if recomputed.is_clean else "different",
        submissions=recomputed.submissions,
        made=recomputed.recomputed,
        checked=result["checked"],
        total=result["total"],
        differences=[DifferenceBody(**difference) for difference in result["differences"]],
    )


Unfinished = Pending | Waiting


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
    return present.outcome(unfinished) if isinstance(unfinished, Pending) else presenting.report(unfinished)


def _name(report: Any) -> str:
    if "submission" in report:
        return f"submission-{report['submission']['submission_id']}"
    return f"session-{report['session']['session_id']}"


def commission_record(app: APIGatewayHttpResolver, record: dict[str, Any]) -> Reply:
    """Return the commission's record."""
    return files.json_text(app, reviews.CommissionBody(**record).model_dump_json())


def commission_page(app: APIGatewayHttpResolver, record: dict[str, Any], language: Language) -> Reply:
    """Return the commission's record to print."""
    return files.page(app, report_pages.run_page(record, language), language)


def commission_xlsx(app: APIGatewayHttpResolver, record: dict[str, Any], language: Language) -> Reply:
    """Return the tables of the commission's record as a workbook."""
    name = f"commission-{record['run']['run_id']}"
    return files.workbook(app, name, file_tables.of_record(record), language)


def run_files(app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]]) -> Reply:
    """Return every file of every team."""
    body = reviews.RunFilesBody.from_value(run_id=run_id, files=list(file_tables.files(team_reports).records()))
    return files.json_text(app, body.model_dump_json())


def run_files_csv(app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]]) -> Reply:
    """Return a run's files as a table."""
    return files.table(app, f"run-{run_id}", file_tables.files(team_reports))


def run_files_xlsx(
    app: APIGatewayHttpResolver, run_id: str, team_reports: list[dict[str, Any]], language: Language
) -> Reply:
    """Return a run's files as a workbook."""
    return files.workbook(app, f"run-{run_id}", [file_tables.files(team_reports)], language)


def board_csv(app: APIGatewayHttpResolver, name: str, board: Board) -> Reply:
    """Return a board as CSV."""
    return files.table(app, f"board-{name}", file_tables.board(board.rows, board.names, board.rules, board.present))


def board_xlsx(app: APIGatewayHttpResolver, name: str, board: Board, language: Language) -> Reply:
    """Return a board as a workbook."""
    return files.workbook(
        app, f"board-{name}", [file_tables.board(board.rows, board.names, board.rules, board.present)], language
    )


def compared_csv(app: APIGatewayHttpResolver, name: str, board: Board) -> Reply:
    """Return the first of a board's tables over all teams."""
    return files.table(app, f"teams-{name}", _compared(board)[0])


def compared_xlsx(app: APIGatewayHttpResolver, name: str, board: Board, language: Language) -> Reply:
    """Return all of a board's tables over all teams as a workbook."""
    return files.workbook(app, f"teams-{name}", _compared(board), language)


def _compared(board: Board) -> list[Table]:
    if not board.compared:
        raise NoTablesError
    return [file_tables.section(reports.section(table)) for table in board.compared]


def marking_report(report: MarkingReport, now: Millis) -> reviews.MarkingReportBody:
    """Return the coordinator's report."""
    agreement, work = report.agreement, report.progress
    speeds = {speed.expert_id: speed for speed in agreement.speeds}
    decided = [essay.essay.third for essay in work.essays if essay.essay.third is not None]
    experts = [
        reviews.ExpertReportBody.from_value(
            expert, pseudonym=report.pseudonyms.get(expert.expert_id), speed=speeds.get(expert.expert_id)
        )
        for expert in work.experts
    ]
    return reviews.MarkingReportBody.from_value(
        marking=report.marking,
        essays=len(work.essays),
        done=work.done,
        lacking=work.lacking,
        thirds=work.thirds,
        third_reasons=dict(
            sorted(Counter(str(one["code"]) for decision in decided for one in decision.reasons).items())
        ),
        experts=experts,
        agreement=agreement.agreement,
        server_time=now,
    )


def marking_page(app: APIGatewayHttpResolver, report: MarkingReport, now: Millis, language: Language) -> Reply:
    """Return the coordinator's report to print."""
    return files.page(app, report_pages.experts_page(report, now, language), language)


def marking_csv(app: APIGatewayHttpResolver, report: MarkingReport) -> Reply:
    """Return the experts' table."""
    return files.table(app, f"experts-{report.marking.marking_id}", report_pages.tables(report)[0])


def marking_xlsx(app: APIGatewayHttpResolver, report: MarkingReport, language: Language) -> Reply:
    """Return all tables of the coordinator's report."""
    return files.workbook(app, f"experts-{report.marking.marking_id}", report_pages.tables(report), language)
