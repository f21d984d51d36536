"""The scoring queue's worker."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from contest.adapters.queue import job_from
from contest.bootstrap import platform
from contest.services.score_answer import score_answer

processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


def _score(record: SQSRecord) -> None:
    score_answer(platform(), job_from(record.body))


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Score a batch; failed messages alone come again and end in the dead-letter queue."""
    answered: Any = process_partial_response(event=event, record_handler=_score, processor=processor, context=context)
    return dict(answered)
