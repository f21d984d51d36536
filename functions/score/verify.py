"""The audit queue's worker."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.metrics import Metrics, MetricUnit

from contest import settings
from contest.edge.logs import logger
from contest.edge.messages import audit_job_from
from contest.edge.queues import consume
from contest.results.errands import audited
from contest.submissions.programs import rebuilt
from contest.wiring import platform

metrics = Metrics(namespace=settings.METRIC_NAMESPACE, service=settings.SERVICE)


@metrics.log_metrics
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Rebuild what was made of sessions and count what differs or is lost; alarms look at the counts and at their
    absence."""
    return consume(event["Records"], _audit, context)


def _audit(body: str) -> None:
    audit = audited(platform(), audit_job_from(body), rebuilt)
    metrics.add_metric(settings.AUDIT_DIFFERENCES, MetricUnit.Count, len(audit.differences) + len(audit.missing))
    metrics.add_metric(settings.AUDITS, MetricUnit.Count, audit.sessions)
    logger.info("audit", extra=asdict(audit))
