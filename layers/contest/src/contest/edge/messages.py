"""Conversion of events of streams and queues to the domain's values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from contest import settings
from contest.channel.rules import Push, PushKind
from contest.cycle.rules.sets import ImportJob
from contest.operations.rules import Arrived
from contest.results.rules.jobs import AuditJob, Job, RescoringTask, SettlingTask
from contest.stored_names import LetterQueue
from contest.submissions.rules import SubmissionTask
from contest.values import Millis


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


def push_from(body: str) -> Push:
    """Read the body of a message of the push queue."""
    fields = json.loads(body)
    return Push(**{**fields, "kind": PushKind(fields["kind"])})


def settling_task_from(body: str) -> SettlingTask:
    """Read the body of a message of the settlement queue."""
    return SettlingTask(**json.loads(body))


def rescoring_task_from(body: str) -> RescoringTask:
    """Read the body of a message of the rescoring queue."""
    return RescoringTask(**json.loads(body))


def audit_job_from(body: str) -> AuditJob:
    """Read the body of a message of the audit queue."""
    return AuditJob(**json.loads(body))


def import_job_from(body: str) -> ImportJob:
    """Read the body of a message of the import queue."""
    return ImportJob(**json.loads(body))


def arrived_from(record: Mapping[str, Any], queues: Mapping[str, str], now: Millis) -> Arrived:
    """Read a message of a dead-letter queue; ``queues`` says by a queue's name, the end of its ARN, what it holds.

    The scheduler sends the input of the run that it could not begin, and says in attributes of which and why.
    """
    queue = LetterQueue(queues[record["eventSourceARN"].rpartition(":")[2]])
    body, error = record["body"], ""
    values = {name: attribute.get("stringValue") for name, attribute in record.get("messageAttributes", {}).items()}
    if target := values.get("TARGET_ARN"):
        error = values.get("ERROR_CODE") or ""
        body = json.dumps({"function": target, "error": values.get("ERROR_MESSAGE"), "input": body}, ensure_ascii=False)
    attributes = record["attributes"]
    return Arrived(
        queue=queue,
        message_id=record["messageId"],
        body=body,
        sent_at=int(attributes["SentTimestamp"]),
        at=now,
        tries=int(attributes["ApproximateReceiveCount"]),
        error=error,
    )


def submission_task_from(body: str) -> SubmissionTask:
    """Read the body of a message of the queue of submissions."""
    return SubmissionTask(**json.loads(body))


def job_from(body: str) -> Job:
    """Read the body of a message of the scoring queue."""
    return Job(**json.loads(body))
