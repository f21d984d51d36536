"""The worker of the dead-letter queues: it keeps their messages for people to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from contest import settings
from contest.edge.logs import consume_whole
from contest.operations import letters
from contest.operations.rules import Arrived
from contest.stored_names import LetterQueue
from contest.values import Millis
from contest.wiring import platform


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Store every message as a letter; a message that cannot be stored stays in its queue."""
    return consume_whole(event["Records"], _collect, context)


def _collect(record: Mapping[str, Any]) -> None:
    deployed = platform()
    queues = settings.queues_by_name(deployed.settings.dead_letter_queues)
    arrived = _arrived_from(record, queues, deployed.clock.now())
    letters.collect(deployed, arrived)


def _arrived_from(record: Mapping[str, Any], queues: Mapping[str, str], now: Millis) -> Arrived:
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
