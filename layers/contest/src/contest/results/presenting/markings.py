"""Conversion of the report on an annotation project to a body, a page and tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest.edge import files
from contest.edge.pages import reports as report_pages
from contest.results.wire import markings as wire

if TYPE_CHECKING:
    from contest.edge.languages import Language
    from contest.edge.web import Reply
    from contest.experts.progress import MarkingReport
    from contest.values import Millis


def marking_report(report: MarkingReport, now: Millis) -> wire.MarkingReportBody:
    """Return the coordinator's report."""
    agreement, work = report.agreement, report.progress
    speeds = {speed.expert_id: speed for speed in agreement.speeds}
    decided = [essay.essay.third for essay in work.essays if essay.essay.third is not None]
    experts = [
        wire.ExpertReportBody.from_value(
            expert, pseudonym=report.pseudonyms.get(expert.expert_id), speed=speeds.get(expert.expert_id)
        )
        for expert in work.experts
    ]
    return wire.MarkingReportBody.from_value(
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
