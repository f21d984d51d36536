"""Conversion of use cases' results about the platform itself to bodies, and of dead letters to the domain's values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from contest.operations.rules import Arrived
from contest.operations.wire import ChecksBody, CostBody, DaysCostBody, PlayedBody, PriceBody
from contest.run.rules.checks import CheckGrade
from contest.stored_names import LetterQueue
from contest.values import Millis

if TYPE_CHECKING:
    from contest.operations.overview import Checked, CycleCost


def checked(checks: Checked) -> ChecksBody:
    """Return the body of a cycle's checks."""
    grades = [check.grade for check in checks.checks]
    return ChecksBody.from_value(
        run_id=checks.run.run_id if checks.run else None,
        failed=grades.count(CheckGrade.FAILED),
        warnings=grades.count(CheckGrade.WARNING),
        checks=checks.checks,
        server_time=checks.now,
    )


def cost(estimate: CycleCost) -> CostBody:
    """Return the whole estimate with its prices."""
    of_days = sum(line.cost for line in estimate.lines)
    return CostBody.from_value(
        estimate,
        currency=estimate.prices["currency"],
        region=estimate.prices["region"],
        cost=sum(final.cost for final in estimate.finals) + of_days,
        days=DaysCostBody.from_value(estimate, cost=of_days),
        prices=[PriceBody(kind=kind, **price) for kind, price in estimate.prices["prices"].items()],
        played=[PlayedBody(teams=teams, files=count) for teams, count in estimate.played],
    )


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
