"""The scoring queue's worker."""

from __future__ import annotations

from typing import Any

from contest.edge.guards import consume, job_from, log
from contest.results.rules.jobs import Job
from contest.results.scoring import score_answer
from contest.wiring import platform

log()  # its library is loaded before the first message comes


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Score a batch; only failed messages are delivered again, and end in the dead-letter queue."""
    return consume(event["Records"], lambda body: score_answer(platform(), job_from(body, Job)), context)
