"""The outbox's stream: new entries become jobs in the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from contest import settings
from contest.edge.guards import logged_failures
from contest.results.rules.jobs import Job
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> None:
    """Relay a batch; an error makes the stream deliver it again, and repeated jobs are harmless."""
    jobs = inserted_jobs(event)
    with logged_failures(context, jobs=[asdict(job) for job in jobs]):
        platform().queue.send(jobs)


def inserted_jobs(event: Mapping[str, Any]) -> Sequence[Job]:
    """Return jobs of the outbox entries that a stream's batch inserts.

    The event source's filter lets only such records through; what comes nevertheless is passed over, so that a
    change of the filter cannot turn other items into jobs.
    """
    images = [record["dynamodb"].get("NewImage") for record in event["Records"] if record.get("eventName") == "INSERT"]
    return [
        Job(image["session_id"]["S"], int(image["number"]["N"]), image["content_sha256"]["S"])
        for image in images
        if image and image[settings.PARTITION_KEY]["S"].startswith(settings.OUTBOX_PREFIX)
    ]
