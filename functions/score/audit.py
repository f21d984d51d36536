"""The audit timer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.metrics import Metrics, MetricUnit

from contest import settings
from contest.bootstrap import platform
from contest.bootstrap.logs import logger
from contest.services.audit import audit_recent

metrics = Metrics(namespace=settings.METRIC_NAMESPACE, service=settings.SERVICE)


@metrics.log_metrics
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Rebuild what was made of recent sessions and count what differs; the alarm looks at the count."""
    found = audit_recent(platform())
    metrics.add_metric(settings.AUDIT_DIFFERENCES, MetricUnit.Count, len(found.differences))
    logger.info("audit", extra=asdict(found))
    return asdict(found)
