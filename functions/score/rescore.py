"""The rescoring queue's worker."""

from __future__ import annotations

from typing import Any

from contest.edge.logs import consume, job_from
from contest.results.rules.rescoring import RescoringTask
from contest.submissions.rescoring import work
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Score sessions anew; failed messages alone come again and end in the dead-letter queue."""
    return consume(event["Records"], lambda body: work(platform(), job_from(body, RescoringTask)), context)
