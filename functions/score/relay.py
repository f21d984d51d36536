"""The outbox's stream: new entries become jobs in the queue."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from contest.edge.failures import logged_failures
from contest.edge.outbox import inserted_jobs
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> None:
    """Relay a batch; an error makes the stream deliver it again, and repeated jobs are harmless."""
    jobs = inserted_jobs(event)
    with logged_failures(context, jobs=[asdict(job) for job in jobs]):
        platform().queue.send(jobs)
