"""The minute timer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from aws_lambda_powertools.metrics import Metrics, MetricUnit

from contest import settings
from contest.edge.logs import logger
from contest.operations.minute_timer import sweep
from contest.wiring import platform

metrics = Metrics(namespace=settings.METRIC_NAMESPACE, service=settings.SERVICE)


class SweepError(RuntimeError):
    """Something could not be swept; everything else was. Raised so that the alarm on errors sees it."""


@logger.inject_lambda_context
@metrics.log_metrics
def handler(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Arm openings, end sessions, enqueue forgotten answers, make reports and records that are due."""
    swept = sweep(platform())
    metrics.add_metric(settings.MASS_FAILURES, MetricUnit.Count, swept.missed)
    metrics.add_metric(settings.FILES_OVERDUE, MetricUnit.Count, swept.overdue)
    metrics.add_metric(settings.SUBMISSIONS_STUCK, MetricUnit.Count, swept.stuck)
    for queue, letters in swept.letters.items():
        metrics.add_metric(settings.dead_letters_metric(queue), MetricUnit.Count, letters)
    for name, error in swept.failures:
        logger.error("sweep failed", extra={"swept": name}, exc_info=error)
    done = {field.name: getattr(swept, field.name) for field in fields(swept) if field.name != "failures"}
    logger.info("sweep", extra=done)
    if swept.failures:
        raise SweepError(f"{len(swept.failures)} failures; see the log")
    return done
