"""The worker of the queue of submissions: it checks, has programs run, and alone scores them by the right answers."""

from __future__ import annotations

from typing import Any

from contest.edge.guards import consume, job_from
from contest.stored_names import Figure
from contest.submissions.rules import SubmissionTask
from contest.submissions.worker import work
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Process submissions; only failed messages are delivered again, and end in the dead-letter queue."""
    return consume(event["Records"], _work, context)


def _work(body: str) -> None:
    lost = False
    try:
        lost = work(platform(), job_from(body, SubmissionTask))
    finally:  # of a message that fails, too: the alarm is to hear from every one
        platform().figures.note({Figure.RUNS_LOST: lost})
