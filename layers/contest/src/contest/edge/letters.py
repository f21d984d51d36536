"""Conversion of messages of the dead-letter queues to the domain's values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from contest.operations.rules import Arrived
from contest.stored_names import LetterQueue
from contest.values import Millis


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
