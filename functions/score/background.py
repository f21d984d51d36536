"""Workers and a timer that nobody waits for: settlement, rescorings, audits, jobs that failed for good.

Each is an entry point of its own and imports its use case itself, so that a function loads no other's. Of a batch, only
failed messages are delivered again, and end in the dead-letter queue.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from contest import settings
from contest.edge.guards import consume, consume_whole, job_from, log
from contest.stored_names import Figure, LetterQueue
from contest.values import Millis
from contest.wiring import platform

logger = log()

if TYPE_CHECKING:
    from contest.operations.rules import Arrived


def settle(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Make parts of records and boards."""
    from contest.results.publishing import settle_or_mark
    from contest.results.rules.jobs import SettlingTask

    return consume(event["Records"], lambda body: settle_or_mark(platform(), job_from(body, SettlingTask)), context)


def rescore(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Score sessions anew."""
    from contest.results.rules.rescoring import RescoringTask
    from contest.submissions.rescoring import work

    return consume(event["Records"], lambda body: work(platform(), job_from(body, RescoringTask)), context)


@logger.inject_lambda_context
def plan_audits(_event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Send workers the sessions that are due for an audit, and look at the locked copies."""
    from contest.operations.letters import note_copies
    from contest.results.audit import send_audits

    planned = {"planned": send_audits(platform())}
    note_copies(platform())
    logger.info("audits", extra=planned)
    return planned


def audit(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Rebuild the results of sessions and count those that differ or are lost; alarms look at the counts and at their
    absence."""
    from contest.results.audit import audit_or_verify
    from contest.results.rules.jobs import AuditJob
    from contest.submissions.worker import rebuild

    def work(body: str) -> None:
        outcome = audit_or_verify(platform(), job_from(body, AuditJob), rebuild)
        differences = len(outcome.differences) + len(outcome.missing)
        platform().figures.note({Figure.AUDIT_DIFFERENCES: differences, Figure.AUDITS: outcome.sessions})
        logger.info("audit", extra=asdict(outcome))

    return consume(event["Records"], work, context)


def collect_letters(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Store every message of the dead-letter queues as a letter, for people to look at.

    A message that cannot be stored stays in its queue.
    """
    from contest.operations.letters import collect

    def keep(record: Mapping[str, Any]) -> None:
        queues = settings.queues_by_name(platform().settings.dead_letter_queues)
        collect(platform(), _arrived_from(record, queues, platform().clock.now()))

    return consume_whole(event["Records"], keep, context)


def _arrived_from(record: Mapping[str, Any], queues: Mapping[str, str], now: Millis) -> Arrived:
    """Read a message of a dead-letter queue; ``queues`` maps a queue's name, the end of its ARN, to its content.

    The scheduler sends the input of the run that it could not begin; attributes name its function and the error.
    """
    from contest.operations.rules import Arrived

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
